"""Evidence in pictures about invisible triangles, and the boxes that need views of their own."""

import numpy as np
import pytest
import scene_oracle
from hypothesis import given
from hypothesis import strategies as st
from item_buffer_oracle import camera, moved, perspective
from meshes import icosphere

from core import Boxes, SceneOctree, Triangles, ZBuffer, islands, views_around
from core.item_buffer.evidence import FarthestPixels
from core.scene.pool import Pool

SIZE = (40, 28)


def every_triangle(scene):
    """Return rows of placements, and triangles, of all there are."""
    meshes = [scene.triangles_of([number]) for number in scene.ids]
    counts = [len(mesh) for mesh in meshes]
    rows = np.repeat(np.arange(len(counts)), counts)
    return rows, np.concatenate([np.arange(count) for count in counts]), meshes


def told(scene, matrix, size=SIZE):
    renderer = ZBuffer(scene)
    image = renderer.image(matrix, size)
    rows, triangles, meshes = every_triangle(scene)
    flags, starts = np.zeros((2, len(rows)), bool), np.searchsorted(rows, np.arange(len(meshes)))
    for part in renderer.evidence(
        matrix, size, image, np.arange(len(meshes)), lambda r, t: t >= 0
    ):
        flags[:, starts[part.rows] + part.triangles] |= [part.resolved, part.unresolved]
    return image, (rows, triangles), meshes, flags


@given(st.integers(0, 2**32))
def test_what_is_resolved_is_seen_where_it_is_alone(seed):
    rng = np.random.default_rng(seed)
    scene = scene_oracle.scene(rng, kinds=("rigid", "mirrored", "flat", "tiny"), triangles=8)
    views = [*views_around(scene.bounds_of(scene.ids), count=1)]
    views.append(
        perspective(near=0.5, far=30.0) @ camera(rng.normal(0, 4, 3), rng.normal(0, 2, 3))
    )
    for matrix in views:
        _, (rows, triangles), meshes, (resolved, unresolved) = told(scene, matrix)
        assert not (resolved & unresolved).any()
        for row, triangle, flag in zip(rows, triangles, resolved, strict=True):
            if flag:
                alone = SceneOctree()
                mesh = Triangles(meshes[row].vertices, meshes[row].faces[[triangle]])
                alone.place([alone.add_mesh(mesh)], [np.eye(4)])
                assert (ZBuffer(alone).image(matrix, SIZE).rows >= 0).any()


@given(st.integers(0, 2**32), st.floats(1e-6, 0.2))
def test_what_is_in_front_of_all_is_never_told_to_be_hidden(seed, size):
    rng = np.random.default_rng(seed)
    scene = SceneOctree()
    small, wall = scene.add_mesh(icosphere(0)), scene.add_mesh(icosphere(2))
    scene.place([wall], [np.diag([9.0, 9.0, 9.0, 1.0])])
    matrix = views_around(scene.bounds_of(scene.ids), count=1)[0] * [[1], [1], [0.5], [1]]
    toward = -matrix[2, :3] / np.linalg.norm(matrix[2, :3])
    place = np.diag([size, size, size, 1.0])
    place[:3, 3] = 14 * toward + rng.uniform(-4, 4, 3)
    scene.place([small], [place])
    image, (rows, triangles), _, (resolved, unresolved) = told(scene, matrix)
    seen = {*zip(image.rows.tolist(), image.triangles.tolist(), strict=True)}
    for pair, flag in zip(zip(rows, triangles, strict=True), resolved | unresolved, strict=True):
        assert flag or pair[0] == 0 or pair in seen


@pytest.mark.parametrize("size", [0.02, 0.2, 2.0])
def test_what_is_deep_inside_is_told_to_be_hidden(size):
    scene = SceneOctree()
    shell, inner = scene.add_mesh(icosphere(3)), scene.add_mesh(icosphere(1))
    scene.place([shell, inner], [np.diag([9.0, 9.0, 9.0, 1.0]), np.diag([size, size, size, 1.0])])
    for matrix in views_around(scene.bounds_of(scene.ids), count=3):
        _, (rows, _), _, (_, unresolved) = told(scene, matrix)
        assert not unresolved[rows == 1].any()


def test_triangles_out_of_the_picture_are_neither():
    scene = SceneOctree()
    scene.place([scene.add_mesh(icosphere(1))] * 3, [np.eye(4)] * 3)
    scene.move(scene.ids, [moved(99), np.eye(4), np.full((4, 4), np.nan)])
    view = views_around(Boxes([[-1] * 3], [[1] * 3]), count=1)[0]
    _, (rows, _), _, (resolved, unresolved) = told(scene, view)
    assert not (resolved | unresolved)[rows != 1].any()
    assert resolved[rows == 1].any()


