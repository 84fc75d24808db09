"""The operators about what cameras see: asked as a user does, and used in every way."""

import csv
import json

import bpy
import numpy as np
import pytest
from blender_scenes import camera, cube, link, mesh_object, select_only, selected
from paper import drawn

from octree_ext.octree_addon import panels, shot, trees
from octree_ext.octree_addon.operators.find_seen import unnoticed_steps

FRAMES = (1, 2, 3, 4, 5)


@pytest.fixture
def row():
    """Five cubes in a row; a camera above passes over them, one in each frame."""
    items = [cube(f"Cube {x}", size=0.5, location=(2 * x, 0, 0)) for x in range(5)]
    cube("Aside", size=0.5, location=(0, 9, 0))
    link(bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT")))
    view = camera("ORTHO", location=(0, 0, 10))
    view.data.ortho_scale = 1.0
    scene = bpy.context.scene
    scene.render.resolution_x = scene.render.resolution_y = 100
    for frame in FRAMES:
        view.location.x = 2 * (frame - 1)
        view.keyframe_insert("location", frame=frame)
    scene.frame_start, scene.frame_end = 1, 5
    scene.frame_set(2)
    return items


def cubes(*numbers):
    return {f"Cube {number}" for number in numbers}


def answer():
    return shot.get(bpy.context.scene)


def seen_names(is_seen=True):
    seen = answer()
    items = shot.objects_of(seen, bpy.context.view_layer.objects, in_view=is_seen)
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
        ({"span": "CUSTOM", "first": 5, "last": 4}, "ends at frame 4, before it starts at 5"),
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


def test_without_an_answer_there_is_a_reason(row):
    for name in ("select_seen", "collect_seen", "mark_seen", "export_seen"):
        with pytest.raises(RuntimeError, match="Find what the cameras see first"):
            getattr(bpy.ops.octree, name)()


def test_objects_are_selected(row, capfd):
    bpy.ops.octree.find_seen(span="CUSTOM", first=1, last=2)
    row[0].hide_select = True
    bpy.data.objects.remove(row[4])
    bpy.ops.octree.select_seen()
    assert selected() == cubes(1)
    assert "1 object selected; 1 could not be" in capfd.readouterr().out
    bpy.ops.octree.select_seen(part="UNSEEN")
    assert selected() == cubes(2, 3) | {"Aside"}
    bpy.ops.octree.select_seen(part="SEEN", action="EXTEND")
    assert selected() == cubes(1, 2, 3) | {"Aside"}
    bpy.ops.octree.select_seen(part="UNSEEN", action="SUBTRACT")
    assert selected() == cubes(1)


def strip():
    """Make one mesh of five quads in a row, two units apart."""
    vertices = [(2 * x + dx, dy, 0) for x in range(5) for dx in (-0.2, 0.2) for dy in (-0.2, 0.2)]
    faces = [(4 * x, 4 * x + 2, 4 * x + 3, 4 * x + 1) for x in range(5)]
    return mesh_object("Strip", vertices, faces)


def test_faces_are_selected(row):
    item = strip()
    bpy.ops.octree.find_seen(span="CUSTOM", first=2, last=3, faces=True)
    bpy.ops.octree.select_seen(kind="FACES")
    assert [face.index for face in item.data.polygons if face.select] == [1, 2]
    select_only(item)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.octree.select_seen(part="UNSEEN")
    bpy.ops.object.mode_set(mode="OBJECT")
    assert [face.index for face in item.data.polygons if face.select] == [0, 3, 4]


def test_faces_that_were_not_asked_about_are_a_reason(row):
    bpy.ops.octree.find_seen(faces=False)
    with pytest.raises(RuntimeError, match="no faces of the meshes"):
        bpy.ops.octree.select_seen(kind="FACES")
    with pytest.raises(RuntimeError, match="No faces are known"):
        bpy.ops.octree.mark_seen(kind="FACES")


def test_objects_are_collected_and_stay_where_they_are(row):
    bpy.ops.octree.find_seen(span="CUSTOM", first=1, last=2)
    bpy.ops.octree.collect_seen()
    bpy.ops.octree.collect_seen(part="UNSEEN", collection="Out of View")
    bpy.ops.octree.collect_seen()
    names = {each.name: set(each.objects.keys()) for each in bpy.data.collections}
    assert names == {
        "Seen": cubes(0, 1),
        "Out of View": cubes(2, 3, 4) | {"Aside"},
        "Seen.001": cubes(0, 1),
    }
    assert set(bpy.context.scene.collection.objects.keys()) > cubes(0, 1, 2, 3, 4)


def test_objects_are_marked_with_their_frames(row):
    row[2].location.x = 2  # over it, the camera passes in the same frame as over Cube 1
    bpy.ops.octree.find_seen(span="SCENE", step=1, margin=1.8)
    bpy.ops.octree.mark_seen()
    marks = {item.name: item.get("frames_seen") for item in bpy.context.scene.objects}
    seen = dict(zip((each.name for each in answer().objects), answer().frame_counts, strict=True))
    assert marks == {**seen, "Camera": None, "Lamp": None}
    assert seen["Cube 2"] == seen["Cube 1"] > seen["Aside"] == 0
    with pytest.raises(RuntimeError, match="needs a name"):
        bpy.ops.octree.mark_seen(attribute="")


def test_faces_are_marked_with_their_frames(row, build):
    item = strip()
    trees.store(bpy.context.scene, build([item]), [item])
    bpy.ops.octree.find_seen(span="CUSTOM", first=2, last=3, faces=True)
    for _ in range(2):
        bpy.ops.octree.mark_seen(kind="FACES", attribute="shown")
        layer = item.data.attributes["shown"]
        assert (layer.data_type, layer.domain) == ("INT", "FACE")
        assert [value.value for value in layer.data] == [0, 1, 1, 0, 0]
    assert not trees.get(bpy.context.scene).stale


def test_attribute_of_another_kind_is_left_alone(row):
    item = strip()
    item.data.attributes.new("shown", "FLOAT", "POINT")
    bpy.ops.octree.find_seen(faces=True)
    with pytest.raises(RuntimeError, match="attribute shown of another kind"):
        bpy.ops.octree.mark_seen(kind="FACES", attribute="shown")
    assert not any("shown" in each.data.attributes for each in row)


def test_meshes_that_have_changed_since_are_counted(row, capfd):
    bpy.ops.octree.find_seen(faces=True)
    row[0].data.clear_geometry()
    bpy.ops.octree.mark_seen(kind="FACES")
    assert "5 meshes marked with frames_seen; 1 could not be" in capfd.readouterr().out


@pytest.fixture
def reference(row):
    """Return first, last, count and intervals of every cube, known by hand."""
    row[0].location.x, row[2].location.x = 4, 4
    bpy.ops.octree.find_seen(span="SCENE", step=1, margin=1.5)
    return {
        "Cube 0": (2, 4, 3, [[2, 4]]),
        "Cube 1": (1, 3, 3, [[1, 3]]),
        "Cube 2": (2, 4, 3, [[2, 4]]),
        "Cube 3": (3, 5, 3, [[3, 5]]),
        "Cube 4": (4, 5, 2, [[4, 5]]),
        "Aside": (None, None, 0, []),
    }


def test_table_as_json(reference, tmp_path):
    path = tmp_path / "seen.json"
    bpy.ops.octree.export_seen(filepath=str(path))
    table = json.loads(path.read_text(encoding="utf-8"))
    assert (table["frames"], table["cameras"], table["exact"]) == ([*FRAMES], ["Camera"], True)
    found = {
        line["object"]: (line["first"], line["last"], line["frames"], line["intervals"])
        for line in table["seen"]
    }
    assert found == reference
    assert {line["camera"] for line in table["seen"]} == {"Camera"}


def test_table_as_csv(reference, tmp_path):
    path = tmp_path / "seen.csv"
    bpy.data.objects["Aside"].name = 'Würfel, "beiseite"'
    bpy.ops.octree.find_seen()
    bpy.ops.octree.export_seen(filepath=str(path))
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    found = {line.pop("object"): line for line in lines}
    assert found.keys() == reference.keys() - {"Aside"} | {'Würfel, "beiseite"'}
    assert found["Cube 4"] == {
        "camera": "Camera", "first": "4", "last": "5", "frames": "2", "intervals": "4-5",
    }  # fmt: skip
    assert found['Würfel, "beiseite"']["intervals"] == ""


@pytest.mark.filterwarnings("error")
def test_table_goes_beside_the_file(row, tmp_path):
    bpy.ops.octree.find_seen()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "row.blend"))
    bpy.ops.octree.export_seen(filepath="//seen.CSV")
    assert (tmp_path / "seen.CSV").read_text(encoding="utf-8").startswith("object,camera")


