"""One of each thing that is asked in steps, small but in many pieces, and all its questions."""

import dataclasses
import inspect
from collections.abc import Callable, Generator
from functools import cache
from typing import Any

import audit_scenes as solids
import numpy as np

import core
from core import (
    Audit,
    Boxes,
    ContactTracker,
    DynamicOctree,
    PixelRays,
    SceneOctree,
    Spheres,
    ZBuffer,
    audit,
    audit_again_steps,
    audit_steps,
    baked_triangles_steps,
    build_octree,
    build_steps,
    chunks_steps,
    clip_steps,
    density_steps,
    distances_steps,
    face_samples,
    face_samples_steps,
    fits_steps,
    item_buffers,
    nearest,
    nearest_objects_steps,
    objects_touching_steps,
    obstacles_steps,
    overlapping_objects,
    overlapping_objects_steps,
    overlapping_pairs,
    overlapping_pairs_steps,
    query,
    query_count,
    ray_cast,
    ray_cast_all,
    separate_steps,
    slide_steps,
    supports,
    supports_steps,
    visibility,
    visibility_steps,
)

# How much is done in a step, where steps leave something behind.
SMALL = {
    "piece": 32, "indexed_together": 30, "leaves_together": 2, "pairs_looked_at": 1,
    "triangles_placed": 12, "triangles_tested": 400, "meshes_together": 24,
    "shells_together": 24, "contacts_together": 100, "depths_together": 2, "nodes_paired": 4,
}  # fmt: skip
VIEW = np.diag([0.4, 0.4, -0.2, 1.0])[None]
VIEWS = np.concatenate((VIEW, VIEW[:, [1, 2, 0, 3]] * [1, 1, 1, 1]))


def at(*places: tuple[float, float, float]) -> np.ndarray:
    matrices = np.tile(np.eye(4), (len(places), 1, 1))
    matrices[:, :3, 3] = places
    return matrices


@cache
def _first_audit() -> Audit:
    return audit(World(audited=False).scene, clearance=0.3, band=0.05)


class World:
    """A scene that has been asked once and then got more meshes, and all that refers to it."""

    def __init__(self, audited: bool = True) -> None:
        self.scene = SceneOctree()
        cubes = [self.scene.add_mesh(solids.box((0, 0, 0), (1, 1, 1 - i / 8))) for i in range(3)]
        self.scene.place([cubes[0], cubes[1], cubes[0]], at((0, 0, 0), (0.5, 0, 0), (0, 3, 0)))
        self.spare = self.scene.add_mesh(solids.box((0, 0, 0), (2, 2, 2)))
        self.tracker, self.renderer = ContactTracker(), ZBuffer(self.scene)
        self.tracker.look(self.scene)
        if not audited:
            return
        self.before = _first_audit()
        ball = self.scene.add_mesh(solids.ball(0.7, 3))
        sheet = self.scene.add_mesh(solids.sheet((-1, -1, 0.25), (1.2, 0, 0), (0, 3, 0)))
        places = at((0.75, 0, 0), (0.2, 2, 0), (0, 0, 0), (0, 0, 2))
        self.new = self.scene.place([cubes[2], ball, sheet, ball], places)
        self.boxes = DynamicOctree(capacity=4)
        lower = np.random.default_rng(2).uniform(0, 3, (60, 3))
        self.boxes.insert(Boxes(lower, lower + 0.4))
        self.triangles = solids.ball(1.0, 6)


Steps = Callable[[World], Generator[float, None, Any]]

# What is asked in steps, by name; more than once where one name does different things.
CASES: dict[str, list[Steps]] = {
    "audit_steps": [
        lambda w: audit_steps(w.scene, clearance=0.3, band=0.05, self_intersections=True),
    ],
    "audit_again_steps": [lambda w: audit_again_steps(w.scene, w.before, w.new)],
    "baked_triangles_steps": [
        lambda w: baked_triangles_steps([w.triangles] * 2, [1, 0, 1], [np.eye(4)] * 3),
    ],
    "build_steps": [
        lambda w: build_steps(w.triangles, capacity=4),
        lambda w: build_steps(w.triangles, capacity=4, split="median"),
    ],
    "chunks_steps": [lambda w: chunks_steps(w.triangles, budget=20, cell=0.5)],
    "clip_steps": [lambda w: clip_steps(build_octree(w.triangles, capacity=8))],
    "density_steps": [lambda w: density_steps(w.triangles, budget=20, cell=0.5)],
    "face_samples_steps": [lambda w: face_samples_steps(w.renderer, VIEWS, size=(24, 24))],
    "distances_steps": [lambda w: distances_steps(w.scene, [[0, 0, 3, 4, 2], [1, 2, 4, 2, 6]])],
    "fits_steps": [
        lambda w: fits_steps(
            w.scene, w.triangles, at((0, 0, 0), (3, 0, 0), (0, 0, 2)), clearance=0.1
        ),
    ],
    "obstacles_steps": [
        lambda w: obstacles_steps(
            w.scene, solids.box((0, 0, 0), (1, 1, 1)), at((1, 1, 1), (0, 0, 1), (4, 0, 0))
        ),
    ],
    "nearest_objects_steps": [lambda w: nearest_objects_steps(w.scene, w.scene.ids, count=2)],
    # Of a ball by its vertices; steps that build octrees are those of `prepare_steps`.
    "objects_touching_steps": [
        lambda w: objects_touching_steps(w.scene, Boxes([[-1, -1, 2.1]], [[1, 1, 3]])),
    ],
    "overlapping_pairs_steps": [
        lambda w: overlapping_pairs_steps(w.scene),
        lambda w: overlapping_pairs_steps(w.scene, margin=0.1, within=True),
        lambda w: overlapping_pairs_steps(w.boxes.octree),
    ],
    "overlapping_objects_steps": [lambda w: overlapping_objects_steps(w.scene)],
    "separate_steps": [lambda w: separate_steps(w.scene, w.scene.ids[1:])],
    "slide_steps": [lambda w: slide_steps(w.scene, w.scene.ids[1:], [0, 0, -1])],
    "supports_steps": [lambda w: supports_steps(w.scene, w.before, [0])],
    "visibility_steps": [
        lambda w: visibility_steps(w.renderer, VIEWS, size=(24, 24)),
        lambda w: visibility_steps(PixelRays(w.scene), VIEWS, size=(24, 24)),
    ],
    "ContactTracker.look_steps": [lambda w: w.tracker.look_steps(w.scene)],
    "SceneOctree.prepare_steps": [lambda w: w.scene.prepare_steps()],
    "SceneOctree.triangles_steps": [lambda w: w.scene.triangles_steps(w.scene.ids)],
    "Shapes.take_steps": [
        lambda w: w.triangles.take_steps(np.arange(40)),
        lambda w: w.boxes.octree.items.take_steps(np.arange(40)),
    ],
}


