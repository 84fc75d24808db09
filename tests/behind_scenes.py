"""Shapes with known silhouettes before Blender's camera, and what a shot says of them."""

from math import acos, pi, sqrt

import bpy
from blender_scenes import camera, mesh_object

from octree_ext.core import run
from octree_ext.octree_addon import cameras as shot

RADIUS = 0.4
# The view is 4 wide and 3 high, 640 by 480 pixels.
PIXEL = 4 / 640
DISC = pi * (RADIUS / PIXEL) ** 2


def eye(width=640, height=480, **values):
    """Add a parallel camera that looks along y, 4 wide; the render has that many pixels."""
    item = camera("ORTHO", rotation_euler=(pi / 2, 0, 0))
    item.data.ortho_scale, item.data.clip_start, item.data.clip_end = 4.0, 0.5, 20.0
    for name, value in values.items():
        setattr(item.data, name, value)
    render = bpy.context.scene.render
    render.resolution_x, render.resolution_y, render.resolution_percentage = width, height, 100
    return item


def ball(name, location, radius=RADIUS):
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=5, radius=radius, location=location)
    bpy.context.object.name = name
    return bpy.context.object


def card(name, left, right, y, low=-1.0, high=1.0):
    """Add a rectangle that stands in the way, from left to right."""
    corners = [(left, y, low), (right, y, low), (right, y, high), (left, y, high)]
    return mesh_object(name, corners, [(0, 1, 2, 3)])


def chord_behind(part):
    """Return where a line stands that has this part of a disc with radius 1 on its left."""
    low, high = -1.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        area = (acos(-middle) + middle * sqrt(1 - middle**2)) / pi
        low, high = (middle, high) if area < part else (low, middle)
    return low


def known_shapes():
    """Add five spheres and two cards: see the names."""
    ball("Half Out", (-2, 5, 0))
    ball("Behind", (0, 5, 0))
    ball("Tiny", (1, 5, 1), 1.5 * PIXEL)
    ball("Hidden", (1, 5, -0.5))
    ball("Beside", (5, 5, 0))
    card("Card", -0.8, RADIUS * chord_behind(0.6), 2)
    card("Large Card", 0.55, 1.45, 2, -2.0, 0.0)


def count(frames=(1,), wanted=None, cameras=(), **options):
    """Return what cameras see of the scene, counted by pixels."""
    look = shot.Shot(frames=frames, cameras=cameras, wanted=wanted)
    return run(shot.pixel_steps(bpy.context, look, shot.PixelOptions(**options)))


def rows_of(result):
    """Return (name, instance, frame, camera) -> the numbers of a row."""
    table, found = result.table, {}
    for row, (view, item) in enumerate(zip(table.views, table.items_of, strict=True)):
        name = table.items.names[item], table.items.instances[item]
        which = int(table.which.frames[view]), table.which.names[table.which.cameras[view]]
        numbers = {key: column[row] for key, column in vars(table.pixels).items()}
        numbers |= {
            "state": int(table.states[row]),
            "visible_fraction": table.pixels.visible_fractions[row],
            "truncated_fraction": table.pixels.truncated_fractions[row],
        }
        found[(*name, *which)] = numbers
    return found


def only_rows(result):
    """Return name -> row, of one view of objects without instances."""
    return {name: row for (name, *_), row in rows_of(result).items()}


def seen_names(result):
    return {
        each.name for each, count in zip(result.objects, result.frame_counts, strict=True) if count
    }
