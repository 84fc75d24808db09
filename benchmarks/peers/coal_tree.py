"""`coal`: as python-fcl, from the same family; its pairs can only be counted from Python."""

from typing import NamedTuple

import coal
import numpy as np


class Boxes(NamedTuple):
    """The manager, and the objects, which it does not keep alive."""

    manager: coal.DynamicAABBTreeCollisionManager
    objects: list[coal.CollisionObject]


def build_triangles(vertices: np.ndarray, faces: np.ndarray) -> coal.BVHModelOBBRSS:
    """Hand over the mesh."""
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(faces), len(vertices))
    model.addVertices(vertices)
    model.addTriangles(faces)
    model.endModel()
    return model


def build_boxes(lower: np.ndarray, upper: np.ndarray) -> Boxes:
    """Make and register one object after another."""
    upright = np.eye(3)
    objects = [
        coal.CollisionObject(coal.Box(*size), upright, place)
        for size, place in zip((upper - lower).tolist(), (lower + upper) / 2, strict=True)
    ]
    manager = coal.DynamicAABBTreeCollisionManager()
    for item in objects:
        manager.registerObject(item)
    manager.setup()
    return Boxes(manager, objects)


def pairs(tree: Boxes) -> tuple[np.ndarray]:
    """Collect the pairs, for which room has to be made beforehand, and count them."""
    collected = coal.CollisionCallBackCollect(100 * len(tree.objects))
    tree.manager.collide(collected)
    return (np.array([collected.numCollisionPairs()]),)
