"""What tells that something is hidden: the banner, and the warning at a render."""

import logging
from typing import ClassVar

import bpy
import pytest
from shot_scenes import plan, street

from octree_ext.octree_addon import handlers, hiding
from octree_ext.octree_addon.hiding import hidden_objects
from octree_ext.octree_addon.hiding.operators import draw_restore


@pytest.fixture
def objects():
    return street()


class Paper:
    """Stands in for a layout; it notes what its button says."""

    text = ""

    def operator(self, _, *, text, **__):
        self.text = text


def banner():
    """Return how many the button says that it restores."""
    paper = Paper()
    draw_restore(paper, bpy.context.scene)
    assert paper.text.startswith("Restore")
    return paper.text.removeprefix("Restore").removeprefix(" Hidden").strip()


def test_the_button_counts_what_is_hidden(objects):
    assert banner() == ""
    hiding.hide(bpy.context, plan([objects["Cube 0"]]))
    hiding.hide(bpy.context, plan([objects["Cube 0"], objects["Cube 1"]], "MONITOR"))
    assert banner() == "(2)"  # objects, not icons
    hiding.restore(bpy.context)
    assert banner() == ""


def test_all_shown_by_hand_there_is_nothing_to_restore(objects, tmp_path):
    hiding.hide(bpy.context, plan([objects["Cube 0"], objects["Cube 1"]]))
    for name in ("Cube 0", "Cube 1"):
        objects[name].hide_set(False)
    assert banner() == ""
    with pytest.raises(RuntimeError, match="Nothing is hidden by Octree"):
        bpy.ops.octree.restore_hidden()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shown.blend"))
    objects["Cube 0"].hide_set(True)
    assert banner() == ""


def awake():
    return [
        name
        for name, listener in hidden_objects.LISTENERS
        if listener in getattr(bpy.app.handlers, name)
    ]


def test_awake_exactly_while_something_is_hidden(objects):
    assert awake() == []
    hiding.hide(bpy.context, plan([objects["Cube 0"]]))
    hiding.listen_if_hiding()
    assert awake() == ["render_init", "save_pre", "undo_post", "redo_post"]
    hiding.restore(bpy.context)
    assert awake() == []


def test_another_file_puts_it_to_sleep_and_the_header_wakes_it(objects, tmp_path):
    hiding.hide(bpy.context, plan([objects["Cube 0"]]))
    path = str(tmp_path / "hidden.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True)
    assert awake() == []
    bpy.ops.wm.open_mainfile(filepath=path)
    handlers.watch_header(None, bpy.context)
    assert awake() == ["render_init", "save_pre", "undo_post", "redo_post"]


class Recorder(bpy.types.RenderEngine):
    """Renders nothing, but notes what there would be to render."""

    bl_idname, bl_label = "RECORDER", "Recorder"
    names: ClassVar = set()

    def render(self, depsgraph):
        names = {each.object.original.name for each in depsgraph.object_instances}
        Recorder.names = names


@pytest.fixture
def recorder():
    bpy.utils.register_class(Recorder)
    yield
    bpy.utils.unregister_class(Recorder)


def test_a_render_is_warned_of(objects, recorder, caplog):
    scene = bpy.context.scene
    scene.render.engine = Recorder.bl_idname
    with caplog.at_level(logging.WARNING):
        bpy.ops.render.render()
        assert caplog.messages == []
        assert Recorder.names == objects.keys() - {"Unrendered"}
        hiding.hide(bpy.context, plan([objects["Cube 0"]], "RENDER"))
        hiding.hide(bpy.context, plan([objects["Cube 0"], objects["Cube 1"]], "MONITOR"))
        bpy.ops.render.render()
    assert caplog.messages == [
        "Objects hidden by Octree that this render lacks: 1",
        "Objects hidden by Octree that this render shows: 1",
    ]
    assert Recorder.names == objects.keys() - {"Unrendered", "Cube 0"}
