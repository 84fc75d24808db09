"""The menus Octree, where the search (F3) looks; presets and shortcuts."""

from pathlib import Path

import bpy
import pytest
from paper import drawn
from registered import MENUS, OPERATORS

from octree_ext.octree_addon import OctreeSettings, shortcuts
from octree_ext.octree_addon.cells import presets
from octree_ext.octree_addon.ui import settings_of

PLACES = {
    "VIEW3D_MT_object": "OCTREE_MT_object",
    "VIEW3D_MT_edit_mesh": "OCTREE_MT_object",
    "VIEW3D_MT_select_object": "OCTREE_MT_select",
    "VIEW3D_MT_select_edit_mesh": "OCTREE_MT_select",
    "VIEW3D_MT_view": "OCTREE_MT_view",
}
SHIPPED = {path.stem: path for path in Path(presets._FOLDER).glob("presets/octree/build/*.py")}


def appended(menu):
    return {line for draw in menu.draw._draw_funcs[1:] for line in lines_of(draw)}


def lines_of(draw):
    class Drawn:
        draw = None

    Drawn.draw = staticmethod(draw)
    return drawn(Drawn)


def test_search_finds_every_operator_under_octree():
    found = {line for menu in MENUS for line in appended(menu)}
    # What belongs to one row of a list, to a preset or to the pointer has no place in a menu.
    private = {"octree.add_build_preset", "octree.show_result", "octree.sort_rows"}
    private |= {"octree.click_row", "octree.fold_row", "octree.unpick_rows"}
    private |= {f"octree.probe_{name}" for name in ("move", "keep", "size", "end")}
    private |= {"octree.resize_answer", "octree.put"}
    assert {operator.bl_idname for operator in OPERATORS} - private <= found
    assert {menu.bl_label for menu in MENUS} == {"Octree"}


@pytest.mark.parametrize(("place", "menu"), PLACES.items())
def test_menus_of_blender_have_ours(place, menu):
    assert menu in appended(getattr(bpy.types, place))


def test_presets_are_found_by_blender():
    assert SHIPPED.keys() == {"Fine", "Coarse", "Game", "CAD", "Clip"}
    folders = bpy.utils.preset_paths("octree/build")
    assert any(Path(folder) == SHIPPED["Fine"].parent for folder in folders)


def values(scene):
    return {
        path: eval(path, {"octree": settings_of(scene)})
        for path in presets.OCTREE_OT_add_build_preset.preset_values
    }


@pytest.fixture
def labeled(monkeypatch):
    """Bring back the label of the list, over which Blender writes the name of a preset."""
    label = presets.OCTREE_PT_build_presets.bl_label
    monkeypatch.setattr(presets.OCTREE_PT_build_presets, "bl_label", label)


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.usefixtures("labeled")
def test_preset_sets_every_value(empty_scene, name):
    before = values(empty_scene)
    source = SHIPPED[name].read_text(encoding="utf-8")
    assert all(f"{path} = " in source for path in before)
    bpy.ops.script.execute_preset(
        filepath=str(SHIPPED[name]), menu_idname="OCTREE_PT_build_presets"
    )
    assert values(empty_scene) != before
    bpy.ops.mesh.primitive_monkey_add()
    assert bpy.ops.octree.build() == {"FINISHED"}


@pytest.mark.usefixtures("labeled")
def test_shipped_presets_stay_and_own_ones_go(empty_scene, tmp_path, monkeypatch):
    monkeypatch.setattr(bpy.utils, "user_resource", lambda *_, **__: str(tmp_path))
    settings_of(empty_scene).build.capacity = 77
    bpy.ops.octree.add_build_preset(name="Mine")
    (mine,) = tmp_path.rglob("*.py")
    assert "octree.build.capacity = 77" in mine.read_text(encoding="utf-8")
    monkeypatch.setattr(
        bpy.utils, "preset_find", lambda name, *_, **__: str(SHIPPED.get(name, mine))
    )
    bpy.ops.octree.add_build_preset(name="Fine", remove_name=True)
    assert SHIPPED["Fine"].exists()
    bpy.ops.octree.add_build_preset(name="Mine", remove_name=True)
    assert not mine.exists()


def test_presets_hold_all_build_settings_but_bounds():
    known = OctreeSettings.bl_rna.properties["build"].fixed_type.properties.keys()
    kept = {path.rpartition(".")[2] for path in presets.OCTREE_OT_add_build_preset.preset_values}
    assert set(known) - kept == {"rna_type", "name", "bounds", "bounds_object"}


def test_no_key_is_taken():
    found = shortcuts.entries(bpy.context.window_manager.keyconfigs.addon)
    assert all(item.type == "NONE" for _, item in found)
