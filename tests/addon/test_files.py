"""After any operator and its undo, the file is as it was; a refused call leaves it as it is."""

import bpy
import pytest
from blender_scenes import mesh_object, monkey, select_only
from registered import OPERATORS
from shot_scenes import keep_answer, street
from snapshots import whole_file

from octree_ext.octree_addon import hiding
from octree_ext.octree_addon.ui import forget_session

# Operators that do more than one thing are called in more than one way.
OPTIONS = {
    "octree.select_in_frustum": [{}, {"invert": True}, {"kind": "FACES"}],
    "octree.select_in_sphere": [{"radius": 5}, {"radius": 5, "kind": "FACES"}],
    "octree.hide_unseen": [{"icon": icon} for icon in ("EYE", "MONITOR", "RENDER")],
    "octree.export_seen": [{"filepath": "seen.csv"}],
    "octree.export_audit": [{"filepath": "audit.csv"}],
    "octree.compare_audit": [{"filepath": "audit.json"}],
    "octree.select_collisions": [{}, {"span": "CUSTOM", "first": 1, "last": 9, "step": 4}],
    "octree.export_chunks": [
        {"folder": "chunks", "form": "GLB"},
        {"folder": "chunks", "form": "TILES", "levels": 2, "triangles": 500},
    ],
    "octree.export_rows": [{"filepath": "rows.csv"}, {"filepath": "rows.json"}],
    "octree.put": [{"point": (3, 0, 5)}],
    "octree.fold_row": [{"line": 1}],
    "octree.fill": [{"count": 2, "tries": 40}],
}
# What has nothing to finish without a pointer or a window.
POINTING = {"octree.probe_move", "octree.inspect_cells", "octree.hold"}
PLATE = [(-3, -3, 0), (3, -3, 0), (3, 3, 0), (-3, 3, 0)]
NEEDS_AUDIT = {
    f"octree.{name}"
    for name in (
        "recheck", "mark_findings", "compare_audit", "export_audit", "select_duplicates",
        "hide_duplicates", "copy_without_duplicates",
    )
}  # fmt: skip
NEEDS_NEVER_SEEN = {
    f"octree.{verb}_never_seen"
    for verb in ("select", "collect", "hide", "mark", "mask", "unmask", "copy")
}
# Of each, what is called before; and what to a monkey that the camera sees.
BEFORE = {
    "octree.ungroup_rows": [("octree.group_rows", {"group": "Group"})],
    "octree.fold_row": [("octree.group_rows", {"group": "Group"})],
    "octree.remove_chunks": [("octree.cut_chunks", {})],
    "octree.make_distances_real": [("octree.measure_distances", {"pairs": "ACTIVE"})],
}
LOOKING = [
    ("octree.find_seen", {"behind": "UNSEEN", "resolution": 10}),
    ("octree.density", {"what": "PIXELS", "per_pixel": 0.01}),
]
SEEN_BEFORE = {
    "octree.decimate_to_need": LOOKING,
    "octree.remove_decimated": [*LOOKING, ("octree.decimate_to_need", {})],
}
CALLS = [
    (operator.bl_idname, options)
    for operator in OPERATORS
    if operator.bl_idname not in POINTING
    for options in OPTIONS.get(operator.bl_idname, [{}])
]


@pytest.fixture
def objects():
    """Lay a street with a tree and answers, one cube of it hidden by us, and an undo step."""
    found = street()
    # Any undo evaluates curves anew, so nothing may stand elsewhere.
    bpy.context.scene.frame_set(1)
    select_only(found["Cube 1"], found["Moving"])
    bpy.ops.octree.build()
    bpy.ops.octree.select_in_sphere(center=(3, 0, 0), radius=1)
    keep_answer([found["Cube 0"]])
    bpy.ops.octree.hide_unseen(icon="MONITOR")
    keep_answer([found["Cube 1"]], [found["Moving"]])
    results = bpy.context.scene.octree.results
    results.row = 0
    bpy.ops.ed.undo_push(message="Start")
    yield found
    forget_session()


