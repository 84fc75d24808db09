"""What is done with what cameras saw: selected, collected, marked, and written to a file."""

import csv

import bpy
import pytest
from blender_scenes import mesh_object, select_only, selected
from seen_scenes import FRAMES, add_row, answer, cubes

from octree_ext.octree_addon import trees
from octree_ext.octree_addon.cameras.table import IN_VIEW, read_json


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
    """Return the frames in which every cube is in view, known by hand."""
    row[0].location.x, row[2].location.x = 4, 4
    bpy.ops.octree.find_seen(span="SCENE", step=1, margin=1.5)
    return {
        "Cube 0": [2, 3, 4],
        "Cube 1": [1, 2, 3],
        "Cube 2": [2, 3, 4],
        "Cube 3": [3, 4, 5],
        "Cube 4": [4, 5],
        "Aside": [],
    }


def test_table_as_json_is_that_of_the_command(reference, tmp_path):
    path = tmp_path / "seen.json"
    bpy.ops.octree.export_seen(filepath=str(path))
    table = read_json(path.read_text(encoding="utf-8")).table
    assert (table.which.frames.tolist(), table.which.names) == ([*FRAMES], ("Camera",))
    assert table.pixels is None and set(table.states) == {IN_VIEW}
    found = {name: [] for name in table.items.names}
    for view, item in zip(table.views, table.items_of, strict=True):
        found[table.items.names[item]].append(int(table.which.frames[view]))
    assert found == reference


def test_table_as_csv(reference, tmp_path):
    path = tmp_path / "seen.csv"
    bpy.data.objects["Aside"].name = 'Würfel, "beiseite"'
    bpy.ops.octree.find_seen()
    bpy.ops.octree.export_seen(filepath=str(path))
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    found = {}
    for line in lines:
        found.setdefault(line["object"], []).append((line["frame"], line["state"]))
    assert found.keys() == reference.keys() - {"Aside"} | {'Würfel, "beiseite"'}
    assert found["Cube 4"] == [("4", "in view"), ("5", "in view")]
    assert found['Würfel, "beiseite"'] == [("", "out of view")]


@pytest.mark.filterwarnings("error")
def test_table_goes_beside_the_file(row, tmp_path):
    bpy.ops.octree.find_seen()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "row.blend"))
    bpy.ops.octree.export_seen(filepath="//seen.CSV")
    assert (tmp_path / "seen.CSV").read_text(encoding="utf-8").startswith("frame,camera,object")


def test_table_that_cannot_be_written_is_a_reason(row, tmp_path):
    bpy.ops.octree.find_seen()
    with pytest.raises(RuntimeError, match=r"must end in \.json or \.csv"):
        bpy.ops.octree.export_seen(filepath=str(tmp_path / "seen.txt"))
    with pytest.raises(RuntimeError, match="There is no folder"):
        bpy.ops.octree.export_seen(filepath=str(tmp_path / "nowhere" / "seen.csv"))
