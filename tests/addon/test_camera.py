"""The frustum of a camera against Blender's own projection of points."""

import itertools
from math import radians

import bpy
import numpy as np
import pytest
from camera_oracle import points_about, seen_points
from mathutils import Matrix, Vector

from octree_ext.octree_addon.camera import camera_frusta

LENSES = list(itertools.product(("PERSP", "ORTHO"), ("AUTO", "HORIZONTAL", "VERTICAL")))
SHIFTS = [(0.0, 0.0), (0.3, -0.2), (-1.4, 0.9)]
IMAGES = [(1920, 1080, 1.0, 1.0), (600, 1000, 2.0, 1.0), (512, 512, 1.0, 1.5)]
SCALES = [(1.0, 1.0, 1.0), (2.0, 2.0, 2.0), (1.0, 2.0, 3.0), (-1.0, 1.0, 1.0)]
NEAR, FAR = 0.5, 20.0


@pytest.fixture
def camera(empty_scene):
    lens = bpy.data.cameras.new("Camera")
    lens.clip_start, lens.clip_end = NEAR, FAR
    item = bpy.data.objects.new("Camera", lens)
    empty_scene.collection.objects.link(item)
    empty_scene.camera = item
    item.matrix_world = Matrix.LocRotScale(
        Vector((3, -4, 2)), Matrix.Rotation(1.1, 3, Vector((1, 2, 3))), None
    )
    return item


def frustum(camera, **options):
    depsgraph = bpy.context.evaluated_depsgraph_get()
    evaluated = camera.evaluated_get(depsgraph)
    return camera_frusta(evaluated, bpy.context.scene, depsgraph, **options)


def planes_of(frusta):
    """Six planes, left, right, bottom, top, near, far: unit normals inward, and offsets."""
    corners = frusta.corners[0]
    rings = corners[
        [[0, 3, 7, 4], [1, 2, 6, 5], [0, 1, 5, 4], [3, 2, 6, 7], [0, 1, 2, 3], [4, 5, 6, 7]]
    ]
    normals = np.cross(rings[:, 2] - rings[:, 0], rings[:, 3] - rings[:, 1])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    inward = corners.mean(axis=0) - rings.mean(axis=1)
    normals *= np.sign((normals * inward).sum(axis=1))[:, None]
    return np.column_stack((normals, -(normals * rings[:, 0]).sum(axis=1)))


def inside(frusta, points):
    planes = planes_of(frusta)
    return (points @ planes[:, :3].T + planes[:, 3] >= 0).all(axis=1)


@pytest.mark.parametrize(("kind", "fit"), LENSES)
@pytest.mark.parametrize("shift", SHIFTS)
def test_agrees_with_the_projection_of_points(camera, kind, fit, shift):
    lens, render = camera.data, bpy.context.scene.render
    lens.type, lens.sensor_fit = kind, fit
    lens.sensor_width, lens.sensor_height = 30.0, 25.0
    lens.shift_x, lens.shift_y = shift
    seen_ever = total = 0
    for image, scale in itertools.product(IMAGES, SCALES):
        render.resolution_x, render.resolution_y = image[:2]
        render.pixel_aspect_x, render.pixel_aspect_y = image[2:]
        camera.scale = scale
        bpy.context.view_layer.update()
        points = points_about(camera)
        seen, unsure = seen_points(camera, points)
        found = inside(frustum(camera), points)
        assert np.array_equal(found[~unsure], seen[~unsure])
        seen_ever, total = seen_ever + seen.sum(), total + len(points)
    assert 0.1 * total < seen_ever < 0.9 * total


def test_follows_a_scaled_and_sheared_parent(camera):
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.scale, parent.rotation_euler = (1, 3, 0.5), (0.4, 0.5, 0.6)
    camera.parent = parent
    bpy.context.view_layer.update()
    points = points_about(camera, 500)
    seen, unsure = seen_points(camera, points)
    assert np.array_equal(inside(frustum(camera), points)[~unsure], seen[~unsure])
    assert seen.any()


