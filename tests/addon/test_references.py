"""Answers name objects and are no users of them: deleted, renamed, saved, appended, copied."""

import bpy
import pytest
from blender_scenes import camera, cube, select_only

from octree_ext import octree_addon
from octree_ext.octree_addon import handlers, references, result_list, trees
from octree_ext.octree_addon.audit import keeping
from octree_ext.octree_addon.ui import settings_of

# What the user has chosen, and what *Restore Hidden* needs.
ALLOWED = {
    "OctreeAuditSettings.apart_one",
    "OctreeAuditSettings.apart_other",
    "OctreeAuditSettings.ones_collection",
    "OctreeAuditSettings.others_collection",
    "OctreeBuildSettings.bounds_object",
    "OctreeCollisionSettings.apart_one",
    "OctreeCollisionSettings.apart_other",
    "OctreeCollisionSettings.ones_collection",
    "OctreeCollisionSettings.others_collection",
    "OctreeFloatingSettings.collection",
    "OctreeFloatingSettings.ground_object",
    "OctreeFrustumSettings.camera",
    "OctreeHiddenObject.object",
    "OctreeHidingSettings.protect",
    "OctreeLiveSettings.ground",
    "OctreeLiveSettings.grounds",
    "OctreeNeverSeenSettings.material",
    "OctreeNeverSeenSettings.volume",
    "OctreeNeverSeenSettings.without",
    "OctreeObjectSettings.bounds_object",
    "OctreeRaySettings.object",
    "OctreeShotSettings.collection",
    "OctreeSourceSettings.collection",
}


def groups():
    """Return the property groups of the extension, those within others too."""
    found = {octree_addon.OctreeSettings, *octree_addon.GROUPS}
    return {each for each in found if issubclass(each, bpy.types.PropertyGroup)}


def test_no_pointer_to_data_but_what_the_user_has_chosen():
    pointers = {
        f"{group.__name__}.{each.identifier}"
        for group in groups()
        for each in group.bl_rna.properties
        if each.type == "POINTER" and issubclass(type_of(each), bpy.types.ID)
    }
    assert pointers == ALLOWED


def type_of(definition):
    return getattr(bpy.types, definition.fixed_type.identifier, type(None))


@pytest.fixture
def row(empty_scene):
    """Add cubes that touch in a row, one by one, and one far away."""
    for name, x in (("Floor", 0), ("Wall", 1), ("Roof", 2), ("Far", 9)):
        cube(name, location=(x, 0, 0))
    camera(location=(0, 0, 10))
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Start")
    return empty_scene


def call(name, **options):
    assert getattr(bpy.ops.octree, name)("EXEC_DEFAULT", True, **options) == {"FINISHED"}


def build():
    settings_of(bpy.context.scene).source.scope = "VISIBLE"
    call("build", source="OBJECTS")


ANSWERS = {
    "sphere": lambda: call("select_in_sphere", radius=9),
    "box": lambda: call("select_in_box", around="CURSOR", size=(20, 20, 20)),
    "nearest": lambda: call("select_nearest", origin=(-2, 0, 0), count=40),
    "ray": lambda: call("select_on_ray", origin=(-9, 0, 0), direction=(1, 0, 0), hits="ALL"),
    "frustum": lambda: call("select_in_frustum"),
    "collisions": lambda: call("select_collisions"),
    "audit": lambda: call("audit", touching=True),
    "contacts": lambda: call("select_collisions", span="SCENE"),
    "shot": lambda: call("find_seen"),
    "tree": build,
}


def users():
    return {item.name: item.users for item in bpy.data.objects}


@pytest.mark.parametrize("ask", ANSWERS.values(), ids=ANSWERS)
def test_no_answer_is_a_user_of_an_object(row, ask):
    before = users()
    ask()
    assert users() == before


@pytest.mark.parametrize("ask", ANSWERS.values(), ids=ANSWERS)
def test_no_answer_holds_the_name_of_a_deleted_object(row, ask):
    ask()
    delete("Floor")
    assert cube("Floor").name == "Floor"


def delete(name):
    select_only(bpy.data.objects[name])
    bpy.ops.object.delete("EXEC_DEFAULT", True)


def answers(scene=None):
    """Return all that results say of a scene: names, which are there, findings, the tree."""
    references.meet(bpy.data.scenes)
    scene = scene or bpy.context.scene
    said = {}
    for result in settings_of(scene).results.kept:
        view = result_list.view_of(scene, result)
        rows = [tuple(view.labels(row)) for row in range(len(view.rows))]
        is_there = dict(zip(view.names, map(bool, view.uids), strict=True))
        said[result.name] = rows, is_there
        if result.question == keeping.QUESTION:
            said["findings"] = [
                keeping.findings_in(scene, result).objects.names[number]
                for number in keeping.findings_in(scene, result).audit.pairs.T.ravel()
            ]
    said["tree"] = [item.name for item in trees.source_objects(scene)]
    return said


