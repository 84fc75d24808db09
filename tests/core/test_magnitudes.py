"""Coordinates as large and as small as their squares allow: no warning, and the same answers.

Whoever runs these tests has warnings of core as errors.
"""

import warnings
from functools import cache

import numpy as np
import pytest
import scene_questions as asked
from examples import examples
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
# A matrix to add to others: a step to the side.
STEP = np.zeros((4, 4))
STEP[:3, 3] = 0.25, 0.5, 0.25
NOTHING_FOUND = core.audit(SceneOctree())
# What answers of audits hold that is as long as the scene is large.
# Numbers of meshes (cube, sheet, soup), sizes and places.
CLASHING = (
    (0, 1.0, (0, 0, 0)),
    (0, 1.0, (0, 0, 0)),
    (0, 0.25, (0.25, 0.375, 0.5)),
    (0, 1.0, (1, 0.25, 0.5)),
    (0, 1.0, (0.5, 0.5, 0)),
    (0, 1.0, (2.125, 0, 0)),
    (1, 1.0, (0.25, 0.25, 2)),
    (2, 1.0, (3, 3, 3)),
)
LENGTHS = ("places", "segments", "bands", "band", "clearance", "drops")
AREA = core.FINDING_MEASURES.index("area")


def scene_of(factor, inner=1.0):
    """Return placed cubes, sheets, soups and flat ones, one of them squeezed into a point.

    `inner` is the scale of the meshes, which their matrices make up for.
    """
    rng = np.random.default_rng(2)
    soup = Triangles(rng.normal(size=(60, 3)), np.arange(60).reshape(-1, 3))
    scene = SceneOctree()
    shapes = [Triangles(s.vertices * inner, s.faces) for s in (asked.CUBE, asked.SHEET, soup)]
    meshes = [scene.add_mesh(each) for each in shapes]
    matrices = np.tile(np.eye(4), (12, 1, 1))
    matrices[:, :3, :3] = rng.integers(-2, 3, (12, 3, 3))
    matrices[3, :3, :3] = 0
    matrices[4, 2, :3] = 0
    matrices[:, :3, 3] = rng.integers(0, 5, (12, 3))
    matrices[:, :3] *= factor
    matrices[:, :3, :3] /= inner
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


def clashes_of(factor, inner=1.0, also=()):
    """Return a scene with findings of every class, and the same again of other sizes."""
    rng = np.random.default_rng(3)
    soup = Triangles(rng.normal(size=(30, 3)), np.arange(30).reshape(-1, 3))
    scene = SceneOctree()
    shapes = [Triangles(s.vertices * inner, s.faces) for s in (asked.CUBE, asked.SHEET, soup)]
    meshes = np.array([scene.add_mesh(each) for each in shapes])
    matrices = np.tile(np.eye(4), (len(CLASHING), 1, 1))
    matrices[:, :3, :3] *= np.array([size for _, size, *_ in CLASHING])[:, None, None]
    matrices[:, :3, 3] = [place for *_, place in CLASHING]
    for each in (factor, *also):
        scaled = matrices.copy()
        scaled[:, :3] *= each
        scaled[:, :3, :3] /= inner
        scene.place(meshes[[number for number, *_ in CLASHING]], scaled)
    return scene


def audit_of(scene, factor):
    """Audit a scene that has this scale."""
    options = {"band": 2**-20 * factor, "clearance": 0.25 * factor}
    return core.audit(scene, self_intersections=True, **options)


@cache
def clashes():
    """Return the findings at scale 1."""
    found = audit_of(clashes_of(1.0), 1.0)
    assert set(found.classes) == set(range(len(core.FINDING_CLASSES)))
    return found


def assert_scaled(mine, theirs, factor):
    """Check that two records differ only by their scale, to the bit."""
    for name, value in vars(mine).items():
        wanted = value * factor if name in LENGTHS else value
        if name in ("lower", "upper"):
            wanted = value * np.where(mine.measures == AREA, factor * factor, factor)
        np.testing.assert_array_equal(getattr(theirs, name), wanted, err_msg=name)


@examples(8)
@given(POWERS, POWERS)
def test_an_audit_answers_at_every_scale(power, inner):
    factor = 2.0**power
    scene = clashes_of(factor, 2.0**inner)
    found = audit_of(scene, factor)
    assert_scaled(clashes(), found, factor)
    assert_scaled(found, core.audit_again(scene, found, scene.ids[::3]), 1.0)


@examples(6)
@given(st.tuples(POWERS, POWERS), st.integers(0, 1))
def test_pairs_of_many_sizes_are_each_judged_as_if_alone(powers, widest):
    factors = [2.0**power for power in sorted(powers)]
    scene = clashes_of(factors[0], also=factors[1:])
    options = {"band": 2**-20 * factors[widest], "clearance": 0.25 * factors[1]}
    found = core.audit(scene, **options)
    for factor, ids in zip(factors, scene.ids.reshape(2, -1), strict=True):
        alone = core.audit(clashes_of(factor), **options)
        both = np.isin(found.pairs, ids).all(axis=0)
        assert len(alone) > 0
        for name in ("classes", "measures", "lower", "upper", "places", "bands"):
            mine, theirs = getattr(found, name)[both], getattr(alone, name)
            np.testing.assert_array_equal(mine, theirs, err_msg=name)


@examples(8)
@given(POWERS)
def test_what_floats_falls_as_far_at_every_scale(power):
    one, factor = scene_of(1.0), 2.0**power
    scaled = scene_of(factor)
    for grounds in (None, [], [2]):
        mine = core.supports(one, NOTHING_FOUND, grounds)
        assert np.isfinite(mine.drops).any()
        assert_scaled(mine, core.supports(scaled, NOTHING_FOUND, grounds), factor)


@examples(8)
@given(POWERS)
def test_contacts_in_frames_are_the_same_at_every_scale(power):
    looks = []
    for factor in (1.0, 2.0**power):
        tracker, scene = core.ContactTracker(band=2**-20 * factor), scene_of(factor)
        looks.append([tracker.look(scene)])
        scene.move(scene.ids[::2], scene.matrices_of(scene.ids[::2]) + STEP * factor)
        looks[-1].append(tracker.look(scene))
    for mine, theirs in zip(*looks, strict=True):
        assert mine.shape[1] > 0
        np.testing.assert_array_equal(mine, theirs)


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
