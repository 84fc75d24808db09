"""Budgets of cells: objects, or texels of images, in the place of triangles."""

import bpy
import pytest
from blender_scenes import collection_instance, cube
from chunk_scenes import FINE, areas, bumpy, chunks, cut, world

from octree_ext.octree_addon.answers.kept import active_result
from octree_ext.octree_addon.command_line import main
from octree_ext.octree_addon.reader import texels_of
from octree_ext.octree_addon.result_list import view_of

TEXELS = 64 * 32


def preview(**options):
    """Return how much of what counts each cell has, by its name, and what was said."""
    assert bpy.ops.octree.preview_chunks(**{**FINE, **options}) == {"FINISHED"}
    rows = view_of(bpy.context.scene, active_result(bpy.context.scene)).rows
    counts = rows.columns[0].values.tolist()
    return dict(zip(rows.column("Cell").words, counts, strict=True)), rows.columns[0].name


def material(*images):
    """Add a material with these images, the first one twice, all of them inside a group."""
    made, group = bpy.data.materials.new("Images"), bpy.data.node_groups.new("G", "ShaderNodeTree")
    if bpy.app.version < (5, 0):
        made.use_nodes = True
    made.node_tree.nodes.new("ShaderNodeGroup").node_tree = group
    for image in (*images, images[0]):
        group.nodes.new("ShaderNodeTexImage").image = image
    unused = group.nodes.new("ShaderNodeTexImage")
    unused.image, unused.mute = bpy.data.images.new("Muted", 512, 512), True
    return made


def sheet():
    """Add a flat square of 16 square meters, with an image on its left half alone."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=16, y_subdivisions=16, size=4)
    item = bpy.context.object
    item.data.materials.append(material(bpy.data.images.new("Image", 64, 32)))
    item.data.materials.append(bpy.data.materials.new("Plain"))
    for polygon in item.data.polygons:
        polygon.material_index = int(polygon.center.x > 0)
    return item


def test_texels_are_those_that_a_map_lays_on_triangles():
    sheet()
    found, name = preview(counted="TEXELS", texels=200)
    assert name == "Texels"
    assert sum(found.values()) == TEXELS / 2
    assert 0 < max(found.values()) <= 200
    cut(counted="TEXELS", texels=200)
    assert {item["octree_chunk"] for item in chunks()} == set(found)
    for item in chunks():
        corners = world(item)
        left = areas(corners[corners.mean(axis=1)[:, 0] < 0]).sum()
        assert found[item["octree_chunk"]] == pytest.approx(TEXELS * left / 16, abs=0.5)
    assert any(count == 0 for count in found.values())


def test_images_count_once_and_in_groups_but_not_muted():
    images = [bpy.data.images.new("One", 8, 4), bpy.data.images.new("Other", 2, 2)]
    assert texels_of(material(*images)) == 36
    assert texels_of(bpy.data.materials.new("Empty")) == 0


def test_without_images_or_maps_the_reason_is_told():
    item = sheet()
    item.data.uv_layers.remove(item.data.uv_layers[0])
    bumpy()
    with pytest.raises(RuntimeError, match="There are no texels"):
        preview(counted="TEXELS")
    assert not bpy.context.scene.octree.results.kept


def test_objects_and_instances_count_as_objects():
    for number in range(12):
        cube(f"Box {number}", 0.2, location=(0.3 + number, 0.4, 0.3))
    collection_instance([cube("Part", 0.2)], "Set", location=(0.3, 0.7, 0.3))
    bpy.context.view_layer.update()
    found, name = preview(counted="OBJECTS", objects=3)
    assert name == "Objects"
    assert max(found.values()) <= 3
    assert 4 <= len(found) < 12
    assert sum(found.values()) == 13


@pytest.mark.parametrize(
    ("words", "code"), [(("--objects", 1), 0), (("--texels", 9), 2), (("--objects", 0), 2),
                        (("--objects", 1, "--triangles", 9), 2), (("--cell", "nan"), 2)]
)  # fmt: skip
def test_the_command_takes_one_budget(words, code, tmp_path, capsys):
    cube("One", location=(0.3, 0.3, 0.3))
    cube("Other", location=(5.3, 0.3, 0.3))
    path = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    given = ["chunks", path, "--least-triangles", 0, "--out", tmp_path / "out", *words]
    assert main([str(each) for each in given]) == code
    if code == 0:
        assert "over 1 object\n" in capsys.readouterr().out
        assert len(list((tmp_path / "out").glob("*.npz"))) > 1
