"""The tolerance belongs to the pair and is told; the order of objects decides nothing."""

import io
import json
from zipfile import ZipFile

import bpy
import numpy as np
import pytest
from blender_scenes import cube, mesh_object
from clash_scenes import EVERYTHING, audit, kept, named, plant

from octree_ext.octree_addon import result_list
from octree_ext.octree_addon.audit.model import REPORTS, About
from octree_ext.octree_addon.audit.panel import details_of, tolerance_lines
from octree_ext.octree_addon.audit.settings import usual_band
from octree_ext.octree_addon.ui import settings_of
from octree_ext.octree_addon.written_files import writer_of

ABOUT = About(file="house.blend", date="2026-01-01T00:00:00+00:00")
TRANSFORM = ("location", "rotation_euler", "scale")
ORDERS = ((3, 0), (5, 2), (7, 4))


def settings():
    return settings_of(bpy.context.scene).audit


def skydome(radius=5000.0):
    bpy.ops.mesh.primitive_uv_sphere_add(radius=radius)
    bpy.context.object.name = "Sky"


def mountain():
    cube("Mountain", location=(1e5, 0, 0), size=200)


def written(ending):
    return writer_of(REPORTS, f"audit{ending}").content(kept(), ABOUT, {})


def made_in_another_order(step, start):
    """Make all objects of the scene anew: equal names, meshes and matrices, another order."""
    made = [
        (item.name, item.data, *(getattr(item, name).copy() for name in TRANSFORM))
        for item in bpy.context.scene.objects
    ]
    for item in list(bpy.context.scene.objects):
        bpy.data.objects.remove(item)
    for number in sorted(range(len(made)), key=lambda n: ((n + start) * step) % (len(made) + 1)):
        name, mesh, *transform = made[number]
        item = bpy.data.objects.new(name, mesh)
        item.location, item.rotation_euler, item.scale = transform
        bpy.context.collection.objects.link(item)
        assert item.name == name
    bpy.context.view_layer.update()


def crowd():
    """Add what has many equals: stacked cubes, sheets that cross along edges, and a duplicate."""
    plant()
    for number, place in enumerate(np.indices((2, 2, 2)).reshape(3, -1).T):
        cube(f"Brick {7 - number}", location=(70 + place[0], place[1], place[2]))
    sheet = [(x, y, 0) for x in range(3) for y in range(3)]
    mesh_object("Floor", sheet, [(i, i + 3, i + 4, i + 1) for i in (0, 1, 3, 4)])
    wall = [(1, -0.5, -1), (1, 2.5, -1), (1, 2.5, 1), (1, -0.5, 1)]
    mesh_object("Across", wall, [(0, 1, 2, 3)])
    for name in ("Floor", "Across"):
        bpy.data.objects[name].location = (80, 0, 0)
    bpy.context.view_layer.update()


@pytest.mark.parametrize(("step", "start"), ORDERS)
def test_equal_scenes_have_equal_reports_whatever_the_order_of_objects(empty_scene, step, start):
    crowd()
    audit(**EVERYTHING)
    before = {ending: written(ending) for ending in (".json", ".csv", ".bcf", ".html", ".xml")}
    names = [item.name for item in bpy.context.scene.objects]
    made_in_another_order(step, start)
    assert [item.name for item in bpy.context.scene.objects] != names
    audit(**EVERYTHING)
    for ending, content in before.items():
        assert written(ending) == content, ending
    with ZipFile(io.BytesIO(before[".bcf"])) as archive:
        assert sum(name.endswith(".bcfv") for name in archive.namelist()) == len(kept())


@pytest.mark.parametrize("add", [skydome, mountain])
def test_what_stands_far_away_changes_nothing(empty_scene, add):
    plant()
    cube("Shelf", location=(0, 20, 0))
    cube("Book", location=(0, 20.99, 0))  # a centimeter deep
    before = named(audit())
    assert ("overlap", "Book", "Shelf") in before
    rows = {row["id"]: row for row in json.loads(written(".json"))["findings"]}
    add()
    audit()
    for row in json.loads(written(".json"))["findings"]:
        if not {"Sky", "Mountain"} & set(row["names"]):
            assert rows.pop(row["id"]) | {"objects": 0} == row | {"objects": 0}
    assert not rows


