"""What leaves Blender with an audit: GlobalIds, places, hostile names, the same file twice."""

import csv
import io
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import bpy
import numpy as np
import pytest
from clash_scenes import EVERYTHING, audit, kept, plant
from finding_scenes import GUIDS

STEP = f"""ISO-10303-21;
#2=IFCSIUNIT(*,.LENGTHUNIT.,.MILLI.,.METRE.);
#3=IFCUNITASSIGNMENT((#2));
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


def test_viewpoints_are_in_the_coordinates_of_the_model(bonsai, tmp_path):
    """Bonsai tells its offset as texts, in the unit of the project: here millimeters."""

    class Moved(bpy.types.PropertyGroup):
        has_blender_offset: bpy.props.BoolProperty()
        blender_offset_x: bpy.props.StringProperty(default="0")
        blender_offset_y: bpy.props.StringProperty(default="0")
        blender_offset_z: bpy.props.StringProperty(default="0")
        blender_x_axis_abscissa: bpy.props.StringProperty(default="1")
        blender_x_axis_ordinate: bpy.props.StringProperty(default="0")

    bpy.utils.register_class(Moved)
    bpy.types.Scene.BIMGeoreferenceProperties = bpy.props.PointerProperty(type=Moved)
    try:
        plant()
        audit()
        told = bonsai.BIMGeoreferenceProperties
        told.blender_offset_x, told.blender_offset_y = "2600000000", "1200000000"
        plain = cameras_in(exported(tmp_path, "plain.bcf"))
        told.has_blender_offset = True
        moved = cameras_in(exported(tmp_path, "moved.bcf"))
        assert np.allclose(moved - plain, (2_600_000, 1_200_000, 0))
        told.blender_x_axis_abscissa, told.blender_x_axis_ordinate = "0", "2"
        turned = cameras_in(exported(tmp_path, "turned.bcf"))
        assert np.allclose(turned[:, :2] - moved[0, :2] + plain[0, :2], plain[:, [1, 0]] * (-1, 1))
        told.blender_offset_z = "high"
        with pytest.raises(RuntimeError, match="offset must be numbers, got 2600000000"):
            exported(tmp_path, "bad.bcf")
    finally:
        del bpy.types.Scene.BIMGeoreferenceProperties
        bpy.utils.unregister_class(Moved)


def cameras_in(content):
    """Return where the cameras of a BCF file stand, (n, 3), in the order of their topics."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = sorted(name for name in archive.namelist() if name.endswith(".bcfv"))
        roots = [ElementTree.fromstring(archive.read(name)) for name in names]
    places = [root.find("PerspectiveCamera/CameraViewPoint") for root in roots]
    return np.array([[float(each.find(axis).text) for axis in "XYZ"] for each in places])


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
