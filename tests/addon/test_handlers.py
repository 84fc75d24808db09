"""What is awake while there is a tree, what it notices, and that nothing else is."""

import answering
import bpy
import pytest
from blender_scenes import camera, cube, select_only
from costs import lines_run
from tree_age import is_stale
from tuned import tuned

from octree_ext import octree_addon
from octree_ext.octree_addon import display, handlers, trees
from octree_ext.octree_addon.display import drawing, layers
from octree_ext.octree_addon.ui import settings_of


@pytest.fixture
def stored(empty_scene, ball, build):
    trees.store(empty_scene, build([ball]), [ball])
    bpy.context.view_layer.update()
    return trees.get(empty_scene)


LISTENERS = handlers.LISTENERS + handlers.DRAW_LISTENERS


def ours():
    return [name for name, listener in LISTENERS if listener in listeners_of(name)]


def listeners_of(name):
    return getattr(bpy.app.handlers, name)


def test_awake_exactly_while_there_is_a_tree(empty_scene, stored):
    assert ours() == [name for name, _ in LISTENERS]
    trees.clear(empty_scene)
    assert ours() == []


def test_installing_twice_is_once(stored):
    handlers.after_change()
    assert all(listeners_of(name).count(it) == 1 for name, it in LISTENERS)
    handlers.uninstall()
    handlers.uninstall()
    assert ours() == []


def test_change_of_the_bounds_is_noted(empty_scene, ball):
    frame = bpy.data.objects.new("Frame", None)
    empty_scene.collection.objects.link(frame)
    bpy.context.view_layer.update()
    ball.select_set(True)
    bpy.ops.octree.build(bounds="OBJECT", bounds_object="Frame")
    frame.location.x = 1
    bpy.context.view_layer.update()
    assert trees.get(empty_scene).stale


def test_each_update_costs_a_few_lines(empty_scene, stored):
    others = [bpy.data.objects.new("Other", None) for _ in range(100)]
    for other in others:
        empty_scene.collection.objects.link(other)
    bpy.context.view_layer.update()
    for other in others:
        other.location.x += 1
    lines = lines_run(bpy.context.view_layer.update)
    assert not stored.stale
    assert 0 < lines.total() <= 10 * len(others) + 50


def test_another_file_has_no_tree(stored):
    heard = []
    bpy.app.handlers.load_pre.append(lambda *_: heard.append("another add-on"))
    bpy.ops.wm.read_homefile(use_empty=True)
    assert trees.is_empty()
    assert ours() == []
    assert heard == ["another add-on"]


@pytest.fixture
def reopened(stored, tmp_path):
    """Save a file that shows a tree, and open it."""
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "ball.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "ball.blend"))
    return bpy.context.scene


def test_opened_file_gets_its_tree_back(reopened):
    assert handlers.is_tree_missing(reopened)
    handlers.restore_trees()
    assert trees.get(reopened).statistics.items == 1280
    assert not handlers.is_tree_missing(reopened)


def test_tree_comes_back_step_by_step(reopened, monkeypatch):
    monkeypatch.setattr(handlers, "slice_of_time", lambda: 0.0)
    assert handlers.restore_trees() == 0.0
    assert trees.get(reopened) is None
    assert not handlers.is_tree_missing(reopened)
    reopened.objects["Icosphere"].location.x = 1
    bpy.context.view_layer.update()
    while handlers.restore_trees() is not None:
        pass
    built = trees.get(reopened)
    assert built.statistics.items == 1280
    # It was moved while its tree was built: that has the move, or is out of date.
    has_moved = built.octree.items.vertices[:, 0].max() > 1.5
    assert is_stale(reopened) != has_moved


def test_tree_that_somebody_built_meanwhile_stays(reopened, monkeypatch):
    monkeypatch.setattr(handlers, "slice_of_time", lambda: 0.0)
    assert handlers.restore_trees() == 0.0
    bpy.ops.octree.rebuild(capacity=5)
    built = trees.get(reopened)
    while handlers.restore_trees() is not None:
        pass
    assert trees.get(reopened) is built


@tuned(octree_addon, rebuilt_triangles=1279)
def test_large_tree_waits_for_the_user(reopened):
    handlers.restore_trees()
    assert trees.get(reopened) is None
    assert "1,280 triangles" in trees.rebuild_error(reopened)
    assert not handlers.is_tree_missing(reopened)


