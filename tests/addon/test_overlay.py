"""What is drawn: the cells, their shades and corners. The window tests see the drawing itself."""

import operator
from dataclasses import replace
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from blender_scenes import cube, select_only
from costs import bytes_made, lines_run

from octree_ext.core import Boxes, Spheres, build_octree, run, trace
from octree_ext.core.shapes.boxes import CORNERS
from octree_ext.octree_addon import display, questions, trees
from octree_ext.octree_addon.display import (
    answered,
    batches,
    cells,
    detail,
    drawing,
    hover,
    layers,
    painted_objects,
)
from octree_ext.octree_addon.display.boxes import packed
from octree_ext.octree_addon.display.mesh import cells_to_mesh
from octree_ext.octree_addon.preferences import Colors
from octree_ext.octree_addon.questions.outlines import hexahedron_outline, sphere_outline
from octree_ext.octree_addon.questions.ray import RayQuery
from octree_ext.octree_addon.ui import settings_of

CHOICES = ("ALL", "OCCUPIED_AND_INTERNAL", "LEAVES", "OCCUPIED_LEAVES", "DEPTH")


def look(**changes):
    chosen = {"cells": "ALL", "depth": 2, "boxes": "TIGHT", "color_by": "DEPTH"}
    return cells.Look(**chosen | changes)


@pytest.fixture(scope="module", params=["copy", "keep"])
def octree(request):
    lower = np.random.default_rng(1).normal(size=(3000, 3))
    boxes = Boxes(lower, lower + 0.05)
    factor = 1.5 if request.param == "keep" else 1.0
    return build_octree(boxes, capacity=8, straddlers=request.param, loose_factor=factor)


@pytest.mark.parametrize("choice", CHOICES)
def test_choice_of_cells(octree, choice):
    shown = cells.shown_cells(octree, look(cells=choice)).tolist()
    assert shown == [
        cell for cell in range(len(octree.node_depth)) if belongs(octree, cell, choice)
    ]


def belongs(octree, cell, choice):
    leaf, occupied = octree.is_leaf[cell], len(octree.items_in(cell)) > 0
    return {
        "ALL": True,
        "OCCUPIED_AND_INTERNAL": occupied or not leaf,
        "LEAVES": leaf,
        "OCCUPIED_LEAVES": occupied and leaf,
        "DEPTH": octree.node_depth[cell] == 2,
    }[choice]


def test_depth_without_cells_shows_none(octree):
    none = cells.shown_cells(octree, look(cells="DEPTH", depth=21))
    assert none.shape == (0,)
    assert cells.cell_corners(octree, none, "TIGHT").shape == (0, 8, 3)
    assert cells.box_edges(0).shape == (0, 2)


@pytest.mark.parametrize("boxes", ["TIGHT", "LOOSE"])
def test_corners_are_those_of_the_boxes(octree, boxes):
    shown = cells.shown_cells(octree, look())
    corners = cells.cell_corners(octree, shown, boxes)
    lower = octree.loose_lower if boxes == "LOOSE" else octree.node_lower
    upper = octree.loose_upper if boxes == "LOOSE" else octree.node_upper
    expected = np.where(CORNERS, upper[shown, None], lower[shown, None])
    np.testing.assert_array_equal(corners, expected.astype(np.float32))


def test_edges_join_corners_that_differ_on_one_axis():
    edges = cells.box_edges(2)
    assert len(np.unique(np.sort(edges, axis=1), axis=0)) == 24
    bits = CORNERS[edges[:12]]
    assert (np.abs(bits[:, 0] - bits[:, 1]).sum(axis=1) == 1).all()
    np.testing.assert_array_equal(edges[12:], edges[:12] + 8)


def test_graphics_card_gets_the_types_that_it_does_not_check(octree):
    corners = cells.cell_corners(octree, np.arange(3), "TIGHT")
    assert corners.dtype == np.float32
    assert corners.flags.c_contiguous
    assert cells.box_edges(3).dtype == np.uint32


def test_shades_follow_depth_and_fill(octree):
    shown = cells.shown_cells(octree, look())
    by_depth = cells.cell_shades(octree, shown, "DEPTH")
    assert by_depth[0] == 0
    assert by_depth.max() == cells.SHADES - 1
    assert len(np.unique(by_depth)) == octree.node_depth.max() + 1
    by_fill = cells.cell_shades(octree, shown, "FILL")
    assert by_fill[octree.is_leaf & (octree.item_counts == 0)].max() == 0
    assert (by_fill[octree.item_counts >= octree.capacity] == cells.SHADES - 1).all()


