"""Density: sums are exact, rows name culprits; what pixels need, and decimated copies."""

import bpy
import numpy as np
import pytest
from blender_scenes import camera, collection_instance, cube, monkey
from scene_pictures import picture

from octree_ext.octree_addon.answers.kept import active_result
from octree_ext.octree_addon.camera import picture_size
from octree_ext.octree_addon.chunks import cells_in
from octree_ext.octree_addon.density.decimated import COPY, decimated_collection
from octree_ext.octree_addon.result_list import view_of


def density(**options):
    assert bpy.ops.octree.density(**options) == {"FINISHED"}
    scene = bpy.context.scene
    return view_of(scene, active_result(scene))


def scattered():
    """Add monkeys and cubes here and there, of several materials, and instances of one."""
    items = [monkey(level, location=(3.1 * level, 0.3, 0.2)) for level in range(3)]
    for number, item in enumerate([*items, cube("Box", 2.0, location=(-4.2, 0, 0))]):
        item.data.materials.append(bpy.data.materials.new(f"Material {number}"))
    collection_instance([cube("Part", 0.5)], "Set", location=(0, 5, 0))
    bpy.context.view_layer.update()


@pytest.mark.parametrize("cell", [0.3125, 1.0, 7.0])
def test_counts_are_those_of_centers_and_their_sum_is_all(cell):
    scattered()
    view = density(what="CELLS", cell=cell)
    corners = np.concatenate([world_of(item) for item in bpy.context.scene.objects])
    centers = corners.mean(axis=1)
    # In a wall a center is of the cell on its lower side.
    keys, counts = np.unique(np.ceil(centers / cell) - 1, axis=0, return_counts=True)
    found = view.rows.column("Triangles").values
    assert found.sum() == len(corners)
    assert sorted(found.tolist()) == sorted(counts.tolist())
    assert len(keys) == len(view.rows)
    cells = cells_in(active_result(bpy.context.scene))
    assert (cells.upper - cells.lower) == pytest.approx(cell)


def world_of(item):
    """Return the triangles that an object shows, or its instances."""
    depsgraph, found = bpy.context.evaluated_depsgraph_get(), [np.empty((0, 3, 3))]
    for instance in depsgraph.object_instances:
        owner = instance.parent if instance.is_instance else instance.object
        if owner.original != item or instance.object.type != "MESH":
            continue
        mesh, matrix = instance.object.data, np.array(instance.matrix_world, np.float64)
        mesh.calc_loop_triangles()
        points = np.array([vertex.co for vertex in mesh.vertices], np.float64)
        points = points @ matrix[:3, :3].T + matrix[:3, 3]
        found.append(points[[triangle.vertices[:] for triangle in mesh.loop_triangles]])
    return np.concatenate(found)


@pytest.mark.parametrize("by", ["TRIANGLES", "OBJECTS", "MATERIALS", "VOLUME"])
def test_the_worst_cells_stand_first_with_what_has_most_in_them(by):
    scattered()
    view = density(what="CELLS", by=by, cell=4.0)
    values = view.rows.columns[0].values
    assert (np.diff(values) <= 0).all()
    if by in ("TRIANGLES", "VOLUME"):
        assert view.label(0, 0) == "Suzanne.002"
    names = {view.label(row, 0) for row in range(len(view.rows))}
    assert any(name.startswith("Set") for name in names) or "Instance" in str(names)


def test_over_a_budget_stands_first():
    scattered()
    density(what="CELLS", by="OBJECTS", cell=2.0, budget=300)
    cells = cells_in(active_result(bpy.context.scene))
    assert cells.over.any()
    assert (np.diff(cells.over.astype(int)) <= 0).all()


def test_without_pixels_the_reason_is_told():
    scattered()
    with pytest.raises(RuntimeError, match="Behind Others"):
        density(what="PIXELS")


