"""What is nearest to the 3D cursor, and what a ray from it meets."""

import bpy
import numpy as np
import pytest
from blender_scenes import camera, cube, select_only, selected
from brute_force import check_last_answer
from paper import drawn
from probing import view3d

from octree_ext.octree_addon import questions, trees
from octree_ext.octree_addon.questions import OCTREE_PT_cursor


@pytest.fixture
def row(empty_scene):
    """Build a tree of five cubes along x, one unit wide, two apart; the cursor left of them."""
    select_only(*(cube(f"Cube {x}", location=(2 * x, 0, 0)) for x in range(5)))
    bpy.ops.octree.build(capacity=4)
    select_only()
    empty_scene.cursor.location = (-3, 0.125, 0.25)
    return empty_scene


def ask(operator, **options):
    assert operator("EXEC_DEFAULT", True, **options) == {"FINISHED"}
    return questions.get(bpy.context.scene)


def nearest(**options):
    return ask(bpy.ops.octree.select_nearest, **options)


def cast(**options):
    return ask(bpy.ops.octree.select_on_ray, **{"direction": (1, 0, 0)} | options)


def test_nearest_is_found_and_how_far_it_is(row):
    asked = nearest()
    assert selected() == {"Cube 0"}
    assert len(asked.items) == 1
    assert asked.notes == ("2.5 m away",)
    assert asked.traced.radii[0] == 2.5


def test_distances_are_told_in_the_units_of_the_scene(row):
    row.unit_settings.scale_length = 0.001
    assert nearest().notes == ("2.5 mm away",)
    assert cast().notes == ("first hit 2.5 mm away",)
    row.unit_settings.system = "NONE"
    assert nearest().notes == ("2.5 away",)
    assert cast().notes == ("first hit 2.5 away",)


def test_as_many_as_wanted_are_found(row):
    octree = trees.get(row).octree
    assert len(nearest(count=12 * 5).items) == len(octree)
    assert len(nearest(count=1000).items) == len(octree)
    nearest(count=13)
    assert selected() == {"Cube 0", "Cube 1"}


def test_nothing_is_found_beyond_the_greatest_distance(row):
    assert len(nearest(max_distance=2.4375).items) == 0
    assert selected() == set()
    assert len(nearest(max_distance=2.5).items) == 1


def test_first_hit_and_all_hits_of_a_ray(row):
    asked = cast()
    assert selected() == {"Cube 0"}
    assert asked.notes == ("first hit 2.5 m away",)
    assert len(cast(hits="ALL").items) == 10
    assert len(selected()) == 5
    assert len(cast(hits="ALL", max_distance=5.0).items) == 3
    assert len(cast(direction=(0, 0, -1)).items) == 0


def test_ray_reaches_whatever_is_there(row):
    row.cursor.location = (-1e6, 0.125, 0.25)
    assert len(cast(hits="ALL").items) == 10
    assert np.isfinite(questions.get(row).max_distance)


def test_ray_needs_a_direction(row):
    with pytest.raises(RuntimeError, match="needs a direction"):
        cast(direction=(0, 0, 0))
    assert questions.get(row) is None


def test_cells_of_a_ray_are_told(row):
    states = cast().states_in(trees.get(row).octree)
    assert states[0] == 2
    assert set(states.tolist()) <= {0, 1, 2}


def test_origin_may_be_given_and_the_cursor_is_asked_anew(row):
    nearest(origin=(8, 0, 5))
    assert selected() == {"Cube 4"}
    nearest()
    assert selected() == {"Cube 0"}


def test_settings_are_remembered_in_the_file(row):
    nearest(count=3, max_distance=7.0)
    cast(hits="ALL", max_distance=9.0)
    settings = row.octree
    assert (settings.nearest.count, settings.nearest.max_distance) == (3, 7.0)
    assert (settings.ray.hits, settings.ray.max_distance) == ("ALL", 9.0)
    assert settings.ray.direction[:] == (1, 0, 0)


