"""Write what the code says of itself: references.py FOLDER, in a Python with Blender's `bpy`.

`operators.md` and `settings.md` are what Blender has registered; `core.md` are the docstrings of
`core`, numpydoc's sections turned to Markdown.
"""

import inspect
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(CHECKOUT / "tests"), str(CHECKOUT)]

import bpy  # noqa: E402
import conftest  # noqa: E402, F401  # imports the checkout as the package `octree_ext`

import octree_ext  # noqa: E402
from octree_ext import core  # noqa: E402

# Properties of Blender's own, not ours.
FOREIGN = ("rna_type", "name")
# Groups in which the extension remembers, and nobody sets, something.
MEMORY = ("answers", "built_of", "hidden")
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


def main(folder: Path) -> None:
    """Write the three pages."""
    octree_ext.register()
    pages = {"operators": operators(), "settings": settings(), "core": library()}
    for name, lines in pages.items():
        (folder / f"{name}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def operators() -> Iterator[str]:
    """Yield the page of the operators, by name."""
    yield from (
        "# Operators",
        "",
        "Every button as a function of `bpy.ops.octree`, as Blender has registered it. An option",
        "that is not given, and that the tab shows too, is what the scene has set: the default",
        "here is that of a new scene.",
        "",
    )
    for name in sorted(dir(bpy.ops.octree)):
        made = getattr(bpy.ops.octree, name).get_rna_type()
        options = [each for each in made.properties if each.identifier not in FOREIGN[:1]]
        options = [each for each in options if not each.is_hidden]
        yield from (f"## {name}", "", f"**{made.name}**. {told(made.description)}", "")
        yield from table(options)


def settings() -> Iterator[str]:
    """Yield the page of the settings that a scene has."""
    yield from (
        "# Settings",
        "",
        "What a scene keeps in the file below `bpy.context.scene.octree`: what the tab shows,",
        "with the defaults of a new scene.",
        "",
    )
    for name, group in groups():
        options = [each for each in group.bl_rna.properties if each.identifier not in FOREIGN]
        options = [each for each in options if not each.is_hidden and each.type != "COLLECTION"]
        if options:
            yield from (f"## {name}", "")
            yield from table(options, group)


def groups() -> list[tuple[str, Any]]:
    """Return the groups of settings, by their names."""
    record = bpy.context.scene.octree
    names = {each.identifier for each in record.bl_rna.properties} - {*FOREIGN, *MEMORY}
    found = [(name, getattr(record, name)) for name in sorted(names)]
    return [(name, group) for name, group in found if isinstance(group, bpy.types.PropertyGroup)]


def table(options: list[Any], group: Any = None) -> Iterator[str]:
    """Yield a table of properties, if there are any; of a group, with the values that it has."""
    if options:
        yield from ('<div class="options" markdown>', "")
        yield from ("| option | type | default | meaning |", "|---|---|---|---|")
        for each in options:
            yield row(each, getattr(group, each.identifier) if group else initial(each))
        yield from ("", "</div>", "")


def initial(option: Any) -> Any:
    """Return the default of a property, or what it has of them."""
    return tuple(option.default_array) if is_array(option) else getattr(option, "default", None)


def is_array(option: Any) -> bool:
    """Tell whether a property has several numbers."""
    return bool(getattr(option, "is_array", False))


def row(option: Any, value: Any) -> str:
    """Return the line of a property."""
    kind, meaning = option.type.lower(), told(option.description or option.name)
    if option.type == "ENUM":
        known = [(each.identifier, each.name, each.description) for each in option.enum_items]
        choices = [f"`{one}`: {told(text or label)}" for one, label, text in known]
        meaning = "<br>".join([meaning, *choices])
        value = value or None
    elif is_array(option):
        kind, value = f"{kind}[{option.array_length}]", tuple(value)
        value = tuple(rounded(each) for each in value)
    shown = "" if value is None else f"`{rounded(value)!r}`"
    return f"| `{option.identifier}` | {kind} | {shown} | {meaning} |"


def rounded(value: Any) -> Any:
    """Return a number as it was written, before single precision had it."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def told(text: str) -> str:
    """Return a text for a cell of a table: a sentence on one line."""
    text = re.sub(r"\s+", " ", text).strip().replace("|", "\\|").replace("<", "&lt;")
    return text + "." * (bool(text) and text[-1] not in ".!?:")


def library() -> Iterator[str]:
    """Yield the page of `core`."""
    yield from ("# Functions of core", "", escaped(inspect.getdoc(core) or ""), "")
    for name in sorted(core.__all__, key=str.lower):
        thing = getattr(core, name)
        if not callable(thing):
            continue  # a number, or the names of classes of findings
        yield from (f"## {name}", "", "```python", signature(name, thing), "```", "")
        yield from sections(inspect.getdoc(thing) or "")
        if inspect.isclass(thing):
            fields = getattr(thing, "__dataclass_fields__", {})
            for key, member in vars(thing).items():
                if key[0] != "_" and key not in fields and inspect.getdoc(member):
                    yield from (f"### {name}.{key}", "")
                    if inspect.isfunction(member):
                        yield from ("```python", signature(key, member), "```", "")
                    yield from sections(inspect.getdoc(member) or "")


def signature(name: str, thing: Any) -> str:
    """Return how something is called, an argument a line if it is long."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return name
    plain = [
        each.replace(annotation=inspect.Parameter.empty) for each in found.parameters.values()
    ]
    text = str(found.replace(parameters=plain, return_annotation=inspect.Signature.empty))
    return name + text.replace("<factory>", "...")


def sections(text: str) -> Iterator[str]:
    """Yield a docstring by numpydoc as Markdown."""
    parts = SECTION.split(text)
    yield from (escaped(parts[0]), "")
    for heading, body in zip(parts[1::2], parts[2::2], strict=True):
        yield from (f"**{heading}**", "")
        if heading in ("Notes", "References", "See Also"):
            yield from (escaped(body), "")
        elif heading == "Examples":
            yield from ("```python", body.strip(), "```", "")
        else:
            yield from described(body)


def described(body: str) -> Iterator[str]:
    """Yield a list of names, or types, each with what is told of it."""
    for line in body.splitlines():
        if line and line[0] != " ":
            name, colon, kind = line.partition(" : ")
            yield f"- `{name}`" + f" ({escaped(kind)})" * bool(colon) + ":"
        elif line.strip():
            yield f"    {escaped(line.strip())}"
    yield ""


def escaped(text: str) -> str:
    """Return prose in which nothing is taken for HTML, emphasis or a link."""
    parts = re.split(r"(`[^`]*`)", text.strip())
    for place in range(0, len(parts), 2):
        parts[place] = re.sub(r"([\\*_\[\]<])", r"\\\1", parts[place])
    return "".join(parts)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
    sys.stdout.flush()
    os._exit(0)  # at exit some wheels crash over what is registered
