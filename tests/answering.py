"""Each kind of answer that Results keeps, and how to press for it."""

import bpy

from octree_ext.core import run
from octree_ext.octree_addon import questions, result_list
from octree_ext.octree_addon.scene_index import State, confirm_steps

_PIXELS = ("find_seen", {"behind": "UNSEEN", "resolution": 10})
# What is pressed one after the other; the last press gives the answer. These change nothing but
# the selection.
ASKED = {
    **{each.key: [(each.bl_idname.partition(".")[2], {})] for each in questions.QUESTIONS},
    "collisions": [("select_collisions", {})],
    "seen": [("find_seen", {})],
    "seen by pixels": [_PIXELS],
    "never seen": [("find_never_seen", {"directions": 4, "resolution": 256})],
    "audit": [("audit", {"clearance": 0.1})],
    "floating": [("select_floating", {})],
    "contacts": [("select_collisions", {"span": "CUSTOM", "first": 1, "last": 2})],
    "distances": [("measure_distances", {})],
    "density": [("density", {"what": "CELLS"})],
    "density by pixels": [_PIXELS, ("density", {"what": "PIXELS"})],
    "chunks preview": [("preview_chunks", {})],
}
# These place, copy or cut objects.
CHANGING = {
    "drop": [("drop", {})],
    "push apart": [("push_apart", {})],
    "fill": [("fill", {"count": 2})],
    "chunks": [("cut_chunks", {})],
}


EACH = ASKED | CHANGING


def press_all(presses, *, undo=True):
    """Press buttons one after the other, each with its options."""
    for name, options in presses:
        assert getattr(bpy.ops.octree, name)("EXEC_DEFAULT", undo, **options) == {"FINISHED"}


def has_changed(result):
    """Read the scene, and return whether it is another than the one that a result is of."""
    version = result_list.version_of_result(bpy.context.scene, result)
    return run(confirm_steps(bpy.context, version)) is State.CHANGED
