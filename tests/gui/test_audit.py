"""The audit, pressed, stepped through, judged, mended and exported; pictures in tests/out."""

import base64
import re

import pytest
from gui import guide_scenes
from gui.harness import PICTURES, wait_for
from gui.test_results import CENTER, VERMILION, YELLOW, hue_pixels, is_local, press
from gui.test_shot import add_sea, modal_operators, state

pytestmark = pytest.mark.window


def build_plant():
    """Let a pipe cross two beams, a chair stand in a slab, a panel stand there twice."""
    import bpy
    from mathutils import Euler

    for item in list(bpy.context.scene.objects):
        bpy.data.objects.remove(item)

    def box(name, size, place):
        bpy.ops.mesh.primitive_cube_add(size=1, location=place)
        bpy.context.object.name = name
        bpy.context.object.scale = size

    box("Slab", (9, 7, 0.3), (0, 0, -0.15))
    for number, x in enumerate((-2.5, 0, 2.5)):
        box(f"Beam {number}", (0.3, 7, 0.5), (x, 0, 2.6))
        box(f"Column {number}", (0.4, 0.4, 2.35), (x, -3, 1.175))
        box(f"Column {number + 3}", (0.4, 0.4, 2.35), (x, 3, 1.175))
    bpy.ops.mesh.primitive_cylinder_add(radius=0.18, depth=4.4, location=(-1, 0.6, 2.62))
    bpy.context.object.rotation_euler = (0, 1.5708, 0)
    bpy.context.object.name = "Pipe"
    box("Machine", (1.4, 1.0, 1.2), (0.5, -1, 0.52))
    box("Panel", (1.5, 0.1, 1.5), (-2.5, 1.6, 0.75))
    bpy.ops.object.duplicate()
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3, radius=0.4, location=(3, 1, 1.4))
    bpy.context.object.name = "Lamp"
    bpy.ops.object.select_all(action="DESELECT")
    view = bpy.context.space_data.region_3d
    view.view_rotation = Euler((1.05, 0, 0.6)).to_quaternion()
    view.view_distance, view.view_location = 15, (0, 0, 1)
    bpy.context.space_data.shading.show_cavity = True
    bpy.ops.ed.undo_push(message="Plant")


def lines():
    """Return class, names and status of each finding, and which is active."""
    import importlib

    import bpy

    module = "bl_ext.user_default.octree.octree_addon.audit.keeping"
    keeping, scene = importlib.import_module(module), bpy.context.scene
    result = keeping.active_audit(scene)
    if result is None:
        return [[], -1]
    found = keeping.findings_in(scene, result)
    names = [sorted(found.objects.names[n] for n in pair) for pair in found.audit.pairs.T.tolist()]
    rows = zip(
        found.audit.classes.tolist(), names, found.statuses.tolist(), found.reasons, strict=True
    )
    return [list(map(list, rows)), scene.octree.results.row]


def click_row(row):
    import bpy

    bpy.context.scene.octree.results.row = row


def mark(status, reason):
    import bpy

    bpy.ops.octree.mark_findings("EXEC_DEFAULT", True, status=status, reason=reason)


def ask_why():
    import bpy

    bpy.ops.octree.mark_findings("INVOKE_DEFAULT", True, status="IGNORED")


def distance():
    import bpy

    return bpy.context.space_data.region_3d.view_distance


def move(name, z):
    import bpy

    bpy.data.objects[name].location.z += z
    bpy.ops.ed.undo_push(message="Move")


def export(path):
    import bpy

    return list(bpy.ops.octree.export_audit("EXEC_DEFAULT", filepath=path))


def test_a_plant_is_audited_judged_mended_and_exported(window):
    window.call(build_plant)
    window.call(guide_scenes.show_panels, ["audit", "results"])
    plain = window.picture("audit_before")
    window.call(press, "audit")
    wait_for(lambda: len(window.call(lines)[0]) == 4)
    window.picture("audit_found")
    far = window.call(distance)
    window.call(click_row, 0)
    wait_for(lambda: window.call(distance) < far / 2)
    window.move(*CENTER)
    seen = window.picture("audit_overlap")
    for color in (VERMILION, YELLOW):
        assert hue_pixels(seen, color) > 3_000 + hue_pixels(plain, color)
    window.call(ask_why)
    window.picture("audit_why")
    window.keys("Escape")
    window.call(mark, "IGNORED", "Bolted down")
    assert window.call(lines)[0][0][2:] == [2, "Bolted down"]
    window.call(press, "next_row")
    wait_for(lambda: window.call(lines)[1] == 1)
    window.picture("audit_next")
    window.call(move, "Pipe", 0.8)
    window.call(press, "recheck")
    wait_for(lambda: [each[2] for each in window.call(lines)[0]].count(3) > 0)
    assert "Bolted down" in [each[3] for each in window.call(lines)[0]]
    window.picture("audit_rechecked")
    window.call(click_row, 0)
    window.call(press, "isolate_row")
    wait_for(lambda: window.call(is_local))
    window.picture("audit_isolated")
    window.call(press, "isolate_row")
    for suffix in ("html", "bcf"):
        path = PICTURES / f"audit.{suffix}"
        assert window.call(export, str(path)) == ["FINISHED"]
        assert path.stat().st_size > 10_000
    assert b"data:image/png" in (PICTURES / "audit.html").read_bytes()
    assert "Traceback" not in window.read_log()


