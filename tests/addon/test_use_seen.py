"""What is done with what cameras saw: selected, collected, marked, and written to a file."""

import csv
import json

import bpy
import numpy as np
import pytest
from blender_scenes import mesh_object, select_only, selected
from seen_scenes import FRAMES, add_row, answer, cubes

from octree_ext.octree_addon import cameras as shot
from octree_ext.octree_addon import trees


@pytest.fixture
def row():
    return add_row()


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


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cycles", None),
        ("hide_render", None),
        ("_RNA_UI", {"min": 0}),
        ("weight", 1.5),
        ("wanted", True),
        ("label", "seven"),
    ],
)
def test_property_of_another_kind_is_left_alone(row, name, value):
    if value is not None:
        row[4][name] = value
    before = [str(dict(item.items())) for item in row]
    bpy.ops.octree.find_seen()
    with pytest.raises(RuntimeError, match=f"has a property {name} of another kind"):
        bpy.ops.octree.mark_seen(attribute=name)
    assert [str(dict(item.items())) for item in row] == before


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("material_index", "material_index is the name of an attribute of Blender's own"),
        ("sharp_edge", "sharp_edge is the name of an attribute of Blender's own"),
        (".hide_poly", ".hide_poly is the name of an attribute of Blender's own"),
        ("Bone", "has a vertex group Bone"),
    ],
)
def test_attribute_with_the_name_of_something_else_is_refused(row, name, message):
    row[4].vertex_groups.new(name="Bone")
    before = [each.data.attributes.keys() for each in row]
    bpy.ops.octree.find_seen(faces=True)
    with pytest.raises(RuntimeError, match=message):
        bpy.ops.octree.mark_seen(kind="FACES", attribute=name)
    assert [each.data.attributes.keys() for each in row] == before


def test_meshes_that_have_changed_since_are_asked_about_again(row, capfd):
    bpy.ops.octree.find_seen(faces=True)
    row[0].data.clear_geometry()
    bpy.ops.octree.mark_seen(kind="FACES")
    assert "5 meshes marked with frames_seen; asked again first" in capfd.readouterr().out


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
    with pytest.raises(RuntimeError, match=r"must end in \.csv or \.json"):
        bpy.ops.octree.export_seen(filepath=str(tmp_path / "seen.txt"))
    with pytest.raises(RuntimeError, match="There is no folder"):
        bpy.ops.octree.export_seen(filepath=str(tmp_path / "nowhere" / "seen.csv"))


def test_intervals_with_gaps_are_written_one_by_one():
    flags = np.array([[[True, True, False, True]]])
    seen = shot.VisibilityResult(
        (shot.TestedObject(1, "A"),), ("C",), (10, 12, 14, 16), flags, True, {}, 0
    )
    assert shot.csv_table(seen).splitlines()[1] == "A,C,10,16,3,10-12 16-16"


def test_names_are_harmless_in_a_spreadsheet():
    seen = shot.VisibilityResult(
        (shot.TestedObject(1, "=1+1"),), ('C, "big"',), (1,), np.array([[[True]]]), True, {}, 0
    )
    assert shot.csv_table(seen).splitlines()[1] == ''''=1+1,"C, ""big""",1,1,1,1-1'''
