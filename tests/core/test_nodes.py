"""The nodes over the triangles of meshes: what they promise, whatever the meshes are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from core import Triangles, run
from core.scene.nodes import CELL, LEAF
from core.scene.pool import _indexed
from core.scene.store import Mesh


def soup(random, count, size):
    """Return triangles in a unit cube, of about this size."""
    corners = random.random((count, 1, 3)) + random.normal(size=(count, 3, 3)) * size
    return Triangles(corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3))


def indexed(*meshes):
    """Return the pool of these meshes, checked."""
    pool = run(_indexed([Mesh.of(mesh) for mesh in meshes]))
    pool.nodes.check(pool.arranged, pool.order)
    for number, mesh in enumerate(meshes):
        first = pool.firsts[number]
        assert_array_equal(np.sort(pool.order[first : first + len(mesh)]), np.arange(len(mesh)))
        rows = mesh[pool.order[first : first + len(mesh)]].rows
        assert_array_equal(pool.arranged[first : first + len(mesh)].rows, rows)
    return pool


@given(
    seed=st.integers(0, 2**32 - 1),
    counts=st.lists(st.integers(1, 400), min_size=1, max_size=4),
    size=st.sampled_from([0.0, 0.01, 0.3, 5.0]),
    scale=st.sampled_from([1e-300, 1.0, 1e300]),
)
def test_nodes_are_what_they_promise(seed, counts, size, scale):
    random = np.random.default_rng(seed)
    made = [soup(random, count, size) for count in counts]
    indexed(*(Triangles(mesh.vertices * scale, mesh.faces) for mesh in made))


@pytest.mark.parametrize("count", [1, LEAF, LEAF + 1, CELL, CELL + 1, 5 * CELL + 3, 3_000])
def test_triangles_in_one_place_are_divided_by_number(count):
    same = Triangles(np.tile(np.eye(3), (count, 1)), np.arange(3 * count).reshape(-1, 3))
    nodes = indexed(same).nodes
    assert (nodes.end - nodes.begin)[nodes.first_child < 0].mean() > min(count, LEAF) / 2


def test_large_triangles_are_kept_in_large_cells():
    """Boxes around what is small stay small, though two triangles lie under all."""
    random = np.random.default_rng(4)
    small = soup(random, 5_000, 0.001)
    floor = np.array([[-1, -1, 0], [2, -1, 0], [2, 2, 0.01], [-1, 2, 0.01]])
    vertices = np.concatenate((small.vertices, floor))
    faces = np.concatenate((small.faces, len(small.vertices) + np.array([[0, 1, 2], [0, 2, 3]])))
    nodes = indexed(Triangles(vertices, faces)).nodes
    sizes = (nodes.boxes[3:] - nodes.boxes[:3]).max(axis=0)
    assert np.count_nonzero(sizes > 1.5) <= 4
    assert np.median(sizes[nodes.first_child < 0]) < 0.2


def test_leaves_are_nearly_full_and_nodes_are_few():
    nodes = indexed(soup(np.random.default_rng(5), 20_000, 0.01)).nodes
    sizes = (nodes.end - nodes.begin)[nodes.first_child < 0]
    assert sizes.mean() > 0.9 * LEAF
    assert len(nodes.begin) < 0.18 * 20_000
