"""Options of Drop, Push Apart and Fill."""

from typing import Any, Literal

from ..answers.options import AnswerOptions
from ..options import boolean, enum, integer, real, settings_group, string, switches, vector

_LENGTH: dict[str, Any] = {"min": 0.0, "soft_max": 1.0, "subtype": "DISTANCE"}
_SCALE: dict[str, Any] = {"min": 0.001, "soft_max": 10.0}
AXES = {
    "DOWN": (0.0, 0.0, -1.0),
    "UP": (0.0, 0.0, 1.0),
    "LEFT": (-1.0, 0.0, 0.0),
    "RIGHT": (1.0, 0.0, 0.0),
    "FORWARD": (0.0, 1.0, 0.0),
    "BACKWARD": (0.0, -1.0, 0.0),
}


class MoveOptions(AnswerOptions):
    """Options of all operators that move objects."""

    whose: Literal["SELECTED", "ROW", "ALL"] = enum(
        "SELECTED",
        "Whose",
        "Which objects are moved",
        {
            "SELECTED": ("Selected", "The selected objects"),
            "ROW": ("Of Row", "The objects of the active row of Results"),
            "ALL": ("All", "All visible objects"),
        },
        settings=None,
        options={"SKIP_SAVE"},
    )


class DropOptions(MoveOptions):
    """Options of *Drop*: `scene.octree.drop`."""

    toward: Literal["DOWN", "UP", "LEFT", "RIGHT", "FORWARD", "BACKWARD", "VIEW", "ACTIVE"] = enum(
        "DOWN",
        "Direction",
        "Where objects fall to",
        {
            "DOWN": ("Down", "Along the negative Z axis"),
            "UP": ("Up", "Along the Z axis"),
            "LEFT": ("Left", "Along the negative X axis"),
            "RIGHT": ("Right", "Along the X axis"),
            "FORWARD": ("Forward", "Along the Y axis"),
            "BACKWARD": ("Backward", "Along the negative Y axis"),
            "VIEW": ("View", "Away from the viewer"),
            "ACTIVE": (
                "To Active",
                "From the middle of the other selected objects to that of the active one,"
                " which stays",
            ),
        },
    )
    gap: float = real(0.0, "Gap", "Distance to leave to what an object lands on", **_LENGTH)
    sink: float = real(
        0.0,
        "Sink",
        "How far an object goes into what it lands on: the one overlap that is wanted",
        **_LENGTH,
    )
    keep_contacts: bool = boolean(
        False, "Keep Contacts", "Hold together what touches, such as lamps and their ceilings"
    )
    align: bool = boolean(False, "Align", "Turn what lands to the surface, then let it fall again")
    direction: tuple[float, float, float] = vector(
        (0.0, 0.0, 0.0),
        "View Direction",
        "Where the view looks, for the direction View",
        settings=None,
        subtype="DIRECTION",
        options={"HIDDEN", "SKIP_SAVE"},
    )


class PushApartOptions(MoveOptions):
    """Options of *Push Apart*: `scene.octree.push_apart`."""

    axes: tuple[bool, ...] = switches(
        (True, True, True), "Axes", "Axes along which objects may be moved", subtype="XYZ"
    )
    gap: float = real(0.0, "Gap", "Distance to leave between what is moved apart", **_LENGTH)


class FillOptions(AnswerOptions):
    """Options of *Fill*: `scene.octree.fill`."""

    where: Literal["FACES", "BOX"] = enum(
        "FACES",
        "Where",
        "Where copies of the other selected objects are put",
        {
            "FACES": ("On Faces", "On the active object; in Edit Mode, on its selected faces"),
            "BOX": ("In Box", "In the box around the active object"),
        },
    )
    count: int = integer(100, "Count", "At most this many copies", min=1, soft_max=1000)
    tries: int = integer(
        1000,
        "Tries",
        "How many places are tried at most",
        min=1,
        soft_max=100_000,
        max=1_000_000,
    )
    seed: int = integer(0, "Seed", "Another number gives other places")
    spacing: float = real(0.0, "Spacing", "Distance that copies keep from everything", **_LENGTH)
    slope: float = real(
        0.785398,
        "Slope",
        "Faces steeper than this are left out",
        min=0.0,
        max=3.141593,
        subtype="ANGLE",
    )
    upright: bool = boolean(
        True, "Upright", "Stand as the original does, not as the face is inclined"
    )
    min_scale: float = real(1.0, "Min Scale", "Least that copies are scaled by", **_SCALE)
    max_scale: float = real(1.0, "Max Scale", "Most that copies are scaled by", **_SCALE)
    min_turn: float = real(
        0.0, "Min Turn", "Least that copies are turned about the upright", subtype="ANGLE"
    )
    max_turn: float = real(
        6.283185, "Max Turn", "Most that copies are turned about the upright", subtype="ANGLE"
    )
    room: str = string(
        "",
        "Room",
        "A closed object in which others may lie, as in those that hold more than one whole",
        data="objects",
    )


OctreeDropSettings = settings_group(DropOptions, "OctreeDropSettings")
OctreePushApartSettings = settings_group(PushApartOptions, "OctreePushApartSettings")
OctreeFillSettings = settings_group(FillOptions, "OctreeFillSettings")