def test_is_cropped_to_the_render_border(camera):
    render = bpy.context.scene.render
    render.use_border = True
    render.border_min_x, render.border_max_x = 0.25, 0.5
    render.border_min_y, render.border_max_y = 0.1, 0.9
    bpy.context.view_layer.update()
    points = points_about(camera, 500)
    seen, unsure = seen_points(camera, points, ((0.25, 0.5), (0.1, 0.9)))
    assert np.array_equal(inside(frustum(camera), points)[~unsure], seen[~unsure])
    assert seen.any()


def test_the_percentage_of_the_resolution_does_not_matter(camera):
    whole = frustum(camera).corners
    bpy.context.scene.render.resolution_percentage = 37
    assert np.array_equal(frustum(camera).corners, whole)


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
@pytest.mark.parametrize("shift", SHIFTS)
def test_margin_moves_every_plane_outward_by_its_length(camera, kind, shift):
    camera.data.type = kind
    camera.data.shift_x, camera.data.shift_y = shift
    plain, wide = planes_of(frustum(camera)), planes_of(frustum(camera, margin=2.5))
    assert np.allclose(plain[:, :3], wide[:, :3], atol=1e-6)
    assert np.allclose(wide[:, 3] - plain[:, 3], 2.5, atol=1e-4)


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
def test_angle_turns_the_sides_and_leaves_the_clipping(camera, kind):
    camera.data.type = kind
    plain, wide = planes_of(frustum(camera)), planes_of(frustum(camera, angle=radians(10)))
    turned = np.einsum("ij,ij->i", plain[:, :3], wide[:, :3])
    assert np.allclose(turned[:4], np.cos(radians(10)), atol=1e-6)
    assert np.allclose(plain[4:], wide[4:], atol=1e-6)


def test_corners_come_in_the_order_of_the_core(camera):
    local = frustum(camera).corners[0] @ np.array(camera.matrix_world.normalized())[:3, :3]
    local -= np.array(camera.matrix_world.translation) @ np.array(camera.matrix_world)[:3, :3]
    signs = np.sign(local[:, :2]).astype(int).tolist()
    assert signs == [[-1, -1], [1, -1], [1, 1], [-1, 1]] * 2
    assert np.allclose(local[:, 2], [-NEAR] * 4 + [-FAR] * 4, atol=1e-4)


def test_uses_the_evaluated_camera(camera):
    driver = camera.driver_add("location", 0).driver
    driver.type, driver.expression = "SCRIPTED", "100"
    bpy.context.view_layer.update()
    assert frustum(camera).corners[0, :, 0].min() > 50


def test_refuses_a_panoramic_camera(camera):
    camera.data.type = "PANO"
    with pytest.raises(ValueError, match="Camera is a panoramic camera"):
        frustum(camera)


def test_refuses_a_custom_camera(camera):
    if "CUSTOM" not in {
        item.identifier for item in camera.data.bl_rna.properties["type"].enum_items
    }:
        pytest.skip("custom cameras came with Blender 5.0")
    camera.data.type = "CUSTOM"
    with pytest.raises(ValueError, match="Camera is a custom camera"):
        frustum(camera)


def test_refuses_what_is_no_camera(empty_scene):
    light = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    empty_scene.collection.objects.link(light)
    with pytest.raises(ValueError, match="Sun is not a camera"):
        frustum(light)


def test_refuses_a_camera_that_is_nowhere(camera):
    camera.location.x = np.nan
    bpy.context.view_layer.update()
    with pytest.raises(ValueError, match="is nowhere"):
        frustum(camera)


def test_refuses_a_camera_without_extent(camera):
    camera.scale = (0, 1, 1)
    bpy.context.view_layer.update()
    with pytest.raises(ValueError, match="scale of zero"):
        frustum(camera)


def test_refuses_an_angle_that_opens_the_view_to_a_half_space(camera):
    with pytest.raises(ValueError, match="180 degrees"):
        frustum(camera, angle=radians(80))


def test_refuses_clipping_that_ends_where_it_starts(camera):
    camera.data.clip_start = camera.data.clip_end = 5.0
    bpy.context.view_layer.update()
    with pytest.raises(ValueError, match="Camera sees nothing"):
        frustum(camera)


def test_refuses_an_empty_render_border(camera):
    render = bpy.context.scene.render
    render.use_border, render.border_min_x, render.border_max_x = True, 0.45, 0.45
    with pytest.raises(ValueError, match="border is empty"):
        frustum(camera)
