"""Distances of placed meshes are the least of all pairs of triangles, however they are asked."""

from itertools import product

import numpy as np
import pytest
from audit_scenes import ball, box, of_class, scene_of, squared_distance
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from tuned import tuned

import core
from core import SceneOctree, Triangles, audit, distances, nearest_objects, use_kernel
from core.place import gaps

seeds = st.integers(0, 10_000)


def soup(rng, size, shift):
    """Make a few triangles in whole numbers, some of them thin or flat."""
    return Triangles(rng.integers(0, 4, (3 * size, 3)) + shift, np.arange(3 * size).reshape(-1, 3))


def soups(seed, count=4):
    rng = np.random.default_rng(seed)
    return scene_of(*(soup(rng, 3, rng.integers(-5, 6, 3)) for _ in range(count)))


def pairs_of(scene):
    ids = scene.ids
    return np.array([(i, j) for i in ids for j in ids if i != j]).reshape(-1, 2).T


def exactly(scene, one, other):
    """Return the squared distance in fractions, and the smallest triangles so far apart."""
    sides = (scene.triangles_of([each]).rows.T.reshape(-1, 3, 3) for each in (one, other))
    squares = {
        (a, b): squared_distance(here, there)
        for (a, here), (b, there) in product(*map(enumerate, sides))
    }
    least = min(squares.values())
    return least, min(each for each, square in squares.items() if square == least)


def bodies(seed, count=8, spread=4.0):
    """Place balls and boxes anywhere, turned and stretched."""
    rng = np.random.default_rng(seed)
    scene = SceneOctree()
    meshes = [scene.add_mesh(each) for each in (ball(1.0, 8), box([-1] * 3, [1, 1, 2]))]
    matrices = np.tile(np.eye(4), (count, 1, 1))
    for matrix in matrices:
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        matrix[:3, :3] = turn @ np.diag(rng.uniform(0.2, 1.2, 3))
    matrices[:, :3, 3] = rng.uniform(0, spread, (count, 3))
    scene.place(rng.choice(meshes, count), matrices)
    return scene


def moved(scene, factor, order=None):
    """Return the scene scaled, its placements in another order."""
    order = scene.ids if order is None else order
    other = SceneOctree()
    for mesh in np.unique(scene.meshes_of(scene.ids)):
        (some,) = (scene.meshes_of(scene.ids) == mesh).nonzero()
        triangles = scene._meshes[int(mesh)].triangles
        assert other.add_mesh(triangles) == mesh, some
    matrices = scene.matrices_of(order)
    matrices[:, :3] *= factor
    other.place(scene.meshes_of(order), matrices)
    return other


@examples(60)
@given(seeds)
def test_distances_are_the_least_of_all_triangles_in_fractions(seed):
    scene = soups(seed)
    pairs = pairs_of(scene)
    found = distances(scene, pairs)
    for column, (one, other) in enumerate(pairs.T):
        square, items = exactly(scene, one, other)
        assert found.distances[column] == pytest.approx(float(square) ** 0.5, rel=1e-12)
        assert (found.distances[column] == 0) == (square == 0)
        assert tuple(found.items[:, column]) == items
        apart = np.linalg.norm(found.points[0, column] - found.points[1, column])
        assert apart == pytest.approx(found.distances[column], rel=1e-12, abs=1e-12)


@examples(12)
@given(seeds)
def test_points_lie_on_the_triangles_that_are_named(seed):
    scene = bodies(seed)
    pairs = pairs_of(scene)
    found = distances(scene, pairs)
    for side in range(2):
        for column, one in enumerate(pairs[side]):
            triangle = scene.triangles_of([one])[found.items[side, column : column + 1]]
            tree = core.build_octree(triangle)
            point = found.points[side, column : column + 1]
            assert core.nearest(tree, point).distances[0, 0] < 1e-12


@examples(12)
@given(seeds, st.integers(-300, 300))
def test_neither_order_nor_names_nor_a_power_of_two_change_a_distance(seed, power):
    scene = bodies(seed)
    pairs = pairs_of(scene)
    order = np.random.default_rng(seed).permutation(scene.ids)
    ranks = np.argsort(order)
    found, other = distances(scene, pairs), distances(moved(scene, 1.0, order), ranks[pairs])
    turned = distances(scene, pairs[::-1])
    for name in ("distances", "depths", "inside", "points"):
        assert np.array_equal(getattr(found, name), getattr(other, name)), name
    assert np.array_equal(found.distances, turned.distances)
    assert np.array_equal(found.inside, np.where(turned.inside < 0, -1, 1 - turned.inside))
    scaled = distances(moved(scene, 2.0**power), pairs)
    for name in ("distances", "points", "depths"):
        assert np.array_equal(getattr(found, name) * 2.0**power, getattr(scaled, name)), name
    for name in ("items", "inside"):
        assert np.array_equal(getattr(found, name), getattr(scaled, name))