def call(name, **options):
    """Call an operator as a user does, with an undo step of its own."""
    module, function = name.split(".")
    return getattr(getattr(bpy.ops, module), function)("EXEC_DEFAULT", True, **options)


def prepare(name, objects):
    """Ask before what an operator works on, and choose its first row."""
    if name == "octree.live":
        call("octree.build", source="OBJECTS")
    elif name == "octree.mark_row_frames":
        objects["Camera"].rotation_euler.x = 1.5
        call("octree.find_seen")
    elif name == "octree.select_collisions":
        twin = objects["Cube 1"].copy()
        bpy.context.collection.objects.link(twin)
    elif name == "octree.go_to_largest":
        objects["Camera"].rotation_euler.x = 1.5
        call("octree.find_seen", behind="UNSEEN")
    elif name in NEEDS_AUDIT:
        twin = objects["Cube 1"].copy()
        bpy.context.collection.objects.link(twin)
        call("octree.audit")
        if name == "octree.compare_audit":
            call("octree.export_audit", filepath="audit.json")
    elif name in NEEDS_NEVER_SEEN:
        prepare_never_seen(name)
    elif name in SEEN_BEFORE:
        monkey(location=(0, 0, 0), rotation_euler=(0, 0, 0))
        objects["Camera"].rotation_euler.x = 1.5
        bpy.context.view_layer.update()
    for each, options in (BEFORE | SEEN_BEFORE).get(name, []):
        assert call(each, **options) == {"FINISHED"}
    if bpy.context.scene.octree.results.kept:
        bpy.context.scene.octree.results.row = 0
    if name in ("octree.fill", "octree.put"):
        plate = mesh_object("Plate", PLATE, [(0, 1, 2, 3)], location=(3, 0, -9))
        select_only(*([plate] if name == "octree.fill" else []), objects["Cube 1"])


def prepare_never_seen(name):
    """Have something that is never seen."""
    call("octree.find_never_seen", views="OUTSIDE", directions=4, resolution=32)
    if name != "octree.copy_never_seen":  # which wants something to keep
        bpy.context.scene.octree.never_seen.least = 1000
    if name == "octree.unmask_never_seen":
        call("octree.mask_never_seen")


@pytest.mark.parametrize(("name", "options"), CALLS, ids=str)
def test_undo_brings_the_file_back(objects, name, options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    prepare(name, objects)
    bpy.ops.ed.undo_push(message="Prepared")
    before = whole_file()
    assert call(name, **options) == {"FINISHED"}
    # A click of the probe calls a question, and that is the undo step.
    if name == "octree.probe_keep" or "UNDO" in getattr(bpy.types, class_name(name)).bl_options:
        after = whole_file()
        bpy.ops.ed.undo()
        assert whole_file() == before
        bpy.ops.ed.redo()
        assert whole_file() == after
    else:
        assert whole_file() == before


def class_name(name):
    module, function = name.split(".")
    return f"{module.upper()}_OT_{function}"


def test_snapshots_tell_files_apart(objects):
    """Each kind of change shows: a snapshot that sees nothing would pass every test."""
    before = whole_file()
    changes = {
        "visibility": lambda: objects["Cube 0"].hide_set(True),
        "selection": lambda: objects["Cube 1"].select_set(False),
        "transforms": lambda: setattr(objects["Cube 1"], "location", (9, 9, 9)),
        "collections": lambda: bpy.data.collections.new("New"),
        "attributes": lambda: objects["Cube 1"].data.attributes.new("New", "FLOAT", "FACE"),
        "frames": lambda: bpy.context.scene.frame_set(5),
    }
    for kind, change in changes.items():
        change()
        bpy.context.view_layer.update()
        assert whole_file()[kind] != before[kind]


def test_hidden_objects_are_among_what_undo_brings_back(objects):
    """Restore, change something else, and undo both: hidden as before, and remembered."""
    before = whole_file()
    call("octree.restore_hidden")
    objects["Cube 1"].location.x = 99
    bpy.ops.ed.undo_push(message="Moved")
    bpy.ops.ed.undo()
    bpy.ops.ed.undo()
    assert whole_file() == before
    assert hiding.hidden_counts(bpy.context.scene) == {"MONITOR": 1}