def build_dominoes():
    """Let a ball roll into a row of dominoes, of which one after the other falls on the next."""
    from math import radians

    import bpy
    from mathutils import Euler, Matrix

    for item in list(bpy.context.scene.objects):
        bpy.data.objects.remove(item)
    bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, -0.1), scale=(14, 3, 0.2))
    bpy.context.object.name = "Table"
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3, radius=0.5, location=(-6, 0, 0.5))
    ball = bpy.context.object
    ball.name = "Ball"
    for frame, x in ((1, -6.0), (12, -3.6)):
        ball.location.x = x
        ball.keyframe_insert("location", index=0, frame=frame)
    for number in range(6):
        bpy.ops.mesh.primitive_cube_add(size=1, scale=(0.25, 1, 2))
        item = bpy.context.object
        item.name = f"Domino {number + 1}"
        bpy.ops.object.transform_apply(scale=True, location=False)
        item.data.transform(Matrix.Translation((-0.125, 0, 1)))
        item.location = (-2.9 + 1.1 * number, 0, 0)
        for frame, angle in ((12, 0), (18, 33)):
            item.rotation_euler.y = radians(angle)
            item.keyframe_insert("rotation_euler", index=1, frame=frame + 5 * number)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 50
    bpy.ops.object.select_all(action="DESELECT")
    view = bpy.context.space_data.region_3d
    view.view_rotation = Euler((1.2, 0, 0.3)).to_quaternion()
    view.view_distance, view.view_location = 18, (0, 0, 0.5)
    scene.frame_set(1)
    bpy.ops.ed.undo_push(message="Dominoes")


def contact_lines():
    """Return names, first and last frame of each contact."""
    import importlib

    import bpy

    results = importlib.import_module("bl_ext.user_default.octree.octree_addon.result_list")
    result = results.active_result(bpy.context.scene)
    if result is None:
        return []
    view = results.view_of(bpy.context.scene, result)
    begins, ends = (each.values.tolist() for each in view.rows.columns[:2])
    return [[*view.labels(row), begins[row], ends[row]] for row in range(len(begins))]


def frame_and_markers():
    import bpy

    scene = bpy.context.scene
    return [scene.frame_current, sorted((m.frame, m.name) for m in scene.timeline_markers)]


def show_timeline():
    """Make the last area above the status bar, the timeline, as high as it may be seen."""
    import bpy

    areas = [each for each in bpy.context.screen.areas if each.type == "DOPESHEET_EDITOR"]
    region = next(each for each in areas[0].regions if each.type == "WINDOW")
    with bpy.context.temp_override(area=areas[0], region=region):
        bpy.ops.action.view_all()


def choose_scene_range():
    import bpy

    bpy.context.scene.octree.collisions.span = "SCENE"


def ask_for_contacts(last):
    import bpy

    options = {"span": "CUSTOM", "first": 1, "last": last}
    return list(bpy.ops.octree.select_collisions("INVOKE_DEFAULT", True, **options))


def test_contacts_are_listed_gone_to_and_marked(window):
    window.call(build_dominoes)
    window.call(guide_scenes.show_panels, ["audit", "results"])
    window.picture("contacts_before")
    window.call(choose_scene_range)
    window.call(press, "select_collisions")
    wait_for(lambda: window.call(contact_lines))
    found = window.call(contact_lines)
    firsts = {tuple(sorted(each[:2])): each[2] for each in reversed(found)}
    falls = [firsts[f"Domino {n}", f"Domino {n + 1}"] for n in range(1, 6)]
    assert all(13 <= first - 5 * n <= 18 for n, first in enumerate(falls))
    assert falls == sorted(falls) and firsts["Ball", "Domino 1"] < falls[0]
    assert window.call(frame_and_markers)[0] == 1
    row = next(n for n, each in enumerate(found) if set(each[:2]) == {"Domino 2", "Domino 3"})
    window.call(click_row, row)
    wait_for(lambda: window.call(frame_and_markers)[0] == falls[1])
    window.call(press, "mark_row_frames")
    assert window.call(frame_and_markers)[1][0][0] == falls[1]
    window.call(show_timeline)
    window.move(*CENTER)
    seen = window.picture("contacts_row")
    for color in (VERMILION, YELLOW):
        assert hue_pixels(seen, color) > 2_000
    assert "Traceback" not in window.read_log()


