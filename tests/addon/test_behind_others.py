"""What is really seen: known silhouettes through Blender's camera, roles, materials, instances."""

from math import pi

import bpy
import numpy as np
import pytest
from behind_scenes import (
    DISC,
    PIXEL,
    RADIUS,
    ball,
    card,
    count,
    eye,
    known_shapes,
    only_rows,
    rows_of,
    seen_names,
)
from blender_scenes import camera, collection_instance, cube, scatter, text

from octree_ext.core import ZBuffer
from octree_ext.octree_addon import cameras, item_buffer
from octree_ext.octree_addon.cameras import shown_scene
from octree_ext.octree_addon.cameras.table import OCCLUDED, OUT_OF_VIEW, SEEN, TOO_SMALL


@pytest.fixture(params=["chosen", "numpy"])
def renderer(request, monkeypatch):
    """Draw with what is chosen here, the card if there is one; and in NumPy."""
    if request.param == "numpy":
        monkeypatch.setattr(shown_scene, "renderer_of", ZBuffer)
    return request.param


@pytest.mark.parametrize("samples", [1, 2])
def test_known_shapes(renderer, samples):
    eye()
    known_shapes()
    found = count(samples=samples, least=16)
    rows = only_rows(found)
    states = {name: row["state"] for name, row in rows.items()}
    assert states == {
        "Half Out": SEEN,
        "Behind": SEEN,
        "Tiny": TOO_SMALL,
        "Hidden": OCCLUDED,
        "Card": SEEN,
        "Large Card": SEEN,
        "Beside": OUT_OF_VIEW,
    }
    assert rows["Beside"]["amodal"] == 0 < rows["Beside"]["extended"]
    assert seen_names(found) == {"Half Out", "Behind", "Card", "Large Card"}
    assert abs(rows["Half Out"]["truncated_fraction"] - 0.5) < 0.02
    assert rows["Half Out"]["visible_fraction"] == 1
    assert abs(rows["Half Out"]["extended"] / DISC - 1) < 0.02
    assert abs(rows["Behind"]["visible_fraction"] - 0.4) < 0.02
    assert abs(rows["Tiny"]["amodal"] - pi * 1.5**2) < 4 / samples
    assert abs(rows["Hidden"]["amodal"] / DISC - 1) < 0.02
    assert rows["Hidden"]["visible"] == 0
    assert abs(rows["Card"]["distances"] - 2) < 1e-3
    assert abs(rows["Half Out"]["distances"] - (5 - RADIUS)) < 1e-2
    radius = RADIUS / PIXEL
    box = [0, 240 - radius, radius, 2 * radius]
    assert np.abs(rows["Half Out"]["visible_boxes"] - box).max() <= 1


def test_three_pixels_are_seen_unless_that_is_too_small():
    eye()
    known_shapes()
    assert only_rows(count())["Tiny"]["state"] == SEEN
    assert only_rows(count(least=10))["Tiny"]["state"] == TOO_SMALL


def test_a_share_of_the_render_has_the_same_fractions():
    eye()
    known_shapes()
    found = count(share=0.25, samples=4)
    assert found.table.which.size == (160, 120)
    rows = only_rows(found)
    assert abs(rows["Half Out"]["truncated_fraction"] - 0.5) < 0.02
    assert abs(rows["Behind"]["visible_fraction"] - 0.4) < 0.02
    assert abs(rows["Half Out"]["extended"] * 16 / DISC - 1) < 0.02


def test_the_label_picture_shows_what_was_counted():
    eye()
    known_shapes()
    table = count().table
    picture = table.label_picture(0)
    assert picture.shape == (480, 640)
    for row, item in enumerate(table.items_of):
        assert (picture == item).sum() == table.pixels.visible[row]
        x, y, width, height = table.pixels.visible_boxes[row]
        assert (picture[y : y + height, x : x + width] == item).sum() == table.pixels.visible[row]


def test_border_and_percentage_are_those_of_the_render():
    eye(641, 480)
    ball("Ball", (0, 5, 0))
    render = bpy.context.scene.render
    render.resolution_percentage = 50
    render.use_border, render.border_min_x, render.border_max_x = True, 0.5, 0.9
    render.border_min_y, render.border_max_y = 0.0, 1.0
    found = count()
    assert found.table.which.size == (288 - 160, 240)
    row = only_rows(found)["Ball"]
    assert row["visible_boxes"][0] == 0
    assert abs(row["visible"] / (DISC / 4 / 2) - 1) < 0.02
    render.border_max_x = 0.5
    with pytest.raises(ValueError, match="border is empty"):
        count()


