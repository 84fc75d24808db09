"""Coordinates as large and as small as their squares allow: no warning, and the same answers.

Whoever runs these tests has warnings of core as errors.
"""

import warnings

import numpy as np
import pytest
import scene_questions as asked
from hypothesis import given
from hypothesis import strategies as st

import core
from core import (
    Boxes,
    Capsules,
    HalfSpaces,
    OrientedBoxes,
    Regions,
    SceneOctree,
    Spheres,
    Triangles,
    build_octree,
)

# Squares of numbers a thousand times as large or small are none that overflow or underflow.
POWERS = st.integers(-480, 480)
POINTS = np.random.default_rng(4).uniform(-1, 6, (12, 3))
WAYS = np.random.default_rng(5).normal(size=(12, 3))
SIZES = np.random.default_rng(6).uniform(0, 1, (12, 3))


def scene_of(factor):
    """Return placed cubes, sheets, soups and flat ones, one of them squeezed into a point."""
    rng = np.random.default_rng(2)
    soup = Triangles(rng.normal(size=(60, 3)), np.arange(60).reshape(-1, 3))
    scene = SceneOctree(capacity=4)
    meshes = [scene.add_mesh(each) for each in (asked.CUBE, asked.SHEET, soup)]
    matrices = np.tile(np.eye(4), (12, 1, 1))
    matrices[:, :3, :3] = rng.integers(-2, 3, (12, 3, 3))
    matrices[3, :3, :3] = 0
    matrices[4, 2, :3] = 0
    matrices[:, :3, 3] = rng.integers(0, 5, (12, 3))
    matrices[:, :3] *= factor
    scene.place(np.arange(12) % 3, matrices)
    assert len(meshes) == 3
    return scene


def volumes_of(factor):
    places, sizes, radii = POINTS * factor, SIZES * factor, SIZES[:, 0] * factor
    yield Spheres(places, radii)
    yield Spheres([[0, 0, 0]], [20 * factor])
    yield Boxes(places, places + sizes)
    yield Regions(places, places + sizes, radii)
    yield Capsules(places, places + sizes, radii)
    yield OrientedBoxes(places, sizes, np.tile(np.eye(3), (12, 1, 1)))
    yield HalfSpaces(np.column_stack((WAYS, POINTS[:, 0] * factor)))


def ask_all(tree, factor):
    """Ask every question of a tree or scene that has this scale, and return numbers only."""
    points, ways = POINTS * factor, WAYS * factor
    found = [
        core.query(tree, volumes, relation=relation)
        for volumes in volumes_of(factor)
        for relation in ("touching", "inside")
    ]
    found += [core.query_count(tree, volumes) for volumes in volumes_of(factor)]
    found.append(core.ray_cast(tree, points, ways).items)
    found.append(core.ray_test(tree, points, ways))
    found.append(core.ray_cast_all(tree, points, ways).pairs)
    found.append(core.nearest(tree, points, count=3).items)
    found.append(core.overlapping_pairs(tree))
    found.append(core.overlapping_pairs(tree, margin=0.25 * factor))
    return found


@pytest.fixture(autouse=True)
def strict():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@given(POWERS)
def test_a_scene_answers_at_every_scale(power):
    one, factor = scene_of(1.0), 2.0**power
    for mine, theirs in zip(ask_all(one, 1.0), ask_all(scene_of(factor), factor), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@given(POWERS)
def test_a_tree_answers_at_every_scale(power):
    one, factor = scene_of(1.0), 2.0**power
    baked, scaled = (s.triangles_of(s.ids) for s in (one, scene_of(factor)))
    trees = build_octree(baked, capacity=4), build_octree(scaled, capacity=4)
    for mine, theirs in zip(ask_all(trees[0], 1.0), ask_all(trees[1], factor), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@given(st.integers(-100, 100))
def test_an_audit_answers_at_every_scale(power):
    """Its products are of up to eight lengths, which must neither overflow nor underflow."""
    one, factor = scene_of(1.0), 2.0**power
    options = {"self_intersections": True}
    mine = core.audit(one, band=2**-20, clearance=0.25, **options)
    scaled = core.audit(scene_of(factor), band=2**-20 * factor, clearance=0.25 * factor, **options)
    np.testing.assert_array_equal(mine.pairs, scaled.pairs)
    np.testing.assert_array_equal(mine.classes, scaled.classes)


def test_rays_pass_a_scene_that_is_wider_than_its_volume_can_be_told():
    scene = SceneOctree()
    matrices = np.tile(np.eye(4), (40, 1, 1))
    matrices[:, :3, :3] *= 1e110
    matrices[:, :3, 3] = np.random.default_rng(1).uniform(-1e111, 1e111, (40, 3))
    scene.place([scene.add_mesh(asked.CUBE)] * 40, matrices)
    origins = np.full((40, 3), 2e111)
    hits = core.ray_cast(scene, origins, scene.bounds_of(scene.ids).lower + 5e109 - origins)
    assert (hits.items >= 0).all()


def test_a_sphere_meets_a_mesh_that_is_squeezed_into_a_point():
    scene, flat = SceneOctree(), np.diag([0.0, 0, 0, 1])
    scene.place([scene.add_mesh(asked.CUBE)], flat[None])
    for volumes in volumes_of(1.0):
        core.query(scene, volumes)
    assert core.query_count(scene, Spheres([[0, 0, 0]], [0.0])).tolist() == [12]
    assert core.query_count(scene, Capsules([[0, 0, 1]], [[0, 0, 3]], [0.5])).tolist() == [0]