@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(1, 40))
def test_the_pyramid_holds_the_farthest_of_any_rectangle(seed, width, height):
    rng = np.random.default_rng(seed)
    picture = rng.random((height, width)).astype(np.float32)
    ends = np.sort(rng.integers(0, [[[width], [height]]], (2, 2, 50)), axis=0)
    found = FarthestPixels.of(picture).least(*ends)
    for number, (left, bottom, right, top) in enumerate(ends.reshape(4, -1).T):
        exact = picture[bottom : top + 1, left : right + 1].min()
        assert found[number] <= exact
        if max(right - left, top - bottom) <= 1:
            assert found[number] == exact


def test_the_pyramid_of_a_picture_without_gaps_has_none():
    picture = np.full((13, 6), 0.5, np.float32)
    assert (FarthestPixels.of(picture).nearness == 0.5).all()


def boxes(rng, count, size=1.0):
    lower = rng.uniform(-5, 5, (count, 3)) * size
    return lower, lower + rng.uniform(0, 1, (count, 3)) * size


FAR = {
    "wall": ([20e3, -15e3, -15e3], [20e3, 15e3, 15e3]),
    "floor": ([-15e3, -15e3, -20e3], [15e3, 15e3, -20e3]),
    "thing": ([-20e3, -20e3, 20e3], [-20e3 + 1, -20e3 + 1, 20e3 + 1]),
    "planet": ([1e9, 1e9, 1e9], [3e9, 3e9, 3e9]),
}


@pytest.mark.parametrize("far", FAR)
@given(st.integers(0, 2**32), st.integers(1, 40), st.sampled_from([1e-3, 1.0, 50.0]))
def test_a_far_box_changes_no_group_of_the_others(far, seed, count, size):
    lower, upper = boxes(np.random.default_rng(seed), count, size)
    alone = islands(Boxes(lower, upper))
    some = islands(Boxes([FAR[far][0], *lower], [FAR[far][1], *upper]))
    assert some[0] == 0
    assert (some[1:] == alone + 1).all()


@given(st.integers(0, 2**32))
def test_what_others_enclose_is_of_their_group(seed):
    rng = np.random.default_rng(seed)
    lower, upper = boxes(rng, 30)
    groups = islands(Boxes(lower, upper))
    for number in range(groups.max() + 1):
        low, high = lower[groups == number].min(axis=0), upper[groups == number].max(axis=0)
        inside = ((lower >= low) & (upper <= high)).all(axis=1)
        assert (groups[inside] == number).all()


def test_groups_are_those_that_empty_space_divides():
    town = [[x, y, 0] for x in range(0, 100, 10) for y in range(0, 100, 10)]
    lower = np.array([*town, [5000, 0, 0], [5008, 0, 0], [5000, 0, 900], [np.nan] * 3])
    groups = islands(Boxes(lower, lower + 5))
    assert groups.tolist() == [0] * 100 + [1, 1, 2, -1]
    assert islands(Boxes([], [])).tolist() == []
    # A row of equal things, however far from each other, is one group.
    row = np.arange(50.0)[:, None] * [9, 0, 0]
    assert not islands(Boxes(row, row + 0.01)).any()


def test_only_boxes_have_groups():
    with pytest.raises(ValueError, match="bounds must be one of Boxes, got int"):
        islands(3)


def test_of_what_is_not_wanted_nothing_is_told(monkeypatch):
    """Each triangle is asked about once at most; cells that are skipped hold none to tell of."""
    scene = SceneOctree()
    meshes = [scene.add_mesh(icosphere(level)) for level in (0, 2, 3)]
    scene.place([*meshes, meshes[0]], [moved(3 * number) for number in range(4)])
    matrix = views_around(scene.bounds_of(scene.ids), count=1)[0]
    renderer = ZBuffer(scene)
    image = renderer.image(matrix, (90, 90))

    def told_and_asked():
        told, asked = set(), []

        def wanted(rows, triangles):
            asked.extend(zip(rows.tolist(), triangles.tolist(), strict=True))
            return triangles % 2 == 0

        for part in renderer.evidence(matrix, (90, 90), image, np.array([0, 2, 3]), wanted):
            assert (part.triangles % 2 == 0).all()
            flags = (part.rows, part.triangles, part.resolved, part.unresolved)
            told |= set(zip(*map(np.ndarray.tolist, flags), strict=True))
        assert len({*asked}) == len(asked)
        return {each for each in told if each[2] or each[3]}, len(asked)

    told, count = told_and_asked()
    monkeypatch.setattr(Pool, "inner_radii", property(lambda pool: np.full(999, np.inf)))
    assert told_and_asked() == (told, 20 + 20 * 4**3 + 20)
    assert 20 + 20 < count < 20 + 20 * 4**3 + 20
