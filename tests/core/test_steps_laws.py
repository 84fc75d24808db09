"""Functions in steps may be dropped at any step, and other queries may run between steps."""

from functools import cache

import audit_scenes as solids
import numpy as np
import pytest
import steps_world as worlds
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from steps_world import CASES, CHANGES, QUESTIONS, World, assert_same, at
from tuned import tuned

import core
from core import (
    ContactTracker,
    Running,
    SceneOctree,
    audit,
    overlapping_objects,
    overlapping_pairs,
    overlapping_pairs_steps,
    run,
)

# Approximate number of steps at which drops are tested.
DROPS = 6
STEPPED = [(name, number) for name, cases in CASES.items() for number in range(len(cases))]
# Functions that a change of the scene ends.
OF_SCENE = [
    "audit_steps",
    "audit_again_steps",
    "distances_steps",
    "face_samples_steps",
    "fits_steps",
    "nearest_objects_steps",
    "objects_touching_steps",
    "obstacles_steps",
    "overlapping_pairs_steps",
    "overlapping_objects_steps",
    "separate_steps",
    "slide_steps",
    "supports_steps",
    "visibility_steps",
    "ContactTracker.look_steps",
]
BOXES = ("overlapping_pairs_steps", 2)
# Always asked, and so many of the others.
FIRST, OTHERS = ["pairs", "objects"], 2


@pytest.fixture(scope="module", autouse=True)
def _small_pieces():
    with tuned(core, **worlds.SMALL):
        yield


def steps_of(case, world):
    name, number = case
    return CASES[name][number](world)


def taken(steps, count):
    """Take up to `count` steps and return their result, if they end."""
    running = Running(steps)
    for _ in range(count):
        if not running.step():
            return True, running.result
    return False, None


@cache
def fresh(question, change=None):
    world = World()
    if change:
        CHANGES[change](world)
    return QUESTIONS[question](world)


@cache
def length_and_answer(case):
    steps = steps_of(case, World())
    count = 0
    while not (end := taken(steps, 1))[0]:
        count += 1
    return count, end[1]


def assert_all_as_fresh(world, turn=0, change=None, without=""):
    """Ask some questions, others at each turn."""
    others = [name for name in QUESTIONS if name not in [*FIRST, without]]
    asked = [others[(turn * OTHERS + i) % len(others)] for i in range(OTHERS)]
    for question in [*FIRST, *asked][:: 1 if turn % 2 else -1]:
        assert_same(QUESTIONS[question](world), fresh(question, change), question)
    world.scene.check()
    world.boxes.check()


def spread(case, most=DROPS):
    """Return some of the steps, many of the first ones."""
    length = length_and_answer(case)[0]
    is_asked = case[0] not in ("build_steps", "Shapes.take_steps")
    return sorted({round(each) for each in np.geomspace(1, length, most if is_asked else 2)})


def test_every_stepped_name_has_a_case():
    assert worlds.stepped_names() == set(CASES)


@pytest.mark.parametrize("case", STEPPED, ids=str)
def test_pieces_are_small_enough_for_there_to_be_steps(case):
    assert length_and_answer(case)[0] >= 2


@pytest.mark.parametrize("case", STEPPED, ids=str)
def test_dropped_at_any_step_nothing_is_lost(case):
    for turn, step in enumerate(spread(case)):
        world = World()
        steps = steps_of(case, world)
        assert not taken(steps, step)[0]
        steps.close()
        assert_all_as_fresh(world, turn)


