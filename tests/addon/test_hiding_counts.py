"""Reports of hiding count what is hidden: overrides, linked data, several collections."""

from itertools import combinations

import bpy
import pytest
from blender_scenes import camera, cube, link
from paper import drawn
from shot_scenes import ICONS, keep_answer
from snapshots import whole_file

from octree_ext.octree_addon import hiding
from octree_ext.octree_addon.ui import forget_session

FLAGS = {"MONITOR": "hide_viewport", "RENDER": "hide_render"}
REASON = "overrides that cannot be edited"


@pytest.fixture(autouse=True)
def forgotten():
    yield
    forget_session()


@pytest.fixture
def library(tmp_path):
    """Write a collection of five cubes to a file, and return its path."""
    collection = bpy.data.collections.new("Library")
    for number in range(5):
        collection.objects.link(bpy.data.objects.new(f"Part {number}", cube("Made").data))
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {collection})
    bpy.ops.wm.read_homefile(use_empty=True)
    return path


def add_scene(path, *, editable):
    """Add overrides of the collection, two cubes, one in two collections, and a linked object."""
    scene = bpy.context.scene
    with bpy.data.libraries.load(path, link=True) as (_, target):
        target.collections = ["Library"]
    (collection,) = target.collections
    collection.override_hierarchy_create(scene, bpy.context.view_layer, do_fully_editable=editable)
    cube("Alone")
    both = cube("Both")
    for name in ("One", "Two"):
        bpy.data.collections.new(name).objects.link(both)
        scene.collection.children.link(bpy.data.collections[name])
    link(next(item for item in bpy.data.objects if item.library))
    camera(location=(0, 0, 50))
    bpy.context.view_layer.update()
    return [item for item in bpy.context.view_layer.objects if item.type == "MESH"]


def hidden(icon):
    """Return the session ids of all that an icon hides, read in the plainest way."""
    if icon == "EYE":
        return {item.session_uid for item in bpy.context.view_layer.objects if item.hide_get()}
    return {item.session_uid for item in bpy.data.objects if getattr(item, FLAGS[icon])}


@pytest.mark.parametrize("editable", [True, False], ids=["editable", "locked"])
@pytest.mark.parametrize("icon", ICONS)
def test_a_report_counts_what_was_hidden(library, icon, editable, capfd):
    objects = add_scene(library, editable=editable)
    assert len(objects) == 8
    cube("Seen")
    keep_answer(objects)
    bpy.ops.octree.hide_unseen(icon=icon)
    text = capfd.readouterr().out
    overrides = {item.session_uid for item in objects if item.override_library}
    linked = {item.session_uid for item in objects if item.library}
    left = (linked | (set() if editable else overrides)) if icon in FLAGS else set()
    expected = {item.session_uid for item in objects} - left
    assert hidden(icon) == expected
    assert f"Info: {len(expected)} objects hidden by the {icon.lower()} icon" in text
    assert "could not be" not in text
    assert (f"5 {REASON}" in text) == (icon in FLAGS and not editable)
    assert ("1 linked from another file" in text) == (icon in FLAGS)
    assert hiding.hidden_counts(bpy.context.scene) == {icon: len(expected)}
    assert hiding.restore(bpy.context) == {icon: len(expected)}
    assert not hidden(icon)


@pytest.mark.parametrize("icon", FLAGS)
def test_overrides_alone_are_left_with_a_reason(library, icon, capfd):
    objects = add_scene(library, editable=False)
    keep_answer([item for item in objects if item.override_library])
    before = whole_file()
    assert bpy.ops.octree.hide_unseen(icon=icon) == {"CANCELLED"}
    assert f"0 objects to hide; 5 {REASON}" in capfd.readouterr().out
    assert whole_file() == before


@pytest.mark.parametrize("icon", FLAGS)
def test_what_is_hidden_of_overrides_is_hidden_in_the_file(library, icon, tmp_path):
    objects = add_scene(library, editable=True)
    cube("Seen")
    keep_answer(objects)
    bpy.ops.octree.hide_unseen(icon=icon)
    names = {item.name for item in bpy.data.objects if getattr(item, FLAGS[icon])}
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hidden.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "hidden.blend"))
    assert {item.name for item in bpy.data.objects if getattr(item, FLAGS[icon])} == names
    assert hiding.restore(bpy.context) == {icon: 7}


@pytest.mark.parametrize("icons", [c for n in (1, 2, 3) for c in combinations(ICONS, n)])
@pytest.mark.parametrize("layers", [1, 2])
def test_an_object_counts_once_whatever_hides_it(icons, layers, capfd):
    """The label and the report of Restore have one number: that of the objects."""
    scene = bpy.context.scene
    items = [cube(f"Cube {number}", location=(3 * number, 0, 0)) for number in range(6)]
    cube("Seen", location=(0, 9, 0))
    rest = [scene.view_layers[0], *(scene.view_layers.new(f"{n}") for n in range(layers - 1))]
    for layer in rest:
        layer.update()
    hidden = set()
    for number, icon in enumerate(icons):
        for layer in rest[: layers if icon == "EYE" else 1]:
            chosen = items[number : number + 3]
            with bpy.context.temp_override(view_layer=layer):
                hiding.hide(bpy.context, hiding.plan(bpy.context, chosen, icon))
            hidden.update(chosen)
    count = len(hidden)
    assert hiding.hidden_count(scene) == count
    assert f"Restore ({count})" in drawn(bpy.types.OCTREE_PT_main).values()
    bpy.ops.octree.restore_hidden()
    assert f"Info: {count} objects restored" in capfd.readouterr().out
    assert hiding.hidden_count(scene) == 0


def test_an_undo_that_hides_others_is_counted():
    items = [cube(f"Cube {number}", location=(3 * number, 0, 0)) for number in range(5)]
    scene = bpy.context.scene

    def hide(*chosen):
        for icon, some in zip(("EYE", "RENDER"), chosen, strict=True):
            hiding.hide(bpy.context, hiding.plan(bpy.context, some, icon))
        bpy.ops.ed.undo_push(message="Hidden")
        return hiding.hidden_count(scene)

    bpy.ops.ed.undo_push(message="Before")
    assert hide(items[:2], items[:2]) == 2
    hiding.restore(bpy.context)
    assert hide(items[:2], items[2:4]) == 4
    bpy.ops.ed.undo()
    assert hiding.hidden_count(bpy.context.scene) == 2