def test_divided_cell_is_as_full_as_the_fullest_below(octree):
    fills = cells.fills(octree)
    for cell in np.flatnonzero(~octree.is_leaf)[:50].tolist():
        children = octree.first_child[cell] + np.arange(8)
        assert fills[cell] == max(octree.item_counts[cell], *fills[children])


def lightness_of(colors):
    """CIE lightness L* of sRGB colors, 0 to 100."""
    linear = np.where(colors > 0.04045, ((colors + 0.055) / 1.055) ** 2.4, colors / 12.92)
    return 116 * np.cbrt(linear @ [0.2126, 0.7152, 0.0722]) - 16


def test_ramp_is_told_apart_by_lightness_alone():
    steps = np.diff(lightness_of(cells.RAMP.astype(float)))
    assert (steps > 0).all()
    assert steps.max() < 2 * steps.mean()


def test_one_cell_is_a_mesh_of_twelve_edges(octree):
    mesh = cells_to_mesh(octree, np.array([0]), name="Cells")
    assert (len(mesh.vertices), len(mesh.edges), len(mesh.polygons)) == (8, 12, 0)
    assert not mesh.validate()
    corners = np.array([vertex.co for vertex in mesh.vertices])
    np.testing.assert_allclose(corners.min(axis=0), octree.node_lower[0], rtol=1e-6)
    np.testing.assert_allclose(corners.max(axis=0), octree.node_upper[0], rtol=1e-6)


def test_mesh_is_colored_by_depth(octree):
    mesh = cells_to_mesh(octree, np.arange(9), boxes="LOOSE", name="Cells")
    found = np.empty(9 * 8 * 4, np.float32)
    mesh.color_attributes["Color"].data.foreach_get("color_srgb", found)
    colors = cells.RAMP[cells.cell_shades(octree, np.arange(9), "DEPTH")]
    np.testing.assert_allclose(
        found.reshape(9, 8, 4)[..., :3], colors[:, None].repeat(8, 1), atol=1e-4
    )
    assert (found[3::4] == 1).all()


def test_no_cells_are_an_empty_mesh(octree):
    assert len(cells_to_mesh(octree, np.arange(0), name="Cells").vertices) == 0


def test_hundred_thousand_cells_are_made_ready_level_by_level():
    """No line is run for a cell; what is allocated follows what is uploaded."""
    lower = np.random.default_rng(1).uniform(size=(120_000, 3))

    def costs(count):
        octree = build_octree(Boxes(lower[:count], lower[:count]), capacity=4, max_depth=20)

        def make_ready():
            family = detail.family_of(octree, cells.wanted_cells(octree, look()), "TIGHT")
            colors = cells.cell_colors(octree, family.cells, look())
            return packed(family.rows, colors, family.parents, family.wanted, family.has_finer)

        return lines_run(make_ready).total(), bytes_made(make_ready) / len(octree.node_depth)

    few, many = costs(10_000), costs(120_000)
    assert many[0] < 1.5 * few[0]
    assert many[1] < 1.2 * few[1]


def test_display_is_installed_once():
    display.install()
    display.install()
    assert len(drawing._handles) == 2  # in space, and in pixels
    display.uninstall()
    display.uninstall()
    assert drawing._handles == []


def test_cells_of_a_question_are_those_it_looked_at(octree):
    states = trace(octree, Spheres([[0, 0, 0]], [1]))
    shown = cells.wanted_cells(octree, look(cells="QUESTION"), states)
    np.testing.assert_array_equal(shown, np.flatnonzero(states))
    colors = cells.cell_colors(octree, shown, look(cells="QUESTION"), states)
    np.testing.assert_array_equal(colors, cells.verdicts(Colors())[states[states > 0]])


def test_chosen_colors_are_those_of_the_cells_of_a_question(octree, monkeypatch):
    settings = settings_of(bpy.context.scene).display
    before = cells.look_of(settings)
    monkeypatch.setattr(cells, "colors", lambda: Colors(found=(1, 0, 0)))
    after = cells.look_of(settings)
    assert after != before  # so batches are made anew
    everything = Spheres([[0, 0, 0]], [100])
    states, root = trace(octree, everything), np.zeros(1, np.intp)
    colors = cells.cell_colors(octree, root, after._replace(cells="QUESTION"), states)
    np.testing.assert_array_equal(colors, [(1, 0, 0)])


