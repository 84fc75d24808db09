"""Records are compared whole, and a comparison is yes or no."""

from dataclasses import fields, is_dataclass, replace

import core_scenes as scenes
import numpy as np
import pytest
import scene_questions as asked

import core
from core import ContactTracker, Evidence, ZBuffer, build_octree

SCENE, _ = asked.masked_scene(2)
TREE = build_octree(scenes.random(), capacity=8)
RAYS = (asked.POINTS, asked.WAYS)
MESH = scenes.random()
DOWN = [0, 0, -1]


def tracked():
    tracker = ContactTracker(band=0.01)
    tracker.look(SCENE)
    return tracker.intervals


def polygons():
    count = len(MESH)
    corners, starts = np.arange(3 * count).reshape(-1, 3), np.arange(0, 3 * count + 1, 3)
    pieces = core.chunks(MESH, budget=50)
    return core.chunk_polygons(pieces, MESH.faces, corners, np.arange(count), starts)


RECORDS = {
    "Audit": lambda: core.audit(SCENE, clearance=0.3, self_intersections=True),
    "ChunkPolygons": polygons,
    "Chunks": lambda: core.chunks(MESH, budget=50),
    "ContactIntervals": tracked,
    "Density": lambda: core.density(MESH, budget=50),
    "Distances": lambda: core.distances(SCENE, [[0, 2], [2, 3]]),
    "Evidence": lambda: Evidence(*np.ones((4, 3), np.uint8)),
    "FaceSamples": lambda: core.face_samples(ZBuffer(SCENE), asked.VIEWS, size=asked.SIZE),
    "ItemBuffers": lambda: core.item_buffers(ZBuffer(SCENE), asked.VIEWS, size=asked.SIZE),
    "JoinedChunks": lambda: core.joined_chunks(core.chunks(MESH, budget=50), height=1),
    "Nearest": lambda: core.nearest(TREE, asked.POINTS, count=400),
    "Pieces": lambda: core.clip(TREE),
    "RayCrossings": lambda: core.ray_cast_all(SCENE, *RAYS),
    "RayHits": lambda: core.ray_cast(SCENE, *RAYS),
    "Separation": lambda: core.separate(SCENE, [2, 3]),
    "Slides": lambda: core.slide(SCENE, [2, 3], DOWN),
    "Statistics": lambda: core.statistics(TREE),
    "Supports": lambda: core.supports(SCENE, core.audit(SCENE), []),
    "Visibility": lambda: core.visibility(ZBuffer(SCENE), asked.VIEWS, size=asked.SIZE),
}


def other_values(value):
    """Yield values that differ from a record's value, in one number or in the shape."""
    if not isinstance(value, np.ndarray):
        yield from ("other", np.zeros(2))
        return
    yield from (None, value[:-1] if len(value) else np.zeros((1, *value.shape[1:])))
    if value.size:
        changed = value.copy()
        changed.flat[-1] = ~changed.flat[-1] if value.dtype == bool else 77
        yield changed


def holds_arrays(kind):
    return is_dataclass(kind) and any("ndarray" in str(field.type) for field in fields(kind))


def test_every_record_with_arrays_is_compared_here():
    """An octree is a structure, which equals only itself."""
    found = {name for name in core.__all__ if holds_arrays(getattr(core, name))}
    assert found == {*RECORDS, "Octree"}
    assert TREE == TREE
    assert TREE != build_octree(scenes.random(), capacity=8)
    assert {TREE: 1}[TREE] == 1


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_equals_one_with_the_same_numbers(name):
    one, other = RECORDS[name](), RECORDS[name]()
    assert type(one) is getattr(core, name)
    assert (one == other) is True
    assert (one != other) is False
    copied = replace(one, **{
        field.name: getattr(one, field.name).copy()
        for field in fields(one)
        if isinstance(getattr(one, field.name), np.ndarray)
    })  # fmt: skip
    assert (one == copied) is True


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_differs_if_a_single_number_does(name):
    one = RECORDS[name]()
    for field in fields(one):
        for value in other_values(getattr(one, field.name)):
            if value is None and getattr(one, field.name) is None:
                continue
            other = replace(one, **{field.name: value})
            assert (one == other) is False, field.name
            assert (other == one) is False, field.name
            assert (other != one) is True, field.name


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_differs_from_all_else_and_has_no_hash(name):
    one = RECORDS[name]()
    assert (one == vars(one)) is False
    assert (one == None) is False  # noqa: E711 - what `==` answers is asked
    assert one not in [3, "text", TREE]
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


def test_nothing_found_equals_nothing_found():
    """Misses are NaN."""
    one, other = (core.ray_cast(TREE, [[99, 99, 99]], [[1, 0, 0]]) for _ in range(2))
    assert np.isnan(one.positions).all()
    assert one == other
