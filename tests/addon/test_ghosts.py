"""Nothing of an old answer is drawn or said after the scene has changed, or it was cleared.

The drawing code runs as Blender calls it; what it would put on the graphics card is written down.
"""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from blender_scenes import camera, cube, select_only
from costs import lines_run, times_run
from paper import Paper
from probing import answered, view3d

from octree_ext.octree_addon import handlers, questions, result_list, scene_index
from octree_ext.octree_addon.display import active_row, batches, contact, drawing, layers
from octree_ext.octree_addon.probe import drawing as probe_drawing
from octree_ext.octree_addon.probe import session
from octree_ext.octree_addon.questions.status import draw_status
from octree_ext.octree_addon.scene_index import version_from_file
from octree_ext.octree_addon.ui import settings_of


@pytest.fixture
def scene(empty_scene):
    """Add cubes that overlap in a row, one apart from the next pair; a camera above them."""
    for name, x in (("A", 0), ("B", 0.8), ("C", 5), ("D", 5.8)):
        cube(name, location=(x, 0.1 * x, 0))
    camera(location=(3, 0, 20))
    moving = bpy.data.objects["A"]
    moving.keyframe_insert("location", frame=1)
    moving.location.z = 4
    moving.keyframe_insert("location", frame=20)
    empty_scene.frame_set(1)
    select_only(bpy.data.objects["A"])
    bpy.ops.ed.undo_push(message="Start")
    yield empty_scene
    session.end()


def call(name, **options):
    assert getattr(bpy.ops.octree, name)("EXEC_DEFAULT", True, **options) == {"FINISHED"}


def ask_of_contacts(name, **options):
    call(name, **options)
    rows = result_list.view_of(bpy.context.scene, result_list.active_result(bpy.context.scene))
    pairs = [set(rows.labels(row)) for row in range(len(rows.rows))]
    settings_of(bpy.context.scene).results.row = pairs.index({"A", "B"})


def probe():
    settings_of(bpy.context.scene).sphere.radius = 9
    answered((0, 0, 0))
    bpy.ops.ed.undo_push(message="Probed")


KINDS = {
    "sphere": lambda: call("select_in_sphere", radius=0.4),
    "box": lambda: call("select_in_box", around="CURSOR", size=(1, 1, 1)),
    "nearest": lambda: call("select_nearest", origin=(-2, 0, 0)),
    "ray": lambda: call("select_on_ray", origin=(-9, 0, 0), direction=(1, 0, 0)),
    "frustum": lambda: call("select_in_frustum"),
    "collisions": lambda: call("select_collisions"),
    "audit": lambda: ask_of_contacts("audit"),
    "contacts": lambda: ask_of_contacts("select_collisions", span="SCENE"),
    "shot": lambda: call("find_seen"),
    "probe": probe,
}


def move():
    bpy.data.objects["A"].location.z = 7
    bpy.context.view_layer.update()


def delete():
    select_only(bpy.data.objects["A"])
    bpy.ops.object.delete("EXEC_DEFAULT", True)


def remove():
    """As a script does: Blender evaluates nothing before it draws."""
    bpy.data.objects.remove(bpy.data.objects["A"])


def edit():
    select_only(bpy.data.objects["A"])
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.transform.translate(value=(0, 0, 3))
    bpy.context.view_layer.update()


def edit_and_leave():
    edit()
    bpy.ops.object.mode_set(mode="OBJECT")


def undo():
    bpy.ops.ed.undo()


def move_and_undo():
    """Blender does not say what an undo has changed: all is in doubt."""
    move()
    bpy.ops.ed.undo_push(message="Move")
    bpy.ops.ed.undo()


def go_to_another_frame():
    bpy.context.scene.frame_set(12)


def load(folder):
    path = str(folder / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)


def begin_anew():
    bpy.ops.wm.read_homefile(use_empty=True)


def show_a_new_scene():
    bpy.ops.scene.new(type="NEW")


CHANGES = {
    "move": move,
    "delete": delete,
    "remove": remove,
    "edit": edit,
    "edit and leave": edit_and_leave,
    "undo": undo,
    "move and undo": move_and_undo,
    "frame": go_to_another_frame,
    "new file": begin_anew,
    "new scene": show_a_new_scene,
}