def test_without_a_question_it_has_no_cells(octree):
    shown = cells.wanted_cells(octree, look(cells="QUESTION"))
    assert shown.shape == (0,)
    assert cells.cell_colors(octree, shown, look(cells="QUESTION")).shape == (0, 3)


def ready(outline):
    """See that the graphics card gets what it does not check."""
    assert outline.points.dtype == np.float32
    assert outline.points.flags.c_contiguous
    assert outline.edges.dtype == np.uint32
    return outline.points[outline.edges]


def test_outline_of_a_frustum_is_its_twelve_edges():
    signs = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    corners = [(x * z, y * z, z) for z in (1, 3) for x, y in signs]
    segments = ready(hexahedron_outline(corners))
    assert len(np.unique(segments.sum(axis=1), axis=0)) == 12
    lengths = np.linalg.norm(segments[:, 0] - segments[:, 1], axis=1)
    np.testing.assert_allclose(np.sort(lengths), [2] * 4 + [12**0.5] * 4 + [6] * 4, rtol=1e-6)


def test_outline_of_a_sphere_is_three_closed_circles():
    outline = sphere_outline([1, 2, 3], 5)
    away = ready(outline) - [1, 2, 3]
    np.testing.assert_allclose(np.linalg.norm(away, axis=2), 5, rtol=1e-6)
    assert (np.bincount(outline.edges.ravel()) == 2).all()
    in_plane = np.isclose(away, 0, atol=1e-6).all(axis=1)
    assert in_plane.sum(axis=0).tolist() == [64, 64, 64]


def test_outline_of_a_ray_ends_where_it_ends():
    query = RayQuery(
        target=None,
        title="",
        items=np.empty(0, np.intp),
        origin=np.array([1.0, 0, 0]),
        direction=np.array([0.0, 2.0, 0]),
        max_distance=5.0,
        is_first=True,
    )
    segments = ready(query.outline)
    np.testing.assert_array_equal(segments, [[(1, 0, 0), (1, 5, 0)]])


def test_numbers_of_a_cell_go_with_the_cells_that_are_shown(empty_scene):
    item = cube("Cube")
    select_only(item)
    bpy.ops.octree.build()
    display_settings, built = settings_of(empty_scene).display, trees.get(empty_scene)
    told = hover.numbers_of(built, 0, "TIGHT", empty_scene)
    assert told[:3] == ("Depth 0", "12 triangles", "Size 1.035, 1.035, 1.035 m")
    assert [(each[:4], each[-3:], each.count("mm")) for each in told[3:]] == [
        ("From", " mm", 1), ("To 5", " mm", 1)
    ]  # fmt: skip
    picture = SimpleNamespace(octree=built.octree)
    hover._hovered.append(hover.Hovered(1, (0, 0), picture, 0, ("Depth 0",)))
    assert hover.hovered_in(empty_scene) is not None
    display_settings.show = False
    assert hover.hovered_in(empty_scene) is None
    display_settings.show = True
    bpy.ops.octree.build(capacity=4)  # the pointer has not moved
    assert hover.hovered_in(empty_scene) is None
    hover.stop()
    assert hover.hovered_in(empty_scene) is None


def read_objects():
    """Return what was read to be painted."""
    return [each for key, each in layers._uploads.items() if key[0] == painted_objects._NAME]


@pytest.fixture
def painted(monkeypatch):
    """Stand in for the graphics card, and for Blender's window; return what is painted."""
    seen = []
    monkeypatch.setattr(batches, "draw_found", lambda _, query, *__, **___: seen.append(query))
    monkeypatch.setattr(batches, "draw_paint", lambda paint, *_: seen.append(paint))
    monkeypatch.setattr(drawing, "draw_outline", seen.append)
    monkeypatch.setattr(answered.active_row, "fade", lambda _: None)
    monkeypatch.setattr(painted_objects, "painted", lambda _, request: list(request.uids()))
    monkeypatch.setattr(answered, "colors", lambda: Colors(found=(0, 0, 1)))
    monkeypatch.setattr(painted_objects, "bpy", SimpleNamespace(
        app=SimpleNamespace(background=False), context=bpy.context, data=bpy.data, types=bpy.types,
    ))  # fmt: skip
    yield seen
    layers.drop_uploads()


