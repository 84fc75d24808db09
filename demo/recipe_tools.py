"""Building blocks of the recipes' scenes, and calls of their operators."""

import json
import tempfile
from pathlib import Path
from typing import NamedTuple

import bpy
import numpy as np

from demo import studio

COLORS = {
    "Rest": (0.1, 0.11, 0.13),
    "Ground": (0.04, 0.05, 0.06),
    "Found": (0.7, 0.12, 0.01),
    "Other": (0.03, 0.14, 0.5),
    "Good": (0.03, 0.24, 0.08),
    "Ramp 0": (0.03, 0.05, 0.2),
    "Ramp 1": (0.03, 0.15, 0.2),
    "Ramp 2": (0.05, 0.2, 0.08),
    "Ramp 3": (0.25, 0.2, 0.03),
    "Ramp 4": (0.4, 0.1, 0.02),
}
ABOVE = (-0.18, -1.0, 0.66)
Things = list[bpy.types.Object]


class Answer(NamedTuple):
    """Results of a recipe, and how to draw them.

    Attributes
    ----------
    told : list of str
        Phrases that the page has in bold.
    colors : dict
        Objects by the name of their color.
    extra : tuple of objects
        Further drawn objects, in their own materials.
    unframed : tuple of objects
        Objects that the picture may cut off.
    """

    told: list[str]
    colors: dict[str, Things]
    extra: tuple[bpy.types.Object, ...] = ()
    unframed: tuple[bpy.types.Object, ...] = ()


def named(*names: str) -> Things:
    """Return objects whose names begin with one of the prefixes."""
    return [item for item in bpy.context.scene.objects if item.name.startswith(names)]


def selected() -> Things:
    """Return the selected objects."""
    return list(bpy.context.selected_objects)


def select(*items: bpy.types.Object) -> None:
    """Select only these objects; the first becomes the active one."""
    for item in bpy.context.view_layer.objects:
        item.select_set(item in items)
    bpy.context.view_layer.objects.active = items[0]


def press(name: str, **options: object) -> None:
    """Run an operator of the extension."""
    getattr(bpy.ops.octree, name)("EXEC_DEFAULT", True, **options)


def exported(name: str) -> dict:
    """Return the last answer, as *Export* writes it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "answer.json")
        press(name, filepath=str(path))
        return json.loads(path.read_text(encoding="utf-8"))


def rows() -> list[dict]:
    """Return the rows of the last answer."""
    return exported("export_rows")["rows"]


def findings(kind: str) -> list[list[str]]:
    """Audit the scene, and return the names of both objects of each finding of a class."""
    press("audit")
    return [
        found["names"]
        for found in exported("export_audit")["findings"]
        if found["class"] == kind and found["status"] != "resolved"
    ]


def thing(kind: str, name: str, **options: object) -> bpy.types.Object:
    """Add a primitive."""
    getattr(bpy.ops.mesh, f"primitive_{kind}_add")(**options)
    made: bpy.types.Object = bpy.context.object
    made.name = name
    return made


def block(name: str, size: tuple, place: tuple, turn: float = 0.0) -> bpy.types.Object:
    """Add a box with the center of its base at a place."""
    x, y, z = place
    made = thing("cube", name, size=1, location=(x, y, z + size[2] / 2), rotation=(0, 0, turn))
    made.scale = size
    return made


def aim(place: tuple, turn: tuple, lens: float = 35) -> bpy.types.Object:
    """Add the scene's camera."""
    bpy.ops.object.camera_add(location=place, rotation=turn)
    camera = bpy.context.object
    camera.data.lens = lens
    bpy.context.scene.camera = camera
    return camera


def view_of(camera: bpy.types.Object, far: float, width: float) -> Things:
    """Draw the view frustum of a camera, down to a depth."""
    frame = camera.data.view_frame(scene=bpy.context.scene)
    corners = [camera.matrix_world @ (scale * at) for scale in (0.3, far) for at in frame]
    return studio.frustum(np.array(corners), width)
