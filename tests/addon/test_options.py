"""Declared options: each kind in settings, operators, rows, JSON and on a command line."""

import argparse
from dataclasses import FrozenInstanceError, replace
from typing import Literal, get_args, get_type_hints

import bpy
import pytest

from octree_ext import octree_addon
from octree_ext.octree_addon.options import (
    Asking,
    OptionGroup,
    add_arguments,
    as_json,
    boolean,
    draw_options,
    enum,
    from_values,
    given,
    integer,
    nested,
    pointer,
    read,
    real,
    settings_group,
    string,
    switches,
    vector,
    when,
)


class Inner(OptionGroup):
    """Options that another record holds."""

    span: Literal["ONE", "ALL"] = enum(
        "ONE", "Span", "Which frames", {"ONE": ("One", "One frame"), "ALL": ("All", "All frames")}
    )
    step: int = integer(
        1, "Step", "Every so many, in %", min=1, max=9, shown=when(span, "ALL"), argument="--step"
    )


class Outer(OptionGroup):
    """Options of all kinds."""

    far: bool = boolean(False, "Far", "Look far", argument="--far")
    inner: Inner = nested(Inner(step=3), shown=lambda owner: owner.far, heading="In")
    size: float = real(
        0.0, "Size", "Edges of cells", min=0.0, subtype="DISTANCE", empty="Any", argument="--size"
    )
    title: str = string("a", "Title", "Any text", operator={"default": "b"})
    ones: str = pointer("objects", "Ones", "One object", empty="Nothing")
    axes: tuple[bool, ...] = switches((True, False, True), "Axes", "Along which")
    room: str = string("", "Room", "Name of an object", data="objects")
    where: tuple[float, float, float] = vector((0.0, 0.0, 1.0), "Where", "A position")
    seen: Literal["YES", "NO"] = enum(
        "NO",
        "Seen",
        "Whether it is seen",
        {"YES": ("Yes", "It is", "HIDE_OFF"), "NO": ("No", "It is not", "HIDE_ON")},
    )
    hidden: int = integer(0, "Hidden", "In settings alone", operator=None)
    ending: str = string("", "", "", settings=None, options={"HIDDEN"})


Group = settings_group(Outer, "OctreeTestedOptions")


class OCTREE_OT_tested(Asking[Outer], bpy.types.Operator):
    """Take options and keep them."""

    bl_idname = "octree.tested"
    bl_label = "Tested"
    took = None

    def execute(self, context):
        self.take(context.scene.octree_tested)
        self.put(where=(1.0, 2.0, 3.0))
        type(self).took = self.taken
        self.write_back(context.scene.octree_tested)
        return {"FINISHED"}


class Recorder:
    """A layout that notes what it is asked to show."""

    def __init__(self):
        self.rows = []

    def row(self):
        return self

    def column(self, *, heading, align):
        self.rows.append(heading)
        return self

    def prop(self, owner, name, **shown):
        self.rows.append((name, *shown.values()))

    def prop_search(self, owner, name, *found):
        self.rows.append((name, *found))

    def label(self, text):
        self.rows.append(text)


@pytest.fixture
def settings():
    """Register the group and the operator; return the settings of the scene."""
    bpy.utils.register_class(Group)
    bpy.utils.register_class(OCTREE_OT_tested)
    bpy.types.Scene.octree_tested = bpy.props.PointerProperty(type=Group)
    yield bpy.context.scene.octree_tested
    del bpy.types.Scene.octree_tested
    bpy.utils.unregister_class(OCTREE_OT_tested)
    bpy.utils.unregister_class(Group)


@pytest.mark.parametrize("again", range(2))
def test_settings_begin_as_the_record_does(settings, again):
    assert read(settings, Outer) == Outer()
    assert Outer().inner.step == settings.step == 3
    assert not isinstance(settings.ones, str)


def test_records_are_frozen_and_hashed_by_value():
    with pytest.raises(FrozenInstanceError):
        Outer().far = True
    assert {Outer(): 1}[replace(Outer(far=True), far=False)] == 1
    assert Outer.of(Outer(far=True, inner=Inner(step=5)).values()).inner.step == 5