def test_the_tolerance_is_a_hundredth_of_a_millimeter_in_any_unit(empty_scene):
    units = bpy.context.scene.unit_settings
    for system, scale, wanted in (
        ("METRIC", 1.0, 1e-5), ("METRIC", 0.001, 0.01), ("IMPERIAL", 0.01, 1e-3),
        ("NONE", 0.5, 1e-5),
    ):  # fmt: skip
        units.system, units.scale_length = system, scale
        assert usual_band(bpy.context.scene) == pytest.approx(wanted)
        assert settings().band == pytest.approx(wanted)
    units.system, units.scale_length = "METRIC", 0.001
    plant()
    audit()
    report = json.loads(written(".json"))
    assert report["tolerance"] == 1e-5
    assert json.loads(result_list.active_result(bpy.context.scene).options)["band"] == 0.01


def test_a_stored_0_is_what_coordinates_resolve(empty_scene):
    plant()
    settings().band = 0.0
    assert settings().band == 0.0
    audit()
    report = json.loads(written(".json"))
    assert report["tolerance"] == 0.0
    assert report["widened"] == len(report["findings"]) > 3
    known = [float(f"{4 * 2.0 ** (power - 23):.6g}") for power in range(-3, 7)]
    assert {row["band"] for row in report["findings"]} <= set(known)
    settings().band = 0.002
    assert settings().band == pytest.approx(0.002)
    audit()
    assert json.loads(written(".json"))["tolerance"] == 0.002


def test_the_panel_and_reports_tell_what_precision_widened(empty_scene):
    cube("Here")
    cube("There", location=(0.5, 0.25, 0.25))
    cube("Far", location=(3000, 0, 0))
    cube("Farther", location=(3000.5, 0.25, 0.25))
    audit()
    scene, result = bpy.context.scene, result_list.active_result(bpy.context.scene)
    (line,) = tolerance_lines(scene, result)
    assert line.startswith("Tolerance ")
    assert line.endswith(", 1 by precision")
    findings = kept()
    (row,) = np.flatnonzero(findings.widened).tolist()
    assert {findings.objects.names[n] for n in findings.audit.pairs[:, row]} == {"Far", "Farther"}
    told = ["tolerance" in " ".join(details_of(scene, result, n)) for n in range(len(findings))]
    assert told == findings.widened.tolist()
    report = json.loads(written(".json"))
    assert report["widened"] == 1
    unit = float(np.spacing(np.float32(3000)))
    assert {each["band"] for each in report["findings"]} == {1e-5, float(f"{4 * unit:.6g}")}
    assert "Judged by [m]" in written(".csv") and "0.00097656" in written(".csv")
    assert "For 1 finding it was widened" in written(".html")
    assert "tolerance 0.0009766 m by precision" in written(".html")
    assert b'name="tolerance" value="1e-05 m, widened by precision for 1"' in written(".xml")
    with ZipFile(io.BytesIO(written(".bcf"))) as archive:
        topics = [archive.read(name) for name in archive.namelist() if name.endswith("markup.bcf")]
    assert sum(b"as fine as its coordinates are" in topic for topic in topics) == 1
    assert all(b"Tolerance " in topic for topic in topics)


def test_parents_and_children_far_away_are_left_out_by_their_own_precision(empty_scene):
    cube("Parent", location=(5e4, 0, 0), size=2)
    child = cube("Child", location=(5e4 + 2, 0, 0), size=2)
    bpy.context.view_layer.update()
    child.parent = bpy.data.objects["Parent"]
    child.matrix_parent_inverse = child.parent.matrix_world.inverted()
    bpy.context.view_layer.update()
    assert named(audit(touching=True)) == set()
    assert named(audit(touching=True, parents=True)) != set()


def test_what_floats_is_decided_by_the_pair(empty_scene):
    cube("Ground", location=(0, 0, -0.5))
    cube("Cup", location=(0, 0, 0.50005 + 0.001))
    bpy.context.view_layer.update()
    for add in (lambda: None, lambda: cube("Mountain", location=(1e5, 0, 99.0), size=200)):
        add()
        bpy.context.view_layer.update()
        assert bpy.ops.octree.select_floating("EXEC_DEFAULT", True) == {"FINISHED"}
        assert "Cup" in {item.name for item in bpy.context.selected_objects}