@pytest.fixture
def seen(monkeypatch):
    """Return a function that draws the scene, and says what would be seen of answers."""
    drawn = []

    def write(name, of=lambda *_: None):
        return lambda *given, **_: drawn.append((name, of(*given)))

    monkeypatch.setattr(batches, "draw_found", write("found"))
    monkeypatch.setattr(drawing, "draw_outline", write("outline"))
    monkeypatch.setattr(batches, "draw_picture", write("cells"))
    monkeypatch.setattr(batches, "picture_of", lambda *_: None)
    monkeypatch.setattr(active_row, "fade", lambda *_: None)
    monkeypatch.setattr(active_row, "triangle_batch", lambda *_: "triangles")
    monkeypatch.setattr(active_row, "fill", write("filled"))
    monkeypatch.setattr(active_row, "line_shader", lambda _: FakeShader())
    monkeypatch.setattr(active_row, "line_batch", lambda *_: FakeShader())
    monkeypatch.setattr(active_row, "blended", lambda _: FakeShader())
    monkeypatch.setattr(active_row, "draw_side", write("row", lambda side, *_: side.object.name))
    read = SimpleNamespace(key=None, version=version_from_file(""))
    monkeypatch.setattr(contact, "read_contact", lambda *_: read)
    monkeypatch.setattr(contact, "draw_contact", write("contact"))
    monkeypatch.setattr(probe_drawing, "draw_picture", write("probe"))

    def look():
        drawn.clear()
        drawing.draw_scene(bpy.context.scene)
        live = session.current()
        if live is not None and live.scene == bpy.context.scene.session_uid:
            with bpy.context.temp_override(**view3d()):
                probe_drawing.draw_shapes(live)
        return [*drawn, *words()]

    return look


class FakeShader:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def draw(self, *_):
        pass

    uniform_float = draw


def words():
    """Return what the status bar says."""
    paper = Paper()
    draw_status(SimpleNamespace(layout=paper), bpy.context)
    return [("said", text) for text, _ in paper.lines]


# What a question looks like stays, as long as it is the last one; objects of the active row are
# colored where they are.
STAYS = {"outline", "row"}


def ghosts(marks):
    return [mark for mark in marks if mark[0] not in STAYS]


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_an_answer_outlives_a_change(scene, seen, kind, change):
    KINDS[kind]()
    before = seen()
    assert ghosts(before) or kind in ("shot", "contacts")
    change()
    after = seen()
    assert ghosts(after) == []
    gone = {name for what, name in after if what == "row"} - {
        item.name for item in bpy.context.scene.objects
    }
    assert gone == set()
    if kind == "nearest":  # whose outline goes as far as what was found
        assert after == []


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_an_answer_outlives_its_file(scene, seen, kind, tmp_path):
    KINDS[kind]()
    seen()
    load(tmp_path)
    assert ghosts(seen()) == []
    assert session.current() is None


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_cleared_is_gone_at_once(scene, seen, kind):
    if kind not in ("shot", "audit", "contacts"):
        call("select_in_sphere", radius=0.4)
    KINDS[kind]()
    call("clear_results")
    assert seen() == []
    assert questions.get(bpy.context.scene) is None
    assert bpy.app.timers.is_registered(handlers.redraw_status_bars)


def test_cells_that_a_question_visited_go_with_it(scene, seen):
    settings_of(scene).source.scope = "VISIBLE"
    call("build")
    call("select_in_sphere", radius=0.4)
    call("show_cells")
    assert "cells" in dict(seen())
    move()
    assert "cells" not in dict(seen())
    bpy.data.objects["A"].location.z = 0
    at_rest()
    assert "cells" in dict(seen())
    call("clear_results")
    assert seen() == []


def at_rest():
    bpy.context.view_layer.update()
    while not scene_index.catch_up(1):
        pass


def test_clearing_the_octree_takes_the_answer_too(scene, seen):
    call("select_in_sphere", radius=0.4)
    call("clear")
    assert seen() == []


def test_a_result_that_is_removed_takes_its_answer_and_no_other(scene, seen):
    call("select_in_sphere", radius=0.4)
    marks = seen()
    assert {"found", "outline"} <= dict(marks).keys()
    call("audit")
    assert not {"found", "outline"} & dict(seen()).keys()  # the list shows another result
    call("remove_result")
    assert seen() == marks
    call("remove_result")
    assert seen() == []


