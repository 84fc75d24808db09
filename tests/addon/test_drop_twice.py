"""Drop pressed twice is Drop pressed once: sheets of one side and two, cards and solids."""

import bpy
import numpy as np
import pytest
from blender_scenes import cube, mesh_object, select_only
from mathutils import Euler, Vector

SQUARE = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], float)
FRONT, BACK = (0, 1, 2, 3), (3, 2, 1, 0)
WEDGE = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0), (-1, -1, 1), (-1, 1, 1)]
WEDGE_FACES = [(0, 3, 2, 1), (0, 4, 5, 3), (1, 2, 5, 4), (0, 1, 4), (2, 3, 5)]
SHEETS = {
    "one side": (SQUARE, [FRONT]),
    "shared": (SQUARE, [FRONT, BACK]),
    "own": (np.tile(SQUARE, (2, 1)), [FRONT, tuple(np.add(BACK, 4).tolist())]),
    "other cut": (SQUARE, [(0, 1, 2), (0, 2, 3), (0, 3, 1), (1, 3, 2)]),
}
BODIES = {**SHEETS, "wedge": (WEDGE, WEDGE_FACES)}
# Degrees about x and y of all, and what of that the floor has beyond.
TILTS = [(0, 0), (30, 0), (-17, 41)]


def square(name, kind, size, **values):
    vertices, faces = BODIES[kind]
    return mesh_object(name, np.asarray(vertices, float) * size, faces, **values)


def tilted(degrees):
    return Euler((*np.radians(degrees).tolist(), 0.0))


@pytest.mark.parametrize("tilt", TILTS)
@pytest.mark.parametrize("floor", [*SHEETS, "solid"])
def test_dropped_twice_is_dropped_once(floor, tilt):
    """Bodies along the floor, and others that are turned at random."""
    rng, turn = np.random.default_rng(5), tilted(tilt)
    cube("Ground", 60, location=(0, 0, -70))
    if floor == "solid":
        cube("Floor", 24, location=turn.to_matrix() @ Vector((0, 0, -12)), rotation_euler=turn)
    else:
        square("Floor", floor, 12.0, rotation_euler=turn)
    items = []
    for row, kind in enumerate([*BODIES, "cube"]):
        for column, own in enumerate((turn, Euler(rng.uniform(-3, 3, 3).tolist()))):
            place = turn.to_matrix() @ Vector((3 * row - 7.4, 3 * column - 1.3, 3.7))
            name, values = f"{kind} {column}", {"location": place, "rotation_euler": own}
            items.append(
                cube(name, 0.9, **values) if kind == "cube" else square(name, kind, 0.5, **values)
            )
    select_only(*items)
    assert bpy.ops.octree.drop() == {"FINISHED"}
    once = [np.array(item.location) for item in items]
    for _ in range(2):
        assert bpy.ops.octree.drop() == {"FINISHED"}
        for item, before in zip(items, once, strict=True):
            assert np.abs(np.array(item.location) - before).max() <= 4e-6, item.name
