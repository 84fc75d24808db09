"""Returned arrays are read-only or copies: callers cannot write into a structure."""

import inspect
import pickle
from copy import deepcopy
from dataclasses import is_dataclass

import core_scenes as scenes
import numpy as np
import pytest
import scene_questions as asked

import core
from core import (
    Boxes,
    Capsules,
    ContactTracker,
    DynamicOctree,
    Frusta,
    HalfSpaces,
    Octree,
    OrientedBoxes,
    PixelRays,
    Regions,
    SceneOctree,
    Spheres,
    Triangles,
    ZBuffer,
    build_octree,
)
from core.shapes import Shapes
from core.snapshot import in_groups

POINTS = np.random.default_rng(0).uniform(0, 4, (20, 3))
ONES, TURNS = np.ones(20), np.tile(np.eye(3), (20, 1, 1))


def dynamic():
    made = DynamicOctree(capacity=4)
    made.insert(Boxes(POINTS, POINTS + 1), groups=np.arange(20) % 3)
    made.remove([3])
    return made


def loaded(tmp_path):
    core.save(dynamic().octree, tmp_path / "tree.npz")
    return core.load(tmp_path / "tree.npz")


def looked_at():
    made = ContactTracker(band=0.01)
    made.look(asked.masked_scene(1)[0])
    return made


def drawing(kind):
    made = kind(asked.masked_scene(1)[0])
    core.item_buffers(made, asked.VIEWS, size=asked.SIZE)
    return made


KINDS = {
    "Boxes": lambda: Boxes(POINTS, POINTS + 1),
    "Capsules": lambda: Capsules(POINTS, POINTS + 1, ONES),
    "ContactTracker": looked_at,
    "DynamicOctree": dynamic,
    "Frusta": lambda: Frusta.from_matrices(asked.VIEWS),
    "HalfSpaces": lambda: HalfSpaces(np.column_stack((POINTS + 1, ONES))),
    "Octree": lambda: build_octree(scenes.random(), capacity=8),
    "OrientedBoxes": lambda: OrientedBoxes(POINTS, POINTS + 1, TURNS),
    "PixelRays": lambda: drawing(PixelRays),
    "Regions": lambda: Regions(POINTS, POINTS + 1, ONES),
    "SceneOctree": lambda: asked.masked_scene(1)[0],
    "Spheres": lambda: Spheres(POINTS, ONES),
    "Triangles": scenes.random,
    "ZBuffer": lambda: drawing(ZBuffer),
}
OCTREES = {
    "loose": lambda: build_octree(Boxes(POINTS, POINTS + 1), straddlers="keep", loose_factor=2),
    "taken of a changing tree": lambda: dynamic().octree,
    "of some groups": lambda: in_groups(dynamic().octree, 2),
    "of all groups": lambda: in_groups(dynamic().octree, 7),
}
# How public methods are called that ask for something.
GIVEN = {
    "node": lambda: 0,
    "ids": lambda: [0, 2],
    "items": lambda: None,
    "numbers": lambda: np.arange(3),
}
UNTRIED = {
    "insert", "move", "remove", "prune", "place", "add_mesh", "replace_mesh", "remove_mesh",
    "look", "look_steps", "changes", "take_steps",
}  # fmt: skip


def parts(thing):
    """Yield the names and values of all that a structure shows or tells."""
    for name in (name for name in dir(thing) if name[0] != "_" and name not in UNTRIED):
        value = getattr(thing, name)
        if inspect.ismethod(value):
            if isinstance(value.__self__, type):
                continue
            wanted = [each for each in inspect.signature(value).parameters if each in GIVEN]
            if len(wanted) < len(inspect.signature(value).parameters):
                continue
            value = value(*(GIVEN[each]() for each in wanted))
        yield name, value


def arrays_of(value, depth=3):
    """Yield the arrays that something holds."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from arrays_of(each, depth)
    elif depth and (isinstance(value, (Shapes, Octree)) or is_dataclass(value)):
        for _, part in parts(value):
            yield from arrays_of(part, depth - 1)


def overwrite(value):
    """Write into what can be written into."""
    for array in arrays_of(value):
        if array.flags.writeable:
            array[...] = ~array if array.dtype == bool else 7


def seen(thing):
    """Return copies of all public arrays of a structure."""
    return {
        name: [array.copy() for array in arrays_of(value)] for name, value in sorted(parts(thing))
    }


def assert_stays(thing):
    before = seen(thing)
    assert sum(map(len, before.values()))
    for _, value in list(parts(thing)):
        overwrite(value)
    after = seen(thing)
    for name, arrays in before.items():
        for one, other in zip(arrays, after[name], strict=True):
            np.testing.assert_array_equal(one, other, name)
    if hasattr(thing, "check"):
        thing.check()


@pytest.mark.parametrize("name", KINDS)
def test_what_is_written_into_answers_changes_no_structure(name):
    assert_stays(KINDS[name]())


@pytest.mark.parametrize("name", OCTREES)
def test_octrees_stay_what_they_are(name):
    assert_stays(OCTREES[name]())


def test_a_loaded_tree_stays_what_it_is(tmp_path):
    assert_stays(loaded(tmp_path))


@pytest.mark.parametrize("way", [deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))])
@pytest.mark.parametrize("name", [*KINDS, *OCTREES])
def test_a_copy_stays_what_it_is(name, way):
    assert_stays(way((KINDS | OCTREES)[name]()))


def test_every_structure_is_tried_here():
    classes = {name for name in core.__all__ if inspect.isclass(getattr(core, name))}
    records = {name for name in classes if is_dataclass(getattr(core, name))} - {"Octree"}
    assert classes - records - {"BuildCancelled", "ItemRenderer", "Running"} == set(KINDS)


def test_ids_that_changes_return_are_the_caller_s_own():
    made = dynamic()
    made.insert(Boxes(POINTS, POINTS + 1))[:] = 99
    for each in made.changes():
        each[:] = 99
    made.check()
    scene = SceneOctree()
    mesh = scene.add_mesh(Triangles(np.eye(3), [[0, 1, 2]]))
    scene.place([mesh, mesh], np.tile(np.eye(4), (2, 1, 1)))[:] = 99
    scene.check()
    assert scene.ids.tolist() == [0, 1]


def test_ids_are_read_only_before_anything_was_asked():
    made, scene = dynamic(), asked.masked_scene(1)[0]
    for ids in (made.ids, scene.ids, scene.only(scene.ids[:2]).ids):
        with pytest.raises(ValueError, match="read-only"):
            ids[:] = 7


@pytest.mark.parametrize("name", asked.QUESTIONS)
def test_what_is_written_into_an_answer_is_not_in_the_next_one(name):
    scene, _ = asked.masked_scene(1)
    question = asked.QUESTIONS[name]
    wanted = deepcopy(question(scene, groups=asked.ALL))
    overwrite(question(scene, groups=asked.ALL))
    scene.check()
    for one, other in zip(question(scene, groups=asked.ALL), wanted, strict=True):
        is_array = isinstance(one, np.ndarray)
        assert np.array_equal(one, other, equal_nan=True) if is_array else one == other


def test_samples_of_a_mesh_are_a_copy():
    samples = core.face_samples(ZBuffer(asked.masked_scene(1)[0]), asked.VIEWS, size=asked.SIZE)
    before = samples.of_mesh(0).copy()
    samples.of_mesh(0)[:] = 99
    assert samples.of_mesh(0).tolist() == before.tolist()
