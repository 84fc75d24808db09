"""Fill: linked copies that cross nothing, the same ones for the same seed, and why not more."""

import bmesh
import bpy
import numpy as np
import pytest
from blender_scenes import cube, link, mesh_object, select_only
from snapshots import whole_file

from octree_ext.octree_addon.answers.kept import active_result, view_of
from octree_ext.octree_addon.place.candidates import UP, Ranges, on_faces, rotations_between
from octree_ext.octree_addon.place.fitting import accepted

FLAT = [(-3, -3, 0), (3, -3, 0), (3, 3, 0), (-3, 3, 0)]


@pytest.fixture
def plate():
    return mesh_object("Plate", FLAT, [(0, 1, 2, 3)])


@pytest.fixture
def pebble():
    return cube("Pebble", 0.5, location=(0, 0, 9))


def fill(surface, *originals, **options):
    """Fill a surface, and return the copies."""
    select_only(surface, *originals)
    before = set(bpy.data.objects)
    assert bpy.ops.octree.fill("EXEC_DEFAULT", True, **options) == {"FINISHED"}
    return [item for item in bpy.data.objects if item not in before]


def is_sound():
    """Tell whether an audit finds nothing wrong."""
    bpy.ops.octree.audit(band=0.0)
    return active_result(bpy.context.scene).count == 0


def test_copies_are_linked_stand_on_the_faces_and_cross_nothing(plate, pebble):
    copies = fill(plate, pebble, count=30, tries=400)
    assert len(copies) == 30
    assert {item.data for item in copies} == {pebble.data}
    assert {collection for item in copies for collection in item.users_collection} == {
        bpy.context.scene.collection
    }
    heights = [item.matrix_world.translation.z for item in copies]
    assert np.allclose(heights, 0.25, atol=1e-5)
    assert min(heights) >= 0.25
    assert is_sound()
    assert pebble.location.z == 9


def test_a_seed_gives_the_same_again_and_another_others(plate, pebble):
    def places(**options):
        copies = fill(plate, pebble, count=8, tries=60, **options)
        found = [tuple(item.matrix_world.translation) for item in copies]
        bpy.data.batch_remove(copies)
        return found

    first = places(seed=3)
    assert places(seed=3) == first
    assert places(seed=4) != first


def test_as_many_as_fit_and_the_causes(plate, pebble):
    cube("Block", 2, location=(0, 0, 1))
    copies = fill(plate, pebble, count=500, tries=300, max_turn=0.0)
    assert 20 < len(copies) < 144
    assert active_result(bpy.context.scene).count == len(copies)
    assert is_sound()
    assert all(max(map(abs, item.location[:2])) > 1.25 for item in copies)


def test_spacing_is_kept(plate, pebble):
    copies = fill(plate, pebble, count=60, tries=200, spacing=0.4, max_turn=0.0)
    places = np.array([item.location for item in copies])
    gaps = np.maximum(np.abs(places[:, None] - places)[:, :, :2] - 0.5, 0)
    apart = np.linalg.norm(gaps, axis=2)
    assert apart[~np.eye(len(places), dtype=bool)].min() > 0.4


def test_a_room_is_chosen_where_it_holds_one_object_only(plate, pebble):
    """Else what lies in a solid is in its way."""
    cube("Hall", 8)
    assert fill(plate, pebble, count=10, tries=60) == []
    assert len(fill(plate, pebble, count=10, tries=60, room="Hall")) == 10
    with pytest.raises(RuntimeError, match="There is no object Nope: choose another Room"):
        fill(plate, pebble, count=10, tries=60, room="Nope")


def test_scale_turn_and_slope(pebble):
    ridge = mesh_object(
        "Ridge", [*FLAT, (-3, 0, 6), (3, 0, 6)], [(0, 1, 2, 3), (0, 1, 5, 4)]
    )  # a flat face, and one that is steep
    copies = fill(
        ridge, pebble, count=40, tries=300, min_scale=0.5, max_scale=0.6, max_turn=0.5, slope=0.1
    )
    assert copies
    for item in copies:
        assert 0.5 - 1e-6 <= item.scale.x <= 0.6 + 1e-6
        assert item.scale.x == pytest.approx(item.scale.z, rel=1e-5)
        assert 0 <= item.rotation_euler.z <= 0.5 + 1e-6
        assert item.location.z < 0.2


