"""The rows where objects clash: which of many meshes touch, and which come near each other.

All is measured from arrays to pairs, trees and models included.
"""

from collections.abc import Iterator

import numpy as np

from benchmarks import buildings
from benchmarks.peers.questions import Arrays, Question

# Greatest distances of touching and of near objects, in meters.
BAND, CLEARANCE = 1e-5, 0.03


def touching_objects(scale: float) -> Iterator[Question]:
    """Find which of 1,000 stones touch."""
    stones = buildings.stones(int(1_000 * scale))
    title = f"which of {len(stones):,} meshes touch, {len(stones.faces):,} triangles"
    goals = {"python-fcl": (0.5, 0.3)}
    yield question(title, stones, 0.0, goals, without=("IfcOpenShell",))


def clashing_buildings(scale: float) -> Iterator[Question]:
    """Find touching and near objects in a generated building and in given ones."""
    made = buildings.office(max(1, round(buildings.FLOORS * scale)))
    for building in (made, *buildings.given()):
        for what, radius in (("touch", BAND), ("within 30 mm", CLEARANCE)):
            title = f"{building.name}, {len(building):,} objects: {what}"
            yield question(title, building, radius, {}, without=("python-fcl",))


def question(
    title: str, building: buildings.Building, radius: float, goals: dict, without: tuple[str, ...]
) -> Question:
    """Ask which objects are no farther apart than a radius."""
    built: Arrays = {
        "vertices": building.vertices,
        "faces": building.faces,
        "owners": building.object_of_face,
    }
    asked = {"radii": np.array([radius])}
    return Question(title, "keep_objects", built, "objects_within", asked, goals, without)


EVERY = (touching_objects, clashing_buildings)
