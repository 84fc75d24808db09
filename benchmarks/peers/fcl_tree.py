"""`python-fcl`: a bounding volume hierarchy of triangles, a dynamic tree of boxes."""

from typing import NamedTuple

import fcl
import numpy as np


class Boxes(NamedTuple):
    """The manager, and the number of each object by the place where it stands."""

    manager: fcl.DynamicAABBTreeCollisionManager
    numbers: dict[tuple[float, ...], int]


def build_triangles(vertices: np.ndarray, faces: np.ndarray) -> fcl.BVHModel:
    """Hand over the mesh."""
    model = fcl.BVHModel()
    model.beginModel(len(vertices), len(faces))
    model.addSubModel(vertices, faces)
    model.endModel()
    return model


def build_boxes(lower: np.ndarray, upper: np.ndarray) -> Boxes:
    """Make one object after another and register them together."""
    places = (lower + upper) / 2
    objects = [
        fcl.CollisionObject(fcl.Box(*size), fcl.Transform(place))
        for size, place in zip((upper - lower).tolist(), places, strict=True)
    ]
    manager = fcl.DynamicAABBTreeCollisionManager()
    manager.registerObjects(objects)
    manager.setup()
    return Boxes(manager, {tuple(place): number for number, place in enumerate(places.tolist())})


def pairs(tree: Boxes) -> np.ndarray:
    """Collect every pair that the tree finds; the callback gets fresh objects each time."""
    found: list[tuple[int, int]] = []

    def collect(first: fcl.CollisionObject, second: fcl.CollisionObject, _: object) -> bool:
        one = tree.numbers[tuple(first.getTranslation().tolist())]
        other = tree.numbers[tuple(second.getTranslation().tolist())]
        found.append((one, other) if one < other else (other, one))
        return False

    tree.manager.collide(None, collect)
    return np.array(found, dtype=np.intp).reshape(-1, 2).T
