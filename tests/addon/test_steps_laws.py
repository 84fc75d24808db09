"""Every stepped operator may be dropped at any step: the file and all later answers stay."""

import dataclasses

import bpy
import numpy as np
import pytest
from blender_scenes import camera, collection_instance, cube, link, select_only
from shot_stage import key
from snapshots import whole_file
from tuned import tuned

from octree_ext import core, octree_addon
from octree_ext.octree_addon import trees
from octree_ext.octree_addon.cameras import VisibilityResult
from octree_ext.octree_addon.cameras.never_seen import samples as kept_samples
from octree_ext.octree_addon.questions import last_query
from octree_ext.octree_addon.ui import settings_of, stepped

FRAMES = {"span": "CUSTOM", "first": 1, "last": 6, "step": 2}
VIEWS = {"views": "SHOT", "resolution": 32, **FRAMES}
AUDIT = ("audit", {"clearance": 0.1, "touching": True})
SEEN = ("find_seen", {"cameras": "ALL", "faces": True, **FRAMES})
CHUNKS = {"triangles": 6, "least_triangles": 0, "cell": 0.75}
NEVER_SEEN = ("find_never_seen", VIEWS)
# What is asked after a drop, and of all of them in a fresh session.
QUESTIONS = {
    "audit": AUDIT[1],
    "find_seen": {"cameras": "ALL", **FRAMES},
    "select_in_sphere": {"center": (0, 0, 0), "radius": 2.0},
    "select_collisions": {"span": "CURRENT"},
    "select_collisions over frames": FRAMES,
}
# Of each stepped operator: its options, and what has to be called before it.
CASES = {
    "audit": ({"clearance": 0.1, "itself": True}, []),
    "recheck": ({}, [AUDIT]),
    "select_floating": ({}, []),
    "measure_distances": ({"pairs": "NEAREST", "count": 2}, []),
    "drop": ({}, []),
    "push_apart": ({"whose": "ALL"}, []),
    "fill": ({"where": "BOX", "count": 2, "tries": 9}, [("select_in_sphere", {"radius": 2.0})]),
    "find_seen": ({"cameras": "ALL", "behind": "UNSEEN", "resolution": 2, **FRAMES}, []),
    "find_never_seen": (VIEWS, []),
    "select_seen": ({}, [SEEN]),
    "collect_seen": ({}, [SEEN]),
    "mark_seen": ({}, [SEEN]),
    "hide_unseen": ({}, [SEEN]),
    "export_seen": ({"filepath": "never_written.csv"}, [SEEN]),
    "select_never_seen": ({}, [NEVER_SEEN]),
    "collect_never_seen": ({}, [NEVER_SEEN]),
    "hide_never_seen": ({}, [NEVER_SEEN]),
    "mark_never_seen": ({}, [NEVER_SEEN]),
    "mask_never_seen": ({}, [NEVER_SEEN]),
    "copy_never_seen": ({}, [NEVER_SEEN]),
    "build": ({"scope": "VISIBLE"}, []),
    "preview_chunks": (CHUNKS, []),
    "cut_chunks": (CHUNKS, []),
    "export_chunks": ({**CHUNKS, "folder": "never_written", "levels": 2}, []),
    "density": ({"cell": 0.5, "budget": 4}, []),
    "rebuild": ({}, [("build", {"scope": "VISIBLE"})]),
    "show_cells": ({}, [("select_in_sphere", {"radius": 2.0})]),
    "select_in_box": ({"center": (0, 0, 0)}, []),
    "select_in_capsule": ({"radius": 0.5}, []),
    "select_in_frustum": ({"camera": "Camera"}, []),
    "select_in_sphere": ({"radius": 2.0}, []),
    "select_nearest": ({"count": 3}, []),
    "select_on_ray": ({"direction": (1, 0, 0)}, []),
    "select_collisions": ({"margin": 0.1}, []),
    "select_collisions over frames": (FRAMES, []),
}
# It takes the steps of another one, for the redo panel.
OF_OTHERS = {"work_ahead"}

