"""Contacts from frame to frame: the first and last of each, and the work that is reused."""

import numpy as np
import pytest
from audit_scenes import ball, box, sheet
from hypothesis import given
from hypothesis import strategies as st

from core import ContactTracker, SceneOctree, audit, supports

BAND = 0.01


def shifted(places):
    """Return matrices that put things at these places, (n, 4, 4)."""
    matrices = np.tile(np.eye(4), (len(places), 1, 1))
    matrices[:, :3, 3] = places
    return matrices


def listed(found):
    """Return intervals as {(one, other, first, last)}."""
    return set(zip(*found.pairs.tolist(), found.first.tolist(), found.last.tolist(), strict=True))


def runs(frames):
    """Return the intervals of frames in which each element is in the sets, one per frame."""
    found = set()
    for number, now in enumerate(frames):
        before = frames[number - 1] if number else set()
        for pair in now - before:
            last = number
            while last + 1 < len(frames) and pair in frames[last + 1]:
                last += 1
            found.add((*pair, number, last))
    return found


def held(scene):
    """Return the pairs that hold each other, asked anew."""
    pairs = supports(scene, audit(scene, band=BAND), []).contacts
    return set(zip(*pairs.tolist(), strict=True))


def test_300_balls_that_head_for_each_other_touch_when_they_should():
    """Corners lead, so the gap is known; each goes right through the other and out again."""
    pairs, frames = 150, 60
    rng = np.random.default_rng(0)
    start, speed = rng.uniform(2.5, 6, pairs), rng.uniform(0.05, 0.4, pairs)
    lanes = 3.0 * np.stack((np.zeros(pairs), np.arange(pairs) % 15, np.arange(pairs) // 15), 1)
    scene, tracker = SceneOctree(), ContactTracker(band=BAND)
    mesh = scene.add_mesh(ball(rings=8))
    ids = scene.place([mesh] * 2 * pairs, shifted(np.concatenate((lanes, lanes))))
    apart = start - np.arange(frames)[:, None] * speed
    for gap in apart:
        there = lanes + np.stack((gap, 0 * gap, 0 * gap), 1)
        scene.move(ids, shifted(np.concatenate((lanes, there))))
        tracker.look(scene)
    touching = np.abs(apart) <= 2 + BAND
    firsts, lasts = touching.argmax(0), frames - 1 - touching[::-1].argmax(0)
    assert touching.any(0).sum() > 100 and (lasts < frames - 1).any()
    assert listed(tracker.intervals) == {
        (one, one + pairs, int(firsts[one]), int(lasts[one]))
        for one in np.flatnonzero(touching.any(0)).tolist()
    }
    assert tracker.intervals.looks == len(tracker.tested) == frames


def test_300_balls_that_fly_anywhere_touch_when_they_should():
    """A ball of triangles lies between two spheres, whose first frames mostly are the same."""
    count, frames = 300, 40
    rng = np.random.default_rng(1)
    start, step = rng.uniform(-9, 9, (count, 3)), rng.normal(0, 0.2, (count, 3))
    mesh = ball(rings=16)
    corners = mesh.vertices[mesh.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inner = np.abs((normals * corners[:, 0]).sum(1) / np.linalg.norm(normals, axis=1)).min()
    scene, tracker = SceneOctree(), ContactTracker(band=BAND)
    ids = scene.place([scene.add_mesh(mesh)] * count, shifted(start))
    outside, inside = [], []
    ones, others = np.triu_indices(count, 1)
    for number in range(frames):
        places = start + number * step
        scene.move(ids, shifted(places))
        tracker.look(scene)
        apart = np.linalg.norm(places[ones] - places[others], axis=1)
        outside.append(apart <= 2 + BAND)
        inside.append(apart < 2 * inner)
    earliest, latest = (np.array(each).argmax(0) for each in (outside, inside))
    certain = np.array(outside).any(0) == np.array(inside).any(0)
    found = tracker.intervals
    firsts = {}
    for one, other, first, _ in sorted(listed(found), key=lambda each: each[2]):
        firsts.setdefault((one, other), first)
    named = list(zip(ones.tolist(), others.tolist(), strict=True))
    assert {named[n] for n in np.flatnonzero(np.array(inside).any(0))} <= set(firsts)
    assert set(firsts) <= {named[n] for n in np.flatnonzero(np.array(outside).any(0))}
    exact = 0
    for number in np.flatnonzero(certain & np.array(inside).any(0)).tolist():
        assert earliest[number] <= firsts[named[number]] <= latest[number]
        exact += earliest[number] == latest[number]
    assert exact > 0.9 * len(firsts) > 100


MESHES = (
    box([0, 0, 0], [1, 1, 1]),
    box([0, 0, 0], [4, 4, 4]),  # holds the others
    sheet([0, 0, 0.5], [1, 0, 0], [0, 1, 0]),
    ball(0.5, rings=4, center=(0.5, 0.5, 0.5)),
)
places = st.lists(st.tuples(*[st.integers(-6, 6)] * 3), min_size=1, max_size=7)
events = st.lists(
    st.tuples(
        st.sampled_from(["move", "move", "move", "rest", "remove", "place", "reshape"]),
        st.integers(0, 6),
        st.tuples(*[st.integers(-4, 4)] * 3),
    ),
    max_size=8,
)


@given(places, events)
def test_each_look_tells_what_asking_anew_does(start, film):
    scene, tracker, frames = SceneOctree(), ContactTracker(band=BAND), []
    meshes = [scene.add_mesh(mesh) for mesh in MESHES]
    scene.place([n % len(meshes) for n in range(len(start))], shifted(np.array(start) / 2))
    for event, number, step in [("rest", 0, (0, 0, 0)), *film]:
        happen(scene, meshes, event, number, np.array(step) / 2)
        found = tracker.look(scene)
        frames.append(held(scene))
        assert set(zip(*found.tolist(), strict=True)) == frames[-1]
        if event == "rest" and len(frames) > 1:
            assert tracker.tested[-1] == 0
    found = tracker.intervals
    assert listed(found) == runs(frames)
    order = np.lexsort((found.first, found.pairs[1], found.pairs[0]))
    assert order.tolist() == list(range(len(order)))


def happen(scene, meshes, event, number, step):
    """Change a scene in one of the ways that it may change from frame to frame."""
    if event == "place":
        scene.place([meshes[number % len(meshes)]], shifted(step[None]))
    elif event == "reshape":
        scene.replace_mesh(meshes[number % 4], MESHES[number % 3])
    elif event in ("move", "remove") and len(scene):
        each = scene.ids[[number % len(scene)]]
        if event == "remove":
            scene.remove(each)
        else:
            matrices = scene.matrices_of(each)
            matrices[0, :3, 3] += step
            scene.move(each, matrices)


def crowd(count=40, seed=2):
    rng = np.random.default_rng(seed)
    scene = SceneOctree()
    scene.place([scene.add_mesh(MESHES[3])] * count, shifted(rng.uniform(0, 3, (count, 3))))
    return scene


def test_only_pairs_of_what_has_moved_are_looked_at():
    scene, tracker = crowd(), ContactTracker(band=BAND)
    tracker.look(scene)
    tracker.look(scene)
    moved = scene.matrices_of([7])
    scene.move([7], moved)  # to where it is
    tracker.look(scene)
    moved[0, 0, 3] += 0.25
    scene.move([7], moved)
    tracker.look(scene)
    first, *later = tracker.tested.tolist()
    boxes = scene.bounds_of(scene.ids)
    here = (boxes.lower <= boxes.upper[7]) & (boxes.upper >= boxes.lower[7])
    assert later[:2] == [0, 0]
    assert 0 < later[2] <= here.all(1).sum() < first / 4


def test_a_scene_that_is_made_anew_goes_by_its_names():
    """Names, not ids, tell what is what; the order of placements means nothing."""
    rng = np.random.default_rng(3)
    start, step = rng.uniform(0, 3, (20, 3)), rng.normal(0, 0.2, (20, 3))
    names, kept = rng.permutation(1000)[:20], crowd(20)
    same, anew = ContactTracker(band=BAND), ContactTracker(band=BAND)
    for frame in range(12):
        matrices = shifted(start + frame * step)
        kept.move(kept.ids, matrices)
        same.look(kept, names=names)
        scene, order = SceneOctree(), rng.permutation(20)
        scene.place([scene.add_mesh(MESHES[3])] * 20, matrices[order])
        anew.look(scene, names=names[order])
    assert listed(anew.intervals) == listed(same.intervals)
    assert len(listed(same.intervals)) > 20


def test_what_goes_and_comes_again_has_two_contacts():
    tracker = ContactTracker(band=BAND)
    for is_there in (True, True, False, True):
        scene = SceneOctree()
        mesh = scene.add_mesh(MESHES[0])
        scene.place([mesh, mesh][: 1 + is_there], shifted([[0, 0, 0], [1, 0, 0]][: 1 + is_there]))
        tracker.look(scene, names=[5, 3][: 1 + is_there])
    assert listed(tracker.intervals) == {(3, 5, 0, 1), (3, 5, 3, 3)}


def test_rules_leave_pairs_out_and_may_change():
    scene, tracker = SceneOctree(), ContactTracker(band=BAND)
    mesh = scene.add_mesh(MESHES[0])
    scene.place([mesh] * 3, shifted([[0, 0, 0], [1, 0, 0], [2, 0, 0]]))
    assert tracker.look(scene, owners=[0, 0, 1]).tolist() == [[1], [2]]
    assert tracker.look(scene, skipped=[[2], [1]]).tolist() == [[0], [1]]
    assert tracker.look(scene, ones=[0]).tolist() == [[0], [1]]
    other = ContactTracker(band=BAND)
    assert other.look(scene, names=[9, 5, 7], skipped=[[0], [1]]).tolist() == [[5], [7]]
    assert tracker.look(scene, ones=[0], others=[2]).tolist() == [[], []]
    assert tracker.tested.tolist() == [1, 1, 0, 0]


def test_a_look_that_is_dropped_is_none():
    scene, tracker = crowd(), ContactTracker(band=BAND)
    tracker.look(scene)
    matrices = scene.matrices_of(scene.ids)
    matrices[::2, 2, 3] += 0.5
    scene.move(scene.ids, matrices)
    steps = tracker.look_steps(scene)
    next(steps)
    steps.close()
    assert tracker.intervals.looks == 1
    found = tracker.look(scene)
    assert set(zip(*found.tolist(), strict=True)) == held(scene)
    assert tracker.intervals.looks == 2


def test_steps_ascend_and_notice_that_the_scene_has_changed():
    scene, tracker = crowd(), ContactTracker()
    shares = list(tracker.look_steps(scene))
    assert shares == sorted(shares) and 0 <= shares[0] and shares[-1] <= 1
    steps = ContactTracker().look_steps(scene)
    next(steps)
    scene.remove([0])
    with pytest.raises(RuntimeError, match="changed"):
        list(steps)


def test_the_band_is_the_one_that_was_stated():
    scene = crowd()
    for band in (None, 0.25):
        tracker = ContactTracker(band=band)
        assert tracker.band == band
        tracker.look(scene)
        tracker.look(SceneOctree())
        assert tracker.band == band
        assert "looks=2, contacts=0" in repr(tracker)


def test_nothing_is_ever_in_contact_in_no_scene():
    tracker = ContactTracker()
    assert tracker.intervals.pairs.shape == (2, 0) and tracker.intervals.looks == 0
    assert tracker.look(SceneOctree()).shape == (2, 0)
    scene = SceneOctree()
    scene.place([scene.add_mesh(MESHES[0])] * 2, np.full((2, 4, 4), np.nan))
    assert tracker.look(scene).shape == (2, 0)
    assert tracker.intervals.first.shape == (0,) and tracker.tested.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"names": [1, 2]}, r"names must have shape \(3,\)"),
        ({"names": [1, 2, 1]}, "names must not repeat, got 1 in row 0"),
        ({"names": [1, 2, -1]}, "names"),
        ({"names": [1, 2, 2**31]}, "names"),
        ({"owners": [1]}, "owners"),
        ({"ones": [9]}, "ones"),
    ],
)
def test_bad_input(options, message):
    scene = SceneOctree()
    scene.place([scene.add_mesh(MESHES[0])] * 3, shifted(np.zeros((3, 3))))
    with pytest.raises(ValueError, match=message):
        ContactTracker().look(scene, **options)
    with pytest.raises(ValueError, match="scene"):
        ContactTracker().look(None)
    with pytest.raises(ValueError, match="band"):
        ContactTracker(band=-1)
