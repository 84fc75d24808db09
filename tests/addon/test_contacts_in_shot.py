"""Contacts in a shot: first and last ones, what deforms and comes, Esc, undo, marks, export."""

import json

import bpy
import numpy as np
import pytest
from blender_scenes import collection_instance, cube, link, select_only, selected
from shot_stage import add_stage, key
from snapshots import whole_file

from octree_ext.core import run, supports
from octree_ext.octree_addon import audit, result_list
from octree_ext.octree_addon.audit import Wish
from octree_ext.octree_addon.audit.film import film_steps
from octree_ext.octree_addon.curves import action_curves
from octree_ext.octree_addon.reader import UNUSED
from octree_ext.octree_addon.ui import forget_session, settings_of


def contacts(**options):
    """Ask, by default in the frames of the scene; return {(one, other, begins, ends)}."""
    if settings_of(bpy.context.scene).collisions.span == "CURRENT":
        options = {"span": "SCENE", **options}
    assert bpy.ops.octree.select_collisions("EXEC_DEFAULT", True, **options) == {"FINISHED"}
    return listed()


def listed():
    rows = table().rows
    begins, ends, _ = (each.values.tolist() for each in rows.columns)
    return {(*names(row), begins[row], ends[row]) for row in range(len(rows))}


def names(row):
    return tuple(sorted(table().labels(row)))


def table():
    return result_list.view_of(bpy.context.scene, result_list.active_result(bpy.context.scene))


def choose(*wanted):
    """Click the row of a contact."""
    begins = table().rows.columns[0].values.tolist()
    rows = [(*names(row), begins[row]) for row in range(len(begins))]
    settings_of(bpy.context.scene).results.row = rows.index(wanted)


def evenly(item):
    """Let an animated object move at the same speed all the time."""
    animation = item.animation_data
    for curve in action_curves(animation.action, getattr(animation, "action_slot", None)):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


@pytest.fixture
def pendulum(empty_scene):
    """Let a hammer fly to a wall and back, through another, a quarter in each of 40 frames."""
    empty_scene.frame_start, empty_scene.frame_end = 1, 41
    hammer = cube("Hammer")
    key(hammer, "location", {1: (0, 0, 0), 21: (5, 0, 0), 41: (0, 0, 0)})
    evenly(hammer)
    cube("Near", location=(2.125, 0, 0))
    cube("Far", location=(4.125, 0, 0))
    cube("Elsewhere", location=(0, 9, 0))
    cube("Neighbor", location=(1, 9, 0))
    empty_scene.frame_set(7)
    select_only(bpy.data.objects["Near"])
    bpy.ops.ed.undo_push(message="Start")
    return empty_scene


# At frame f up to 21 the hammer is at (f - 1) / 4, and touches what is no more than 1 away.
KNOWN = {
    ("Hammer", "Near", 6, 13),
    ("Far", "Hammer", 14, 28),
    ("Hammer", "Near", 29, 36),
    ("Elsewhere", "Neighbor", 1, 41),
}


def test_each_contact_is_listed_with_its_first_and_last_frame(pendulum):
    assert contacts() == KNOWN
    rows = table().rows
    begins, ends, cut = rows.columns
    assert begins.values.tolist() == sorted(begins.values.tolist())
    assert [cut.words[each] for each in cut.values] == ["at both ends", "no", "no", "no"]
    assert rows.frames.tolist() == list(range(1, 42))
    assert rows.seen.sum(axis=1).tolist() == (ends.values - begins.values + 1).tolist()


def test_frames_are_those_of_the_scene_its_preview_or_own_ones(pendulum):
    assert {each[2:] for each in contacts(span="CUSTOM", first=2, last=30, step=7)} == {
        (2, 30),  # what stands still, at frames 2, 9, 16, 23 and 30
        (9, 9),
        (16, 23),
        (30, 30),
    }
    pendulum.use_preview_range = True
    pendulum.frame_preview_start, pendulum.frame_preview_end = 12, 15
    assert contacts(span="SCENE", step=1) == {
        ("Hammer", "Near", 12, 13),
        ("Far", "Hammer", 14, 15),
        ("Elsewhere", "Neighbor", 12, 15),
    }
    with pytest.raises(RuntimeError, match="last frame, 3, is before the first, 9"):
        contacts(span="CUSTOM", first=9, last=3)


