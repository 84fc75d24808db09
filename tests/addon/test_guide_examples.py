"""The examples of the user guide do what it says on a small scene."""

import json
import re
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender_scenes import collection_instance, cube, link, monkey

import octree_ext
import octree_ext.core

CHECKOUT = Path(__file__).resolve().parents[2]
GUIDE = CHECKOUT / "docs" / "user_guide.md"
INSTALLED = "bl_ext.user_default.octree"


def examples(heading):
    """Return the Python of a section, as one script."""
    section = GUIDE.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return "\n".join(re.findall(r"```python\n(.*?)```", section, re.DOTALL))


@pytest.fixture
def installed(monkeypatch):
    """Let the registered extension have the name that it has for users."""
    monkeypatch.setitem(sys.modules, INSTALLED, octree_ext)
    monkeypatch.setitem(sys.modules, f"{INSTALLED}.core", octree_ext.core)


@pytest.fixture
def things():
    """Add a ball that touches a block, two instances of a post, and a monkey far away."""
    cube("Block", 2.0, location=(0, 0, 1))
    bpy.ops.mesh.primitive_uv_sphere_add(location=(1.5, 0, 1))
    bpy.context.object.name = "Ball"
    post = cube("Post", location=(0, 0, 0))
    first = collection_instance([post], "Posts", location=(0, 6, 0))
    second = link(bpy.data.objects.new("Posts", None), location=(0, -6, 0))
    second.instance_type, second.instance_collection = "COLLECTION", first.instance_collection
    monkey(location=(9, 9, 9))
    bpy.context.view_layer.update()


def test_the_examples_for_other_add_ons(installed, things, capsys):
    known = {}
    exec(examples("From another add-on"), known)
    index = known["index"]
    assert known["names"] == {"Block", "Ball"}
    assert set(known["placements"]) <= set(known["found"])
    assert {"Block", "Ball", "Suzanne"} <= {item.name for item in known["objects"]}
    assert {(one.name, other.name) for one, other in known["who"]} == {("Block", "Ball")}
    assert len(known["polygons"]) == len(known["objects"]) > 1000
    assert known["matrices"].shape == (2, 4, 4)
    assert capsys.readouterr().out.count("\n") == 2
    assert len(index.table()) == 5
    ball = next(row.id for row in index.table() if row.name == "Ball")
    assert index.octree.matrices_of([ball])[0, :3, 3].tolist() == [2.5, 0, 1]


def test_faces_of_rays_are_those_that_blender_names(installed, things):
    known = {}
    exec(examples("From another add-on"), known)
    scene, depsgraph = bpy.context.scene, bpy.context.evaluated_depsgraph_get()
    index = octree_ext.scene_index()
    hits = octree_ext.core.ray_cast(index.octree, known["origins"], -known["origins"])
    some = np.flatnonzero(hits.items >= 0)[:200]
    objects = index.objects_of(hits.placements[some])
    faces = index.polygons_of(hits.placements[some], hits.items[some]).tolist()
    alike = 0
    for origin, item, face in zip(known["origins"][some], objects, faces, strict=True):
        *_, its_face, its_object, _ = scene.ray_cast(depsgraph, origin, -origin)
        name = "Post" if item.type == "EMPTY" else item.name
        alike += (its_object.name, its_face) == (name, face)
    assert alike >= 195  # Blender computes in single precision


def test_the_examples_for_scripts(things, tmp_path):
    bpy.ops.object.camera_add(location=(0, -20, 1), rotation=(np.pi / 2, 0, 0))
    bpy.context.scene.camera = bpy.context.object
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "things.blend"))
    exec(examples("From a script"), {})
    scene = bpy.context.scene
    assert (scene.octree.source.scope, scene.octree.source.source) == ("VISIBLE", "OBJECTS")
    clashes, found, contacts = (
        json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("clashes", "audit", "contacts")
    )
    assert clashes["result"] == "Clashes"
    assert [{*row["objects"]} for row in clashes["rows"]] == [{"Ball", "Block"}]
    assert [{*row["objects"]} for row in contacts["rows"]] == [{"Ball", "Block"}]
    assert contacts["frames"] == [*range(1, 49)]
    classes = sorted(each["class"] for each in found["findings"])
    assert classes == ["overlap", "self-intersection"]  # the latter of the monkey
    seen = (tmp_path / "seen.csv").read_text().splitlines()
    assert sum(",Camera,Block," in line for line in seen) == 250  # a line for each frame
    bpy.ops.octree.restore_hidden()  # the originals of the copies
    assert not any(item.hide_render for item in scene.objects)
    assert {"Block", "Ball"} <= {
        item.name.partition(".")[0] for item in bpy.data.collections["For the Game"].objects
    }


def test_what_undo_delete_rename_and_load_do(things):
    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="start")
    index = octree_ext.scene_index()
    before = index.octree.ids.tolist()
    ids = {row.name: row.id for row in index.table()}
    bpy.data.objects["Block"].name = "Brick"
    assert index.table([ids["Block"]])[0].name == "Brick"
    bpy.data.objects.remove(bpy.data.objects["Ball"])
    bpy.ops.ed.undo_push(message="removed")
    assert index.objects_of([ids["Ball"]]) == [None]
    index.update()
    with pytest.raises(ValueError, match=str(ids["Ball"])):
        index.objects_of([ids["Ball"]])
    bpy.ops.ed.undo()
    index.update()
    assert sorted(row.name for row in index.table() if not row.persistent_id) == [
        "Ball",
        "Block",
        "Suzanne",
    ]
    assert set(before) - {ids["Ball"]} <= set(index.octree.ids.tolist())
    bpy.ops.wm.read_homefile(use_empty=True)
    with pytest.raises(ValueError, match="has ended"):
        index.update()
    assert len(octree_ext.scene_index()) == 0
