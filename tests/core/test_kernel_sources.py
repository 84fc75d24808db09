"""The C files of the kernel can be read: they are short, and a name has one meaning in all."""

import ast
import re
from collections import Counter

from test_layers import CHECKOUT

SOURCES = sorted((CHECKOUT / "kernel").glob("*.[ch]"))
COMMENTS = re.compile(r"/\*.*?\*/|\"[^\"\n]*\"", re.DOTALL)
DIRECTIVES = re.compile(r"^\s*#(?:.*\\\n)*.*$", re.MULTILINE)


def named(text):
    """Return the names that a file defines outside of functions: its own and those of macros."""
    text = COMMENTS.sub("", text)
    names = set(re.findall(r"^\s*#\s*define (\w+)", text, re.MULTILINE))
    text = DIRECTIVES.sub("", text)
    for members in re.findall(r"\benum\s*\{([^}]*)\}", text):
        names |= {member.partition("=")[0].strip() for member in members.split(",")}
    while "{" in text:  # leave "=" of the innermost braces until only the file's own text is left
        text = re.sub(r"\{[^{}]*\}", "=", text)
    names |= set(re.findall(r"\b(\w+)\s*\([^;=]*\)\s*=", text))  # functions
    names |= set(re.findall(r"=\s*(\w+)\s*;", text))  # typedef struct {} name;
    names |= set(re.findall(r"\bstruct (\w+)\s*=", text))
    names |= set(re.findall(r"\bstatic const \w+ (\w+)(?:\[\w+\])* =", text))
    names |= set(re.findall(r"\btypedef (?!struct)[^;=]*?(\w+)(?: __\w+\(\(.*?\)\))?;", text))
    return names - {""}


def test_each_file_can_be_read_at_a_sitting():
    for path in SOURCES:
        lines = path.read_text().splitlines()
        assert len(lines) <= 500, path.name
        assert max(map(len, lines)) < 100, path.name


def test_no_name_means_two_things():
    found = {path.name: named(path.read_text()) for path in SOURCES}
    some = {"Pool", "Search", "touch", "USE_DEFAULT_FLOATS", "CAPSULE", "Places", "SLIDING"}
    assert some <= set().union(*found.values())
    counts = Counter(name for names in found.values() for name in names)
    twice = {name for name, count in counts.items() if count > 1}
    assert {name: [file for file in found if name in found[file]] for name in twice} == {}


def codes():
    """Return the members of all enumerations that have a value."""
    members = re.findall(r"\benum\s*\{([^}]*)\}", COMMENTS.sub("", "".join(map(text_of, SOURCES))))
    pairs = [member.partition("=") for each in members for member in each.split(",")]
    return {name.strip(): int(value) for name, is_set, value in pairs if is_set}


def text_of(path):
    return path.read_text()


def constants(path):
    """Return the names and values that a module sets to numbers."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign):
            names, values = (
                each.elts if isinstance(each, ast.Tuple) else [each]
                for each in (node.targets[0], node.value)
            )
            for name, value in zip(names, values, strict=False):
                try:
                    yield name.id, ast.literal_eval(value)
                except (AttributeError, ValueError):
                    continue


def test_codes_that_python_repeats_are_those_of_the_kernel():
    known = codes()
    assert known["GIVEN_UP"] == -3
    said = {
        (path.name, name): value
        for path in sorted((CHECKOUT / "core" / "compiled").glob("*.py"))
        for name, value in constants(path)
        if name.strip("_") in known
    }
    assert said["few.py", "NOT_TAKEN"] == -2
    assert said == {where: known[where[1].strip("_")] for where in said}
