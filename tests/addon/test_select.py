"""Objects selected by the octree against brute force over every triangle that Blender shows."""

import bpy
import numpy as np
import pytest
from blender_scenes import (
    camera,
    collection_instance,
    cube,
    link,
    monkey,
    scatter,
    select_only,
    selected,
    text,
    tube,
    world_triangles,
)
from camera_oracle import clip_planes, inside, touches
from mathutils import Vector
from mathutils.geometry import closest_point_on_tri

from octree_ext.octree_addon import questions, trees

NEAR, FAR = 0.5, 12.0


@pytest.fixture
def crowd():
    """Objects of every kind about the origin, with mirrored, flat and instanced ones."""
    random = np.random.default_rng(3)

    def anywhere():
        place, turn = random.uniform(-6, 6, 3), random.uniform(-3, 3, 3)
        return {"location": place, "rotation_euler": turn}

    first = monkey(1, **anywhere())
    for number, scale in enumerate([(1, 1, 1), (-1, 1, 1), (2, 0.3, 1), (0, 1, 1)]):
        copy = link(bpy.data.objects.new(f"Copy {number}", first.data), **anywhere())
        copy.scale = scale
    pebble, points = cube("Pebble", size=0.2, **anywhere()), cube("Points", size=3, **anywhere())
    scatter(pebble, points)
    collection_instance([cube("In"), text()], scale=(-1, 2, 1), **anywhere())
    tube(**anywhere())
    text("Wide words", **anywhere())
    for number in range(30):
        cube(f"Cube {number}", size=random.uniform(0.2, 1.5), **anywhere())
    bpy.context.view_layer.update()


def views(count):
    """Cameras about the crowd: eye and direction."""
    random = np.random.default_rng(5)
    for kind in ("PERSP", "ORTHO"):
        item = camera(kind)
        lens = item.data
        lens.clip_start, lens.clip_end, lens.ortho_scale = NEAR, FAR, 5.0
        for _ in range(count):
            item.location = random.uniform(-8, 8, 3)
            item.rotation_euler = random.uniform(-3, 3, 3)
            lens.shift_x, lens.shift_y = random.uniform(-0.5, 0.5, 2)
            bpy.context.view_layer.update()
            yield item


def names(found):
    return {name for name, is_found in found.items() if is_found}


def test_frustum_agrees_with_cutting_every_triangle(crowd):
    shown = world_triangles()
    select_only(*bpy.context.view_layer.objects)
    bpy.ops.octree.build(capacity=8)
    several = 0
    for item in views(8):
        planes = clip_planes(item)
        touched = names({n: any(touches(planes, t) for t in ts) for n, ts in shown.items()})
        within = names({n: all(inside(planes, t) for t in ts) for n, ts in shown.items()})
        several += bool(within) and touched != within
        for relation, expected in (("TOUCHING", touched), ("INSIDE", within)):
            for invert in (False, True):
                bpy.ops.octree.select_in_frustum(relation=relation, invert=invert)
                assert selected() == (set(shown) - expected if invert else expected)
    assert several >= 4


def test_sphere_agrees_with_the_distance_of_every_triangle(crowd):
    shown = world_triangles()
    select_only(*bpy.context.view_layer.objects)
    bpy.ops.octree.build(capacity=8, straddlers="KEEP", loose_factor=1.5)
    random = np.random.default_rng(8)
    for center, radius in zip(random.uniform(-6, 6, (20, 3)), np.linspace(0, 4, 20), strict=True):
        point = Vector(center)
        distance = {
            name: min((closest_point_on_tri(point, *map(Vector, t)) - point).length for t in ts)
            for name, ts in shown.items()
        }
        expected = {name for name, least in distance.items() if least <= radius}
        assert not any(abs(least - radius) < 1e-5 for least in distance.values())
        bpy.ops.octree.select_in_sphere(center=center, radius=radius, relation="TOUCHING")
        assert selected() == expected
        bpy.ops.octree.select_in_sphere(center=center, radius=radius, relation="CANDIDATES")
        assert selected() >= expected


@pytest.fixture
def row():
    """Ten cubes along x, the first four of them in an orthographic view from above."""
    cubes = [cube(f"Cube {x}", size=0.5, location=(x, 0, 0)) for x in range(10)]
    view = camera("ORTHO", location=(1.5, 0, 10))
    view.data.ortho_scale = 4
    bpy.context.scene.render.resolution_x = bpy.context.scene.render.resolution_y = 100
    bpy.context.view_layer.update()
    return cubes


def in_row(*numbers):
    return {f"Cube {number}" for number in numbers}


