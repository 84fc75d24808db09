"""Laws of a clash audit: order, placement and scale do not matter, and a part says what all do."""

import functools

import audit_scenes as scenes
import numpy as np
import pytest
from audit_scenes import ball, box, named, scene_of
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from stepping import finished

from core import FINDING_MEASURES, Audit, SceneOctree, Triangles, audit, audit_again, audit_steps

FIELDS = (
    "classes", "pairs", "measures", "lower", "upper", "places", "inner", "are_open", "segments",
    "segment_findings", "faces", "face_findings",
)  # fmt: skip
MESHES = (ball(1.0, 5), box([-1, -1, -1], [1, 1, 1]), box([-0.3, -0.3, -0.3], [0.3, 0.3, 0.3]))
seeds = st.integers(0, 10_000)


def same(one, other):
    for name in FIELDS:
        ours, theirs = getattr(one, name), getattr(other, name)
        assert np.array_equal(ours, theirs, equal_nan=ours.dtype.kind == "f"), name
    assert (one.band, one.clearance) == (other.band, other.clearance)


def matrices_of(rng, count):
    """Make matrices; many put meshes face to face, some are arbitrary."""
    matrices = np.tile(np.eye(4), (count, 1, 1))
    matrices[:, :3, 3] = rng.integers(-4, 5, (count, 3)) / 2
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    matrices[: count // 4, :3, :3] = turn
    return matrices


def scene_from(meshes, matrices, scale=1.0, order=None):
    scene = SceneOctree()
    numbers = [scene.add_mesh(Triangles(m.vertices * scale, m.faces)) for m in MESHES]
    order = np.arange(len(meshes)) if order is None else order
    placed = matrices[order].copy()
    placed[:, :3, 3] *= scale
    scene.place(np.array(numbers)[meshes[order]], placed)
    return scene


def drawn(seed, count=9):
    rng = np.random.default_rng(seed)
    return rng, rng.integers(len(MESHES), size=count), matrices_of(rng, count)


def alike(one, other, names=None, scale=1.0):
    """Assert that both find the same, the second of placements that are `names` of the first."""
    renamed = other.pairs if names is None else np.sort(names[other.pairs], axis=0)
    order = np.lexsort((renamed[1], renamed[0], other.classes))
    assert np.array_equal(one.classes, other.classes[order])
    assert np.array_equal(one.pairs, renamed[:, order])
    assert np.array_equal(one.measures, other.measures[order])
    factor = np.where(one.measures == 2, scale**2, scale)
    lower, upper = other.lower[order] / factor, other.upper[order] / factor
    # Ties between faces may be broken otherwise: intervals overlap, and are as narrow.
    assert (lower <= one.upper + 1e-9).all() and (one.lower <= upper + 1e-9).all()


@examples(15)
@given(seeds)
def test_the_order_of_placements_does_not_matter(seed):
    rng, meshes, matrices = drawn(seed)
    order = rng.permutation(len(meshes))
    found = audit(scene_from(meshes, matrices), clearance=0.3, band=1e-5)
    shuffled = audit(scene_from(meshes, matrices, order=order), clearance=0.3, band=1e-5)
    alike(found, shuffled, names=order)


@examples(10)
@given(seeds, st.integers(-8, 8))
def test_powers_of_two_change_no_class(seed, power):
    _, meshes, matrices = drawn(seed)
    scale = 2.0**power
    found = audit(scene_from(meshes, matrices), clearance=0.25, band=2.0**-17)
    other = scene_from(meshes, matrices, scale)
    alike(found, audit(other, clearance=0.25 * scale, band=2.0**-17 * scale), scale=scale)


@examples(10)
@given(seeds)
def test_baked_is_placed(seed):
    _, meshes, matrices = drawn(seed)
    scene = scene_from(meshes, matrices)
    baked = scene_of(*(scene.triangles_of([number]) for number in scene.ids))
    alike(audit(scene, clearance=0.3, band=1e-5), audit(baked, clearance=0.3, band=1e-5))


@examples(15)
@given(seeds)
def test_what_changed_is_audited_as_if_all_were(seed):
    rng, meshes, matrices = drawn(seed, 12)
    scene = scene_from(meshes, matrices)
    options = {"clearance": 0.3, "band": 1e-5, "self_intersections": True}
    before = audit(scene, **options)
    moved = rng.choice(12, 2, replace=False)
    scene.move(moved, matrices_of(rng, 2))
    gone = np.setdiff1d(np.arange(12), moved)[:1]
    scene.remove(gone)
    new = scene.place([0], matrices_of(rng, 1))
    changed = np.concatenate((moved, gone, new))
    same(audit_again(scene, before, changed), audit(scene, **options))


def test_a_mesh_that_changed_is_audited_again():
    scene = scene_of(box([0, 0, 0], [1, 1, 1]), box([3, 0, 0], [4, 1, 1]), ball(0.2))
    before = audit(scene, band=1e-5)
    assert named(before) == {(0, 2): {"overlap"}}
    scene.replace_mesh(1, box([0.5, 0, 0], [4, 1, 1]))
    same(audit_again(scene, before, [1]), audit(scene, band=1e-5))


def test_rules_hold_again():
    _, meshes, matrices = drawn(3, 12)
    scene = scene_from(meshes, matrices)
    owners = np.arange(12) // 3
    before = audit(scene, band=1e-5, owners=owners)
    again = audit_again(scene, before, [0, 5, 7], owners=owners)
    same(again, before)
    assert (owners[again.pairs[0]] != owners[again.pairs[1]]).all()


def test_steps_end_with_the_answer_and_notice_changes():
    _, meshes, matrices = drawn(4, 20)
    scene = scene_from(meshes, matrices)
    fractions, found = finished(audit_steps(scene, clearance=0.3))
    assert isinstance(found, Audit)
    same(found, audit(scene, clearance=0.3))
    assert fractions == sorted(fractions) and 0 <= fractions[0] and fractions[-1] <= 1
    assert len(fractions) > 20
    steps = audit_steps(scene)
    next(steps)
    scene.move([0], np.eye(4)[None])
    with pytest.raises(RuntimeError, match="changed"):
        functools.reduce(lambda _, each: each, steps)


@pytest.fixture(scope="module")
def crowd():
    _, meshes, matrices = drawn(5, 30)
    return audit(scene_from(meshes, matrices), clearance=0.3)


def test_findings_are_sorted_and_whole(crowd):
    keys = list(zip(crowd.classes.tolist(), *crowd.pairs.tolist(), strict=True))
    assert keys == sorted(set(keys)) and len(keys) > 10
    assert (crowd.pairs[0] < crowd.pairs[1]).all()
    assert (crowd.lower <= crowd.upper).all()
    assert np.isfinite(crowd.places).all()
    for whose in (crowd.segment_findings, crowd.face_findings):
        assert (np.diff(whose) >= 0).all()
    assert crowd.segments.shape == (len(crowd.segment_findings), 2, 3)
    assert crowd.faces.shape == (2, len(crowd.face_findings))


def test_taking_findings_takes_their_segments_and_faces(crowd):
    rows = np.random.default_rng(2).permutation(len(crowd))[:9]
    taken = crowd.take([*rows, rows[0]])
    assert len(taken) == 10 and taken.clearance == crowd.clearance
    for place, row in enumerate([*rows, rows[0]]):
        assert taken.pairs[:, place].tolist() == crowd.pairs[:, row].tolist()
        for parts, owners in (("segments", "segment_findings"), ("faces", "face_findings")):
            axis = 0 if parts == "segments" else 1
            ours, theirs = (
                getattr(each, parts).compress(getattr(each, owners) == number, axis=axis)
                for each, number in ((taken, place), (crowd, row))
            )
            assert np.array_equal(ours, theirs)


@given(st.integers(0, 40), st.integers(0, 40))
def test_parts_of_findings_joined_are_the_whole(crowd, first, second):
    cuts = np.split(np.arange(len(crowd)), sorted((first, second)))
    assert Audit.joined([crowd.take(rows) for rows in cuts]) == crowd


def test_findings_turned_twice_are_as_they_were(crowd):
    rows = np.arange(0, len(crowd), 3)
    turned = crowd.turned(rows)
    assert turned.pairs[:, rows].tolist() == crowd.pairs[::-1, rows].tolist()
    assert turned.pairs[:, 1::3].tolist() == crowd.pairs[:, 1::3].tolist()
    contained = crowd.inner >= 0
    inner = [np.where(each.inner, *each.pairs[::-1])[contained] for each in (crowd, turned)]
    assert inner[0].tolist() == inner[1].tolist()
    assert turned.turned(rows) == crowd


def test_a_larger_unit_makes_smaller_numbers(crowd):
    less = crowd.scaled(0.5)
    areas = crowd.measures == FINDING_MEASURES.index("area")
    assert less.lower.tolist() == np.where(areas, crowd.lower / 4, crowd.lower / 2).tolist()
    assert less.clearance == 0.15 and less.scaled(2) == crowd


@pytest.mark.parametrize("seed", range(4))
def test_gaps_are_those_of_fractions(seed):
    rng = np.random.default_rng(seed)
    one = rng.integers(-8, 9, (4, 3, 3)) / 4.0
    other = rng.integers(-8, 9, (4, 3, 3)) / 4.0 + (4.5, 0, 0)
    soups = [Triangles(each.reshape(-1, 3), np.arange(12).reshape(-1, 3)) for each in (one, other)]
    found = audit(scene_of(*soups), clearance=10.0)
    exact = min(scenes.squared_distance(a, b) for a in one for b in other)
    assert named(found) == {(0, 1): {"near"}}
    assert found.lower[0] == pytest.approx(float(exact) ** 0.5, rel=1e-14)
    pair = one[found.faces[0, 0]], other[found.faces[1, 0]]
    assert scenes.squared_distance(*pair) == exact