@pytest.mark.parametrize("case", STEPPED, ids=str)
def test_any_question_may_be_asked_between_two_steps(case):
    wanted = length_and_answer(case)[1]
    for turn, step in enumerate(spread(case, DROPS // 2)):
        world = World()
        steps = steps_of(case, world)
        assert not taken(steps, step)[0]
        assert_all_as_fresh(world, turn, without="look" if "look" in case[0] else "")
        assert_same(run(steps), wanted, case)
        world.scene.check()


@pytest.mark.parametrize("change", CHANGES)
def test_what_has_changed_between_two_steps_is_refused_or_of_no_concern(change):
    world = World()
    running = [(case, steps_of(case, world)) for case in STEPPED]
    for case, steps in running:
        # Most steps of a first question index meshes, which the first of these do for all.
        assert not taken(steps, max(1, length_and_answer(case)[0] // 20))[0]
    CHANGES[change](world)
    for case, steps in running:
        if is_concerned(case, change):
            with pytest.raises(RuntimeError, match="has changed since"):
                run(steps)
        else:
            assert_same(run(steps), length_and_answer(case)[1], case)
    for turn in range(2):
        assert_all_as_fresh(world, turn + len(change), change)


def is_concerned(case, change):
    """Return whether a change ends the case's steps."""
    if case == BOXES or change == "move boxes":
        return case == BOXES and change == "move boxes"
    return case[0] in OF_SCENE and change != "add a mesh"


@examples(10)
@given(data=st.data())
def test_many_may_be_under_way_at_once(data):
    world, running = World(), []
    has_looked = False
    for _ in range(data.draw(st.integers(2, 6))):
        case = data.draw(st.sampled_from(STEPPED))
        has_looked |= (is_look := case[0] == "ContactTracker.look_steps")
        if not (is_look and has_looked and any(each[0] == case for each in running)):
            running.append((case, steps_of(case, world)))
        for _ in range(3):
            case, steps = data.draw(st.sampled_from(running))
            has_ended, answer = taken(steps, data.draw(st.integers(1, 40)))
            if has_ended:
                running.remove((case, steps))
                assert_same(answer, length_and_answer(case)[1], case)
            if not running:
                break
    for case, steps in running:
        if data.draw(st.booleans()):
            assert_same(run(steps), length_and_answer(case)[1], case)
        else:
            steps.close()
    assert_all_as_fresh(world, data.draw(st.integers(0, 4)))


def test_pairs_that_were_dropped_while_meshes_were_laid_out_are_found():
    for step in (5, 6, 7):
        scene = SceneOctree()
        meshes = [scene.add_mesh(solids.box((0, 0, 0), (1, 1, 1))) for _ in range(3)]
        scene.place(meshes[:2], at((0, 0, 0), (0.5, 0, 0)))
        overlapping_pairs(scene)
        scene.place(meshes[2:], at((0.75, 0, 0)))
        steps = overlapping_pairs_steps(scene)
        taken(steps, step)
        steps.close()
        assert overlapping_pairs(scene).shape == (4, 156)
        assert overlapping_objects(scene).shape == (2, 3)
        assert len(audit(scene).classes) == 6


def test_meshes_that_others_lay_out_meanwhile_keep_none_of_the_rest_back():
    for first in range(1, len([*overlapping_pairs_steps(World().scene)])):
        world = World()
        steps = overlapping_pairs_steps(world.scene)
        taken(steps, first)
        # Of two meshes that are laid out together, one.
        audit(world.scene, band=0.05, clearance=0.5, ones=world.new[1:2], others=[2])
        assert_same(run(steps), fresh("pairs"), first)


def test_meshes_that_two_index_in_turns_are_both_right():
    for ahead in range(0, 40, 3):
        world = World()
        ones, others = world.scene.prepare_steps([0]), world.scene.prepare_steps([1])
        taken(others, ahead)
        ends = [False, False]
        while not all(ends):
            ends = [taken(steps, 1)[0] for steps in (ones, others)]
        world.scene.check()
        assert_same(QUESTIONS["query"](world), fresh("query"), ahead)


def test_a_look_that_another_has_overtaken_says_so_and_is_none():
    world = World()
    steps = world.tracker.look_steps(world.scene)
    taken(steps, 1)
    taken(world.tracker.look_steps(world.scene), 1)
    with pytest.raises(RuntimeError, match="another look was begun"):
        run(steps)
    assert world.tracker.intervals.looks == 1
    assert_same(QUESTIONS["look"](world), fresh("look"), "look")


def test_a_first_look_that_is_dropped_decides_on_no_band():
    far = World()
    far.scene.move(far.new[:1], at((5000, 0, 0)))
    tracker, wanted = ContactTracker(), ContactTracker()
    taken(tracker.look_steps(far.scene), 1)
    assert tracker.band is None
    world = World()
    assert_same(tracker.look(world.scene), wanted.look(world.scene), "look")
    assert tracker.band == wanted.band
