"""Generator of `octree_kernel/structures.py`, the ctypes bindings, from `octree_kernel.h`.

    python kernel/bindings.py

The header is its own grammar: structures are `typedef struct { type name, *name; } Name;`, codes
`enum { NAME = 0 };`, functions `int64_t octree_kernel_name(type name, ...);`. A field named as its
structure, `const Tree *tree`, points to one of it; all other pointers are addresses of arrays.
"""

import re
import textwrap
from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEADER, WRITTEN = HERE / "octree_kernel.h", HERE / "octree_kernel" / "structures.py"
NUMBERS = {"int64_t": "c_int64", "double": "c_double"}
PREFIX = "octree_kernel_"


def declarations() -> str:
    """Return the header without comments and directives, on one line."""
    text = re.sub(r"/\*.*?\*/|^#.*?$", " ", HEADER.read_text(), flags=re.DOTALL | re.MULTILINE)
    return " ".join(text.split())


def interface() -> int:
    """Return the interface number, a digest of the declarations."""
    return int(sha256(declarations().encode()).hexdigest()[:15], 16)


def codes_in(text: str) -> dict[str, int]:
    """Return the members of the enumerations."""
    members = ",".join(re.findall(r"enum \{ ?(.*?) ?\};", text)).split(",")
    pairs = [member.split("=") for member in members if member]
    return {name.strip(): int(value) for name, value in pairs}


def structures_in(text: str) -> dict[str, dict[str, str]]:
    """Return the fields of each structure, with their types, in order."""
    found: dict[str, dict[str, str]] = {}
    for body, name in re.findall(r"typedef struct \{ (.*?) \} (\w+);", text):
        found[name] = {}
        for declared in filter(None, map(str.strip, body.split(";"))):
            kind, names = declared.removeprefix("const ").split(" ", 1)
            for each in re.split(r", ?", names):
                plain, _, length = each.strip("*]").partition("[")
                is_one = "*" not in each or plain == kind.lower()
                number = type_of(kind, "*" in each, found) if is_one else "c_void_p"
                found[name][plain] = f"{number} * {length}" if length else number
    return found


def functions_in(text: str, structures: dict[str, dict[str, str]]) -> dict[str, list[str]]:
    """Return the types of the arguments of each function."""
    found = {}
    for name, arguments in re.findall(rf"int64_t {PREFIX}(\w+)\((.*?)\);", text):
        taken = [each for each in arguments.split(", ") if each != "void"]
        kinds = [each.removeprefix("const ").split(" ")[0] for each in taken]
        found[name] = [
            type_of(kind, "*" in each, structures) for kind, each in zip(kinds, taken, strict=True)
        ]
    return found


def type_of(kind: str, is_pointer: bool, structures: dict[str, dict[str, str]]) -> str:
    """Return the ctypes type; pointers are typed only for structures that the header defines."""
    if is_pointer:
        return f"POINTER({kind})" if kind in structures else "c_void_p"
    return NUMBERS.get(kind, kind)


def written() -> str:
    """Return the text of the module."""
    text = declarations()
    structures = structures_in(text)
    parts = [
        '"""Structures and functions of the kernel: written by bindings.py from its header."""',
        "# fmt: off",
        "from ctypes import POINTER, Structure, c_double, c_int64, c_void_p",
        f"ABI = {interface()}",
        "\n".join(f"{name} = {code}" for name, code in codes_in(text).items()),
    ]
    for name, fields in structures.items():
        rows = "\n".join(f'        ("{field}", {kind}),' for field, kind in fields.items())
        head = f'class {name}(Structure):\n    """See `{name}` in octree_kernel.h."""\n\n'
        parts.append(f"{head}    _fields_ = [\n{rows}\n    ]")
    rows = [
        textwrap.fill(f'"{name}": [{", ".join(kinds)}],', 95, subsequent_indent="    ")
        for name, kinds in functions_in(text, structures).items()
    ]
    parts.append("FUNCTIONS = {\n" + textwrap.indent("\n".join(rows), "    ") + "\n}")
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    WRITTEN.write_text(written())
