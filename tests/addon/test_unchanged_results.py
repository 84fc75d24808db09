"""Results do not take what Octree itself does with an answer for a change of the scene."""

import bpy
import pytest
from answering import has_changed
from paper import drawn
from seen_scenes import add_row, cubes

from octree_ext.octree_addon import scene_index
from octree_ext.octree_addon.answers.verb_operators import ASKED_AGAIN
from octree_ext.octree_addon.ui import forget_session, settings_of

WORDS = "The scene has changed since"


@pytest.fixture
def row():
    items = add_row()
    bpy.ops.ed.undo_push(message="made")
    bpy.ops.octree.find_seen("EXEC_DEFAULT", True, faces=True)
    yield items
    forget_session()


def says_changed():
    """Tell by the panel, once the scene has been looked at, what each of the results says."""
    settings = settings_of(bpy.context.scene).results
    bpy.context.view_layer.update()
    scene_index.catch_up(1)
    found = [has_changed(each) for each in settings.kept]
    assert len(set(found)) == 1
    assert (WORDS in drawn(bpy.types.OCTREE_PT_results)) == found[0]
    return found[0]


HIDES = [
    (verb, {"icon": icon})
    for verb in ("hide_unseen", "hide_rows")
    for icon in ("EYE", "MONITOR", "RENDER")
]
VERBS = [
    *HIDES,
    ("collect_seen", {"part": "UNSEEN"}),
    ("mark_seen", {"kind": "OBJECTS"}),
    ("mark_seen", {"kind": "FACES"}),
    ("select_seen", {"kind": "OBJECTS"}),
    ("select_seen", {"kind": "FACES"}),
    ("select_rows", {}),
    ("collect_rows", {}),
    ("mark_rows", {}),
    ("mark_row_frames", {"rows": "SHOWN"}),
]


@pytest.mark.parametrize(("verb", "options"), VERBS)
def test_a_verb_is_no_change_nor_is_its_undo(row, verb, options):
    assert not says_changed()
    getattr(bpy.ops.octree, verb)("EXEC_DEFAULT", True, **options)
    assert not says_changed()
    bpy.ops.ed.undo()
    assert not says_changed()
    bpy.ops.ed.redo()
    assert not says_changed()


@pytest.mark.parametrize(("verb", "options"), HIDES)
def test_what_is_restored_is_no_change(row, verb, options):
    getattr(bpy.ops.octree, verb)("EXEC_DEFAULT", True, **options)
    bpy.ops.octree.restore_hidden("EXEC_DEFAULT", True)
    assert not says_changed()
    bpy.ops.ed.undo()
    assert not says_changed()


@pytest.mark.parametrize(("verb", "options"), HIDES)
def test_the_file_knows_it_too(row, verb, options, tmp_path):
    getattr(bpy.ops.octree, verb)("EXEC_DEFAULT", True, **options)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hidden.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "hidden.blend"))
    assert not says_changed()
    bpy.ops.octree.restore_hidden()
    assert not says_changed()


def test_what_the_user_hides_and_moves_is_a_change(row, capfd):
    bpy.ops.octree.hide_unseen("EXEC_DEFAULT", True)
    row[1].hide_set(True)
    assert says_changed()
    row[1].hide_set(False)
    assert not says_changed()
    row[1].location.x += 1
    assert says_changed()
    bpy.ops.octree.collect_seen()
    assert ASKED_AGAIN in capfd.readouterr().out
    assert not says_changed()


def test_what_had_changed_before_a_verb_stays_changed(row):
    settings = settings_of(bpy.context.scene).results
    for each in settings.kept:
        each.name, each.pinned = f"{each.title} before", True
    row[3].location.x += 1
    bpy.ops.octree.hide_unseen("EXEC_DEFAULT", True)
    found = {each.name: has_changed(each) for each in settings.kept}
    assert found == {
        "Not Seen by Cameras before": True,
        "Seen by Cameras before": True,
        "Not Seen by Cameras": False,
        "Seen by Cameras": False,
    }


def test_isolating_is_no_change(row):
    settings_of(bpy.context.scene).results.row = 0
    assert bpy.ops.octree.isolate_row() == {"FINISHED"}
    assert not says_changed()
    assert {item.name for item in bpy.context.selected_objects} <= cubes(0, 1, 2, 3, 4)