def test_a_question_is_painted_while_the_list_shows_its_result(empty_scene, painted):
    cube("Cube")
    bpy.ops.octree.select_in_sphere(radius=5)
    query = questions.get(empty_scene)
    expected = [query, query.outline]
    drawing.draw_scene(empty_scene)
    assert painted == expected
    bpy.ops.octree.audit()
    drawing.draw_scene(empty_scene)
    assert painted == expected  # and no more
    settings_of(empty_scene).results.active = 0
    drawing.draw_scene(empty_scene)
    assert painted == 2 * expected
    bpy.ops.octree.remove_result()
    drawing.draw_scene(empty_scene)
    assert painted == 2 * expected


def test_objects_found_are_read_while_they_are_shown_and_hold(empty_scene, painted):
    cube("Ground", size=2)
    item = cube("High", location=(0, 0, 9))
    bpy.ops.octree.select_floating()
    run(painted_objects.unread_objects())
    (request,) = answered.objects_found(empty_scene)
    assert painted_objects.paint_of(request) == [item.session_uid]
    assert painted_objects.unread_objects() is None
    item.location.x += 1
    bpy.context.view_layer.update()
    assert painted_objects.unread_objects() is None  # it holds no more
    assert not read_objects()
    item.location.x -= 1
    bpy.context.view_layer.update()
    bpy.ops.octree.select_floating()
    settings_of(empty_scene).answer.found = False
    assert painted_objects.unread_objects() is None
    settings_of(empty_scene).answer.found = True
    run(painted_objects.unread_objects())
    assert read_objects()
    bpy.ops.octree.remove_result()
    drawing.draw_scene(empty_scene)
    assert not read_objects()


def test_a_read_that_was_interrupted_is_tried_once_more(empty_scene, painted, monkeypatch):
    def interrupted(*_):
        yield 0.0
        raise ValueError("The scene is read")

    cube("Cube")
    bpy.ops.octree.select_floating()
    with monkeypatch.context() as patch:
        patch.setattr(painted_objects, "scene_steps", interrupted)
        run(painted_objects.unread_objects())
    run(painted_objects.unread_objects())
    assert [each.paint is not None for each in read_objects()] == [True]
    layers.drop_uploads()
    monkeypatch.setattr(painted_objects, "scene_steps", interrupted)
    run(painted_objects.unread_objects())
    run(painted_objects.unread_objects())
    assert painted_objects.unread_objects() is None


def test_nothing_is_read_in_a_window_that_shows_another_scene(empty_scene, painted, monkeypatch):
    def slowly(*_):
        yield 0.0
        raise AssertionError("It goes on")

    cube("Cube")
    monkeypatch.setattr(painted_objects, "scene_steps", slowly)
    bpy.ops.octree.select_floating()
    steps = painted_objects.unread_objects()
    next(steps)
    window = bpy.context.window_manager.windows[0]
    other = bpy.data.scenes.new("Other")
    window.scene = other
    try:
        with pytest.raises(ReferenceError):
            run(steps)
    finally:
        window.scene = empty_scene
        bpy.data.scenes.remove(other)
    assert not read_objects()


def switches():
    return sorted({switch for layer in layers.LAYERS for switch in layer.switches})


def group_of(scene, switch):
    """Return the settings of a switch, and its name in them."""
    group, _, name = switch.partition(".")
    return getattr(settings_of(scene), group), name


@pytest.mark.parametrize("number", range(len(layers.LAYERS)))
def test_a_layer_that_fails_switches_all_off(empty_scene, monkeypatch, request, number):
    def fail(_):
        raise RuntimeError("The card is gone")

    monkeypatch.setattr(drawing, "shows_overlays", lambda _: True)
    broken = replace(layers.LAYERS[number], draw=fail)
    whole = layers.LAYERS[number]
    request.addfinalizer(lambda: operator.setitem(layers.LAYERS, number, whole))
    layers.LAYERS[number] = broken
    for switch in switches():
        setattr(*group_of(empty_scene, switch), True)
    drawing.draw()
    drawing.draw_pixels()
    assert drawing._failures == ["The card is gone"]
    drawing._failures.clear()
    drawing.turn_off([empty_scene])
    assert not any(getattr(*group_of(empty_scene, switch)) for switch in switches())