def test_actions_replace_extend_and_subtract(row):
    select_only(row[3], row[8])
    bpy.ops.octree.select_in_frustum(action="EXTEND")
    assert selected() == in_row(0, 1, 2, 3, 8)
    bpy.ops.octree.select_in_frustum(action="SUBTRACT")
    assert selected() == in_row(8)
    bpy.ops.octree.select_in_frustum(action="REPLACE")
    assert selected() == in_row(0, 1, 2, 3)
    bpy.ops.octree.select_in_frustum(action="REPLACE", invert=True)
    assert selected() == in_row(4, 5, 6, 7, 8, 9)


def test_replacing_deselects_what_is_not_in_the_tree(row):
    bpy.ops.octree.select_in_frustum()
    lamp = link(bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT")))
    lamp.select_set(True)
    bpy.ops.octree.select_in_frustum()
    assert "Lamp" not in selected()


def test_margin_and_angle_widen_the_view(row):
    bpy.ops.octree.select_in_frustum(margin=1.0)
    assert selected() == in_row(0, 1, 2, 3, 4)
    bpy.ops.octree.select_in_frustum(margin=0.0, angle=0.5)
    assert selected() > in_row(0, 1, 2, 3, 4)


def test_any_camera_can_be_asked(row):
    elsewhere = camera("ORTHO", location=(8, 0, 10))
    elsewhere.data.ortho_scale, elsewhere.name = 0.5, "Elsewhere"
    bpy.context.scene.camera = bpy.data.objects["Camera"]
    bpy.ops.octree.select_in_frustum(camera="Elsewhere")
    assert selected() == in_row(8)
    assert bpy.context.scene.octree.frustum.camera == elsewhere
    bpy.ops.octree.select_in_frustum()
    assert selected() == in_row(8)
    bpy.ops.octree.select_in_frustum(camera="")
    assert selected() == in_row(0, 1, 2, 3)


def test_render_border_crops_the_view(row):
    render = bpy.context.scene.render
    render.use_border, render.border_min_x, render.border_max_x = True, 0.0, 0.5
    bpy.ops.octree.select_in_frustum()
    assert selected() == in_row(0, 1)


def test_without_a_tree_the_visible_objects_are_asked(row):
    row[2].hide_set(True)
    bpy.ops.octree.select_in_frustum()
    assert selected() == in_row(0, 1, 3)
    assert len(questions.get(bpy.context.scene).target) == 9 * 12
    assert trees.get(bpy.context.scene) is None


def test_the_scene_is_asked_as_it_is_now(row):
    select_only(*row)
    bpy.ops.octree.build()
    bpy.ops.octree.select_in_frustum()
    row[9].location = (0, 1, 0)
    row[0].location = (50, 0, 0)
    cube("New", size=0.5, location=(2, -1, 0))
    bpy.ops.octree.select_in_frustum()
    assert selected() == in_row(1, 2, 3, 9) | {"New"}


def test_instances_are_counted_and_select_their_instancer(capfd):
    scatter(cube("Pebble", size=0.1, location=(90, 0, 0)), cube("Points", size=2))
    view = camera("ORTHO", location=(1, 0, 10))
    view.data.ortho_scale = 1.0
    select_only(bpy.data.objects["Points"])
    bpy.ops.octree.build()
    bpy.ops.octree.select_in_frustum()
    assert selected() == {"Points"}
    assert "1 object selected" in capfd.readouterr().out
    bpy.ops.octree.select_in_sphere(center=(1, 1, 1), radius=0.3)
    assert "1 object, 1 instance selected" in capfd.readouterr().out
    bpy.ops.octree.select_in_sphere(center=(0, 0, 0), radius=5)
    assert "1 object, 8 instances selected" in capfd.readouterr().out


def test_what_cannot_be_selected_is_counted(row, capfd):
    bpy.ops.octree.select_in_frustum()
    row[0].hide_select = True
    row[1].hide_set(True)
    bpy.data.objects.remove(row[2])
    bpy.ops.octree.select_in_frustum()
    assert selected() == in_row(3)
    assert "1 object selected; 1 could not be" in capfd.readouterr().out


def test_the_cursor_is_the_default_center(row):
    bpy.context.scene.cursor.location = (7, 0, 0)
    bpy.ops.octree.select_in_sphere(radius=0.6)
    assert selected() == in_row(7)
    bpy.context.scene.cursor.location = (2, 0, 0)
    bpy.ops.octree.select_in_sphere(radius=0.8)
    assert selected() == in_row(1, 2, 3)
    assert bpy.context.scene.octree.sphere.radius == pytest.approx(0.8)


def test_the_present_frame_is_asked():
    item = cube(size=2)
    for frame, x in ((1, 0), (2, 10)):
        item.location.x = x
        item.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(2)
    bpy.ops.octree.select_in_sphere(center=(10, 0, 0), radius=1.5)
    assert selected() == {"Cube"}