@pytest.mark.parametrize("far", [10.0, 1e4, 1e6])
def test_a_lens_may_begin_very_near_and_end_very_far(far):
    camera(rotation_euler=(pi / 2, 0, 0)).data.clip_end = far
    bpy.context.scene.camera.data.clip_start = 0.001
    cube("Cube", 1.0, location=(0, 5, 0))
    row = only_rows(count())["Cube"]
    assert row["visible_fraction"] == 1
    assert abs(row["distances"] - 4.5) < 0.01


def hide_collection(item):
    outer, inner = (bpy.data.collections.new(name) for name in ("Outer", "Inner"))
    scene = bpy.context.scene.collection
    scene.children.link(outer)
    outer.children.link(inner)
    inner.objects.link(item)
    scene.objects.unlink(item)
    outer.hide_render = True


@pytest.mark.parametrize(
    ("hide", "listed"),
    [
        (lambda item: None, True),
        (lambda item: setattr(item, "hide_render", True), False),
        (lambda item: setattr(item, "visible_camera", False), False),
        (hide_collection, False),
    ],
)
def test_what_a_render_leaves_out_hides_nothing(hide, listed):
    eye()
    ball("Ball", (0, 5, 0))
    wall = card("Wall", -1, 1, 2)
    hide(wall)
    found = count()
    rows = only_rows(found)
    assert ("Wall" in rows) == listed
    assert rows["Ball"]["state"] == (OCCLUDED if listed else SEEN)
    assert found.pixels.left_out == (not listed)
    assert sorted(each.name for each in found.objects) == ["Ball", "Wall"][: 1 + listed]


def test_a_holdout_hides_and_is_not_seen():
    eye()
    ball("Ball", (0, 5, 0))
    card("Wall", -1, 1, 2).is_holdout = True
    found = count()
    assert {name: row["state"] for name, row in only_rows(found).items()} == {"Ball": OCCLUDED}


def test_what_is_not_asked_for_hides_all_the_same():
    eye()
    known_shapes()
    wanted_names = {"Behind", "Hidden", "Beside"}
    wanted = {bpy.data.objects[name].session_uid for name in wanted_names}
    found = count(wanted=frozenset(wanted))
    rows = only_rows(found)
    assert rows.keys() == wanted_names
    assert abs(rows["Behind"]["visible_fraction"] - 0.4) < 0.02
    assert rows["Hidden"]["state"] == OCCLUDED
    assert len(found.objects) == 3
    assert set(np.unique(found.table.label_picture(0))) == {
        -1, [*found.table.items.names].index("Behind")
    }  # fmt: skip


def glass(name="Glass"):
    material = bpy.data.materials.new(name)
    if bpy.app.version < (5, 0):
        material.use_nodes = True
    material.node_tree.nodes["Principled BSDF"].inputs["Alpha"].default_value = 0.3
    return material


def test_faces_of_see_through_materials_are_left_out_by_choice():
    eye()
    ball("Ball", (0, 5, 0))
    pane = card("Pane", -1, 1, 2)
    pane.data.materials.append(glass())
    found = count()
    assert only_rows(found)["Ball"]["state"] == OCCLUDED
    assert (found.pixels.clear, found.pixels.is_open) == (("Glass",), False)
    found = count(open_faces=True)
    assert only_rows(found)["Ball"]["visible_fraction"] == 1
    assert "Pane" not in only_rows(found)
    # Of several materials, the faces of one.
    opened = cube("Half", 1.0, location=(1.5, 5, 0))
    for material in (bpy.data.materials.new("Paint"), glass("Clear")):
        opened.data.materials.append(material)
    for polygon in opened.data.polygons:
        polygon.material_index = polygon.normal.y < 0
    found = count(open_faces=True)
    assert found.pixels.clear == ("Clear", "Glass")
    # Its front is open; its back is farther away.
    assert abs(only_rows(found)["Half"]["distances"] - 5.5) < 1e-2


def test_instances_have_rows_of_their_own():
    eye()
    collection_instance([cube("Inner", 0.3)], location=(1, 5, 0))
    scatter(cube("Pebble", 0.1, location=(0, -90, 0)), card("Points", -1.5, -0.5, 5, 0.2, 0.8))
    rows = rows_of(count())
    instances = {key[:2] for key in rows}
    assert len({key for key in instances if key[0] == "Points"}) == 1 + 4
    assert ("Points", ()) in instances
    (one,) = (key for key in instances if key[0] == "Instance")
    assert one[1]
    assert len(instances) == 6


