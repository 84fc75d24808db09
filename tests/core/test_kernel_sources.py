"""The C files of the kernel can be read: they are short, and a name has one meaning in all."""

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