def test_tree_that_is_not_shown_is_not_built(reopened):
    settings_of(reopened).display.show = False
    assert not handlers.is_tree_missing(reopened)


def test_tree_that_cannot_be_restored_is_tried_once(reopened, monkeypatch):
    def fail(*_):
        raise TypeError("a mistake of ours")

    monkeypatch.setattr(handlers, "count_triangles", fail)
    with pytest.raises(TypeError):
        handlers.restore_trees()
    assert not handlers.is_tree_missing(reopened)


def test_a_tree_is_no_user_of_what_it_was_built_from(empty_scene, ball, build, tmp_path):
    bpy.ops.mesh.primitive_cube_add()
    users = ball.users
    trees.store(empty_scene, build([ball]), [ball, bpy.context.object])
    assert ball.users == users
    bpy.ops.object.delete()
    assert list(bpy.data.objects) == [ball]
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "ball.blend"))
    assert trees.source_objects(empty_scene) == [ball]


def test_tree_without_its_objects_is_refused_once(reopened):
    bpy.data.objects.remove(bpy.data.objects[0])
    handlers.restore_trees()
    assert "no triangles" in trees.rebuild_error(reopened)
    assert not handlers.is_tree_missing(reopened)


def test_first_draw_asks_for_the_missing_tree(reopened):
    assert not bpy.app.timers.is_registered(handlers.restore_trees)
    handlers.watch_header(None, bpy.context)
    assert bpy.app.timers.is_registered(handlers.restore_trees)
    bpy.app.timers.unregister(handlers.restore_trees)


def test_first_draw_without_a_tree_does_nothing(empty_scene):
    handlers.watch_header(None, bpy.context)
    assert not bpy.app.timers.is_registered(handlers.restore_trees)


def see_header():
    """Draw the header of a 3D view, as it were, and let the timer run that it may set."""
    handlers.watch_header(None, bpy.context)
    if bpy.app.timers.is_registered(handlers.update_display):
        bpy.app.timers.unregister(handlers.update_display)
        handlers.update_display()


def test_view_of_a_camera_is_drawn_without_a_tree(empty_scene):
    frustum = settings_of(empty_scene).frustum
    frustum.show = True
    see_header()
    assert display.is_installed()
    assert ours() == ["load_pre"]
    frustum.show = False
    see_header()
    assert not display.is_installed()


def test_view_of_a_camera_stays_when_the_tree_goes(empty_scene, stored):
    settings_of(empty_scene).frustum.show = True
    trees.clear(empty_scene)
    assert display.is_installed()
    settings_of(empty_scene).frustum.show = False
    see_header()
    assert not display.is_installed()


def test_the_picture_of_a_tree_goes_with_it(empty_scene, stored):
    key = "cells", empty_scene.session_uid
    layers.put_upload(key, "picture")
    assert layers.upload_of(key) == "picture"
    trees.clear(empty_scene)
    drawing.draw_scene(empty_scene)
    assert layers.upload_of(key) is None


def test_nothing_is_drawn_of_the_file_before(empty_scene):
    cube("Seen")
    camera(location=(0, 0, 9))
    bpy.ops.octree.find_seen()
    assert display.is_installed()
    bpy.ops.wm.read_homefile(use_empty=True)
    assert not display.is_installed()


# What is there before the answer.
EARLIER = {
    "a result": [("find_seen", {})],
    "a question": [("select_in_sphere", {})],
    "an octree": [("build", {})],
}


@pytest.mark.parametrize("earlier", EARLIER.values(), ids=EARLIER)
@pytest.mark.parametrize("presses", answering.EACH.values(), ids=answering.EACH)
def test_an_answer_uploads_nothing_again(empty_scene, presses, earlier):
    """Draw handlers stay installed, and the graphics card keeps what it has."""
    cubes = [cube(f"Cube {x}", 0.9, location=(x, 0, 0)) for x in range(4)]
    empty_scene.camera = camera(location=(0, 0, 9))
    select_only(*cubes)
    answering.press_all(earlier)
    for result in settings_of(empty_scene).results.kept:
        result.pinned = True
    handles, mark = list(drawing._handles), object()
    layers.put_upload(("mark",), mark)
    assert handles
    select_only(*cubes[:2])
    answering.press_all(presses)
    assert drawing._handles == handles
    assert layers.upload_of(("mark",)) is mark
