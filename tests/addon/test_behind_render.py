"""Pixels of item buffers against a real render: Cycles, one sample in the middle of each pixel."""

from math import pi

import bpy
import numpy as np
import pytest
from behind_scenes import ball, count
from blender_scenes import camera, cube

NAMES = ("Ball", "Cube", "Far", "Near")


def flat(item, level):
    """Let an object shine in one gray, and nothing else."""
    material = bpy.data.materials.new(item.name)
    if bpy.app.version < (5, 0):
        material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    nodes.clear()
    output, shine = nodes.new("ShaderNodeOutputMaterial"), nodes.new("ShaderNodeEmission")
    shine.inputs["Color"].default_value = (level, level, level, 1)
    links.new(shine.outputs[0], output.inputs[0])
    item.data.materials.clear()
    item.data.materials.append(material)


def add_shapes():
    """Add four shapes before, in and beyond each other, each in a gray of its own."""
    ball("Ball", (0.3, 5, 0.2), 0.9)
    cube("Cube", 1.2, location=(-0.9, 4.5, -0.2), rotation_euler=(0.4, 0.2, 0.7))
    cube("Far", 6.0, location=(2, 14, 1), rotation_euler=(0, 0.3, 0.3))
    cube("Near", 0.5, location=(0.8, 3, -0.7), rotation_euler=(1, 0.5, 0))
    for number, name in enumerate(NAMES):
        flat(bpy.data.objects[name], (number + 1) / 5)


def rendered(path):
    """Render, and return the number of the shape in each pixel, -1 for none, the top row first."""
    scene = bpy.context.scene
    scene.render.engine, scene.cycles.samples = "CYCLES", 1
    scene.cycles.device, scene.cycles.use_denoising = "CPU", False
    scene.cycles.use_adaptive_sampling = False
    scene.cycles.pixel_filter_type, scene.cycles.filter_width = "GAUSSIAN", 0.01
    scene.view_settings.view_transform = "Raw"
    scene.world = bpy.data.worlds.new("Dark")
    scene.world.color = (0, 0, 0)
    scene.render.filepath, scene.render.image_settings.file_format = str(path), "PNG"
    scene.render.dither_intensity = 0.0
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(str(path))
    image.colorspace_settings.name = "Non-Color"
    width, height = image.size
    pixels = np.array(image.pixels[:]).reshape(height, width, 4)
    return np.round(pixels[::-1, :, 0] * 5).astype(int) - 1


def labels():
    """Return the same of item buffers."""
    table = count().table
    numbers = np.array([NAMES.index(name) for name in table.items.names] + [-1])
    return numbers[table.label_picture(0)]


def near(picture):
    """Return each pixel with its eight neighbors, (9, height, width)."""
    height, width = picture.shape
    wide = np.pad(picture, 1, mode="edge")
    return np.array([wide[y : y + height, x : x + width] for y in range(3) for x in range(3)])


def shifted(lens, _):
    lens.shift_x, lens.shift_y = 0.15, -0.1


def bordered(_, render):
    render.use_border = render.use_crop_to_border = True
    render.border_min_x, render.border_max_x = 0.203, 0.81
    render.border_min_y, render.border_max_y = 0.111, 0.77


def uneven_pixels(_, render):
    render.pixel_aspect_x, render.pixel_aspect_y = 1.0, 1.7


def upright(lens, render):
    render.resolution_x, render.resolution_y = 121, 181
    lens.sensor_fit, lens.sensor_height = "VERTICAL", 30.0


def parallel(lens, _):
    lens.type, lens.ortho_scale, lens.shift_x = "ORTHO", 4.0, 0.1


def small(_, render):
    render.resolution_x, render.resolution_y, render.resolution_percentage = 389, 251, 47


@pytest.mark.parametrize(
    "setting",
    [shifted, bordered, uneven_pixels, upright, parallel, small],
    ids=lambda it: it.__name__,
)
def test_silhouettes_are_those_of_a_render(tmp_path, setting):
    if "cycles" not in bpy.context.preferences.addons and not hasattr(bpy.context.scene, "cycles"):
        pytest.skip("no Cycles here")
    add_shapes()
    eye = camera(
        location=(0.2, -1, 0.3), rotation_euler=(pi / 2 - 0.05, 0.1, 0.02), scale=(2, 1, 3)
    )
    eye.data.lens = 40
    render = bpy.context.scene.render
    render.resolution_x, render.resolution_y, render.resolution_percentage = 181, 121, 100
    setting(eye.data, render)
    known, found = rendered(tmp_path / "picture.png"), labels()
    assert known.shape == found.shape
    assert set(np.unique(known)) >= {0, 1, 2}
    differ = known != found
    assert differ.mean() < 0.002
    assert (near(known) == found).any(axis=0).all()
    assert (near(found) == known).any(axis=0).all()