def seen(**options):
    """Look at monkeys of 968, 3,936 and more triangles, near and far."""
    near, far = monkey(3), monkey(4, location=(4, 20, 0))
    camera(location=(0, -5, 0), rotation_euler=(np.pi / 2, 0, 0))
    bpy.context.view_layer.update()
    assert bpy.ops.octree.find_seen(behind="UNSEEN", resolution=8) == {"FINISHED"}
    return near, far, density(what="PIXELS", **options)


def test_objects_are_counted_against_their_pixels():
    near, far, view = seen()
    names = [view.label(row, 0) for row in range(len(view.rows))]
    counts = view.rows.column("Triangles").values.tolist()
    triangles = dict(zip(names, counts, strict=True))
    assert triangles == {item.name: len(world_of(item)) for item in (near, far)}
    assert names[0] == far.name
    pixels, needed = view.rows.column("Pixels").values, view.rows.column("Needed").values
    assert (needed >= pixels).all()
    of = view.rows.column("Per Pixel").values
    assert of == pytest.approx(view.rows.column("Triangles").values / pixels)


def test_decimated_copies_have_what_they_need_and_one_press_takes_them_back():
    near, far, view = seen()
    labels = [view.label(row, 0) for row in range(2)]
    needed = dict(zip(labels, view.rows.column("Needed").values, strict=True))
    names = {item.name for item in bpy.data.objects}
    assert bpy.ops.octree.decimate_to_need() == {"FINISHED"}
    copies = list(decimated_collection(bpy.context.scene).objects)
    assert {item[COPY] for item in copies} == {near.name, far.name}
    bpy.context.view_layer.update()
    for item in copies:
        assert len(world_of(item)) == pytest.approx(needed[item[COPY]], rel=0.05)
        assert item.data == bpy.data.objects[item[COPY]].data
    assert not near.visible_get()
    assert not near.modifiers.get("Decimate to Need")
    assert bpy.ops.octree.remove_decimated() == {"FINISHED"}
    assert {item.name for item in bpy.data.objects} == names
    assert near.visible_get()
    with pytest.raises(RuntimeError, match="Nothing is decimated"):
        bpy.ops.octree.remove_decimated()


def test_pictures_of_decimated_copies_show_the_same_objects():
    """At the size that pixels were counted at."""
    for number, (x, y) in enumerate(((-2, 6), (2, 8), (-6, 14), (6, 20))):
        monkey(3, name=f"Head {number}", location=(x, y, 0))
    camera(location=(0, -5, 0), rotation_euler=(np.pi / 2, 0, 0))
    bpy.context.view_layer.update()
    assert bpy.ops.octree.find_seen(behind="UNSEEN", resolution=50) == {"FINISHED"}
    density(what="PIXELS")
    size = picture_size(bpy.context.scene, 0.5)
    before = picture(size)
    assert set(np.unique(before.names)) == {"", *(f"Head {number}" for number in range(4))}
    assert bpy.ops.octree.decimate_to_need() == {"FINISHED"}
    bpy.context.view_layer.update()
    assert len(decimated_collection(bpy.context.scene).objects) == 4
    after = picture(size)
    differ = (after.names != before.names).sum()
    assert differ < 0.005 * (before.names != "").sum()
    # With a hundredth of the triangles that are needed, it is seen.
    for item in decimated_collection(bpy.context.scene).objects:
        item.modifiers["Decimate to Need"].ratio *= 0.01
    bpy.context.view_layer.update()
    coarse = picture(size)
    assert (coarse.names != before.names).sum() > max(100 * differ, 100)


def test_chunks_are_counted_as_all_that_is_visible():
    item = cube("Box", 2.0)
    assert bpy.ops.octree.cut_chunks(triangles=4, least_triangles=0) == {"FINISHED"}
    assert not item.visible_get()
    view = density(what="CELLS", cell=4.0)
    assert view.rows.column("Triangles").values.sum() >= 12