# At which steps they are dropped: the first ones lay the ground.
AT = (0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 1000)
OVER_FRAMES = {"select_collisions over frames", "find_seen"}


class DroppedError(ValueError):
    """The steps were dropped."""


@pytest.fixture(autouse=True)
def _small_pieces():
    with (
        tuned(octree_addon, objects_read=2, instances_walked=2, instances_placed=2),
        tuned(octree_addon, meshes_read=1, meshes_placed=1, objects_looked_at=1),
        tuned(core, indexed_together=30, leaves_together=1, nodes_paired=4),
        tuned(core, pairs_looked_at=1),
    ):
        yield


@pytest.fixture
def running(monkeypatch):
    """Return a function that calls an operator, and does something with its steps."""

    def running(name, options, run):
        with monkeypatch.context() as patch:
            patch.setattr(stepped, "run", run)
            try:
                return getattr(bpy.ops.octree, name.partition(" ")[0])(**options)
            except RuntimeError as error:
                return str(error)

    return running


def add_scene():
    """Add boxes that cross, an animated one, instances, and cameras, one that walks."""
    for x in (0.0, 0.5, 0.75):
        cube(f"Box {x}", location=(x, 0, 0))
    key(cube("Runner"), "location", {1: (5, 0, 0), 6: (0.25, 0.5, 0.5)})
    collection_instance([cube("Part", 0.4, location=(0, 1, 0))])
    key(camera(location=(0, -8, 0)), "rotation_euler", {1: (1.57, 0, 0), 6: (1.57, 0, 0.5)})
    link(bpy.data.objects.new("Other", bpy.data.cameras.new("Other")), location=(0, -9, 1))
    bpy.context.scene.frame_set(3, subframe=0.5)
    # Changed without a key.
    bpy.data.objects["Runner"].location.z = 0.125
    select_only(bpy.data.objects["Box 0.5"])
    bpy.context.view_layer.update()


def prepared(name):
    """Add the scene, and do what has to be done before an operator can be called."""
    add_scene()
    for before, options in CASES[name][1]:
        assert getattr(bpy.ops.octree, before)(**options) == {"FINISHED"}
    if {SEEN[0], NEVER_SEEN[0]} & {before for before, _ in CASES[name][1]}:
        doubt_answers()
    return CASES[name][0]


def doubt_answers():
    """Move something, and move it back: what cameras saw is asked again first."""
    box = bpy.data.objects["Box 0.75"]
    for z in (0.25, 0.0):
        box.location.z = z
        bpy.context.view_layer.update()


def state():
    """Return all of the file, and what the session knows."""
    scene = bpy.context.scene
    settings, built = settings_of(scene), trees.get(scene)
    return {
        **whole_file(),
        "camera": scene.camera,
        "mode": bpy.context.mode,
        "results": [(each.name, each.options) for each in settings.results.kept],
        "tree": (built, built and built.was_stale),
        "samples": kept_samples.get(scene),
        "question": last_query.get(scene),
    }


def answer_of(name, options):
    """Call an operator, and return what its steps came to."""
    answers = []

    def noted(steps):
        answers.append(run(steps))
        return answers[-1]

    run, stepped.run = stepped.run, noted
    try:
        assert getattr(bpy.ops.octree, name.partition(" ")[0])(**options) == {"FINISHED"}
    finally:
        stepped.run = run
    return numbers_of(answers[-1])


def numbers_of(answer):
    """Return the numbers in an answer that do not differ from session to session."""
    if isinstance(answer, tuple) and not hasattr(answer, "_fields"):
        answer = answer[-1]  # an audit, what it looked at first
    for name in ("found", "intervals", "items", "audit"):
        part = getattr(answer, name, None)
        if isinstance(part, VisibilityResult):
            return [part.in_frames]
        if isinstance(part, np.ndarray):
            return [part]
        if dataclasses.is_dataclass(part):
            values = (getattr(part, each.name) for each in dataclasses.fields(part))
            return [value for value in values if isinstance(value, np.ndarray)]
    raise TypeError(type(answer))


FRESH = {}


