"""The laser: six distances from a point, as the probe shows them, and as rows that are kept."""

import bpy
import numpy as np
import pytest
from blender_scenes import cube
from probing import answered

from octree_ext.octree_addon.answers.kept import active_result, view_of
from octree_ext.octree_addon.display import dimensions
from octree_ext.octree_addon.probe import session
from octree_ext.octree_addon.ui import settings_of

ALL = ["+X", "+Y", "+Z", "-X", "-Y", "-Z"]


@pytest.fixture(autouse=True)
def ended():
    yield
    session.end()


@pytest.fixture
def room(empty_scene):
    """Add a room of 8 by 6 by 4 units around the origin."""
    cube("Room", 1.0).scale = (8, 6, 4)
    bpy.context.view_layer.update()
    return empty_scene


def measure(**options):
    assert bpy.ops.octree.measure_laser(**options) == {"FINISHED"}
    view = view_of(bpy.context.scene, active_result(bpy.context.scene))
    axes = [ALL[number] for number in view.rows.column("Axis").values.tolist()]
    names = [view.labels(row)[0] for row in range(len(view.rows))]
    return dict(
        zip(axes, view.rows.column("Distance").values.round(4).tolist(), strict=True)
    ), names


def test_in_a_room_each_wall_is_told_and_kept(room):
    found, names = measure(origin=(1, 2, 0.5))
    assert found == {"+X": 3, "+Y": 1, "+Z": 1.5, "-X": 5, "-Y": 5, "-Z": 2.5}
    assert names == ["Room"] * 6
    ends, written = dimensions.shown_lines(room)
    assert written == ["3 m", "1 m", "1.5 m", "5 m", "5 m", "2.5 m"]
    np.testing.assert_allclose(ends[:, 0], [[1, 2, 0.5]] * 6)
    assert bpy.ops.octree.make_distances_real() == {"FINISHED"}
    assert len(bpy.context.object.data.edges) == 6


def test_lines_go_once_the_scene_has_changed(room):
    measure(origin=(0, 0, 0))
    assert len(dimensions.shown_lines(room)[1]) == 6
    bpy.data.objects["Room"].location.x = 1
    bpy.context.view_layer.update()
    assert dimensions.shown_lines(room)[1] == []


def test_the_surface_itself_does_not_answer_and_nothing_has_no_line(room):
    found, _ = measure(origin=(1, 2, -2), normal=(0, 0, 1))
    assert found == {"+X": 3, "+Y": 1, "+Z": 4, "-X": 5, "-Y": 5}
    outside, names = measure(origin=(50, 50, 50))
    assert (outside, names) == ({}, [])


def test_a_scene_without_faces_is_refused(empty_scene):
    with pytest.raises(RuntimeError, match="no triangles"):
        bpy.ops.octree.measure_laser()


def test_a_tilted_surface_measures_along_its_normal(empty_scene):
    lower, upper = (cube(name, 2.0) for name in ("Lower", "Upper"))
    way = np.array((0.6, 0.0, 0.8))
    for item, place in ((lower, -way), (upper, 6 * way)):
        item.rotation_euler, item.location = (0, float(np.arctan2(0.6, 0.8)), 0), place
    bpy.context.view_layer.update()
    found, names = measure(origin=(0, 0, 0), normal=(0.6, 0, 0.8), orientation="SURFACE")
    assert found == {"+Z": 5, "-Z": 2}
    assert names == ["Upper", "Lower"]
    assert settings_of(empty_scene).laser.orientation == "SURFACE"


def test_the_probe_shows_what_a_click_keeps(room):
    settings_of(room).tab.near = "laser"
    live = answered((1, 2, 0.5))
    assert live.picture.words == "+X 3 m, +Y 1 m, +Z 1.5 m, -X 5 m, -Y 5 m, -Z 2.5 m"
    assert live.picture.segments.shape == (12, 3)
    assert live.picture.lengths[0] == "3 m"
    assert bpy.ops.octree.probe_keep(point=(1, 2, 0.5)) == {"FINISHED"}
    result = active_result(room)
    assert (result.question, result.count) == ("measure_laser", 6)
