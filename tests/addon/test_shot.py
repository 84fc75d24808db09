"""What cameras see over a shot, against cutting every evaluated triangle in every frame."""

from math import radians

import bpy
import numpy as np
import pytest
from blender_scenes import camera, link, world_triangles
from camera_oracle import clip_planes, in_view
from mathutils import Vector
from seen_tables import flags_of
from shot_stage import FRAMES, add_stage, look


@pytest.fixture
def stage():
    add_stage()


@pytest.fixture
def cut():
    """Return a function: what each camera sees in each frame, triangle by triangle."""

    def cut(frames=FRAMES, cameras=("Camera",)):
        answer, present = {}, bpy.context.scene.frame_current
        for frame in frames:
            bpy.context.scene.frame_set(frame)
            shown = world_triangles()
            for name in cameras:
                planes = clip_planes(bpy.data.objects[name])
                for item, triangles in shown.items():
                    answer[item, name, frame] = in_view(planes, triangles)
        bpy.context.scene.frame_set(present)
        return answer

    return cut


def flags_by_name(seen):
    flags = flags_of(seen)
    return {
        (subject.name, name, frame): bool(flags[row, column, index])
        for row, subject in enumerate(seen.objects)
        for column, name in enumerate(seen.cameras)
        for index, frame in enumerate(seen.frames)
    }


def test_exact_agrees_with_cutting_every_triangle(stage, cut):
    found = flags_by_name(look())
    expected = {place: bool(flags.any()) for place, flags in cut().items()}
    # What is not there in some frame is not seen in it.
    assert {place for place, is_seen in found.items() if is_seen} == {
        place for place, is_seen in expected.items() if is_seen
    }
    assert {name for name, _, _ in found} == {name for name, _, _ in expected}
    assert 0.1 < np.mean(list(found.values())) < 0.9
    by_name = {name: [found[name, "Camera", frame] for frame in FRAMES] for name, _, _ in found}
    assert all(by_name["Wall"]) and all(by_name["Dome"])
    assert not any(by_name["Hook"] + by_name["Sky"])
    for name in ("Visitor", "Blinking", "Skinned", "Corner", "Instance"):
        assert any(by_name[name]) and not all(by_name[name]), name


def test_boxes_agree_with_cutting_the_sides_of_boxes(stage):
    plain = [item for item in bpy.context.scene.objects if item.type == "MESH"]
    names = {item.name for item in plain} - {"Points"}  # shows more than its box
    found = flags_by_name(look(exact=False, wanted=frozenset(n.session_uid for n in plain)))
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        planes = clip_planes(bpy.data.objects["Camera"])
        for name in names & {item.name for item in plain if item.visible_get()}:
            assert found[name, "Camera", frame] == box_in_view(planes, name), (name, frame)


SIDES = np.array(
    [[0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 5, 4], [3, 2, 6, 7], [0, 3, 7, 4], [1, 2, 6, 5]]
)


def box_in_view(planes, name):
    """Whether a side of the box is in view, or all of the view is in the box."""
    item = bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
    local = np.array([tuple(corner) for corner in item.bound_box])
    matrix = np.array(item.matrix_world)
    corners = local @ matrix[:3, :3].T + matrix[:3, 3]
    halves = corners[SIDES[:, [[0, 1, 2], [0, 2, 3]]]].reshape(-1, 3, 3)
    if in_view(planes, halves).any():
        return True
    if not abs(np.linalg.det(matrix)):
        return False
    eye = bpy.data.objects["Camera"].matrix_world @ Vector((0, 0, -1))
    inner = np.array(item.matrix_world.inverted() @ eye)
    return bool((inner >= local.min(axis=0)).all() and (inner <= local.max(axis=0)).all())


def test_boxes_see_whatever_triangles_do_and_say_what_they_are(stage):
    exact, boxes = look(), look(exact=False)
    assert exact.is_exact and not boxes.is_exact
    assert exact.objects == boxes.objects
    assert not (exact.in_frames & ~boxes.in_frames).any()
    only = np.flatnonzero((boxes.in_frames & ~exact.in_frames).all(axis=1))
    assert [boxes.objects[number].name for number in only] == ["Hook", "Sky"]


