"""What leaves Blender with an audit: GlobalIds, hostile names, the same file twice."""

import csv
import io
import zipfile
from pathlib import Path

import bpy
import pytest
from clash_scenes import EVERYTHING, audit, kept, plant
from finding_scenes import GUIDS

STEP = f"""ISO-10303-21;
#41=IFCWALL('{GUIDS[1]}',$,'Wall',$,$,#5,#6,$,$);
"""


@pytest.fixture
def bonsai(empty_scene, tmp_path):
    """Have the properties that Bonsai leaves on objects and on the scene, and a file beside."""

    class Numbered(bpy.types.PropertyGroup):
        ifc_definition_id: bpy.props.IntProperty()

    class Opened(bpy.types.PropertyGroup):
        ifc_file: bpy.props.StringProperty()

    for each in (Numbered, Opened):
        bpy.utils.register_class(each)
    bpy.types.Object.BIMObjectProperties = bpy.props.PointerProperty(type=Numbered)
    bpy.types.Scene.BIMProperties = bpy.props.PointerProperty(type=Opened)
    path = tmp_path / "house.ifc"
    path.write_text(STEP)
    empty_scene.BIMProperties.ifc_file = str(path)
    yield empty_scene
    del bpy.types.Object.BIMObjectProperties, bpy.types.Scene.BIMProperties
    for each in (Numbered, Opened):
        bpy.utils.unregister_class(each)


def exported(folder, name):
    path = Path(folder, name)
    assert bpy.ops.octree.export_audit(filepath=str(path)) == {"FINISHED"}
    return path.read_bytes()


def test_global_ids_reach_the_viewpoints(bonsai, tmp_path):
    plant()
    bpy.data.objects["Beam"]["GlobalId"] = GUIDS[0]
    bpy.data.objects["Pipe"].BIMObjectProperties.ifc_definition_id = 41
    bpy.data.objects["Shell"].BIMObjectProperties.ifc_definition_id = 999  # not in the file
    audit(**EVERYTHING)
    objects = kept().objects
    known = dict(zip(objects.names, objects.guids, strict=True))
    assert {name: guid for name, guid in known.items() if guid} == {
        "Beam": GUIDS[0],
        "Pipe": GUIDS[1],
    }
    with zipfile.ZipFile(io.BytesIO(exported(tmp_path, "audit.bcf"))) as archive:
        views = [archive.read(name) for name in archive.namelist() if name.endswith(".bcfv")]
    (crossing,) = [view.decode() for view in views if b"IfcGuid" in view]
    assert all(f'IfcGuid="{guid}"' in crossing for guid in GUIDS[:2])


def test_names_leave_blender_whole(empty_scene, tmp_path):
    plant()
    name = '=SUM(A1),"two"\nlines'
    bpy.data.objects["Pipe"].name = name
    audit()
    content = exported(tmp_path, "audit.csv").decode("utf-8")
    header, *lines = csv.reader(io.StringIO(content, newline=""))
    assert {len(line) for line in lines} == {len(header)}
    assert any(f"'{name}" in line for line in lines)
    assert len(lines) == len(kept())


def test_two_audits_write_the_same_file(empty_scene, tmp_path):
    plant()
    audit(**EVERYTHING)
    once = exported(tmp_path, "once.json")
    audit(**EVERYTHING)
    assert exported(tmp_path, "again.json") == once
    bpy.ops.wm.read_homefile(use_empty=True)
    plant()
    audit(**EVERYTHING)
    assert exported(tmp_path, "anew.json") == once
