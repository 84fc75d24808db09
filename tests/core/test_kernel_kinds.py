"""With the kernel, NumPy measures and tests no pair: for each kind of volume and of item."""

from itertools import product

import kernel_worlds as worlds
import numpy as np
import pytest
from support.kernels import needs_kernel

from core import (
    Boxes,
    Regions,
    SceneOctree,
    Spheres,
    Triangles,
    build_octree,
    nearest,
    query,
    query_any,
    query_count,
    touch,
)
from core.shapes import Frusta, HalfSpaces
from core.touch import points as closest
from core.volumes.api import VOLUME_KINDS

pytestmark = needs_kernel
# The octree's cells tell more of these than the boxes around them.
LEFT_TO_NUMPY = {HalfSpaces, Frusta}
ITEM_KINDS = {items for items, volumes in touch._TOUCHING if volumes is HalfSpaces}
COUNT = 300
# Of a scene, a lone volume asks vertices: octrees of meshes would have to be built first.
ASKED = [*product(sorted(ITEM_KINDS, key=str), [1, 3_000]), (SceneOctree, 3_000)]


def items(kind):
    random = np.random.default_rng(5)
    centers, sizes = random.random((COUNT, 3)), random.random((COUNT, 3)) / 9
    return {
        Triangles: lambda: Triangles(
            np.concatenate((centers, centers + sizes, centers - sizes[:, ::-1])),
            np.arange(3 * COUNT).reshape(3, -1).T,
        ),
        Boxes: lambda: Boxes(centers, centers + sizes),
        Spheres: lambda: Spheres(centers, sizes[:, 0]),
        Regions: lambda: Regions(centers, centers + sizes, sizes[:, 0]),
    }[kind]()


def volumes(kind, count):
    random = np.random.default_rng(6)
    asked = worlds.volumes(random.random((count + 6, 3)), np.full(3, 0.4))
    return next(each[6:] for each in asked if type(each) is kind)


def tree_of(kind):
    if kind is not SceneOctree:
        return build_octree(items(kind))
    tree = SceneOctree()
    mesh = tree.add_mesh(items(Triangles))
    matrices = np.tile(np.eye(4), (3, 1, 1))
    matrices[1, :3, 3] = 0.3
    matrices[2, :3, :3] *= 0.5
    tree.place([mesh] * 3, matrices)
    return tree


@pytest.fixture
def no_pairs(monkeypatch):
    """Let the exact tests of NumPy, and its distances, be failures."""

    def refuse(*_):
        pytest.fail("NumPy looks at pairs")

    for kinds in touch._TOUCHING:
        monkeypatch.setitem(touch._TOUCHING, kinds, refuse)
    for name in ("_in_blocks", "_of_triangles"):
        monkeypatch.setattr(closest, name, refuse)


@pytest.mark.parametrize(("item", "count"), ASKED)
@pytest.mark.parametrize("ask", [query, query_any, query_count])
@pytest.mark.parametrize("volume", sorted({*VOLUME_KINDS} - LEFT_TO_NUMPY, key=str))
def test_volumes_are_tested_by_it(item, volume, ask, count, no_pairs):
    assert np.any(ask(tree_of(item), volumes(volume, count)))


@pytest.mark.parametrize(("item", "count"), ASKED)
@pytest.mark.parametrize("wanted", [1, 5, 100])
def test_what_is_nearest_is_measured_by_it(item, wanted, count, no_pairs):
    tree = tree_of(item)
    points = np.random.default_rng(7).random((count, 3))
    assert np.isfinite(nearest(tree, points, count=wanted).distances).all()
    assert np.isfinite(nearest(tree, points, count=wanted, max_distance=2.0).distances).all()


def test_pairs_are_refused_without_it(no_pairs):
    """Pairs have no other code path, which the tests above would use."""
    with worlds.packing(False), pytest.raises(pytest.fail.Exception):
        query(build_octree(items(Triangles)), volumes(Spheres, 9))
    with worlds.packing(False), pytest.raises(pytest.fail.Exception):
        nearest(build_octree(items(Boxes)), np.zeros((9, 3)))
