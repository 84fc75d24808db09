"""Groups of scenes: every query ignores placements in none of its groups."""

import inspect

import numpy as np
import pytest
from scene_questions import ALL, CUBE, QUESTIONS, masked_scene, questions

import core
from core import SceneOctree, audit, overlapping_pairs, supports


def assert_same(found, wanted):
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        if isinstance(one, np.ndarray):
            np.testing.assert_array_equal(one, other)
        else:
            assert one == other, (one, other)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", QUESTIONS)
def test_an_answer_is_that_of_a_scene_of_these_groups_alone(name, seed):
    scene, masks = masked_scene(seed)
    for groups in (1, 2, 6, 8, 0, ALL):
        alone = scene.only(scene.ids[masks & groups != 0])
        assert_same(QUESTIONS[name](scene, groups=groups), QUESTIONS[name](alone, groups=ALL))


def test_every_question_of_a_scene_is_asked_here_and_takes_groups():
    assert set(questions()) == set(QUESTIONS)
    for name in QUESTIONS:
        call = core
        for part in name.split("."):
            call = getattr(call, part)
        assert inspect.signature(call).parameters["groups"].kind is inspect.Parameter.KEYWORD_ONLY


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("groups", [-1, 2**32, 1.0, True, "1", None])
def test_what_is_no_mask_is_refused_by_name(name, groups):
    scene, _ = masked_scene(0)
    with pytest.raises(ValueError, match="groups"):
        QUESTIONS[name](scene, groups=groups)


def stacked(groups):
    """Return three cubes, each on the other, in these groups."""
    scene, matrices = SceneOctree(), np.tile(np.eye(4), (3, 1, 1))
    matrices[:, 2, 3] = np.arange(3)
    scene.place([scene.add_mesh(CUBE)] * 3, matrices, groups=groups)
    return scene


def test_pairs_within_are_those_of_placements_in_the_groups():
    scene = stacked([1, 2, 2])
    assert overlapping_pairs(scene, groups=4, within=True).shape == (4, 0)
    assert set(overlapping_pairs(scene, groups=1, within=True)[0].tolist()) == {0}


def test_what_is_in_no_group_neither_floats_nor_carries():
    scene = stacked([1, 1, 2])
    found = supports(scene, audit(scene, groups=1), [0], groups=1)
    assert found.floating.tolist() == [False, False, False]
    assert found.components.tolist() == [0, 0, -1]
    lower = supports(scene, audit(scene), [0], groups=2)
    assert lower.floating.tolist() == [False, False, True]
    assert lower.fallers.tolist() == [2]
    assert np.isinf(lower.drops).all()
