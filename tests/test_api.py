"""The public law: what `core` shows is typed, documented, and called one way."""

import inspect
import re
from typing import get_type_hints

import pytest

import core

EMPTY = inspect.Parameter.empty
ERRORS = {"BuildCancelled"}
# Results are made by the library and only read by its users.
RESULTS = {
    "Audit", "Distances", "Nearest", "Octree", "RayCrossings", "RayHits", "Statistics", "Supports",
    "ChangeCounts", "ContactIntervals", "ItemBuffers", "Visibility", "FaceSamples", "Chunks",
    "Evidence", "ChunkPolygons", "Density", "JoinedChunks", "Pieces", "Slides", "Separation",
}  # fmt: skip
# Data that may be left out.
LEFT_OUT = {"other"}
# Shared by all batches, and shown in the documentation of each.
INHERITED = ("bounds", "rows", "limits")


def is_class(name):
    return inspect.isclass(getattr(core, name))


def functions():
    """Yield the public functions and methods with their names."""
    for name in core.__all__:
        thing = getattr(core, name)
        if inspect.isfunction(thing):
            yield name, thing
        elif inspect.isclass(thing) and name not in ERRORS:
            yield from ((f"{name}.{part}", call) for part, call in methods(thing))


def methods(kind):
    for part in sorted({*vars(kind), *(name for name in INHERITED if hasattr(kind, name))}):
        raw = inspect.getattr_static(kind, part)
        call = getattr(raw, "__func__", raw)
        if not part.startswith("_") and inspect.isfunction(call):
            yield part, call


def properties():
    """Yield the public properties with their names."""
    for name in filter(is_class, core.__all__):
        for part, raw in vars(getattr(core, name)).items():
            getter = getattr(raw, "fget", None) or getattr(raw, "func", None)
            if not part.startswith("_") and getter:
                yield f"{name}.{part}", getter


FUNCTIONS, PROPERTIES = dict(functions()), dict(properties())
CLASSES = {name: getattr(core, name) for name in core.__all__ if is_class(name)}
BATCHES = {name for name in CLASSES if name not in RESULTS | ERRORS}


def arguments(call):
    given = inspect.signature(call).parameters.values()
    return [argument for argument in given if argument.name not in ("self", "cls")]


def sections(thing):
    return re.findall(r"^(\w+)\n-{3,}$", inspect.getdoc(thing), re.MULTILINE)


def section(thing, title):
    found = re.search(rf"^{title}\n-+\n(.*?)(?=^\w+\n-+$|\Z)", inspect.getdoc(thing), re.M | re.S)
    return found.group(1) if found else ""


def described(thing, title="Parameters"):
    lines = re.findall(r"^(\w[\w, ]*?)(?: :.*)?$", section(thing, title), re.MULTILINE)
    return [name.strip() for line in lines for name in line.split(",")]


def test_the_shelf_is_sorted_and_complete():
    assert core.__all__ == sorted(core.__all__, key=lambda name: (not name.isupper(), name))
    shown = {name for name in vars(core) if not name.startswith("_")}
    modules = {name for name in shown if inspect.ismodule(getattr(core, name))}
    assert shown - modules | set(core.__all__) == set(core.__all__)


def test_the_shelf_holds_what_the_readme_says():
    promised = {
        "Triangles", "Boxes", "Spheres", "Frusta", "Octree", "build_octree", "build_steps",
        "BuildCancelled", "query", "query_any", "query_count", "trace", "save", "load",
        "statistics", "cell_segments",
    }  # fmt: skip
    assert promised <= set(core.__all__)


@pytest.mark.parametrize("name", [*FUNCTIONS, *PROPERTIES])
def test_everything_is_typed(name):
    call = FUNCTIONS.get(name) or PROPERTIES[name]
    assert inspect.signature(call).return_annotation is not EMPTY
    for argument in arguments(call):
        assert argument.annotation is not EMPTY, argument
    get_type_hints(call)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if "." not in name])
def test_data_come_by_position_and_options_by_keyword(name):
    for argument in arguments(FUNCTIONS[name]):
        is_option = argument.default is not EMPTY and argument.name not in LEFT_OUT
        wanted = argument.KEYWORD_ONLY if is_option else argument.POSITIONAL_ONLY
        assert argument.kind is wanted, argument


@pytest.mark.parametrize("name", ["items_in", "items_below", "cells_of"])
def test_questions_to_a_tree_come_by_position_or_name(name):
    assert {a.kind for a in arguments(getattr(core.Octree, name))} == {
        inspect.Parameter.POSITIONAL_OR_KEYWORD
    }


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_documented_in_sections(name):
    call = FUNCTIONS[name]
    found, given = sections(call), [argument.name for argument in arguments(call)]
    assert described(call) == given
    assert ("Parameters" in found) == bool(given)
    returned = inspect.signature(call).return_annotation
    if returned is not None:
        assert {"Returns", "Yields"} & set(found)
    if given:
        assert "Raises" in found
    assert found == [title for title in SECTIONS if title in found]


SECTIONS = ["Parameters", "Returns", "Yields", "Raises", "Notes", "References", "Examples"]


@pytest.mark.parametrize("name", sorted(BATCHES))
def test_batches_are_documented_by_their_constructor(name):
    kind = CLASSES[name]
    assert described(kind) == [argument.name for argument in arguments(kind.__init__)]
    assert "Raises" in sections(kind) or not described(kind)


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_results_are_documented_by_their_attributes(name):
    public = [field for field in CLASSES[name].__dataclass_fields__ if not field.startswith("_")]
    assert sorted(described(CLASSES[name], "Attributes")) == sorted(public)


@pytest.mark.parametrize("name", [*FUNCTIONS, *PROPERTIES, *CLASSES])
def test_a_docstring_begins_with_a_sentence_and_says_shapes(name):
    thing = FUNCTIONS.get(name) or PROPERTIES.get(name) or CLASSES[name]
    text = inspect.getdoc(thing)
    first = text.partition("\n")[0]
    assert first[0].isupper() or first[0] == "`"
    assert first.endswith(".")
    assert len(first) < 100
    for entry in re.findall(r"^.*(?:ndarray|array_like) of.*$", text, re.MULTILINE):
        assert "shape" in entry or "ndarray of bool" in entry or "optional" in entry, entry


@pytest.mark.parametrize("name", [*FUNCTIONS, *CLASSES])
def test_nothing_is_left_to_say(name):
    assert not re.search("TODO|FIXME|XXX", inspect.getsource(FUNCTIONS.get(name) or CLASSES[name]))
