"""What is hidden by us, by each icon: it is hidden, and comes back exactly as it was."""

import bpy
import pytest
from blender_scenes import collection_instance, cube, select_only, selected
from costs import lines_run, times_run
from shot_scenes import CUBES, ICONS, OURS, hidden_by, hide, shown, street
from snapshots import visibility as flags_now

from octree_ext.octree_addon import hiding

every_icon = pytest.mark.parametrize("icon", ICONS)


@pytest.fixture
def objects():
    return street()


@every_icon
def test_what_was_to_be_hidden_is_hidden(objects, icon):
    before = {other: hidden_by(other) for other in ICONS}
    assert hide(objects, icon) == len(OURS[icon])
    assert hidden_by(icon) == CUBES
    assert all(hidden_by(other) == before[other] for other in ICONS if other != icon)
    visible = {item.name for item in objects.values() if item.visible_get()}
    in_view = {"Camera", "Lamp"} if icon != "RENDER" else objects.keys() - {"Eyeless", "Dark"}
    assert visible == in_view
    assert shown() == in_view


@every_icon
def test_restore_brings_back_what_was(objects, icon):
    before = flags_now()
    hide(objects, icon)
    assert flags_now() != before
    assert hiding.restore(bpy.context) == {icon: len(OURS[icon])}
    assert flags_now() == before
    assert shown() == objects.keys() - {"Eyeless", "Dark"}


def test_all_icons_at_once_come_back(objects):
    before = flags_now()
    counts = {icon: hide(objects, icon) for icon in ICONS}
    assert hiding.hidden_counts(bpy.context.scene) == counts
    assert hiding.restore(bpy.context) == counts
    assert flags_now() == before


@every_icon
def test_hiding_twice_is_restored_once(objects, icon):
    before = flags_now()
    hide({"Cube 0": objects["Cube 0"]}, icon)
    assert hide(objects, icon) == len(OURS[icon]) - 1
    hiding.restore(bpy.context)
    assert flags_now() == before


@every_icon
def test_what_the_user_has_shown_stays_his(objects, icon):
    """Shown by hand it is no longer ours: hidden by hand later, it stays hidden."""
    hide({name: objects[name] for name in ("Cube 0", "Cube 1")}, icon)
    show_by_hand(objects["Cube 0"])
    hide({"Moving": objects["Moving"]}, icon)
    hide_by_hand(objects["Cube 0"], icon)
    hiding.restore(bpy.context)
    assert hidden_by(icon) - (CUBES - OURS[icon]) == {"Cube 0"}


def show_by_hand(item):
    item.hide_set(False)
    item.hide_viewport = item.hide_render = False
    bpy.context.view_layer.update()


def hide_by_hand(item, icon):
    if icon == "EYE":
        item.hide_set(True)
    else:
        setattr(item, {"MONITOR": "hide_viewport", "RENDER": "hide_render"}[icon], True)


def test_the_eye_is_opened_in_every_view_layer(objects):
    before = flags_now()
    scene, window = bpy.context.scene, bpy.context.window
    for layer in scene.view_layers:
        window.view_layer = layer
        hide(objects, "EYE")
    assert all(flags_now()["eyes"]["Scene/Other"][name] for name in CUBES - {"Dark"})
    assert hiding.hidden_counts(scene)["EYE"] == len(OURS["EYE"]) + len(CUBES) - 1
    hiding.restore(bpy.context)
    assert flags_now() == before


def test_an_excluded_collection_comes_back_shown(objects):
    collection = bpy.data.collections.new("Part")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(objects["Cube 0"])
    bpy.context.scene.collection.objects.unlink(objects["Cube 0"])
    hide(objects, "EYE")
    bpy.context.view_layer.layer_collection.children["Part"].exclude = True
    hiding.restore(bpy.context)
    bpy.context.view_layer.layer_collection.children["Part"].exclude = False
    assert not objects["Cube 0"].hide_get()


def test_what_cannot_be_selected_is_hidden_too(objects):
    objects["Cube 0"].hide_select = True
    before = flags_now()
    hide(objects, "EYE")
    assert objects["Cube 0"].hide_get()
    hiding.restore(bpy.context)
    assert flags_now() == before
    assert objects["Cube 0"].hide_select


def test_without_a_3d_view(objects, monkeypatch):
    before = flags_now()
    for area in bpy.context.screen.areas:
        if area.type == "VIEW_3D":
            area.type = "TEXT_EDITOR"
    hide(objects, "EYE")
    assert hidden_by("EYE") == CUBES
    hiding.restore(bpy.context)
    assert flags_now() == before


@every_icon
def test_the_selection_of_what_stays_visible_stays(objects, icon):
    select_only(objects["Camera"], objects["Lamp"], objects["Cube 0"])
    hide(objects, icon)
    assert selected() - {"Cube 0"} == {"Camera", "Lamp"}
    assert bpy.context.view_layer.objects.active == objects["Camera"]


@every_icon
def test_restored_in_edit_mode(objects, icon):
    before = flags_now()
    hide({name: objects[name] for name in ("Cube 0", "Moving")}, icon)
    select_only(objects["Cube 1"])
    bpy.ops.object.mode_set(mode="EDIT")
    hiding.restore(bpy.context)
    assert bpy.context.mode == "EDIT_MESH"
    bpy.ops.object.mode_set(mode="OBJECT")
    assert flags_now() == before


@every_icon
def test_hidden_right_after_a_selected_object_was_deleted(objects, icon):
    select_only(objects["Cube 0"], objects["Cube 1"])
    bpy.data.objects.remove(objects.pop("Cube 0"))
    assert hide(objects, icon) == len(OURS[icon]) - 1


def test_an_instancer_hides_its_instances(objects):
    empty = collection_instance([cube("Shared")], "Instancer", location=(0, 5, 0))
    bpy.context.view_layer.update()
    assert "Shared" in shown()
    hide({"Instancer": empty}, "MONITOR")
    assert "Shared" not in shown()
    hiding.restore(bpy.context)
    assert "Shared" in shown()


def test_many_are_hidden_at_once():
    """`hide_set` looks through the whole view layer for each object; Blender's operators once."""
    mesh = cube().data
    items = [bpy.data.objects.new("Item", mesh) for _ in range(1000)]
    for item in items:
        bpy.context.scene.collection.objects.link(item)
    bpy.context.view_layer.update()
    plan = hiding.plan(bpy.context, items, "EYE")
    ours = lines_run(lambda: hiding.hide(bpy.context, plan))
    assert hidden_by("EYE") == {item.name for item in items}
    back = lines_run(lambda: hiding.restore(bpy.context))
    assert hidden_by("EYE") == set()
    assert times_run(ours, "hide_view_set(") == times_run(back, "hide_view_clear(") == 1
    for lines in (ours, back):
        assert times_run(lines, "hide_set(") == 0
        assert lines.total() <= 15 * len(items)