def test_a_box_is_filled(pebble):
    box = link(bpy.data.objects.new("Box", None), location=(5, 0, 0))
    box = mesh_object(
        "Box", np.array(FLAT + [(x, y, 2) for x, y, _ in FLAT]), [(0, 1, 2, 3), (4, 5, 6, 7)]
    )
    copies = fill(box, pebble, where="BOX", count=30, tries=300)
    assert len(copies) == 30
    for item in copies:
        corners = np.array([item.matrix_world @ v.co for v in item.data.vertices])
        assert (corners >= (-3, -3, 0)).all()
        assert (corners <= (3, 3, 2)).all()
    assert is_sound()


def test_selected_faces_alone_are_filled_in_edit_mode(pebble):
    two = mesh_object(
        "Two", [*FLAT, *[(x + 10, y, z) for x, y, z in FLAT]], [(0, 1, 2, 3), (4, 5, 6, 7)]
    )
    select_only(two, pebble)
    bpy.ops.object.mode_set(mode="EDIT")
    edited = bmesh.from_edit_mesh(two.data)
    for number, face in enumerate(edited.faces):
        face.select_set(number == 1)
    before = set(bpy.data.objects)
    assert bpy.ops.octree.fill(count=10, tries=50) == {"FINISHED"}
    made = [item for item in bpy.data.objects if item not in before and item.type == "MESH"]
    assert made
    assert all(item.location.x > 6 for item in made)
    bpy.ops.object.mode_set(mode="OBJECT")


def test_what_belongs_together_is_copied_as_one(plate):
    pot, plant = cube("Pot", 0.5, location=(0, 0, 9)), cube("Plant", 0.25, location=(0, 0, 0.5))
    plant.parent = pot
    copies = fill(plate, pot, count=5, tries=100)
    assert len(copies) == 10
    plants = [item for item in copies if item.parent]
    assert {item.parent for item in plants} == {item for item in copies if not item.parent}
    assert all(tuple(item.location) == pytest.approx((0, 0, 0.5)) for item in plants)


def test_undo_takes_all_copies_back(plate, pebble):
    select_only(plate, pebble)
    bpy.ops.ed.undo_push()
    before = whole_file()
    bpy.ops.octree.fill("EXEC_DEFAULT", True, count=5, tries=20)
    assert whole_file() != before
    bpy.ops.ed.undo()
    assert whole_file() == before


@pytest.mark.parametrize("select", [(), ("Plate",), ("Lamp", "Pebble")])
def test_refused_with_a_reason(select, plate, pebble):
    link(bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT")))
    select_only(*(bpy.data.objects[name] for name in select))
    before = whole_file()
    with pytest.raises(RuntimeError, match=r"Select what to copy|no faces"):
        bpy.ops.octree.fill()
    assert whole_file() == before
    assert view_of is not None


def test_accepted_in_order_against_a_loop():
    rng = np.random.default_rng(5)
    for _ in range(20):
        pairs = rng.integers(0, 30, (2, 40))
        pairs = pairs[:, pairs[0] != pairs[1]]
        taken: list[int] = []
        for number in range(30):
            if len(taken) < 9 and not any(
                {one, other} == {number, each} for each in taken for one, other in pairs.T.tolist()
            ):
                taken.append(number)
        assert accepted(pairs, 30, 9)[0].tolist() == taken


def test_rotations_take_one_direction_to_others():
    rng = np.random.default_rng(2)
    others = rng.normal(size=(50, 3))
    others /= np.linalg.norm(others, axis=1, keepdims=True)
    others[:2] = UP, -UP
    rotations = rotations_between(UP, others)
    assert np.allclose(rotations @ UP, others)
    assert np.allclose(rotations @ rotations.swapaxes(1, 2), np.eye(3))
    assert np.allclose(np.linalg.det(rotations), 1)
    assert Ranges().is_upright
    assert on_faces is not None


@pytest.mark.parametrize("where", ["FACES", "BOX"])
def test_what_is_nowhere_cannot_be_filled(where, plate, pebble):
    plate.location.x = np.nan
    select_only(plate, pebble)
    with pytest.raises(RuntimeError, match="Plate is nowhere"):
        bpy.ops.octree.fill(where=where)


def test_a_face_far_away_lifts_no_copy_near_by(pebble):
    near = np.array(FLAT, float)
    far = near + np.array((2e4, 0, 0))
    ground = mesh_object("Ground", [*near.tolist(), *far.tolist()], [(0, 1, 2, 3), (4, 5, 6, 7)])
    copies = fill(ground, pebble, count=20, tries=99)
    heights = {item.name: item.location.z - 0.25 for item in copies if item.location.x < 9}
    assert 3 < len(heights) < len(copies)
    assert max(heights.values()) < 1e-5
    assert is_sound()