def _look(world: World) -> tuple[Any, ...]:
    found, known = world.tracker.look(world.scene), world.tracker.intervals
    return found, known.pairs, known.first, world.tracker.band


QUESTIONS: dict[str, Callable[[World], Any]] = {
    "pairs": lambda w: overlapping_pairs(w.scene),
    "objects": lambda w: overlapping_objects(w.scene),
    "query": lambda w: query(w.scene, Spheres([[0, 0, 0], [1, 1, 1]], [1.1, 0.5])),
    "look": _look,
    "audit": lambda w: audit(w.scene, band=0.05, ones=w.new[:1]),
    "rays": lambda w: ray_cast(w.scene, [[-3, 0.3, 0.3], [0, 0, 9]], [[1, 0, 0], [0, 0, -1]]),
    "pairs within": lambda w: overlapping_pairs(w.scene, margin=0.1, within=True),
    "nearest": lambda w: nearest(w.scene, [[2, 2, 2], [0, 0, 0.3]], count=3),
    "some alone": lambda w: query_count(w.scene.only(w.scene.ids[1:]), Spheres([[0, 0, 0]], [1])),
    "visibility": lambda w: visibility(w.renderer, VIEW, size=(24, 24)),
    "boxes": lambda w: overlapping_pairs(w.boxes.octree),
    "supports": lambda w: supports(w.scene, w.before, [0]),
    "all rays": lambda w: ray_cast_all(w.scene, [[-3, 0.3, 0.3]], [[1, 0, 0]]),
    "item buffers": lambda w: item_buffers(w.renderer, VIEW, size=(24, 24)),
    "faces": lambda w: face_samples(w.renderer, VIEWS, size=(24, 24)),
    "tree": lambda w: build_octree(w.triangles, capacity=4),
}


# What changes a world.
CHANGES: dict[str, Callable[[World], object]] = {
    "move": lambda w: w.scene.move(w.new[:2], at((0.1, 0.2, 0.3), (0.3, 2, 0))),
    "remove": lambda w: w.scene.remove(w.new[1:3]),
    "place": lambda w: w.scene.place([w.spare], at((0.5, 0.5, 0.5))),
    "replace a mesh": lambda w: w.scene.replace_mesh(2, solids.ball(0.6, 3)),
    "remove a mesh": lambda w: w.scene.remove_mesh(w.spare),
    "add a mesh": lambda w: w.scene.add_mesh(solids.ball(0.6, 3)),
    "move boxes": lambda w: w.boxes.move([3], Boxes([[1, 1, 1]], [[2, 2, 2]])),
}


def stepped_names() -> set[str]:
    """Return all public functions and methods of the library that go step by step."""
    found = [getattr(core, name) for name in core.__all__]
    for item in filter(inspect.isclass, found.copy()):
        found += [getattr(item, name) for name in dir(item) if not name.startswith("_")]
    functions = filter(inspect.isfunction, found)
    return {each.__qualname__ for each in functions if each.__name__.endswith("_steps")}


def arrays_of(answer: Any) -> list[np.ndarray]:
    """Return all numbers in an answer."""
    if isinstance(answer, tuple):
        return [array for each in answer for array in arrays_of(each)]
    if dataclasses.is_dataclass(answer):
        return [
            array
            for each in dataclasses.fields(answer)
            if not each.name.startswith("_")
            for array in arrays_of(getattr(answer, each.name))
        ]
    if hasattr(answer, "rows"):
        return [answer.rows]
    return [np.asarray(answer)]


def assert_same(found: Any, wanted: Any, about: object) -> None:
    for one, other in zip(arrays_of(found), arrays_of(wanted), strict=True):
        np.testing.assert_array_equal(one, other, err_msg=str(about))
