"""Quads are split by Blender's rule only where the result is certain."""

import kernel_meshes as meshes
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from support.kernels import needs_kernel

from core import split_quads, use_kernel

SQUARE = meshes.SQUARE.astype(np.float32)
ARROW = np.array([[0, 0, 0], [3, -1, 0], [1, 0, 0], [3, 1, 0]], np.float32)  # hollow at its third
TURNED = np.roll(ARROW, 1, axis=0)


def mesh_of(*quads):
    """Return the arrays of quads that share no vertex."""
    corners = np.arange(4 * len(quads), dtype=np.int32)
    return np.concatenate(quads), corners, np.arange(len(quads), dtype=np.int32).repeat(2)


@needs_kernel
@pytest.mark.parametrize("seed", range(120))
def test_the_kernel_splits_by_its_formula(seed):
    meshes.assert_quads_equal(seed)


@needs_kernel
@pytest.mark.parametrize("shape", ["convex", "folded", "concave", "flat", "far", "needle"])
def test_most_meshes_are_certain(shape):
    """Or the comparison above would be one of nothing with nothing."""
    found = []
    for seed in range(20):
        mesh = meshes.polygons_of(np.random.default_rng(seed), 9, shape)
        found.append(split_quads(*mesh))
    assert sum(faces is not None for faces in found) >= 8


@needs_kernel
def test_a_quad_is_cut_where_its_triangles_face_the_same_way():
    mesh = mesh_of(SQUARE, ARROW, TURNED)
    expected = [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7], [8, 9, 11], [9, 10, 11]]
    assert_array_equal(split_quads(*mesh).T, expected)
    places, corners, polygons = mesh
    turned = np.roll(corners, -3)  # of the same places in another order
    shuffled = places[turned.argsort()], turned, polygons
    assert_array_equal(split_quads(*shuffled).T, turned[expected])
    assert_array_equal(split_quads(*shuffled, by_corner=True).T, expected)


@needs_kernel
@pytest.mark.parametrize(
    "doubtful",
    [
        SQUARE * 0,
        SQUARE * (1, 0, 0),
        SQUARE[[0, 1, 2, 2]],
        SQUARE * 1e-30,
        SQUARE * 1e30,
        SQUARE + np.inf,
        SQUARE + (1e-7 * SQUARE[:, :1] - SQUARE) * (0, 1, 0),
    ],
)
def test_one_quad_in_doubt_leaves_all_to_blender(doubtful):
    with np.errstate(all="ignore"):
        doubtful = np.asarray(doubtful, np.float32)
    assert split_quads(*mesh_of(SQUARE, SQUARE)) is not None
    for quads in ((SQUARE, doubtful), (doubtful, SQUARE)):
        assert split_quads(*mesh_of(*quads)) is None


@needs_kernel
def test_a_polygon_of_five_corners_leaves_all_to_blender():
    places = np.concatenate((SQUARE, SQUARE, SQUARE[:1]))
    for polygons in ([0, 0, 1, 1, 1], [0, 0, 0, 1, 1]):
        found = split_quads(places, np.arange(9, dtype=np.int32), np.array(polygons, np.int32))
        assert found is None


def test_without_the_kernel_blender_is_asked():
    use_kernel(False)
    assert split_quads(*mesh_of(SQUARE)) is None


@needs_kernel
@pytest.mark.parametrize("wrong", [-1, 8, 2**31 - 1])
@pytest.mark.parametrize("place", [0, 3, 7])
def test_vertices_that_are_not_there_are_refused(wrong, place):
    mesh = mesh_of(SQUARE, SQUARE)
    mesh[1][place] = wrong
    with pytest.raises(IndexError, match="points nowhere"):
        split_quads(*mesh)


@needs_kernel
@pytest.mark.parametrize("polygons", [[-1, -1], [0, 0, 2, 2], [0, 0, 1, 1, 2], [2**31 - 1]])
def test_polygons_that_are_not_there_are_refused(polygons):
    places, corners, _ = mesh_of(SQUARE, SQUARE)
    with pytest.raises(IndexError, match="points nowhere"):
        split_quads(places, corners, np.array(polygons, np.int32))


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        (0, SQUARE.astype(np.float64)),
        (0, SQUARE[:, :2]),
        (0, SQUARE.T.copy().T),
        (1, np.arange(4)),
        (1, np.zeros((4, 1), np.int32)),
        (2, np.zeros(4, np.int32)[::2]),
        (2, [0, 0]),
    ],
)
def test_other_kinds_and_shapes_are_refused(place, wrong):
    given = list(mesh_of(SQUARE))
    given[place] = wrong
    with pytest.raises(ValueError, match=["positions", "corners", "polygons"][place]):
        split_quads(*given)