def test_undo_of_clearing_brings_the_answer_back_once_the_scene_is_known(scene, seen):
    call("select_in_sphere", radius=0.4)
    before = seen()
    call("clear_results")
    bpy.ops.ed.undo()
    handlers.watch_header(None, bpy.context)
    assert ghosts(seen()) == []
    at_rest()
    assert seen() == before


@pytest.mark.parametrize("kind", ["sphere", "collisions", "audit"])
def test_marks_come_back_once_the_scene_is_known_to_be_the_same(scene, seen, kind):
    KINDS[kind]()
    before = seen()
    item = bpy.data.objects["A"]
    item.location.z = 7
    bpy.context.view_layer.update()
    assert ghosts(seen()) == []
    item.location.z = 0
    bpy.context.view_layer.update()
    assert ghosts(seen()) == []
    at_rest()
    assert seen() == before


def test_selecting_takes_no_mark_away(scene, seen):
    KINDS["audit"]()
    call("select_collisions")
    settings_of(scene).results.active = 0
    before = seen()
    for item in scene.objects:
        item.select_set(not item.select_get())
    bpy.context.view_layer.update()
    assert seen() == before


def test_a_contact_of_an_instance_goes_with_any_change(scene, seen):
    """Nothing tells whether the instance itself was moved."""
    KINDS["audit"]()
    sides = result_list.active_of(scene).sides()
    instanced = [side._replace(numbers=(1, *side.numbers)) for side in sides]
    assert contact.is_still_there(result_list.active_of(scene), instanced)
    bpy.data.objects["D"].location.x += 9
    bpy.context.view_layer.update()
    assert contact.is_still_there(result_list.active_of(scene), sides)
    assert not contact.is_still_there(result_list.active_of(scene), instanced)


def test_a_contact_stays_while_other_objects_are_mended(scene, seen):
    KINDS["audit"]()
    bpy.data.objects["D"].location.x += 9
    bpy.context.view_layer.update()
    assert "contact" in dict(seen())
    at_rest()
    assert "contact" in dict(seen())
    select_only(bpy.data.objects["D"])
    bpy.ops.object.delete("EXEC_DEFAULT", True)
    assert "contact" in dict(seen())
    bpy.data.objects["B"].hide_set(True)
    assert "contact" not in dict(seen())
    bpy.data.objects["B"].hide_set(False)
    bpy.data.objects["B"].location.x += 9
    bpy.context.view_layer.update()
    assert "contact" not in dict(seen())


def test_faces_of_the_active_row_are_those_of_today(scene, monkeypatch):
    """Until the scene has come to rest those of an object that was edited are in doubt."""
    ask_of_contacts("audit")
    monkeypatch.setattr(active_row, "triangle_batch", lambda points, _: points[:, 2].max())
    side = next(each for each in result_list.active_of(scene).sides() if each.object.name == "A")
    key = active_row.key_of(scene, side)

    def filled():
        graph = bpy.context.evaluated_depsgraph_get()
        return active_row.filled_of(side, key, graph).batch

    assert filled() == 0.5
    bpy.data.objects["A"].location.z = 3
    bpy.context.view_layer.update()
    assert filled() == 0.5  # in its own space
    for vertex in bpy.data.objects["A"].data.vertices:
        vertex.co.z += 1
    bpy.data.objects["A"].data.update()
    bpy.context.view_layer.update()
    assert filled() is None
    at_rest()
    assert filled() == 1.5
    layers.drop_uploads()


def test_words_at_the_pointer_go_with_the_answer(scene, seen, monkeypatch):
    probe()
    said = []
    monkeypatch.setattr(probe_drawing, "draw_words", lambda words, *_: said.extend(words))
    live = session.current()
    region = SimpleNamespace(as_pointer=lambda: live.spot.region)
    here = SimpleNamespace(context=SimpleNamespace(region=region))
    monkeypatch.setattr(probe_drawing, "bpy", here)
    probe_drawing.draw_hint(live)
    assert said
    move()
    said.clear()
    probe_drawing.draw_hint(live)
    assert said == []
    assert np.isfinite(live.answered.picture.faces).all()


def test_objects_of_the_active_row_are_looked_for_once(scene, seen):
    KINDS["audit"]()
    settings_of(scene).results.outline = True
    seen()
    again = lines_run(seen)
    assert not times_run(again, "bpy.data.objects.get(name)")
    bpy.ops.ed.undo_push(message="Seen")
    bpy.ops.ed.undo()
    assert {name for what, name in seen() if what == "row"} <= {"A", "B"}