def fresh_answers():
    """Return all answers of a session in which nothing was dropped."""
    if not FRESH:
        bpy.ops.wm.read_homefile(use_empty=True)
        add_scene()
        FRESH.update({name: answer_of(name, options) for name, options in QUESTIONS.items()})
        bpy.ops.wm.read_homefile(use_empty=True)
    return FRESH


def assert_answers_as_fresh(only=None):
    for name, options in QUESTIONS.items():
        if only is None or name in only:
            for found, wanted in zip(answer_of(name, options), FRESH[name], strict=True):
                np.testing.assert_array_equal(found, wanted, err_msg=name)


def assert_same_state(before, about):
    bpy.context.view_layer.update()
    after = state()
    for part, was in before.items():
        assert after[part] == was, (about, part)


def stepped_operators(base=stepped.SteppedOperator):
    for each in base.__subclasses__():
        yield each
        yield from stepped_operators(each)


def names_of_operators():
    module = stepped.__name__.split(".")[0]
    return {
        each.bl_idname.removeprefix("OCTREE_OT_").removeprefix("octree.")
        for each in stepped_operators()
        if issubclass(each, bpy.types.Operator) and each.__module__.startswith(module)
    }


def dropping(at):
    """Return what takes so many steps, or all if there are no more, and drops them."""

    def dropped(steps):
        has_ended = None in [next(steps, None) for _ in range(at)]
        steps.close()
        raise DroppedError("dropped after all" if has_ended else f"dropped at {at}")

    return dropped


def count_of_steps(running, name, options):
    """Return how many steps an operator takes; it is dropped at its end."""
    counts = []

    def counted(steps):
        counts.append(sum(1 for _ in steps))
        raise DroppedError("at the end")

    assert "at the end" in running(name, options, counted)
    return counts[-1]


def test_every_stepped_operator_has_a_case():
    assert names_of_operators() == {each.partition(" ")[0] for each in CASES} | OF_OTHERS


@pytest.mark.parametrize("name", CASES)
def test_dropped_at_any_step_file_and_answers_stay(running, name):
    fresh_answers()
    options = prepared(name)
    before = state()
    for at in AT:
        said = running(name, options, dropping(at))
        assert said.startswith("Error: dropped"), said
        assert_same_state(before, at)
        if "after all" in said:
            break
    assert_answers_as_fresh()


@pytest.mark.parametrize("at", [1, 2, 4, 8, *range(12, 16)])
def test_an_index_that_was_dropped_half_read_answers_as_a_fresh_one(running, at):
    fresh_answers()
    for name, options in QUESTIONS.items():
        bpy.ops.wm.read_homefile(use_empty=True)
        add_scene()

        assert "dropped" in running(name, options, dropping(at))
        others = [each for each in QUESTIONS if each != name]
        assert_answers_as_fresh({name, others[at % len(others)]})


@pytest.mark.parametrize("other", QUESTIONS)
@pytest.mark.parametrize("name", QUESTIONS)
def test_another_may_be_asked_between_two_steps(running, name, other):
    fresh_answers()
    add_scene()
    count = count_of_steps(running, name, QUESTIONS[name])
    bpy.ops.wm.read_homefile(use_empty=True)
    add_scene()
    before, frame = state(), bpy.context.scene.frame_float
    run, answers = stepped.run, []

    def interrupted(steps):
        for _ in range(max(1, count // 2)):
            next(steps)
        # In a frame of a shot only what goes through the frames itself answers as before.
        if other in OVER_FRAMES or bpy.context.scene.frame_float == frame:
            stepped.run = run
            assert_answers_as_fresh({other})
        answers.append(run(steps))
        raise DroppedError("at the end")

    said = running(name, QUESTIONS[name], interrupted)
    assert "at the end" in said or "meanwhile" in said
    for answer in answers:
        for found, wanted in zip(numbers_of(answer), FRESH[name], strict=True):
            np.testing.assert_array_equal(found, wanted, err_msg=name)
    after = state()
    assert (after["frames"], after["transforms"]) == (before["frames"], before["transforms"])
    assert_answers_as_fresh({name, other})
