"""What tells that something is hidden: the banner, and the warning at a render."""

import logging
from typing import ClassVar

import bpy
import pytest
from shot_scenes import plan, street

from octree_ext.octree_addon import handlers, hiding
from octree_ext.octree_addon.hiding import hidden_objects
from octree_ext.octree_addon.hiding.panel import draw_banner


@pytest.fixture
def objects():
    return street()


class Lines:
    """Stands in for a layout that is written to."""

    def __init__(self):
        self.lines = []

    def box(self):
        return self

    def column(self, **_):
        return self

    def label(self, text, icon):
        self.lines.append(text)

    def operator(self, name, icon):
        self.lines.append(name)


def banner():
    paper = Lines()
    draw_banner(paper, bpy.context.scene)
    return paper.lines


def test_the_banner_is_there_exactly_while_something_is_hidden(objects):
    assert banner() == []
    hiding.hide(bpy.context, plan([objects["Cube 0"]]))
    hiding.hide(bpy.context, plan([objects["Cube 0"], objects["Cube 1"]], "MONITOR"))
    assert banner() == [
        "1 object hidden by the eye icon",
        "2 objects hidden by the monitor icon",
        "octree.restore_hidden",
    ]
    hiding.restore(bpy.context)
    assert banner() == []


def test_all_shown_by_hand_there_is_nothing_to_restore(objects, tmp_path):
    hiding.hide(bpy.context, plan([objects["Cube 0"], objects["Cube 1"]]))
    for name in ("Cube 0", "Cube 1"):
        objects[name].hide_set(False)
    assert banner() == []
    with pytest.raises(RuntimeError, match="Nothing is hidden by Octree"):
        bpy.ops.octree.restore_hidden()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shown.blend"))
    objects["Cube 0"].hide_set(True)
    assert banner() == []


def awake():
    return [
        name
        for name, listener in hidden_objects.LISTENERS
        if listener in getattr(bpy.app.handlers, name)
    ]


def test_awake_exactly_while_something_is_hidden(objects):
    assert awake() == []
    hiding.hide(bpy.context, plan([objects["Cube 0"]]))
    hiding.follow()
    assert awake() == ["render_init", "save_pre"]
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
    assert awake() == ["render_init", "save_pre"]


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
