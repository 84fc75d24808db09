"""A press with the same options, while the last answer is valid, asks nothing: it shows that."""

import bpy
import pytest
from seen_scenes import add_row

from octree_ext.octree_addon import cameras
from octree_ext.octree_addon.cameras import never_seen
from octree_ext.octree_addon.result_list import active_result
from octree_ext.octree_addon.ui import forget_session, settings_of

QUESTIONS = {
    "find_seen": ({"span": "SCENE", "step": 1, "faces": False}, {"faces": True}, cameras.get),
    "find_never_seen": ({"directions": 4, "resolution": 48}, {"directions": 5}, never_seen.get),
}


@pytest.fixture
def row(in_numpy):
    items = add_row()
    bpy.ops.ed.undo_push(message="made")
    yield items
    forget_session()


@pytest.fixture(params=QUESTIONS)
def ask(request, row, capfd):
    """Return what asks with the same options, and returns whether it reports no change."""
    same, _, get = QUESTIONS[request.param]
    last = []

    def press(**options):
        capfd.readouterr()
        given = {**same, **options}
        assert getattr(bpy.ops.octree, request.param)("EXEC_DEFAULT", True, **given)
        is_told = "Info: Unchanged: " in capfd.readouterr().out
        last.append(get(bpy.context.scene))
        assert is_told == (len(last) > 1 and last[-1] is last[-2])
        return is_told

    press.other = QUESTIONS[request.param][1]
    return press


def numbers():
    return {each.number for each in settings_of(bpy.context.scene).results.kept}


def test_the_same_press_shows_the_answer_that_is_there(ask):
    assert not ask()
    kept, shown = numbers(), active_result(bpy.context.scene).number
    bpy.ops.octree.select_in_frustum()
    assert active_result(bpy.context.scene).number != shown
    assert ask()
    assert active_result(bpy.context.scene).number == shown
    assert kept < numbers()


def test_another_press_asks(ask):
    ask()
    assert not ask(**ask.other)
    assert not ask()


def test_a_changed_scene_is_asked_again(ask, row):
    ask()
    row[1].location.z += 3
    assert not ask()
    assert ask()


def test_refresh_always_asks(ask):
    ask()
    before = numbers()
    bpy.ops.octree.refresh_result()
    assert not before & {active_result(bpy.context.scene).number}
    assert not ask(result="Mine")


def test_what_was_removed_or_undone_is_asked_again(ask):
    ask()
    bpy.ops.octree.remove_result("EXEC_DEFAULT", True)
    assert not ask()
    bpy.ops.ed.undo()
    assert not ask()


def test_another_selection_and_another_content_of_a_collection_are_asked_again(row, capfd):
    def is_unchanged(**options):
        capfd.readouterr()
        bpy.ops.octree.find_seen(**options)
        return "Unchanged: " in capfd.readouterr().out

    row[0].select_set(True)
    assert [is_unchanged(scope="SELECTED") for _ in range(2)] == [False, True]
    row[1].select_set(True)
    assert not is_unchanged(scope="SELECTED")
    loose = bpy.data.collections.new("Loose")
    loose.objects.link(row[0])
    given = {"scope": "COLLECTION", "collection": "Loose"}
    assert [is_unchanged(**given) for _ in range(2)] == [False, True]
    loose.objects.link(row[1])
    assert not is_unchanged(**given)
