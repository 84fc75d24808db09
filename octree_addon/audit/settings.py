"""Audit settings: what is audited against what, which classes count, which pairs are left out.

And in which frames contacts are looked for.
"""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ..ui import OWN_WORDS, length_unit

SIDES = (
    ("VISIBLE", "All Visible", "Everything visible that has faces"),
    ("SELECTED", "Selected", "The objects that are selected now"),
    ("COLLECTION", "Collection", "The objects of a collection, and of those in it"),
)


# In meters, whatever the units of the scene: 0.01 mm.
USUAL_BAND = 1e-5
_BAND: dict[str, Any] = {
    "name": "Tolerance",
    "description": "What is no farther apart touches, and what is no deeper does not overlap."
    " Where the coordinates of two objects are coarser, these decide on them; 0 for these alone",
    "min": 0.0,
    "soft_max": 0.1,
    "precision": 5,
    "subtype": "DISTANCE",
}


def usual_band(scene: bpy.types.Scene) -> float:
    """Return 0.01 mm in the units of a scene."""
    return USUAL_BAND / length_unit(scene)[1]


def stated_band(band: float) -> float:
    """Return a tolerance without the digits that single precision made up."""
    return float(f"{band:.6g}")


def _usual_unless_set(settings: Any, band: float, is_set: bool) -> float:
    return band if is_set else usual_band(settings.id_data)


def _get_band(settings: Any) -> float:
    return _usual_unless_set(settings, settings.get("band", 0.0), "band" in settings)


def _set_band(settings: Any, band: float) -> None:
    settings["band"] = band


# Blender 5 keeps such values where Python cannot reach them, and asks for a transformation.
_BY_UNITS: dict[str, Any] = (
    {"get_transform": _usual_unless_set}
    if bpy.app.version >= (5, 0)
    else {"get": _get_band, "set": _set_band}
)


class PairOptions:
    """Which pairs count: the scene's settings and the properties of the operators."""

    if TYPE_CHECKING:
        ones: str
        others: str
        ones_collection: Any
        others_collection: Any
        apart_one: Any
        apart_other: Any
        band: float
        instances: bool
        parents: bool
        same_collection: bool
    else:
        ones: EnumProperty(
            name="Check", description="Which objects are checked", items=SIDES, default="VISIBLE"
        )
        others: EnumProperty(
            name="Against",
            description="Which objects they are checked against",
            items=SIDES,
            default="VISIBLE",
        )
        band: FloatProperty(
            **_BAND,
            default=USUAL_BAND,
        )
        instances: BoolProperty(
            name="Between Instances",
            description="Also check instances of the same instancer against each other",
            default=False,
        )
        parents: BoolProperty(
            name="Parents",
            description="Also check objects against what they are parented to",
            default=False,
        )
        same_collection: BoolProperty(
            name="In One Collection",
            description="Check objects of the same collection against each other; the first"
            " collection of each counts",
            default=True,
        )


class AuditOptions(PairOptions):
    """What an audit looks at: the scene's settings and the properties of the operators."""

    if TYPE_CHECKING:
        clearance: float
        overlap: bool
        contained: bool
        duplicate: bool
        coplanar: bool
        touching: bool
        itself: bool
    else:
        clearance: FloatProperty(
            name="Clearance",
            description="Objects that come nearer than this without touching are found, too; none"
            " if 0",
            default=0.0,
            min=0.0,
            soft_max=10.0,
            subtype="DISTANCE",
        )
        overlap: BoolProperty(
            name="Overlap", description="Find surfaces that cross, with the depth", default=True
        )
        contained: BoolProperty(
            name="Contained", description="Find objects wholly inside closed others", default=True
        )
        duplicate: BoolProperty(
            name="Duplicate",
            translation_context=OWN_WORDS,
            description="Find objects that stand there twice",
            default=True,
        )
        coplanar: BoolProperty(
            name="Z-Fighting",
            description="Find faces that lie in one plane, face the same way and share area",
            default=True,
        )
        touching: BoolProperty(
            name="Contacts",
            description="Also find what only touches, and faces that lie against each other",
            default=False,
        )
        itself: BoolProperty(
            name="Self-Intersections",
            description="Also find faces of one object that cross each other",
            default=False,
        )


class SpanOptions:
    """In which frames contacts are looked for."""

    if TYPE_CHECKING:
        span: str
        first: int
        last: int
        step: int
    else:
        span: EnumProperty(
            name="Frames",
            description="In which frames contacts are looked for",
            items=(
                ("SCENE", "Scene Range", "The frame range of the scene, or its preview range"),
                ("CUSTOM", "Custom", "From a first to a last frame"),
            ),
            default="SCENE",
        )
        first: IntProperty(name="First", description="The first frame", default=1)
        last: IntProperty(name="Last", description="The last frame", default=250)
        step: IntProperty(
            name="Step",
            description="Look at every frame (1), every second frame (2), and so on",
            default=1,
            min=1,
            soft_max=25,
        )


