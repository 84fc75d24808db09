"""Bad input: a message each, no traceback, nothing changed."""

import bpy
import numpy as np
import pytest
from blender_scenes import camera, cube, link, mesh_object, select_only, selected

from octree_ext.octree_addon import trees
from octree_ext.octree_addon.ui import settings_of

CALLS = ("build", "rebuild", "clear", "select_in_frustum", "select_in_sphere")


def state():
    """Everything that a failed call must leave as it was."""
    scene = bpy.context.scene
    groups = settings_of(scene)
    values = [
        (group, key, str(getattr(getattr(groups, group), key)))
        for group in ("build", "display", "frustum", "sphere")
        for key in sorted(getattr(groups, group).bl_rna.properties.keys())
    ]
    return values, groups.tree_number, trees.get(scene), selected()


def refused(call, message, **options):
    before = state()
    with pytest.raises(RuntimeError, match=message) as failure:
        getattr(bpy.ops.octree, call)(**options)
    assert "Traceback" not in str(failure.value)
    assert state() == before


def test_nothing_selected():
    cube()
    select_only()
    refused("build", "Select at least one object")


def test_nothing_built():
    refused("rebuild", "Build an octree first")
    refused("clear", "There is no octree")


@pytest.mark.parametrize("vertices", [[], [(0, 0, 0)], [(0, 0, 0), (1, 0, 0)]])
def test_a_mesh_without_faces(vertices):
    select_only(mesh_object("Loose", vertices, []))
    refused("build", r"no triangles to build an octree of \(1 without faces\)", capacity=3)
    refused("select_in_sphere", "no triangles", radius=3)


def test_an_empty_scene():
    refused("select_in_sphere", "no triangles")
    camera()
    refused("select_in_frustum", "no triangles")


def test_only_lights():
    select_only(link(bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))))
    refused("build", "1 light")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_no_finite_vertex(value):
    item = cube()
    item.data.vertices.foreach_set("co", np.full(24, value, np.float32))
    item.data.update()
    select_only(item)
    refused("build", "no triangles with finite coordinates")


def test_one_vertex_that_is_not_finite():
    item = cube()
    item.data.vertices[0].co.x = np.nan
    item.data.update()
    select_only(item)
    bpy.ops.octree.build()
    octree = trees.get(bpy.context.scene).octree
    assert 4 <= len(octree.invalid_items) <= 6
    bpy.ops.octree.select_in_sphere(center=(0, 0, 0), radius=9)
    assert selected() == {"Cube"}
    view = camera("ORTHO", location=(0, 0, 10))
    view.data.ortho_scale = 9
    bpy.ops.octree.select_in_frustum(relation="INSIDE")
    assert selected() == {"Cube"}


def test_zero_scale():
    item = cube(location=(1, 2, 3), scale=(0, 0, 0))
    select_only(item)
    bpy.ops.octree.build()
    bpy.ops.octree.select_in_sphere(center=(1, 2, 3), radius=0)
    assert selected() == {"Cube"}
    bpy.ops.octree.select_in_sphere(center=(1, 2, 3.01), radius=0)
    assert selected() == set()


def test_a_hundred_coincident_triangles():
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    item = mesh_object("Pile", corners * 100, np.arange(300).reshape(-1, 3).tolist())
    select_only(item)
    bpy.ops.octree.build(capacity=1, max_depth=21)
    assert trees.get(bpy.context.scene).octree.is_leaf.tolist() == [True]


def test_no_camera():
    cube()
    refused("select_in_frustum", "The scene has no camera")


def test_no_camera_of_that_name():
    cube()
    camera()
    refused("select_in_frustum", "no object named Nobody", camera="Nobody")


def test_something_else_as_camera():
    cube("Box")
    bpy.context.scene.camera = bpy.data.objects["Box"]
    refused("select_in_frustum", "Box is not a camera")


def test_a_panoramic_camera():
    cube()
    camera("PANO")
    refused("select_in_frustum", "panoramic camera, whose view is no frustum")


def test_an_angle_too_wide():
    cube()
    camera()
    refused("select_in_frustum", "180 degrees", angle=1.5)


def test_no_object_for_the_bounds():
    select_only(cube())
    refused("build", "Choose the object that gives the bounds", bounds="OBJECT")
    refused("build", "no object named Nobody", bounds="OBJECT", bounds_object="Nobody")


def test_no_faces_to_select():
    item = cube()
    item.modifiers.new("Subdivision", "SUBSURF")
    refused("select_in_sphere", "no faces of the meshes in the view layer", kind="FACES")
    select_only(item)
    bpy.ops.object.mode_set(mode="EDIT")
    refused("select_in_sphere", "no faces of the meshes in Edit Mode")
    bpy.ops.object.mode_set(mode="OBJECT")


def test_the_wrong_mode():
    select_only(cube())
    bpy.ops.object.mode_set(mode="SCULPT")
    refused("build", "Leave Sculpt Mode first")
    refused("select_in_sphere", "Go to Object Mode")
    bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize("call", CALLS)
def test_every_operator_has_its_place(call):
    kind = getattr(bpy.ops.octree, call).get_rna_type()
    assert kind.name
    assert kind.description
    assert not kind.description.endswith(".")