def test_table_that_cannot_be_written_is_a_reason(row, tmp_path):
    bpy.ops.octree.find_seen()
    with pytest.raises(RuntimeError, match=r"does not end in \.csv or \.json"):
        bpy.ops.octree.export_seen(filepath=str(tmp_path / "seen.txt"))
    with pytest.raises(RuntimeError, match="No such file"):
        bpy.ops.octree.export_seen(filepath=str(tmp_path / "nowhere" / "seen.csv"))


def test_answers_of_scenes_that_are_gone_go_too(row):
    bpy.ops.octree.find_seen()
    bpy.ops.wm.read_homefile(use_empty=True)
    assert answer() is None
    camera()
    bpy.ops.octree.find_seen()
    assert len(shot.memory._answers) == 1


def answered(**options):
    bpy.ops.octree.find_seen(**options)
    return drawn(panels.OCTREE_PT_shot)


def test_panel_tells_what_cameras_saw_and_offers_to_use_it(row):
    assert not {"octree.select_seen", "octree.export_seen"} & drawn(panels.OCTREE_PT_shot).keys()
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


def test_intervals_with_gaps_are_written_one_by_one():
    flags = np.array([[[True, True, False, True]]])
    seen = shot.Seen((shot.Subject(1, "A"),), ("C",), (10, 12, 14, 16), flags, True, {}, 0)
    assert shot.csv_table(seen).splitlines()[1] == "A,C,10,16,3,10-12 16-16"


@pytest.mark.parametrize("ends", ["by itself", "at Esc", "in an error"])
def test_a_tree_is_no_older_for_a_walk(row, build, ends):
    trees.store(bpy.context.scene, build(row), row)
    row[0].keyframe_insert("location", frame=1)
    row[0].location.x = 0.125  # without a key
    bpy.context.view_layer.update()
    trees.get(bpy.context.scene).stale = False
    if ends == "in an error":
        bpy.context.scene.camera.data.type = "PANO"
        with pytest.raises(RuntimeError, match="panoramic"):
            bpy.ops.octree.find_seen(span="SCENE")
    elif ends == "by itself":
        bpy.ops.octree.find_seen(span="SCENE")
    else:
        steps = unnoticed_steps(bpy.context, shot.Shot(frames=FRAMES))
        next(steps)
        steps.close()
    bpy.context.view_layer.update()
    assert row[0].location.x == 0.125
    assert not trees.get(bpy.context.scene).stale