@pytest.mark.parametrize("hits", ["FIRST", "ALL"])
def test_rays_agree_with_brute_force(row, hits):
    assert len(cast(hits=hits, direction=(1, 0.0625, 0)).items)
    check_last_answer()


@pytest.mark.parametrize("count", [1, 13, 1000])
def test_nearest_agree_with_brute_force(row, count):
    assert len(nearest(count=count, max_distance=6.0).items)
    check_last_answer()


def turned(scene):
    """Turn the 3D cursor so that its Z axis points along the row."""
    scene.cursor.rotation_euler = (0, np.pi / 2, 0)


def test_a_ray_follows_an_axis_of_the_cursor(row):
    turned(row)
    cast(along="CURSOR_Z", direction=(0, 0, 1), hits="ALL")
    assert selected() == {f"Cube {x}" for x in range(5)}
    cast(along="CURSOR_X")
    assert selected() == set()


def test_a_ray_ends_where_it_goes_to(row):
    eye = camera(location=(4.9, 0.125, 0.25))
    row.camera = eye
    cast(along="CAMERA", hits="ALL")
    assert selected() == {f"Cube {x}" for x in range(3)}
    assert cast(along="OBJECT", object="Cube 1", hits="ALL").max_distance == pytest.approx(
        np.linalg.norm((5, 0.125, 0.25))
    )
    assert selected() == {"Cube 0", "Cube 1"}
    assert row.octree.ray.object.name == "Cube 1"
    cast(along="CAMERA", hits="ALL", max_distance=3.0)
    assert selected() == {"Cube 0"}


def test_a_vector_given_by_a_script_counts_whatever_the_panel_says(row):
    row.octree.ray.along = "CURSOR_Y"
    cast(direction=(1, 0, 0))
    assert selected() == {"Cube 0"}


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"along": "VIEW"}, "There is no 3D view to look along"),
        ({"along": "CAMERA"}, "The scene has no camera"),
        ({"along": "OBJECT"}, "Choose the object"),
        ({"along": "OBJECT", "object": "Nobody"}, "no object named Nobody"),
    ],
)
def test_a_ray_that_has_nowhere_to_go_says_why(row, options, reason):
    with pytest.raises(RuntimeError, match=reason):
        cast(**options)


def test_a_ray_looks_along_a_3d_view(row):
    area = view3d()["area"]
    eye = area.spaces.active.region_3d.view_matrix.inverted().translation
    row.octree.ray.direction = (1, 0, 0)
    with bpy.context.temp_override(area=area):
        # In background Blender crashes over the undo step of an operator in a 3D view.
        bpy.ops.octree.select_on_ray("EXEC_DEFAULT", False, along="VIEW")
    asked = questions.get(row)
    sight = np.array(row.cursor.location) - np.array(eye)
    np.testing.assert_allclose(
        asked.direction / np.linalg.norm(asked.direction), sight / np.linalg.norm(sight), atol=1e-6
    )
    assert tuple(row.octree.ray.direction) == (1, 0, 0)


def test_the_row_of_a_ray_shows_what_counts(row):
    settings = row.octree.ray
    shown = {}
    for along in settings.bl_rna.properties["along"].enum_items.keys():
        settings.along = along
        shown[along] = drawn_with(row, "ray") & {"direction", "object"}
    assert shown.pop("VECTOR") == {"direction"}
    assert shown.pop("OBJECT") == {"object"}
    assert set().union(*shown.values()) == set()


def drawn_with(scene, near):
    scene.octree.tab.near = near
    return set(drawn(OCTREE_PT_cursor))


def test_the_nearest_others_agree_with_brute_force(row):
    found = nearest(count=2, others=True)
    assert "Cube 0" not in selected()
    assert "Cube 1" in selected()
    check_last_answer()
    assert not found.missed[found.target.placement_of_item == found.apart].any()


def test_of_one_object_there_is_no_other(empty_scene):
    cube()
    assert len(nearest(others=True).items) == 0