def test_instances_leave_out_what_a_render_does():
    eye()
    inner = [cube("Inner", 0.3), cube("Unrendered", 0.3, location=(0.5, 0, 0))]
    inner[1].hide_render = True
    collection_instance(inner, location=(0, 5, 0))
    pebble = cube("Pebble", 0.1, location=(0, -90, 0))
    pebble.hide_render = True  # geometry nodes show it all the same
    scatter(pebble, card("Points", -1.5, -0.5, 5, 0.2, 0.8))
    rows = rows_of(count())
    assert sum(key[0] == "Instance" for key in rows) == 1
    assert sum(key[0] == "Points" for key in rows) == 5


def test_curves_and_deforming_meshes_are_drawn_as_they_are():
    eye()
    text("Text", location=(-1, 5, 0), rotation_euler=(pi / 2, 0, 0))
    wave = card("Wave", -0.2, 0.2, 5)
    wave.shape_key_add(name="Basis")
    wide = wave.shape_key_add(name="Wide")
    for corner in wide.data:
        corner.co.x *= 2
    wide.value = 0.0
    wide.keyframe_insert("value", frame=1)
    wide.value = 1.0
    wide.keyframe_insert("value", frame=2)
    bpy.context.scene.frame_set(1)
    rows = rows_of(count((1, 2)))
    one, two = (rows["Wave", (), frame, "Camera"]["visible"] for frame in (1, 2))
    assert abs(two / one - 2) < 0.05
    assert any(name == "Text" for name, *_ in rows)


def test_what_is_not_counted_is_named():
    eye()
    ball("Ball", (0, 5, 0))
    volume = bpy.data.objects.new("Smoke", bpy.data.volumes.new("Smoke"))
    bpy.context.scene.collection.objects.link(volume)
    assert count().pixels.not_counted == ("volumes",)


def test_frames_and_chunks_of_frames_give_the_same():
    item = eye()
    known_shapes()
    # Two walls in one plane: which of them is seen must not depend on who came first.
    walls = [card(f"Wall {number}", -2, -1.2, 4, 0.5, 1.4) for number in range(2)]
    for frame, hidden in ((1, True), (3, False)):
        walls[0].hide_viewport = hidden
        walls[0].keyframe_insert("hide_viewport", frame=frame)
    for frame in (1, 5):
        item.location.x = frame / 10
        item.keyframe_insert("location", frame=frame)
    whole = rows_of(count((1, 2, 3, 4, 5)))
    parts = rows_of(count((1, 2))) | rows_of(count((4, 5))) | rows_of(count((3,)))
    assert whole.keys() == parts.keys()
    for key, row in whole.items():
        assert all(
            np.array_equal(value, parts[key][name], equal_nan=True) for name, value in row.items()
        )
    assert ("Wall 0", (), 4, "Camera") in whole


def test_the_card_and_numpy_agree(monkeypatch):
    if not item_buffer.can_draw():
        pytest.skip("no graphics context can be made here")
    eye()
    known_shapes()
    drawn = only_rows(count())
    monkeypatch.setattr(shown_scene, "renderer_of", ZBuffer)
    known = only_rows(count())
    assert drawn.keys() == known.keys()
    for name, row in known.items():
        assert row["state"] == drawn[name]["state"]
        assert abs(row["visible"] - drawn[name]["visible"]) <= 0.01 * row["amodal"]


def test_many_cameras_at_once():
    first = eye()
    known_shapes()
    second = camera("ORTHO", location=(0, 20, 0), rotation_euler=(pi / 2, 0, pi))
    second.data.ortho_scale, second.data.clip_end = 4.0, 30.0
    bpy.context.scene.camera = first
    rows = rows_of(count(cameras=(first.name, second.name)))
    assert rows["Hidden", (), 1, first.name]["state"] == OCCLUDED
    assert rows["Hidden", (), 1, second.name]["state"] == SEEN
    assert rows["Card", (), 1, second.name]["visible_fraction"] < 0.9


def test_refuses_pictures_of_other_sizes_and_goes_back():
    eye()
    known_shapes()
    render, sizes = bpy.context.scene.render, iter([640, 640, 320])

    def change(scene, _):
        render.resolution_x = next(sizes, 640)

    bpy.app.handlers.frame_change_pre.append(change)
    try:
        with pytest.raises(ValueError, match="size of the picture changes"):
            count((1, 2, 3))
    finally:
        bpy.app.handlers.frame_change_pre.remove(change)
    assert bpy.context.scene.frame_current == 1
    bpy.context.scene.camera = None
    with pytest.raises(ValueError, match="no camera"):
        count()


def test_nothing_before_the_camera():
    eye()
    found = count()
    assert (len(found.objects), len(found.table)) == (0, 0)
    assert (found.table.label_picture(0) == -1).all()
    assert OUT_OF_VIEW not in found.table.states
    assert cameras.get(bpy.context.scene) is None