@pytest.fixture
def asked(row):
    """Ask, then delete one of the cubes and rename another."""
    for name in ("collisions", "audit", "tree"):
        ANSWERS[name]()
    bpy.ops.ed.undo_push(message="Asked")
    before = answers()
    delete("Roof")
    bpy.data.objects["Wall"].name = "Wand"
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Renamed")
    after = answers()
    assert after["Select Collisions"][1] == {"Floor": True, "Wand": True, "Roof": False}
    assert set(after["findings"]) == {"Floor", "Wand", "Roof"}
    assert after["tree"] == ["Floor", "Wand", "Far"]
    return before, after


def test_undo_and_redo_lose_nothing(asked):
    before, after = asked
    bpy.ops.ed.undo()
    bpy.ops.ed.undo()
    assert answers() == before
    bpy.ops.ed.redo()
    bpy.ops.ed.redo()
    assert answers() == after


def save(folder):
    path = str(folder / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    return path


def test_save_and_load_lose_nothing(asked, tmp_path):
    bpy.ops.wm.open_mainfile(filepath=save(tmp_path))
    assert answers() == asked[1]


def test_a_new_object_is_not_the_deleted_one_of_its_name(asked, tmp_path):
    cube("Roof")
    bpy.context.view_layer.update()
    path = save(tmp_path)
    for _ in range(2):
        assert answers()["Select Collisions"][1]["Roof"] is False
        bpy.ops.wm.open_mainfile(filepath=path)


def test_what_is_written_without_a_notice_has_the_names_of_today(asked, tmp_path):
    """As autosave does: `save_pre` is not called."""
    assert bpy.app.timers.is_registered(references.refresh)
    references.refresh()  # that timer, at rest
    path = str(tmp_path / "autosave.blend")
    bpy.data.libraries.write(path, {bpy.context.scene})
    bpy.ops.wm.read_homefile(use_empty=True)
    with bpy.data.libraries.load(path) as (_, taken):
        taken.scenes = ["Scene"]
    assert answers(taken.scenes[0]) == asked[1]


def test_appending_loses_nothing_where_names_are_taken(asked, tmp_path):
    path = save(tmp_path)
    bpy.ops.wm.read_homefile(use_empty=True)
    strangers = [cube("Wand"), cube("Floor")]
    with bpy.data.libraries.load(path) as (_, taken):
        taken.scenes = ["Scene"]
    said = answers(taken.scenes[0])
    names = {"Floor": "Floor.001", "Wand": "Wand.001"}
    rows = [
        tuple(names.get(each, each) for each in row) for row in asked[1]["Select Collisions"][0]
    ]
    there = {"Floor.001": True, "Wand.001": True, "Roof": False}
    assert said["Select Collisions"] == (rows, there)
    assert said["tree"] == ["Floor.001", "Wand.001", "Far"]
    assert not {each.name for each in strangers} & set(said["findings"])


def test_linking_loses_nothing(asked, tmp_path):
    path = save(tmp_path)
    bpy.ops.wm.read_homefile(use_empty=True)
    cube("Floor")
    with bpy.data.libraries.load(path, link=True) as (_, taken):
        taken.scenes = ["Scene"]
    assert answers(taken.scenes[0]) == asked[1]
    references.refresh()
    call("select_in_sphere", radius=9)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "user.blend"))


@pytest.mark.parametrize("kind", ["LINK_COPY", "FULL_COPY"])
def test_a_copied_scene_has_its_own(asked, kind):
    references.refresh()
    bpy.ops.scene.new(type=kind)
    said = answers()
    there = said["Select Collisions"][1]
    assert list(there.values()) == list(asked[1]["Select Collisions"][1].values())
    meshes = [item for item in bpy.context.scene.objects if item.type == "MESH"]
    present = {item.name for item in meshes}
    assert {name for name, is_there in there.items() if is_there} <= present
    assert set(said["tree"]) == present


def test_a_rename_after_loading_is_followed(asked, tmp_path):
    bpy.ops.wm.open_mainfile(filepath=save(tmp_path))
    handlers.watch_header(None, bpy.context)  # as the first drawing does
    bpy.data.objects["Floor"].name = "Boden"
    bpy.context.view_layer.update()
    cube("Floor")
    bpy.context.view_layer.update()
    there = answers()["Select Collisions"][1]
    assert there == {"Boden": True, "Wand": True, "Roof": False}


def test_names_are_written_once_the_scene_has_come_to_rest(row):
    ANSWERS["collisions"]()
    text = result_list.active_result(row).subjects
    bpy.data.objects["Far"].location.x += 1
    bpy.context.view_layer.update()
    references.refresh()
    assert result_list.active_result(row).subjects == text
    bpy.data.objects["Floor"].name = "Boden"
    bpy.context.view_layer.update()
    references.refresh()
    subjects = result_list.active_result(row).subjects
    assert references.named(subjects).key == references.named(text).key
    assert "Boden" in subjects
