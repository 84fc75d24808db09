"""Options of placing: the scene's settings and the properties of the operators."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import (
    BoolProperty,
    BoolVectorProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    StringProperty,
)

_LENGTH: dict[str, Any] = {"default": 0.0, "min": 0.0, "soft_max": 1.0, "subtype": "DISTANCE"}
_SCALE: dict[str, Any] = {"default": 1.0, "min": 0.001, "soft_max": 10.0}
DIRECTIONS = (
    ("DOWN", "Down", "Along the negative Z axis"),
    ("UP", "Up", "Along the Z axis"),
    ("LEFT", "Left", "Along the negative X axis"),
    ("RIGHT", "Right", "Along the X axis"),
    ("FORWARD", "Forward", "Along the Y axis"),
    ("BACKWARD", "Backward", "Along the negative Y axis"),
    ("VIEW", "View", "Away from the viewer"),
    (
        "ACTIVE",
        "To Active",
        "From the middle of the other selected objects to that of the active one, which stays",
    ),
)
AXES = {
    "DOWN": (0.0, 0.0, -1.0),
    "UP": (0.0, 0.0, 1.0),
    "LEFT": (-1.0, 0.0, 0.0),
    "RIGHT": (1.0, 0.0, 0.0),
    "FORWARD": (0.0, 1.0, 0.0),
    "BACKWARD": (0.0, -1.0, 0.0),
}


class DropOptions:
    """How objects fall."""

    if TYPE_CHECKING:
        toward: str
        gap: float
        sink: float
        keep_contacts: bool
        align: bool
    else:
        toward: EnumProperty(
            name="Direction", description="Where objects fall to", items=DIRECTIONS, default="DOWN"
        )
        gap: FloatProperty(
            name="Gap", description="Distance to leave to what an object lands on", **_LENGTH
        )
        sink: FloatProperty(
            name="Sink",
            description="How far an object goes into what it lands on: the one overlap that is"
            " wanted",
            **_LENGTH,
        )
        keep_contacts: BoolProperty(
            name="Keep Contacts",
            description="Hold together what touches, such as lamps and their ceilings",
            default=False,
        )
        align: BoolProperty(
            name="Align",
            description="Turn what lands to the surface, then let it fall again",
            default=False,
        )


class PushApartOptions:
    """How objects that overlap are moved."""

    if TYPE_CHECKING:
        axes: Any
        gap: float
    else:
        axes: BoolVectorProperty(
            name="Axes",
            description="Axes along which objects may be moved",
            default=(True, True, True),
            size=3,
            subtype="XYZ",
        )
        gap: FloatProperty(
            name="Gap", description="Distance to leave between what is moved apart", **_LENGTH
        )


class FillOptions:
    """Where linked copies are put, and how they may differ."""

    if TYPE_CHECKING:
        where: str
        count: int
        tries: int
        seed: int
        spacing: float
        slope: float
        upright: bool
        min_scale: float
        max_scale: float
        min_turn: float
        max_turn: float
        room: str
    else:
        where: EnumProperty(
            name="Where",
            description="Where copies of the other selected objects are put",
            items=(
                ("FACES", "On Faces", "On the active object; in Edit Mode, on its selected faces"),
                ("BOX", "In Box", "In the box around the active object"),
            ),
            default="FACES",
        )
        count: IntProperty(
            name="Count", description="At most this many copies", default=100, min=1, soft_max=1000
        )
        tries: IntProperty(
            name="Tries",
            description="How many places are tried at most",
            default=1000,
            min=1,
            soft_max=100_000,
            max=1_000_000,
        )
        seed: IntProperty(name="Seed", description="Another number gives other places", default=0)
        spacing: FloatProperty(
            name="Spacing", description="Distance that copies keep from everything", **_LENGTH
        )
        slope: FloatProperty(
            name="Slope",
            description="Faces steeper than this are left out",
            default=0.785398,
            min=0.0,
            max=3.141593,
            subtype="ANGLE",
        )
        upright: BoolProperty(
            name="Upright",
            description="Stand as the original does, not as the face is inclined",
            default=True,
        )
        min_scale: FloatProperty(
            name="Min Scale", description="Least that copies are scaled by", **_SCALE
        )
        max_scale: FloatProperty(
            name="Max Scale", description="Most that copies are scaled by", **_SCALE
        )
        min_turn: FloatProperty(
            name="Min Turn",
            description="Least that copies are turned about the upright",
            default=0.0,
            subtype="ANGLE",
        )
        max_turn: FloatProperty(
            name="Max Turn",
            description="Most that copies are turned about the upright",
            default=6.283185,
            subtype="ANGLE",
        )
        room: StringProperty(
            name="Room",
            description="A closed object in which others may lie, as in those that hold more than"
            " one whole",
        )


class OctreeDropSettings(DropOptions, bpy.types.PropertyGroup):
    """How objects fall: `scene.octree.drop`."""


class OctreePushApartSettings(PushApartOptions, bpy.types.PropertyGroup):
    """How objects that overlap are moved: `scene.octree.push_apart`."""


class OctreeFillSettings(FillOptions, bpy.types.PropertyGroup):
    """Where copies are put: `scene.octree.fill`."""


DROP_ROWS = ("toward", "gap", "sink", "keep_contacts", "align")
PUSH_ROWS = ("axes", "gap")
FILL_ROWS = (
    "where", "count", "tries", "seed", "spacing", "slope", "upright",
    "min_scale", "max_scale", "min_turn", "max_turn", "room",
)  # fmt: skip