def test_what_is_given_wins_and_the_rest_is_taken_from_settings(settings):
    item = bpy.data.objects.new("Box", None)
    bpy.context.collection.objects.link(item)
    settings.ones, settings.size = item, 2.0
    bpy.ops.octree.tested(step=7, axes=(True, True, False))
    given = {"size": 2.0, "ones": "Box", "axes": (True, True, False), "where": (1.0, 2.0, 3.0)}
    assert OCTREE_OT_tested.took == Outer(inner=Inner(step=7), **given)
    assert (tuple(settings.axes), tuple(settings.where)) == (given["axes"], given["where"])
    assert (settings.step, settings.ones) == (7, item)
    bpy.ops.octree.tested(ones="")
    assert settings.ones is None


def test_settings_and_operators_may_differ(settings):
    known = bpy.ops.octree.tested.get_rna_type().properties
    assert (known["title"].default, "hidden" in known) == ("b", False)
    assert settings.bl_rna.properties["title"].default == "a"


def test_items_have_icons_and_nameless_options_their_identifier(settings):
    items = settings.bl_rna.properties["seen"].enum_items
    assert [(item.icon, item.value) for item in items] == [("HIDE_OFF", 0), ("HIDE_ON", 1)]
    known = bpy.ops.octree.tested.get_rna_type().properties
    assert known["ending"].name == "ending"
    assert "ending" not in settings.bl_rna.properties
    assert "ending" not in as_json(Outer())


def test_rows_are_shown_where_they_count(settings):
    def shown():
        layout = Recorder()
        draw_options(layout, settings, Outer)
        return layout.rows

    ends = [("size",), "Any", ("title",), ("ones", "Nothing"), ("axes",)]
    ends += [("room", bpy.context.scene, "objects"), ("where",), ("seen",), ("hidden",)]
    assert shown() == [("far",), *ends]
    settings.far = True
    assert shown() == [("far",), "In", ("span",), *ends]
    settings.span = "ALL"
    assert shown() == [("far",), "In", ("span",), ("step",), *ends]


def test_json_gives_the_same_and_forgives():
    asked = Outer(far=True, size=2.0, inner=Inner(span="ALL"))
    assert from_values(Outer, asked.values()) == asked
    unfit = {
        "far": 1,
        "span": "NONE",
        "step": "2",
        "size": 2,
        "title": None,
        "other": 1,
        "axes": 1,
        "where": [1.0],
    }
    assert from_values(Outer, unfit) == Outer(size=2.0)
    assert from_values(Outer, {"span": []}) == Outer()


def test_arguments_know_what_was_typed(capsys):
    parser = argparse.ArgumentParser()
    add_arguments(parser, Outer, exclusive=("far", "step"))
    assert given(parser.parse_args([]), Outer) == {}
    assert given(parser.parse_args(["--far", "--size", "2"]), Outer) == {"far": True, "size": 2.0}
    with pytest.raises(ValueError, match="--step must be 1 to 9"):
        given(parser.parse_args(["--step", "0"]), Outer)
    with pytest.raises(ValueError, match="--size must be 0 to 3"):
        given(parser.parse_args(["--size", "inf"]), Outer)
    with pytest.raises(SystemExit):
        parser.parse_args(["--far", "--step", "2"])
    assert "every so many, in %; 3" in parser.format_help()
    assert "edges of cells, in Blender units; 0" in parser.format_help()


def test_mistakes_are_told_where_options_are_declared():
    with pytest.raises(TypeError, match="flat"):
        when(Inner.span, "ALL")
    with pytest.raises(ValueError, match="items of Span"):
        when(Inner.flat["span"], "NONE")
    with pytest.raises(TypeError, match="same name"):

        class Twice(OptionGroup):
            inner: Inner = nested(Inner())
            step: int = integer(1, "Step", "Steps")

    with pytest.raises(TypeError, match="factory"):

        class Plain(OptionGroup):
            plain: int = 1

    class Hiding(OptionGroup):
        report: int = integer(1, "Report", "Hides a method")

    with pytest.raises(TypeError, match="own report"):

        class Hidden(Asking[Hiding]):
            pass


def declared(base=OptionGroup):
    for each in base.__subclasses__():
        if each.__module__.startswith(octree_addon.__name__):
            yield each
        yield from declared(each)


@pytest.mark.parametrize("options", list(declared()), ids=lambda each: each.__name__)
def test_types_name_all_items(options):
    hints = get_type_hints(options)
    for name, option in options._declared.items():
        # Items that follow from a table have no type of their own.
        if getattr(option, "items", None) and hints[name] is not str:
            assert get_args(hints[name]) == tuple(option.items), name
