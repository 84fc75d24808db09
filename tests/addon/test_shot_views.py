"""What cameras see against Blender's own projection of points, over every kind of view."""

import itertools

import bpy
import pytest
from blender_scenes import camera, link, mesh_object
from camera_oracle import WHOLE, points_about, seen_points

from octree_ext.core import run
from octree_ext.octree_addon import cameras as shot

FITS = ("AUTO", "HORIZONTAL", "VERTICAL")
SHIFTS = ((0.0, 0.0), (0.3, -0.2), (-1.4, 0.9))
IMAGES = ((1920, 1080, 1.0, 1.0), (600, 1000, 2.0, 1.0), (512, 512, 1.0, 1.5))
BORDER = ((0.25, 0.75), (0.1, 0.9))
PARENTS = (((1.0, 1.0, 1.0), (0.0, 0.0, 0.0)), ((1.0, 3.0, 0.5), (0.4, 0.5, 0.6)))


@pytest.fixture
def specks():
    """Forty objects of one triangle without extent: each is seen where its origin is."""
    first = mesh_object("Speck", [(0, 0, 0)] * 3, [(0, 1, 2)])
    others = [link(bpy.data.objects.new("Speck", first.data)) for _ in range(39)]
    return [first, *others]


def set_image(size, border):
    render = bpy.context.scene.render
    render.resolution_x, render.resolution_y = size[:2]
    render.pixel_aspect_x, render.pixel_aspect_y = size[2:]
    render.use_border = border is not WHOLE
    (render.border_min_x, render.border_max_x), (render.border_min_y, render.border_max_y) = border


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
def test_sees_what_blender_projects_into_the_image(specks, kind, exact):
    parent = link(bpy.data.objects.new("Parent", None))
    item = camera(kind, parent=parent, location=(3, -4, 2), rotation_euler=(1.1, 0.7, 2.0))
    lens, misses, seen_ever, asked = item.data, 0, 0, 0
    lens.clip_start, lens.clip_end = 0.5, 20.0
    lens.sensor_width, lens.sensor_height = 30.0, 25.0
    for fit, shift, image, border, (scale, turn) in itertools.product(
        FITS, SHIFTS, IMAGES, (WHOLE, BORDER), PARENTS
    ):
        lens.sensor_fit, (lens.shift_x, lens.shift_y) = fit, shift
        parent.scale, parent.rotation_euler = scale, turn
        set_image(image, border)
        bpy.context.view_layer.update()
        points = points_about(item, len(specks))
        for speck, point in zip(specks, points, strict=True):
            speck.location = point
        expected, unsure = seen_points(item, points, border)
        found = run(shot.shot_steps(bpy.context, shot.Shot(frames=(1,), exact=exact)))
        flags = {
            each.session_uid: flag
            for each, flag in zip(found.objects, found.in_frames[:, 0], strict=True)
        }
        misses += sum(
            flags[speck.session_uid] != wanted
            for speck, wanted, skip in zip(specks, expected, unsure, strict=True)
            if not skip
        )
        seen_ever, asked = seen_ever + int(expected.sum()), asked + len(points)
    assert misses == 0
    assert 0.1 * asked < seen_ever < 0.9 * asked
