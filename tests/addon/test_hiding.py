"""The plan that is shown first, and the operators that hide and restore."""

from math import pi

import bpy
import pytest
from blender_scenes import collection_instance, cube, link, select_only
from shot_scenes import ICONS, keep_answer, plan, street
from snapshots import visibility, whole_file

from octree_ext.octree_addon import hiding
from octree_ext.octree_addon.hiding.operators import plan_lines
from octree_ext.octree_addon.ui import forget_session, settings_of


@pytest.fixture
def objects():
    found = street()
    yield found
    forget_session()


def names(plan):
    return {item.name for item in plan.objects}


@pytest.mark.parametrize(
    ("icon", "left"), [("EYE", "Eyeless"), ("MONITOR", "Dark"), ("RENDER", "Unrendered")]
)
def test_a_plan_counts_and_changes_nothing(objects, icon, left):
    before = whole_file()
    found = plan([*objects.values(), objects["Cube 0"]], icon)
    assert names(found) == objects.keys() - {left, "Camera", "Lamp"}
    assert found.left == {"hidden already": 1, "lights or cameras": 2}
    assert whole_file() == before


def test_a_plan_is_told_of_one_and_of_more(objects):
    lamp, eye = objects["Lamp"], objects["Camera"]
    assert plan_lines(plan([lamp, objects["Cube 0"]])) == ["1 object to hide", "1 light or camera"]
    assert plan_lines(plan([lamp, eye])) == ["0 objects to hide", "2 lights or cameras"]


def test_protected_objects_stay(objects):
    outer, inner = (bpy.data.collections.new(name) for name in ("Outer", "Inner"))
    bpy.context.scene.collection.children.link(outer)
    outer.children.link(inner)
    inner.objects.link(objects["Cube 0"])
    settings_of(bpy.context.scene).hiding.protect = outer
    found = plan([objects["Cube 0"], objects["Cube 1"]])
    assert names(found) == {"Cube 1"}
    assert found.left == {"protected": 1}


def test_objects_of_other_view_layers_stay(objects):
    lonely = bpy.data.objects.new("Lonely", objects["Cube 0"].data)
    assert plan([lonely]).left == {"in another view layer": 1}


def test_linked_objects_keep_the_flags_that_their_own_file_gives_them(objects, tmp_path):
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {objects["Cube 0"]})
    objects["Cube 0"].name = "Ours"
    with bpy.data.libraries.load(path, link=True) as (_, target):
        target.objects = ["Cube 0"]
    linked = link(target.objects[0])
    bpy.context.view_layer.update()
    for icon in ("MONITOR", "RENDER"):
        assert plan([linked], icon).left == {"linked from another file": 1}
    assert hiding.hide(bpy.context, plan([linked])) == 1
    assert not linked.visible_get()
    assert hiding.restore(bpy.context) == {"EYE": 1}


@pytest.mark.parametrize("icon", ICONS)
@pytest.mark.parametrize("how", ["keys", "driver"])
def test_animated_visibility_is_left_alone(objects, icon, how):
    """A flag that is written would hold until the next frame; the eye cannot be animated."""
    for flag in ("hide_viewport", "hide_render"):
        animate(objects["Cube 0"], flag, how)
    expected = {} if icon == "EYE" else {"with animated visibility": 1}
    assert plan([objects["Cube 0"]], icon).left == expected
    assert plan([objects["Moving"]], icon).left == {}


def animate(item, flag, how):
    if how == "keys":
        item.keyframe_insert(flag, frame=1)
    else:
        item.driver_add(flag)


@pytest.mark.parametrize("icon", ICONS)
def test_everything_is_what_there_is_to_look_at(objects, icon):
    assert plan(objects.values(), icon).is_everything
    assert not plan([objects["Cube 0"]], icon).is_everything
    assert not plan([], icon).is_everything
    empty = link(bpy.data.objects.new("Empty", None))
    assert plan(objects.values(), icon).is_everything
    collection_instance([cube("Shared")], "Instancer")
    bpy.context.view_layer.update()
    assert not plan([*objects.values(), empty], icon).is_everything


def test_no_answer_no_hiding(objects):
    with pytest.raises(RuntimeError, match="Find what the cameras see first"):
        bpy.ops.octree.hide_unseen()
    with pytest.raises(RuntimeError, match="Nothing is hidden by Octree"):
        bpy.ops.octree.restore_hidden()


def test_the_other_modes_are_refused(objects):
    keep_answer([objects["Cube 0"]])
    select_only(objects["Cube 1"])
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="Go to Object Mode"):
        bpy.ops.octree.hide_unseen()
    bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize("icon", ICONS)
def test_unseen_objects_are_hidden_and_restored(objects, icon):
    keep_answer([objects["Cube 0"], objects["Lamp"]], [objects["Cube 1"]])
    before = whole_file()
    assert bpy.ops.octree.hide_unseen(icon=icon) == {"FINISHED"}
    assert hiding.hidden_counts(bpy.context.scene) == {icon: 1}
    assert settings_of(bpy.context.scene).hiding.icon == icon
    assert bpy.ops.octree.restore_hidden() == {"FINISHED"}
    assert whole_file() == before


@pytest.mark.parametrize("icon", ICONS)
def test_a_saved_file_restores_what_was_hidden_and_nothing_else(objects, icon, tmp_path):
    keep_answer([objects["Cube 0"], objects["Lamp"]], [objects["Cube 1"]])
    before = visibility()
    assert bpy.ops.octree.hide_unseen(icon=icon) == {"FINISHED"}
    path = str(tmp_path / "hidden.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert visibility() != before
    assert bpy.ops.octree.restore_hidden() == {"FINISHED"}
    assert visibility() == before


def test_what_the_camera_does_not_see_is_hidden(objects):
    """From question to restoring, with the camera's own answer: it looks at the first cubes."""
    objects["Camera"].rotation_euler = pi / 2, 0, 0
    bpy.context.view_layer.update()
    before = whole_file()
    assert bpy.ops.octree.find_seen() == {"FINISHED"}
    assert bpy.ops.octree.hide_unseen(icon="MONITOR") == {"FINISHED"}
    hidden = {name for name, item in objects.items() if item.hide_viewport}
    assert hidden == {"Moving", "Dark", "Unrendered"}
    assert bpy.ops.octree.restore_hidden() == {"FINISHED"}
    assert whole_file() == before


def test_the_scene_remembers_the_icon(objects):
    keep_answer([objects["Cube 0"]])
    settings_of(bpy.context.scene).hiding.icon = "RENDER"
    bpy.ops.octree.hide_unseen()
    assert objects["Cube 0"].hide_render


def test_nothing_to_hide_is_said(objects):
    keep_answer([objects["Lamp"]], [objects["Cube 0"]])
    before = whole_file()
    assert bpy.ops.octree.hide_unseen() == {"CANCELLED"}
    assert whole_file() == before


def test_everything_needs_a_word(objects):
    keep_answer(objects.values())
    before = whole_file()
    with pytest.raises(RuntimeError, match="turn on Hide Everything"):
        bpy.ops.octree.hide_unseen()
    assert whole_file() == before
    assert bpy.ops.octree.hide_unseen(everything=True) == {"FINISHED"}
    assert not objects["Cube 0"].visible_get()
