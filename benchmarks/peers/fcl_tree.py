"""`python-fcl`: a bounding volume hierarchy of triangles, a dynamic tree of boxes."""

from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

import fcl
import numpy as np


class Boxes(NamedTuple):
    """The manager, the number of each object by the place where it stands, and the objects."""

    manager: fcl.DynamicAABBTreeCollisionManager
    numbers: dict[tuple[float, ...], int]
    objects: list[fcl.CollisionObject]
    turns: Iterator[int]


class Mesh(NamedTuple):
    """A mesh about the origin, and where it stands."""

    vertices: np.ndarray
    faces: np.ndarray
    place: np.ndarray


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
    numbers = {tuple(place): number for number, place in enumerate(places.tolist())}
    return Boxes(manager, numbers, objects, count())


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


build_moving = build_boxes


def move(tree: Boxes, ids: np.ndarray, lowers: np.ndarray, uppers: np.ndarray) -> None:
    """Take the next turn: set each object, then let the tree follow at once."""
    turn = next(tree.turns) % len(lowers)
    places = (lowers[turn] + uppers[turn]) / 2
    numbers = ids.tolist()
    moving = [tree.objects[number] for number in numbers]
    for item, place in zip(moving, places, strict=True):
        item.setTranslation(place)
    tree.manager.update(moving)
    tree.numbers.update(zip(map(tuple, places.tolist()), numbers, strict=True))


def move_boxes(
    tree: Boxes,
    ids: np.ndarray,
    lowers: np.ndarray,
    uppers: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
) -> np.ndarray:
    """Take the next turn and ask one box after another."""
    move(tree, ids, lowers, uppers)
    found: list[tuple[int, int]] = []

    def collect(first: fcl.CollisionObject, second: fcl.CollisionObject, asked: int) -> bool:
        number = tree.numbers.get(tuple(first.getTranslation().tolist()))
        if number is None:  # which of the two is the box that is asked
            number = tree.numbers[tuple(second.getTranslation().tolist())]
        found.append((asked, number))
        return False

    for asked, (size, place) in enumerate(
        zip((high - low).tolist(), (low + high) / 2, strict=True)
    ):
        box = fcl.CollisionObject(fcl.Box(*size), fcl.Transform(place))
        tree.manager.collide(box, asked, collect)
    return np.array(found, dtype=np.intp).reshape(-1, 2).T


def move_pairs(tree: Boxes, ids: np.ndarray, lowers: np.ndarray, uppers: np.ndarray) -> np.ndarray:
    """Take the next turn and collect every pair."""
    move(tree, ids, lowers, uppers)
    return pairs(tree)


def keep_objects(vertices: np.ndarray, faces: np.ndarray, owners: np.ndarray) -> list[Mesh]:
    """Take the meshes apart, each about the middle of its box: by that it will be known."""
    meshes = []
    for number in range(int(owners.max()) + 1):
        used, corners = np.unique(faces[owners == number], return_inverse=True)
        points = vertices[used]
        middle = (points.min(axis=0) + points.max(axis=0)) / 2
        meshes.append(Mesh(points - middle, corners.reshape(-1, 3), middle))
    return meshes


def objects_within(tree: list[Mesh], radii: np.ndarray) -> np.ndarray:
    """Make a model of each mesh, let the manager find those whose boxes meet, and try these."""
    objects = [
        fcl.CollisionObject(build_triangles(mesh.vertices, mesh.faces), fcl.Transform(mesh.place))
        for mesh in tree
    ]
    numbers = {tuple(mesh.place.tolist()): number for number, mesh in enumerate(tree)}
    manager = fcl.DynamicAABBTreeCollisionManager()
    manager.registerObjects(objects)
    manager.setup()
    found: list[list[int]] = []

    def collide(first: fcl.CollisionObject, second: fcl.CollisionObject, _: object) -> bool:
        if fcl.collide(first, second, fcl.CollisionRequest(), fcl.CollisionResult()):
            ends = (tuple(each.getTranslation().tolist()) for each in (first, second))
            found.append(sorted(numbers[end] for end in ends))
        return False

    manager.collide(None, collide)
    return np.unique(np.array(found, np.intp).reshape(-1, 2), axis=0).T
