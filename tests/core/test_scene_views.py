"""Views, boxes and half-spaces of scenes, against one octree over all placed triangles."""

import meshes
import numpy as np
import pytest
import scene_oracle as oracle
from hypothesis import given, settings
from hypothesis import strategies as st

from core import (
    Boxes,
    Frusta,
    HalfSpaces,
    SceneOctree,
    Triangles,
    objects_touching,
    query,
    query_any,
    query_count,
)
from core.checks import ALL_GROUPS


def views(rng, center, size, count=12):
    """Return perspective views of any direction and width, some of them with a tip."""
    near, far = rng.uniform(0.05, 1, count), rng.uniform(2, 9, count)
    lenses = np.zeros((count, 4, 4))
    lenses[:, [0, 1], [0, 1]] = rng.uniform(0.5, 5, (count, 2))
    lenses[:, 2, 2], lenses[:, 2, 3] = (far + near) / (near - far), 2 * far * near / (near - far)
    lenses[:, 3, 2] = -1
    places = np.tile(np.eye(4), (count, 1, 1))
    places[:, :3, :3] = np.linalg.qr(rng.normal(size=(count, 3, 3)))[0]
    places[:, :3, 3] = rng.normal(size=(count, 3))
    corners = Frusta.from_matrices(lenses @ places).corners * size + center
    corners[: count // 3, :4] = corners[: count // 3, :4].mean(axis=1, keepdims=True)
    return Frusta(corners)


def volumes(rng, center, size):
    points = center + size * rng.normal(size=(12, 3))
    normals = rng.normal(size=(12, 3))
    offsets = -(normals * points).sum(axis=1)
    return [
        views(rng, center, size),
        Boxes(points, points + size * rng.uniform(0, 2, (12, 3))),
        HalfSpaces(np.column_stack((normals, offsets))),
    ]


def holed(triangles, rng):
    """Return the triangles with vertices that none uses, one of them far away."""
    loose = np.concatenate((triangles.vertices[:3] * 1e9, rng.normal(size=(5, 3))))
    order = rng.permutation(len(triangles.vertices) + len(loose))
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    return Triangles(np.concatenate((triangles.vertices, loose))[order], places[triangles.faces])


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(oracle.KINDS),
    loose=st.booleans(),
    bad=st.sampled_from([None, np.nan, np.inf, 1e140]),
)
def test_views_hold_what_one_octree_over_everything_finds(seed, kind, loose, bad):
    rng = np.random.default_rng(seed)
    scene = oracle.scene(rng, kinds=(kind, "rigid"), placements=6)
    for number in range(2):
        triangles = scene._meshes[number].triangles
        if loose:
            triangles = holed(triangles, rng)
        if bad is not None and number:
            corners = triangles.vertices.copy()
            corners[rng.integers(len(corners))] = bad
            triangles = Triangles(corners, triangles.faces)
        scene.replace_mesh(number, triangles)
    scene.add_mesh(Triangles([], []))
    baked, where = oracle.Baked(scene), scene.matrices_of(scene.ids[:1])[0]
    for asked in volumes(rng, where[:3, 3], np.abs(where[:3, :3]).max()):
        touched = baked.renumbered(query(baked.tree, asked))
        inside = baked.renumbered(query(baked.tree, asked, relation="inside"))
        np.testing.assert_array_equal(query(scene, asked), touched)
        np.testing.assert_array_equal(query(scene, asked, relation="inside"), inside)
        met = np.unique(touched[:2], axis=1)
        np.testing.assert_array_equal(objects_touching(scene, asked), met)
        counts = np.bincount(touched[0], minlength=len(asked))
        np.testing.assert_array_equal(query_any(scene, asked), counts > 0)
        np.testing.assert_array_equal(query_count(scene, asked), counts)


@pytest.mark.parametrize(
    ("volume", "touches", "is_indexed"),
    [
        (Boxes([[-1, -1, -1]], [[40, 70, 70]]), True, False),
        (Boxes([[20.2, 20.2, 32]], [[20.3, 20.3, 33]]), True, True),
        (Boxes([[20.2, 20.2, 20.2]], [[20.3, 20.3, 20.3]]), False, True),
    ],
)
def test_a_large_mesh_is_indexed_only_if_no_triangle_of_a_sample_touches(
    volume, touches, is_indexed
):
    sheets = meshes.grid(64)
    vertices = np.append(sheets.vertices, np.full((1, 3), np.nan), axis=0)
    hole = np.full((500, 3), len(sheets.vertices))
    scene = SceneOctree()
    mesh = scene.add_mesh(Triangles(vertices, np.concatenate((hole, sheets.faces))))
    scene.place([mesh], [np.eye(4)])
    assert objects_touching(scene, volume).shape == (2, touches)
    assert scene._snapshot(ALL_GROUPS).meshes.has_indexed(mesh) == is_indexed
    assert objects_touching(scene, volume).shape == (2, touches)