@examples(12)
@given(seeds)
def test_all_at_once_is_each_alone_in_any_pieces(seed):
    scene = bodies(seed)
    pairs = pairs_of(scene)
    found = distances(scene, pairs)
    with tuned(core, nodes_paired=40, triangles_tested=16, triangles_placed=32):
        assert distances(scene, pairs) == found
    for column in np.random.default_rng(seed).choice(pairs.shape[1], 5):
        alone = distances(scene, pairs[:, [column]])
        assert alone.distances[0] == found.distances[column]
        assert np.array_equal(alone.items[:, 0], found.items[:, column])


@examples(12)
@given(seeds, st.integers(1, 4))
def test_the_nearest_objects_are_those_of_the_least_distances(seed, count):
    scene = bodies(seed, spread=12.0)
    rng = np.random.default_rng(seed)
    asked, against = rng.permutation(scene.ids)[:6], np.sort(rng.permutation(scene.ids)[:5])
    for given_ids in (None, against):
        found = nearest_objects(scene, asked, count=count, against=given_ids)
        for one, near in zip(asked, found, strict=True):
            others = scene.ids if given_ids is None else given_ids
            others = others[others != one]
            lengths = distances(scene, np.stack((np.full(len(others), one), others))).distances
            wanted = others[np.lexsort((others, lengths))][:count]
            assert near[: len(wanted)].tolist() == wanted.tolist()
            assert (near[len(wanted) :] == -1).all()


def test_the_nearest_are_the_same_at_any_scale():
    scene = bodies(3, spread=9.0)
    wanted = nearest_objects(scene, scene.ids, count=3)
    for power in (-400, -40, 40, 400):
        scaled = moved(scene, 2.0**power)
        assert np.array_equal(nearest_objects(scaled, scaled.ids, count=3), wanted)


def test_what_is_inside_is_told_with_the_depth_of_an_audit():
    scene = scene_of(
        box([0] * 3, [4] * 3), box([1] * 3, [2] * 3), box([3] * 3, [5] * 3), ball(0.5, 6)
    )
    found = distances(scene, [[0, 1, 0, 1, 0], [1, 0, 2, 2, 3]])
    assert found.distances.tolist() == [1.0, 1.0, 0.0, 3**0.5, 0.0]
    assert found.inside.tolist() == [1, 0, -1, -1, -1]
    told = audit(scene)
    for name, columns, pair in (("contained", (0, 1), (0, 1)), ("overlap", (2,), (0, 2))):
        rows = of_class(told, name)
        row = rows[(told.pairs[:, rows].T == pair).all(axis=1)][0]
        for column in columns:
            assert found.depths[:, column].tolist() == [told.lower[row], told.upper[row]]
    assert found.depths[:, 3].tolist() == [0, 0]


def test_a_body_in_an_open_mesh_is_in_none():
    lidless = Triangles(box([0] * 3, [4] * 3).vertices, box([0] * 3, [4] * 3).faces[:-2])
    found = distances(scene_of(lidless, box([1] * 3, [2] * 3)), [[0], [1]])
    assert found.inside.tolist() == [-1]
    assert found.distances.tolist() == [1.0]


def test_where_nothing_is_nothing_is_near():
    scene = scene_of(box([0] * 3, [1] * 3), Triangles([], []), box([3] * 3, [4] * 3))
    found = distances(scene, [[0, 1, 0], [1, 2, 2]])
    assert found.distances.tolist() == [np.inf, np.inf, 12**0.5]
    assert np.isnan(found.points[:, :2]).all()
    assert found.items[:, :2].tolist() == [[-1, -1], [-1, -1]]
    assert nearest_objects(scene, [0, 1, 2], count=2).tolist() == [[2, -1], [-1, -1], [0, -1]]
    none = distances(scene, np.empty((2, 0), int))
    assert (none.distances.shape, none.points.shape) == ((0,), (2, 0, 3))
    assert nearest_objects(scene, [], count=2).shape == (0, 2)


@pytest.mark.parametrize("pairs", [[[0], [0]], [[0], [9]], [[0, 1]], [[0.5], [1]]])
def test_what_are_no_pairs_is_refused_by_name(pairs):
    with pytest.raises(ValueError, match="pairs"):
        distances(scene_of(box([0] * 3, [1] * 3), box([3] * 3, [4] * 3)), pairs)


def test_few_triangles_are_measured_however_many_there_are(monkeypatch):
    looks, measure = [], gaps.distances_of

    def counted(ones, others):
        looks.append(ones.shape[1])
        return measure(ones, others)

    monkeypatch.setattr(gaps, "distances_of", counted)
    for rings in (8, 16, 32):
        scene = scene_of(ball(1.0, rings), ball(1.0, rings, center=(2.5, 0.7, 0.3)))
        looks.clear()
        use_kernel(False)
        distances(scene, [[0], [1]])
        use_kernel(True)
        assert 0 < sum(looks) < 250  # of up to 16 million pairs
