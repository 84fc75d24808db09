"""`coal`: as python-fcl, from the same family; its pairs can only be counted from Python."""

from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

import coal
import numpy as np


class Boxes(NamedTuple):
    """The manager, and the objects, which it does not keep alive."""

    manager: coal.DynamicAABBTreeCollisionManager
    objects: list[coal.CollisionObject]
    turns: Iterator[int]


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
    return Boxes(manager, objects, count())


def pairs(tree: Boxes) -> tuple[np.ndarray]:
    """Collect the pairs, for which room has to be made beforehand, and count them."""
    collected = coal.CollisionCallBackCollect(100 * len(tree.objects))
    tree.manager.collide(collected)
    return (np.array([collected.numCollisionPairs()]),)


build_moving = build_boxes


def move(tree: Boxes, ids: np.ndarray, lowers: np.ndarray, uppers: np.ndarray) -> None:
    """Take the next turn; only all objects can be updated at once from Python."""
    turn = next(tree.turns) % len(lowers)
    places = (lowers[turn] + uppers[turn]) / 2
    for number, place in zip(ids.tolist(), places, strict=True):
        item = tree.objects[number]
        item.setTranslation(place)
        item.computeAABB()
    tree.manager.update()


def move_boxes(
    tree: Boxes,
    ids: np.ndarray,
    lowers: np.ndarray,
    uppers: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
) -> tuple[np.ndarray]:
    """Take the next turn, ask one box after another, and count."""
    move(tree, ids, lowers, uppers)
    collected = coal.CollisionCallBackCollect(100 * len(low))
    upright, found = np.eye(3), 0
    for size, place in zip((high - low).tolist(), (low + high) / 2, strict=True):
        tree.manager.collide(coal.CollisionObject(coal.Box(*size), upright, place), collected)
        found += collected.numCollisionPairs()
    return (np.array([found]),)


def move_pairs(
    tree: Boxes, ids: np.ndarray, lowers: np.ndarray, uppers: np.ndarray
) -> tuple[np.ndarray]:
    """Take the next turn and count all pairs."""
    move(tree, ids, lowers, uppers)
    return pairs(tree)