class OctreeContactSettings(SpanOptions, bpy.types.PropertyGroup):
    """In which frames contacts are looked for: `scene.octree.contacts`."""


class OctreeAuditSettings(AuditOptions, bpy.types.PropertyGroup):
    """What an audit looks at: `scene.octree.audit`."""

    if not TYPE_CHECKING:
        band: FloatProperty(**_BAND, **_BY_UNITS)
        ones_collection: PointerProperty(
            type=bpy.types.Collection, name="Collection", description="Whose objects are checked"
        )
        others_collection: PointerProperty(
            type=bpy.types.Collection,
            name="Collection",
            description="Whose objects they are checked against",
        )
        apart_one: PointerProperty(
            type=bpy.types.Collection,
            name="Leave Out",
            description="Objects of this collection may meet those of the next, like doors and"
            " walls",
        )
        apart_other: PointerProperty(
            type=bpy.types.Collection,
            name="With",
            description="Objects of this collection may meet those of the one before",
        )


class GroundOption:
    """What carries all else, shared by the scene's settings and the operator."""

    if TYPE_CHECKING:
        ground: str
    else:
        ground: EnumProperty(
            name="Ground",
            description="What needs no support",
            items=(
                (
                    "MOST",
                    "Most Stands On",
                    "What reaches down to the level on which most objects stand, or deeper",
                ),
                ("LOWEST", "Lowest Object", "What reaches as deep as the lowest point of all"),
                ("OBJECT", "Object", "One object"),
                ("COLLECTION", "Collection", "The objects of a collection"),
            ),
            default="MOST",
        )


class OctreeFloatingSettings(GroundOption, bpy.types.PropertyGroup):
    """What the ground is: `scene.octree.floating`."""

    if not TYPE_CHECKING:
        ground_object: PointerProperty(
            type=bpy.types.Object, name="Ground", description="The object that is the ground"
        )
        collection: PointerProperty(
            type=bpy.types.Collection,
            name="Collection",
            description="The objects of this collection are the ground",
        )


def ground_rows(options: GroundOption) -> list[str]:
    """Return the names of the options for the ground that count."""
    more = {"OBJECT": ["ground_object"], "COLLECTION": ["collection"]}
    return ["ground", *more.get(options.ground, [])]


class NamedCollections:
    """The collections of operators, which name them."""

    if not TYPE_CHECKING:
        ones_collection: StringProperty(
            name="Collection", description="Name of the collection whose objects are checked"
        )
        others_collection: StringProperty(
            name="Collection",
            description="Name of the collection whose objects they are checked against",
        )
        apart_one: StringProperty(
            name="Leave Out",
            description="Name of a collection whose objects may meet those of the next",
        )
        apart_other: StringProperty(
            name="With",
            description="Name of a collection whose objects may meet those of the one before",
        )


def draw_options(layout: bpy.types.UILayout, owner: Any) -> None:
    """Show the options of the scene or of an operator."""
    draw_sides(layout, owner)
    layout.prop(owner, "clearance")
    layout.prop(owner, "band")
    column = layout.column(heading="Find", align=True)
    for name in ("overlap", "contained", "duplicate", "coplanar", "touching", "itself"):
        column.prop(owner, name)
    draw_exceptions(layout, owner)


def draw_sides(layout: bpy.types.UILayout, owner: Any) -> None:
    """Show what is checked against what."""
    _draw_side(layout, owner, "ones")
    _draw_side(layout, owner, "others")


def draw_exceptions(layout: bpy.types.UILayout, owner: Any) -> None:
    """Show which pairs are left out."""
    column = layout.column(heading="Between", align=True)
    for name in ("same_collection", "parents", "instances"):
        column.prop(owner, name)
    _draw_collection(layout, owner, "apart_one")
    _draw_collection(layout, owner, "apart_other")


def span_rows(options: SpanOptions) -> list[str]:
    """Return the names of the options for frames that count, from top to bottom."""
    return ["span", *(["first", "last"] if options.span == "CUSTOM" else []), "step"]


def _draw_side(layout: bpy.types.UILayout, owner: Any, name: str) -> None:
    layout.prop(owner, name)
    if getattr(owner, name) == "COLLECTION":
        _draw_collection(layout, owner, f"{name}_collection")


def _draw_collection(layout: bpy.types.UILayout, owner: Any, name: str) -> None:
    if isinstance(owner, bpy.types.PropertyGroup):
        layout.prop(owner, name)
    else:
        layout.prop_search(owner, name, bpy.data, "collections")