def test_escape_of_contacts_leaves_frame_and_values_as_they_were(window):
    window.call(guide_scenes.show_panels, ["audit", "results"])
    window.call(add_sea)
    before = window.call(state)
    window.move(*CENTER)
    assert window.call(ask_for_contacts, 2000) == ["RUNNING_MODAL"]
    wait_for(lambda: window.call(state)[0] >= 3)
    window.picture("contacts_progress")
    window.keys("Escape")
    wait_for(lambda: window.call(modal_operators) == 0)
    assert window.call(state) == before
    assert window.call(contact_lines) == []
    assert "Traceback" not in window.read_log()


def build_crowd():
    """Let ten pipes cross instances of a set that stand in a row, which overlap by themselves."""
    import bpy

    for item in list(bpy.context.scene.objects):
        bpy.data.objects.remove(item)
    parts = bpy.data.collections.new("Parts")
    bpy.ops.mesh.primitive_monkey_add(size=1.2)
    head = bpy.context.object
    bpy.ops.mesh.primitive_torus_add(major_radius=0.6, minor_radius=0.2, location=(0.5, 0, 0))
    for each in (head, bpy.context.object):
        for home in each.users_collection:
            home.objects.unlink(each)
        parts.objects.link(each)
    for number in range(34):
        place = (2.4 * (number % 6), 2.4 * (number // 6), 0)
        item = bpy.data.objects.new(f"Set {number}", None)
        item.instance_type, item.instance_collection = "COLLECTION", parts
        item.location, item.rotation_euler = place, (0, 0, 0.3 * number)
        bpy.context.scene.collection.objects.link(item)
        bpy.ops.mesh.primitive_cylinder_add(radius=0.3, depth=3, location=place)
    wall = (6, 5, 0)
    bpy.ops.mesh.primitive_cube_add(size=1, location=(wall[0], wall[1] - 9, 0))
    bpy.context.object.scale = (30, 0.1, 30)
    bpy.context.object.name = "Wall before all"
    bpy.context.space_data.shading.type = "WIREFRAME"
    bpy.ops.octree.audit("EXEC_DEFAULT", True, instances=True)


def colorful(content):
    """Return how many pixels of a PNG file are yellow and vermilion, for Blender, and its size."""
    import tempfile
    from pathlib import Path

    import bpy
    import numpy as np

    path = Path(tempfile.mkdtemp()) / "picture.png"
    path.write_bytes(bytes.fromhex(content))
    image = bpy.data.images.load(str(path))
    pixels = np.empty(4 * image.size[0] * image.size[1], np.float32)
    image.pixels.foreach_get(pixels)
    red, green, blue, _ = pixels.reshape(-1, 4).T
    size = list(image.size)
    bpy.data.images.remove(image)
    yellow, vermilion = (green > blue + 0.2) & (red < 2 * green), red > 2 * green
    return [int(yellow.sum()), int(vermilion.sum()), size]


def test_a_report_of_a_hundred_findings_is_small_and_shows_the_objects(window):
    """Objects behind a wall and instances of wires, too; each picture has a few kilobytes."""
    window.call(build_crowd)
    count = len(window.call(lines)[0])
    assert count >= 100
    path = PICTURES / "crowd.html"
    assert window.call(export, str(path), timeout=500) == ["FINISHED"]
    found = re.findall(r'base64,([^"]+)"', path.read_text(encoding="utf-8"))
    assert len(found) == count
    assert path.stat().st_size < 2_000_000 * count / 100
    pictures = [base64.b64decode(each) for each in found]
    assert max(map(len, pictures)) <= 12_000
    for number in range(0, count, 20):
        first, second, size = window.call(colorful, pictures[number].hex())
        (PICTURES / f"crowd_{number}.png").write_bytes(pictures[number])
        assert size == [480, 360]
        assert min(first, second) > 500
    assert "Traceback" not in window.read_log()
