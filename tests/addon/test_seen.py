"""What cameras see, asked by the operator as a user does, and told by the panel."""

import bpy
import pytest
from blender_scenes import camera, select_only
from paper import drawn
from seen_scenes import FRAMES, add_row, answer, cubes

from octree_ext.octree_addon import cameras as shot
from octree_ext.octree_addon import trees
from octree_ext.octree_addon.answers import kept


@pytest.fixture
def row():
    return add_row()


def seen_names(is_seen=True):
    seen = answer()
    items = seen.subjects(seen=is_seen).among(bpy.context.view_layer.objects)
    return {item.name for item in items}


def test_current_frame_is_the_default(row, capfd):
    assert bpy.ops.octree.find_seen() == {"FINISHED"}
    assert seen_names() == cubes(1)
    assert seen_names(False) == cubes(0, 2, 3, 4) | {"Aside"}
    assert "1 of 6 objects seen in 1 frame by 1 camera" in capfd.readouterr().out


def test_what_is_seen_once_in_the_range_is_seen(row):
    bpy.ops.octree.find_seen(span="SCENE")
    assert (answer().frames, seen_names()) == (FRAMES, cubes(0, 1, 2, 3, 4))
    assert answer().frame_counts.tolist() == [1, 1, 1, 1, 1, 0]
    bpy.ops.octree.find_seen(span="SCENE", step=2)
    assert (answer().frames, seen_names()) == ((1, 3, 5), cubes(0, 2, 4))
    bpy.ops.octree.find_seen(span="CUSTOM", first=2, last=3, step=1)
    assert (answer().frames, seen_names()) == ((2, 3), cubes(1, 2))
    scene = bpy.context.scene
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 4, 5
    bpy.ops.octree.find_seen(span="SCENE")
    assert seen_names() == cubes(3, 4)
    assert scene.frame_current == 2


def test_scope_says_which_objects_are_asked_about(row):
    select_only(row[0], row[1], bpy.data.objects["Lamp"])
    bpy.ops.octree.find_seen(scope="SELECTED")
    assert (seen_names(), seen_names(False), answer().skipped) == (cubes(1), cubes(0), 1)
    inner = bpy.data.collections.new("Inner")
    bpy.context.scene.collection.children.link(inner)
    inner.objects.link(row[3])
    bpy.ops.octree.find_seen(scope="COLLECTION", collection="Inner")
    assert (seen_names(), seen_names(False)) == (set(), cubes(3))
    assert bpy.context.scene.octree.shot.collection == inner


def test_cameras_are_chosen(row):
    other = camera("ORTHO", location=(0, 9, 10))
    other.data.ortho_scale, other.name = 1.0, "Other"
    bpy.context.scene.camera = bpy.data.objects["Camera"]
    bpy.ops.octree.find_seen(cameras="ALL")
    assert answer().cameras == ("Camera", "Other")
    assert seen_names() == cubes(1) | {"Aside"}
    select_only(other)
    bpy.ops.octree.find_seen(cameras="SELECTED")
    assert (answer().cameras, seen_names()) == (("Other",), {"Aside"})


def test_settings_are_remembered_and_an_explicit_value_wins(row):
    settings = bpy.context.scene.octree.shot
    bpy.ops.octree.find_seen(precision="BOX", margin=2.0)
    assert (settings.precision, settings.margin) == ("BOX", 2.0)
    assert seen_names() == cubes(0, 1, 2)
    assert not answer().is_exact
    bpy.ops.octree.find_seen(margin=0.0)
    assert (settings.precision, seen_names()) == ("BOX", cubes(1))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"span": "CUSTOM", "first": 5, "last": 4}, "last frame, 4, is before the first, 5"),
        ({"cameras": "SELECTED"}, "no selected camera"),
        ({"scope": "SELECTED"}, "no objects"),
        ({"scope": "COLLECTION"}, "Choose the collection"),
    ],
)
def test_bad_questions_change_nothing(row, options, message):
    select_only()
    bpy.ops.octree.find_seen()
    before = answer()
    with pytest.raises(RuntimeError, match=message):
        bpy.ops.octree.find_seen(**options)
    assert answer() is before
    assert bpy.context.scene.octree.shot.span == "CURRENT"


def test_answers_of_scenes_that_are_gone_go_too(row):
    bpy.ops.octree.find_seen()
    bpy.ops.wm.read_homefile(use_empty=True)
    assert answer() is None
    camera()
    bpy.ops.octree.find_seen()
    assert len(kept._answers) == 1


def answered(**options):
    bpy.ops.octree.find_seen(**options)
    return drawn(bpy.types.OCTREE_PT_results) | drawn(bpy.types.OCTREE_PT_shot)


def test_panel_tells_what_cameras_saw_and_offers_to_use_it(row):
    shown = drawn(bpy.types.OCTREE_PT_results).keys()
    assert not {"octree.select_seen", "octree.export_seen"} & shown
    lines = answered().keys()
    assert {"1 of 6 objects seen", "Frame 2, Camera"} <= lines
    assert {f"octree.{name}_seen" for name in ("select", "collect", "mark", "export")} <= lines
    lines = answered(faces=True, span="CUSTOM", first=2, last=3).keys()
    assert {"2 of 6 objects seen", "12 faces seen", "Frames 2 to 3, Camera"} <= lines
    assert {"first", "last", "step"} <= lines


def test_panel_says_that_box_mode_is_one(row):
    lines = answered(precision="BOX").keys()
    assert {"Objects count by their boxes", "1 of 6 objects seen (by boxes)"} <= lines
    assert "Objects count by their boxes" not in answered(precision="EXACT")


@pytest.mark.parametrize("ends", ["by itself", "at Esc", "in an error"])
def test_a_tree_is_no_older_for_a_walk(row, build, ends):
    row[0].keyframe_insert("location", frame=1)
    row[0].location.x = 0.125  # without a key
    bpy.context.view_layer.update()
    trees.store(bpy.context.scene, build(row), row)
    if ends == "in an error":
        bpy.context.scene.camera.data.type = "PANO"
        with pytest.raises(RuntimeError, match="panoramic"):
            bpy.ops.octree.find_seen(span="SCENE")
    elif ends == "by itself":
        bpy.ops.octree.find_seen(span="SCENE")
    else:
        steps = shot.shot_steps(bpy.context, shot.Shot(frames=FRAMES))
        next(steps)
        steps.close()
    bpy.context.view_layer.update()
    assert row[0].location.x == 0.125
    assert not trees.get(bpy.context.scene).stale