def test_300_balls_on_known_paths_touch_when_they_should(empty_scene):
    """Poles lead, so the gap is known: each rises through the one above it."""
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=2)
    mesh, pairs, frames = bpy.context.object.data, 150, 25
    bpy.data.objects.remove(bpy.context.object)
    rng = np.random.default_rng(5)
    # So that no gap is nearer to 0 than a part in 128: no rounding counts.
    start, speed = (rng.integers(144, 256, pairs) + 0.5) / 64, rng.integers(4, 25, pairs) / 64
    apart = start - np.arange(frames)[:, None] * speed
    for number in range(pairs):
        place = np.array([3 * (number % 15), 3 * (number // 15), 0])
        link(bpy.data.objects.new(f"Upper {number}", mesh), location=place)
        ball = link(bpy.data.objects.new(f"Ball {number}", mesh))
        last = -apart[-1, number]
        key(ball, "location", {1: (*place[:2], -start[number]), frames: (*place[:2], last)})
        evenly(ball)
    found = contacts(span="CUSTOM", first=1, last=frames)
    touching = np.abs(apart) <= 2
    assert found == {
        (f"Ball {n}", f"Upper {n}", 1 + int(flags.argmax()), frames - int(flags[::-1].argmax()))
        for n, flags in enumerate(touching.T)
        if flags.any()
    }
    assert len(found) > 90


def held_in(frame):
    """Return the pairs in contact in one frame, of a scene that is read anew."""
    bpy.context.scene.frame_set(frame)
    forget_session()
    looked = run(audit.look_steps(bpy.context, Wish(parents=True)))
    found = supports(looked.target.octree, looked.found, []).contacts
    placements = looked.target.placements
    rows = np.searchsorted(looked.target.octree.ids, found)
    who = [
        (uid, tuple(numbers) if instance else ())
        for uid, numbers, instance in zip(
            placements.owners.tolist(),
            placements.persistent_ids.tolist(),
            placements.is_instance.tolist(),
            strict=True,
        )
    ]
    return {frozenset((who[one], who[other])) for one, other in rows.T.tolist()}


def test_each_frame_is_what_an_audit_of_it_finds():
    """Bones, waves, instances, what is hidden for a while, what is mirrored and flat."""
    add_stage()
    frames = (1, 5, 9, 13, 15, 20, 24)
    band = run(audit.look_steps(bpy.context, Wish())).found.band
    film = run(film_steps(bpy.context, Wish(parents=True, band=band), frames))
    who = [
        (uid, () if numbers == [UNUSED] * 8 else tuple(numbers))
        for uid, numbers in zip(film.owners.tolist(), film.instances.tolist(), strict=True)
    ]
    found = film.intervals
    for place, frame in enumerate(frames):
        now = (found.first <= place) & (place <= found.last)
        pairs = {frozenset(who[each] for each in pair) for pair in found.pairs[:, now].T.tolist()}
        assert pairs == held_in(frame), frame
        assert pairs


def test_what_deforms_comes_and_is_instanced_counts(empty_scene):
    """A shape key reaches a post, a post is shown for a while, an instance passes by."""
    reaching = cube("Reaching")
    reaching.shape_key_add(name="Basis")
    arm = reaching.shape_key_add(name="Arm")
    for point in arm.data:
        point.co.x *= 4
    key(arm, "value", {1: 0.0, 11: 1.0})
    for curve in action_curves(
        reaching.data.shape_keys.animation_data.action,
        getattr(reaching.data.shape_keys.animation_data, "action_slot", None),
    ):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    # The arm reaches 0.5 + 0.15 (f - 1).
    cube("Post", location=(2.0625, 0, 0))
    blinking = cube("Blinking", location=(-1, 0, 0))
    key(blinking, "hide_viewport", {1: True, 3: False, 6: True, 8: False})
    passing = collection_instance([cube("Inner")], name="Passing")
    key(passing, "location", {1: (0, 9, 0), 11: (0, -1, 0)})
    evenly(passing)
    found = contacts(span="CUSTOM", first=1, last=11)
    assert {each for each in found if "Post" in each} == {("Post", "Reaching", 9, 11)}
    assert {each for each in found if each[:2] == ("Blinking", "Reaching")} == {
        ("Blinking", "Reaching", 3, 5),
        ("Blinking", "Reaching", 8, 11),
    }
    (instance,) = (each for each in found if each[1] == "Reaching" and "Passing" in each[0])
    assert instance[0] == "Passing #0" and instance[2:] == (9, 11)


def test_rules_and_sides_leave_pairs_out(pendulum):
    hammer, near = bpy.data.objects["Hammer"], bpy.data.objects["Near"]
    select_only(near)
    assert {each[:2] for each in contacts(ones="SELECTED")} == {("Hammer", "Near")}
    still = bpy.data.collections.new("Still")
    pendulum.collection.children.link(still)
    for name in ("Elsewhere", "Neighbor"):
        pendulum.collection.objects.unlink(bpy.data.objects[name])
        still.objects.link(bpy.data.objects[name])
    select_only(hammer)
    bpy.ops.octree.refresh_result()  # of what was selected then
    assert {each[:2] for each in listed()} == {("Hammer", "Near")}
    assert contacts(ones="VISIBLE", same_collection=False) == set()
    found = contacts(same_collection=True, ones="COLLECTION", ones_collection="Still")
    assert found == {("Elsewhere", "Neighbor", 1, 41)}
    with pytest.raises(RuntimeError, match="There is no collection Nowhere"):
        contacts(ones_collection="Nowhere")
    near.parent = hammer
    settings_of(pendulum).collisions.parents = False
    assert ("Hammer", "Near") not in {each[:2] for each in contacts(ones="VISIBLE")}


def test_settings_are_taken_and_kept(pendulum):
    settings_of(pendulum).collisions.span = "CUSTOM"
    settings_of(pendulum).collisions.first = 10
    settings_of(pendulum).collisions.last = 12
    settings_of(pendulum).collisions.band = 0.25
    assert contacts() == {
        ("Hammer", "Near", 10, 12),
        ("Elsewhere", "Neighbor", 10, 12),
    }
    settings_of(pendulum).collisions.band = 0.4
    assert ("Far", "Hammer", 12, 12) in contacts()
    contacts(step=2)
    assert settings_of(pendulum).collisions.step == 2


def test_it_leaves_the_scene_as_it_was_also_half_way(pendulum):
    hammer = bpy.data.objects["Hammer"]
    hammer.location.z = 3.0  # without a key
    bpy.context.view_layer.update()
    before = whole_file()
    steps = film_steps(bpy.context, Wish(), range(1, 42))
    shares = list(iter(lambda: next(steps) if pendulum.frame_current < 21 else None, None))
    assert pendulum.frame_current == 21
    steps.close()
    bpy.context.view_layer.update()
    assert whole_file() == before
    assert shares == sorted(shares) and 0 <= shares[0] and shares[-1] < 1
    contacts()
    assert selected() == {"Hammer", "Near", "Far", "Elsewhere", "Neighbor"}
    assert {**whole_file(), "selection": before["selection"]} == before


def test_one_undo_takes_a_press_back(pendulum):
    contacts()
    contacts(span="CUSTOM", first=1, last=10)
    assert ("Hammer", "Near", 6, 10) in listed()
    bpy.ops.ed.undo()
    assert listed() == KNOWN
    bpy.ops.ed.undo()
    assert result_list.active_result(bpy.context.scene) is None
    bpy.ops.ed.redo()
    assert listed() == KNOWN


def test_a_click_goes_to_the_frame_while_the_list_follows(pendulum):
    contacts()
    choose("Far", "Hammer", 14)
    assert pendulum.frame_current == 14
    assert bpy.context.view_layer.objects.active.name in ("Far", "Hammer")
    settings_of(pendulum).results.follow = False
    choose("Hammer", "Near", 29)
    assert pendulum.frame_current == 14
    settings_of(pendulum).results.follow = True
    assert bpy.ops.octree.previous_row() == {"FINISHED"}
    assert pendulum.frame_current == 14
    assert bpy.ops.octree.previous_row() == {"FINISHED"}
    assert pendulum.frame_current == 6
    pendulum.frame_set(2)
    assert bpy.ops.octree.select_rows() == {"FINISHED"}
    assert pendulum.frame_current == 2


def test_contacts_are_marked_on_the_timeline(pendulum):
    contacts()
    choose("Hammer", "Near", 6)
    bpy.ops.octree.mark_row_frames()
    assert marks() == [("Hammer touches Near", 6), ("Hammer leaves Near", 13)]
    pendulum.timeline_markers.clear()
    bpy.ops.octree.mark_row_frames(rows="SHOWN")
    assert len(marks()) == 7  # of what touches all the time it is not known when it ends


def marks():
    return [(each.name, each.frame) for each in bpy.context.scene.timeline_markers]


def test_contacts_are_exported(pendulum, tmp_path):
    contacts()
    bpy.ops.octree.export_rows(filepath=str(tmp_path / "contacts.csv"))
    head, *lines = (tmp_path / "contacts.csv").read_text(encoding="utf-8").splitlines()
    assert head.lstrip("\ufeff") == "Object,Other Object,Begins,Ends,Cut Off"
    assert "Hammer,Near,6,13,no" in lines
    bpy.ops.octree.export_rows(filepath=str(tmp_path / "contacts.json"))
    found = json.loads((tmp_path / "contacts.json").read_text(encoding="utf-8"))
    assert found["frames"] == list(range(1, 42))
    entry = next(each for each in found["rows"] if each["Begins"] == 6)
    assert entry["objects"] == ["Hammer", "Near"]
    assert entry["touching_in"] == list(range(6, 14))


def test_contacts_survive_rename_save_and_reload(pendulum, tmp_path):
    contacts()
    bpy.data.objects["Near"].name = "Wand"
    path = str(tmp_path / "contacts.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert ("Hammer", "Wand", 6, 13) in listed()


def test_what_cannot_be_asked_is_said(empty_scene):
    with pytest.raises(RuntimeError, match="no visible object has faces"):
        contacts()
    item = cube("Alone")
    assert contacts(span="CUSTOM", first=1, last=2) == set()
    select_only(item)
    bpy.ops.object.mode_set(mode="SCULPT")
    with pytest.raises(RuntimeError, match="Go to Object Mode"):
        contacts()


def test_only_what_moves_is_looked_at(pendulum, monkeypatch):
    """Of the two that stand still triangles are looked at once, of the hammer's near boxes."""
    trackers = []
    found = audit.film.ContactTracker
    monkeypatch.setattr(
        audit.film, "ContactTracker", lambda **options: trackers.append(found(**options)) or
        trackers[-1],
    )  # fmt: skip
    contacts()
    (tracker,) = trackers
    tested = tracker.tested.tolist()
    assert tested[0] == 1
    assert max(tested[1:]) == 1
    assert sum(tested) < 40
