"""Options of audits, collisions and floating objects: sides, classes, excluded pairs."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import bpy

from ..answers.options import AnswerOptions
from ..options import (
    OptionGroup,
    boolean,
    enum,
    nested,
    pointer,
    real,
    settings_group,
    string,
    when,
)
from ..questions import OVER_FRAMES, CollisionOptions
from ..ui import OWN_WORDS, length_unit

Side = Literal["VISIBLE", "SELECTED", "COLLECTION"]
_SIDES: Mapping[Side, tuple[str, str]] = {
    "VISIBLE": ("All Visible", "Everything visible that has faces"),
    "SELECTED": ("Selected", "The objects that are selected now"),
    "COLLECTION": ("Collection", "The objects of a collection, and of those in it"),
}
# Default tolerance in meters (0.01 mm), in scenes of any units.
USUAL_BAND = 1e-5


def usual_band(scene: bpy.types.Scene) -> float:
    """Return the default tolerance, 0.01 mm, in the units of a scene."""
    return USUAL_BAND / length_unit(scene)[1]


def stated_band(band: float) -> float:
    """Return a tolerance rounded to six digits, since single precision adds noise."""
    return float(f"{band:.6g}")


def _usual_unless_set(settings: Any, band: float, is_set: bool) -> float:
    return band if is_set else usual_band(settings.id_data)


def _get_band(settings: Any) -> float:
    return _usual_unless_set(settings, settings.get("band", 0.0), "band" in settings)


def _set_band(settings: Any, band: float) -> None:
    settings["band"] = band


# Blender 5 stores such values out of Python's reach, and takes a transform function instead.
_BY_UNITS: dict[str, Any] = (
    {"get_transform": _usual_unless_set}
    if bpy.app.version >= (5, 0)
    else {"get": _get_band, "set": _set_band}
)


def _band(shown: Callable[[Any], bool] | None = None) -> float:
    """Return the option for the tolerance; its default follows the units of the scene."""
    return real(
        USUAL_BAND,
        "Tolerance",
        "What is no farther apart touches, and what is no deeper does not overlap. Where the"
        " coordinates of two objects are coarser, these decide on them; 0 for these alone",
        min=0.0,
        soft_max=0.1,
        precision=5,
        subtype="DISTANCE",
        settings={"default": 0.0, **_BY_UNITS},
        shown=shown,
    )


class SideOptions(OptionGroup):
    """Options for both sides of an audit."""

    ones: Side = enum("VISIBLE", "Check", "Which objects are checked", _SIDES)
    ones_collection: str = pointer(
        "collections",
        "Collection",
        "Whose objects are checked",
        operator={"description": "Name of the collection whose objects are checked"},
        shown=when(ones, "COLLECTION"),
    )
    others: Side = enum("VISIBLE", "Against", "Which objects they are checked against", _SIDES)
    others_collection: str = pointer(
        "collections",
        "Collection",
        "Whose objects they are checked against",
        operator={"description": "Name of the collection whose objects they are checked against"},
        shown=when(others, "COLLECTION"),
    )


class FindOptions(OptionGroup):
    """Options for the classes of findings."""

    overlap: bool = boolean(True, "Overlap", "Find surfaces that cross, with the depth")
    contained: bool = boolean(True, "Contained", "Find objects wholly inside closed others")
    duplicate: bool = boolean(
        True, "Duplicate", "Find objects that stand there twice", translation_context=OWN_WORDS
    )
    coplanar: bool = boolean(
        True, "Z-Fighting", "Find faces that lie in one plane, face the same way and share area"
    )
    touching: bool = boolean(
        False,
        "Contacts",
        "Also find what only touches, and faces that lie against each other",
    )
    itself: bool = boolean(
        False, "Self-Intersections", "Also find faces of one object that cross each other"
    )


class RelatedOptions(OptionGroup):
    """Options for pairs of related objects."""

    same_collection: bool = boolean(
        True,
        "In One Collection",
        "Check objects of the same collection against each other; the first"
        " collection of each counts",
    )
    parents: bool = boolean(
        False, "Parents", "Also check objects against what they are parented to"
    )


class RelativeOptions(RelatedOptions):
    """Options for pairs of related objects and of instances."""

    instances: bool = boolean(
        False,
        "Between Instances",
        "Also check instances of the same instancer against each other",
    )


class ApartOptions(OptionGroup):
    """Options for two collections whose objects may touch and overlap each other."""

    apart_one: str = pointer(
        "collections",
        "Leave Out",
        "Objects of this collection may meet those of the next, like doors and walls",
        operator={"description": "Name of a collection whose objects may meet those of the next"},
    )
    apart_other: str = pointer(
        "collections",
        "With",
        "Objects of this collection may meet those of the one before",
        operator={
            "description": "Name of a collection whose objects may meet those of the one before"
        },
    )


class ChosenOptions(AnswerOptions):
    """Options of operators that store the names of the selected objects."""

    chosen: str = string(
        "",
        "Chosen",
        "Names of the objects that Selected means, as JSON; those selected now if empty",
        settings=None,
        options={"SKIP_SAVE"},
        shown=lambda _: False,
    )


class AuditOptions(ChosenOptions):
    """Options of *Audit*: `scene.octree.audit`."""

    sides: SideOptions = nested(SideOptions())
    clearance: float = real(
        0.0,
        "Clearance",
        "Objects that come nearer than this without touching are found, too; none if 0",
        min=0.0,
        soft_max=10.0,
        subtype="DISTANCE",
    )
    band: float = _band()
    find: FindOptions = nested(FindOptions(), heading="Find")
    between: RelativeOptions = nested(RelativeOptions(), heading="Between")
    apart: ApartOptions = nested(ApartOptions())


class ContactOptions(CollisionOptions, ChosenOptions):
    """Options of *Select Collisions*: `scene.octree.collisions`."""

    sides: SideOptions = nested(SideOptions(), shown=OVER_FRAMES)
    band: float = _band(shown=OVER_FRAMES)
    related: RelatedOptions = nested(RelatedOptions(), heading="Between", shown=OVER_FRAMES)
    apart: ApartOptions = nested(ApartOptions(), shown=OVER_FRAMES)


class GroundOptions(OptionGroup):
    """Options for the ground of *Select Floating*: `scene.octree.floating`."""

    ground: Literal["MOST", "LOWEST", "OBJECT", "COLLECTION"] = enum(
        "MOST",
        "Ground",
        "What needs no support",
        {
            "MOST": (
                "Most Stands On",
                "What reaches down to the level on which most objects stand, or deeper",
            ),
            "LOWEST": ("Lowest Object", "What reaches as deep as the lowest point of all"),
            "OBJECT": ("Object", "One object"),
            "COLLECTION": ("Collection", "The objects of a collection"),
        },
    )
    ground_object: str = pointer(
        "objects",
        "Ground",
        "The object that is the ground",
        operator={"description": "Name of the object that is the ground"},
        shown=when(ground, "OBJECT"),
    )
    collection: str = pointer(
        "collections",
        "Collection",
        "The objects of this collection are the ground",
        operator={"description": "Name of the collection that is the ground"},
        shown=when(ground, "COLLECTION"),
    )


class FloatingOptions(GroundOptions, AnswerOptions):
    """Options of the operator *Select Floating*."""


OctreeAuditSettings = settings_group(AuditOptions, "OctreeAuditSettings")
OctreeCollisionSettings = settings_group(ContactOptions, "OctreeCollisionSettings")
OctreeFloatingSettings = settings_group(GroundOptions, "OctreeFloatingSettings")