def test_margins_give_nested_sets(stage):
    plain, turned, moved, both = (
        look(margin=margin, angle=radians(angle)).in_frames
        for margin, angle in ((0, 0), (0, 5), (2, 0), (2, 5))
    )
    for inner, outer in ((plain, turned), (plain, moved), (turned, both), (moved, both)):
        assert not (inner & ~outer).any()
        assert (outer & ~inner).any()


def test_several_cameras_are_columns(stage, cut):
    second = camera("ORTHO", name="Second", location=(0, -10, 20))
    second.data.ortho_scale, second.data.clip_end = 6.0, 60.0
    bpy.context.scene.camera = bpy.data.objects["Camera"]
    frames = FRAMES[::5]
    seen = look(frames=frames, cameras=("Second", "Camera"))
    assert seen.cameras == ("Second", "Camera")
    expected = {at: bool(flags.any()) for at, flags in cut(frames, ("Second", "Camera")).items()}
    assert {at for at, is_seen in flags_by_name(seen).items() if is_seen} == {
        at for at, is_seen in expected.items() if is_seen
    }


def test_markers_switch_the_camera_of_the_scene(stage):
    scene, first = bpy.context.scene, bpy.data.objects["Camera"]
    second = camera(name="Second", location=(0, 0, 0), rotation_euler=(1.57, 0, 3.1))
    for frame, item in ((1, first), (12, second)):
        scene.timeline_markers.new(item.name, frame=frame).camera = item
    scene.camera = second  # by hand, against the markers
    seen = look()
    assert seen.cameras == ("Camera", "Second")
    looked = flags_of(seen).any(axis=0)
    assert looked[0].tolist() == [frame < 12 for frame in FRAMES]
    assert looked[1].tolist() == [frame >= 12 for frame in FRAMES]
    assert scene.camera == second


def test_faces_are_counted_in_frames(stage, cut):
    names = ("Wall", "Dome", "Cube 7", "Hook", "Skinned", "Points", "Waves")
    items = [bpy.data.objects[name] for name in names]
    twin = link(bpy.data.objects.new("Twin", bpy.data.objects["Cube 7"].data))
    twin.location = (1, 11, 0)
    wanted = frozenset(item.session_uid for item in [*items, twin])
    seen = look(wanted=wanted, faces=True)
    assert {subject.name for subject in seen.objects} == {*names, "Twin"}
    expected = {}
    for (name, _, frame), flags in cut().items():
        if name in {*names, "Twin"}:
            mesh = bpy.data.objects[name].data
            mesh.calc_loop_triangles()
            polygons = [triangle.polygon_index for triangle in mesh.loop_triangles]
            # An object's own triangles come first, then those of what it instances.
            in_frame = expected.setdefault((mesh.session_uid, frame), np.zeros(len(mesh.polygons)))
            in_frame[np.array(polygons)[flags[: len(polygons)]]] = 1
    meshes = {uid for uid, _ in expected}
    assert seen.faces.keys() == meshes
    for uid in meshes:
        assert np.array_equal(seen.faces[uid], sum(expected[uid, frame] for frame in FRAMES))


def test_what_is_never_visible_is_skipped(stage):
    bpy.data.objects["Wall"].hide_set(True)
    items = [bpy.data.objects[name] for name in ("Wall", "Dome", "Camera")]
    seen = look(wanted=frozenset(item.session_uid for item in items), frames=(1,))
    assert [subject.name for subject in seen.objects] == ["Dome"]
    assert seen.skipped == 2


def test_camera_disabled_in_viewports_is_refused(stage):
    camera(name="Second").hide_viewport = True
    bpy.context.scene.camera = bpy.data.objects["Camera"]
    with pytest.raises(ValueError, match="Second is disabled in viewports"):
        look(cameras=("Second",))


def test_without_a_camera_there_is_a_reason(empty_scene):
    with pytest.raises(ValueError, match="no camera"):
        look(frames=(1,))
    with pytest.raises(ValueError, match="no camera named Gone"):
        look(frames=(1,), cameras=("Gone",))


def test_an_empty_scene_is_an_answer():
    camera()
    seen = look(frames=(1, 2))
    assert flags_of(seen).shape == (0, 1, 2)
    assert (seen.seen_count, seen.subjects(seen=False).objects) == (0, {})
