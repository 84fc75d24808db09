"""The probe without a window: live answers are those of the questions; it catches up in steps."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from blender_scenes import cube, mesh_object, scatter, selected
from brute_force import triangles_of
from costs import lines_run, times_run
from paper import drawn
from probing import answered, ask_at, spot, view3d
from tuned import tuned

from octree_ext import octree_addon
from octree_ext.octree_addon import display, handlers, probe, questions
from octree_ext.octree_addon.answers.view import NAME, sorted_rows
from octree_ext.octree_addon.probe import gizmos, operators, pointer, session
from octree_ext.octree_addon.probe.shapes import SphereShape, normal_of, shape_of
from octree_ext.octree_addon.questions.panel import NEAR
from octree_ext.octree_addon.result_list import active_result, view_of
from octree_ext.octree_addon.ui import settings_of, write_status

PLACES = [(0.2, 0.1, 0.3), (2.4, 0.0, 0.6), (9.0, 9.0, 9.0)]


@pytest.fixture(autouse=True)
def ended():
    yield
    session.end()


@pytest.fixture
def row(empty_scene):
    """Add five cubes along x, two apart, and a hundred pebbles on a large one."""
    for x in range(5):
        cube(f"Cube {x}", location=(2 * x, 0, 0))
    scatter(cube("Pebble", size=0.1, location=(0, 40, 0)), cube("Ground", location=(0, 20, 0)))
    bpy.context.view_layer.update()
    return empty_scene


def corners(points):
    """Return triangles as a set of sums of their corners, to compare them in any order."""
    return np.sort(np.asarray(points).reshape(-1, 3, 3).sum(axis=(1, 2)).round(3))


@pytest.mark.parametrize("near", ["sphere", "box", "nearest", "ray"])
@pytest.mark.parametrize("place", PLACES)
def test_what_is_shown_is_what_a_click_keeps(row, near, place):
    settings = settings_of(row)
    settings.tab.near, settings.sphere.radius, settings.box.size = near, 1.2, (1.5, 1.0, 3.0)
    settings.ray.hits, settings.nearest.count = "ALL", 3
    live = answered(place, direction=(-1, 0, -0.1))
    assert bpy.ops.octree.probe_keep(point=place) == {"FINISHED"} or near == "ray"
    if near == "ray":
        bpy.ops.octree.select_on_ray(**live.shape.options())
    kept = questions.get(row)
    found = triangles_of(kept.target)[kept.items]
    np.testing.assert_array_equal(
        corners(live.picture.faces), corners(found.vertices[found.faces.ravel()])
    )
    assert (live.picture.words == "nothing") <= (len(kept.items) == 0)
    if len(selected()) == 1 and near != "nearest":
        assert next(iter(selected())) in live.picture.words


def test_on_a_surface_the_next_object_is_measured(row):
    settings_of(row).tab.near = "nearest"
    live = answered((0.5, 0.0, 0.0), is_hit=True)
    assert "Cube 1" in live.picture.words
    np.testing.assert_allclose(live.picture.segments[:2], [[0.5, 0, 0], [1.5, 0, 0]], atol=1e-6)
    assert bpy.ops.octree.select_nearest(origin=(0.5, 0, 0), others=True) == {"FINISHED"}
    assert selected() == {"Cube 1"}
    assert questions.get(row).notes == ("1 m away",)


def test_a_click_is_one_undo_step_and_one_result(row):
    settings = settings_of(row)
    settings.sphere.radius = 0.7
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.octree.probe_keep(point=(0, 0, 0)) == {"FINISHED"}
    assert (selected(), len(settings_of(bpy.context.scene).results.kept)) == ({"Cube 0"}, 1)
    assert bpy.ops.octree.probe_keep(point=(2, 0, 0), action="EXTEND") == {"FINISHED"}
    assert selected() == {"Cube 0", "Cube 1"}
    assert bpy.ops.octree.probe_keep(point=(0, 0, 0), action="SUBTRACT") == {"FINISHED"}
    assert selected() == {"Cube 1"}


@tuned(octree_addon, probe_objects=20)
def test_many_objects_are_boxes_and_their_triangles_are_not_looked_at(row):
    for x in range(70):
        mesh_object(f"Point {x}", [(x, -50, 0), (x + 1, -50, 0), (x, -49, 0)], [(0, 1, 2)])
    settings_of(row).tab.near, settings_of(row).sphere.radius = "sphere", 500.0
    live = answered((100, -50, 0))
    assert len(live.picture.faces) == 0
    assert len(live.picture.boxes.points) > 8 * 20
    assert "boxes" in live.picture.words
    used = live.picture.boxes
    assert used.edges.max() == len(used.points) - 1


@tuned(octree_addon, probe_objects=20)
def test_a_movement_costs_what_it_finds(row):
    settings_of(row).sphere.radius = 0.7
    mesh = cube("Far").data
    costs = []
    for y in (100, 200, 300):
        for x in range(250):
            item = bpy.data.objects.new(f"Far {x}", mesh)
            item.location = 3 * x, y, 0
            bpy.context.collection.objects.link(item)
        bpy.context.view_layer.update()
        answered((0, 0, 0))
        costs.append(lines_run(lambda: answered((0, 0, 0))))
    few, *_, many = costs
    assert sum(many.values()) < 1.3 * sum(few.values())
    assert times_run(many, "yield from index.update_steps()") == 0


def test_of_few_objects_their_triangles_are_asked_alone(row, monkeypatch):
    settings_of(row).sphere.radius = 0.7
    words = answered((0, 0, 0)).picture.words
    alone = lines_run(lambda: answered((0, 0, 0)))
    assert times_run(alone, "target.objects_in_volume") == 0
    with tuned(octree_addon, probe_objects=1):
        assert answered((0, 0, 0)).picture.words == words
        assert times_run(lines_run(lambda: answered((0, 0, 0))), "target.objects_in_volume") > 0


def test_a_change_is_seen_and_the_answer_before_it_is_not_drawn(row):
    settings_of(row).sphere.radius = 0.7
    live = ask_at((0, 0, 0))
    assert "Cube 0" in answered((0, 0, 0)).picture.words
    bpy.data.objects["Cube 0"].location.z = 50
    bpy.context.view_layer.update()
    assert not session.shows_truth(live)
    assert bpy.app.timers.is_registered(session.go_on)
    session.go_on()
    assert session.shows_truth(live)
    assert live.answered.picture.words.endswith("nothing")


def test_a_setting_that_is_changed_is_asked_again(row):
    settings_of(row).sphere.radius = 0.7
    answered((0, 0, 0))
    live = session.current()
    assert session.shows_truth(live)
    settings_of(row).sphere.radius = 2.7
    assert not session.shows_truth(live)
    session.go_on()
    assert live.answered.shape.radius == pytest.approx(2.7)
    assert session.shows_truth(live)


@tuned(octree_addon, probe_movement=-1.0, probe_turn=60.0)
def test_catching_up_goes_in_steps_and_says_so(row):
    live = ask_at((0, 0, 0))
    assert live.answered is None
    assert live.hint == "Reading the scene: 0%"
    with tuned(octree_addon, probe_turn=-1.0):
        assert session.go_on() is not None
    assert live.answered is None
    assert session.go_on() is None
    assert live.answered is not None


def test_too_much_is_not_read_unasked(row, monkeypatch):
    monkeypatch.setattr(session, "is_too_much", lambda triangles: triangles > 10)
    live = ask_at((0, 0, 0))
    assert live.answered is None
    assert "click to be asked" in live.hint
    assert not session.shows_truth(live)
    assert not bpy.app.timers.is_registered(session.go_on)


def click(any_size=False):
    """Click with the probe at the pixel of `spot`; return what it said, offered, and began."""
    said, offered, begun = [], [], []
    asking = SimpleNamespace(
        taken=SimpleNamespace(any_size=any_size),
        report=lambda _, text: said.append(text),
        refuse=lambda error: said.append(str(error)),
        begin=lambda _, __, shape: begun.append(shape),
    )
    event = SimpleNamespace(mouse_region_x=10, mouse_region_y=10)
    with pytest.MonkeyPatch.context() as patch, bpy.context.temp_override(**view3d()):
        patch.setattr(operators, "offer_anyway", lambda _, __, title: offered.append(title))
        operators.OCTREE_OT_probe_keep.invoke(asking, bpy.context, event)
    return said, offered, begun


@tuned(octree_addon, probe_movement=-1.0, probe_turn=60.0)
def test_a_click_before_too_much_is_read_offers_to_read_it_and_asks_nothing(row, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(session, "is_too_much", lambda triangles: triangles > 10)
        said, offered, begun = click()
        assert (said, begun, questions.get(row)) == ([], [], None)
        assert len(offered) == 1 and offered[0].startswith("Read ") and "triangles" in offered[0]
        said, offered, begun = click(any_size=True)
        assert said == ["The scene is being read: click again when that is done"]
        assert (offered, begun, questions.get(row)) == ([], [], None)
        session.go_on()
        assert session.current().answered is not None
    assert click() == ([], [], [session.current().answered.shape])


def test_a_click_that_cannot_be_answered_says_why(row, monkeypatch):
    def fail(*_):
        raise ValueError("another question reads the scene")

    monkeypatch.setattr(session, "ready_target", fail)
    assert click() == (["another question reads the scene"], [], [])
    assert questions.get(row) is None


def test_nothing_stays_after_the_end(row):
    ask_at((0, 0, 0))
    assert display.is_installed() and probe.is_asking()
    assert session.before_load in bpy.app.handlers.load_pre
    session.stop()
    assert not probe.is_asking()
    handlers.update_display()
    assert not display.is_installed()
    assert session.before_load not in bpy.app.handlers.load_pre
    assert session.current() is None
    session.listen_to(probe.draw_while_asking)


@pytest.mark.parametrize("side", range(6))
def test_each_face_of_a_box_is_moved_and_asked_again(row, side):
    bpy.ops.octree.select_in_box(around="CURSOR", center=(1, 2, 3), size=(1, 2, 3))
    before = shape_of(questions.get(row))
    assert bpy.ops.octree.resize_answer(side=side, amount=0.5) == {"FINISHED"}
    after = shape_of(questions.get(row))
    moved = after.upper - before.upper if side >= 3 else after.lower - before.lower
    np.testing.assert_allclose(moved, 0.5 * normal_of(side), atol=1e-6)
    bpy.ops.octree.resize_answer(side=side, amount=-99.0)
    flat = shape_of(questions.get(row))
    assert (flat.upper - flat.lower)[side % 3] == pytest.approx(0, abs=1e-6)


def test_a_sphere_is_resized_and_a_turned_box_is_not(row):
    bpy.ops.octree.select_in_sphere(center=(1, 0, 0), radius=0.4)
    assert selected() == set()
    assert bpy.ops.octree.resize_answer(side=0, amount=0.5) == {"FINISHED"}
    assert selected() == {"Cube 0", "Cube 1"}
    assert settings_of(row).sphere.radius == pytest.approx(0.9)
    item = bpy.data.objects["Cube 0"]
    item.rotation_euler = (0.3, 0.2, 0.1)
    bpy.ops.octree.select_in_box(object="Cube 0")
    assert not bpy.ops.octree.resize_answer.poll()


def test_a_resized_answer_is_selected_as_the_question_selected_it(row):
    settings = settings_of(row)
    bpy.ops.octree.select_in_sphere(center=(0, 0, 0), radius=0.7)
    bpy.ops.octree.select_in_sphere(center=(8, 0, 0), radius=0.7, action="EXTEND")
    settings.tab.action = "REPLACE"
    assert bpy.ops.octree.resize_answer(side=0, amount=1.0) == {"FINISHED"}
    assert selected() == {"Cube 0", "Cube 3", "Cube 4"}
    bpy.ops.octree.select_in_sphere(center=(4, 0, 0), radius=0.7, action="REPLACE")
    settings.tab.action, settings.tab.kind = "SUBTRACT", "FACES"
    assert bpy.ops.octree.resize_answer(side=0, amount=1.0) == {"FINISHED"}
    assert selected() == {"Cube 1", "Cube 2", "Cube 3"}


@pytest.fixture
def status_texts(monkeypatch):
    """Note the text of each workspace's status bar, by name, as Blender would keep it."""
    texts = {}

    def write(_, text):
        texts[bpy.context.workspace.name] = text

    monkeypatch.setattr(bpy.types.WorkSpace, "status_text_set", write)
    return texts


def test_hints_leave_all_workspaces_that_had_them_and_no_other(row, status_texts):
    ask_at((0, 0, 0))
    with bpy.context.temp_override(workspace=bpy.data.workspaces["Modeling"]):
        write_status(bpy.context, "Release: Keep")
    assert set(status_texts) == {"Layout", "Modeling"}
    bpy.data.workspaces["Modeling"].name = "Renamed"
    status_texts["Renamed"] = status_texts.pop("Modeling")
    status_texts["Sculpting"] = "Another's"
    session.end()
    assert status_texts.pop("Sculpting") == "Another's"
    assert set(status_texts.values()) == {None} and "Renamed" in status_texts


@tuned(octree_addon, probe_movement=-1.0, probe_turn=60.0)
def test_hints_are_not_written_between_movements(row, status_texts):
    ask_at((0, 0, 0))
    status_texts[bpy.context.workspace.name] = "Another's"
    session.go_on()
    assert list(status_texts.values()) == ["Another's"]


def test_instances_in_instances_are_told_apart(row):
    inner, outer = (bpy.data.collections.new(name) for name in ("Inner", "Outer"))
    for z in (0.0, 0.4):
        one = cube(f"Stone {z}", size=0.1, location=(0, 0, z))
        row.collection.objects.unlink(one)
        inner.objects.link(one)
    for x in range(2):
        holder = bpy.data.objects.new(f"Holder {x}", None)
        holder.instance_type, holder.instance_collection = "COLLECTION", inner
        holder.location.x = x
        outer.objects.link(holder)
    shown = bpy.data.objects.new("Shown", None)
    shown.instance_type, shown.instance_collection = "COLLECTION", outer
    shown.location = 0, -40, 0
    row.collection.objects.link(shown)
    bpy.context.view_layer.update()
    settings_of(row).tab.near, settings_of(row).sphere.radius = "sphere", 0.15
    told = {answered((x, -40, z)).picture.words for x in range(2) for z in (0.0, 0.4)}
    assert len(told) == 4, told
    bpy.ops.octree.select_in_sphere(center=(0.5, -40, 0), radius=2)
    view = view_of(row, active_result(row))
    names = [view.label(each, 0) for each in range(len(view.rows))]
    assert len(names) == len(set(names)) == 4
    assert {words.partition(": ")[2].partition(",")[0] for words in told} == set(names)
    ordered = [names[each] for each in sorted_rows(view, NAME)]
    assert ordered == sorted(names)


def test_lines_of_sight_meet_axes_and_planes():
    ray = pointer.Ray(np.array([0.0, -10.0, 1.0]), np.array([0.0, 1.0, 0.0]))
    up, aside = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
    assert ray.along(np.zeros(3), up) == pytest.approx(1.0)
    assert ray.along(np.zeros(3), aside) is None
    np.testing.assert_allclose(ray.on_plane(np.array([5.0, 2.0, 0.0]), aside), [0, 2, 1])
    assert ray.on_plane(np.zeros(3), up) is None
    assert ray.on_plane(np.array([0.0, -20.0, 0.0]), aside) is None


def test_a_spot_that_is_gone_ends_it(row):
    live = ask_at((0, 0, 0))
    live.spot = live.spot._replace(area=1)
    assert session.go_on() is None
    assert session.current() is None
    assert spot() is not None
    with bpy.context.temp_override(**view3d()):
        assert not session.is_on(bpy.context)


@pytest.mark.parametrize("outcome", [{"RUNNING_MODAL"}, {"CANCELLED"}])
def test_the_answer_before_is_not_told_as_that_of_a_question_that_has_none_yet(
    row, monkeypatch, outcome
):
    bpy.ops.octree.select_in_sphere(center=(0, 0, 0), radius=0.7)
    shape, told = shape_of(questions.get(row)), []
    asking = SimpleNamespace(report=lambda kind, text: told.append(text))
    assert operators.ask_kept(asking, bpy.context, shape, {}) == {"FINISHED"}
    assert len(told) == 1
    monkeypatch.setattr(operators, "attrgetter", lambda _: lambda _: lambda *_, **__: outcome)
    operators.ask_kept(asking, bpy.context, shape, {})
    assert len(told) == 1


def test_arrows_of_what_is_dragged_stand_in_its_scene_alone(row):
    bpy.ops.octree.select_in_sphere(center=(0, 0, 0), radius=0.7)
    with bpy.context.temp_override(**view3d()):
        session.ask(bpy.context, spot(), lambda *_: SphereShape(np.zeros(3), 3.0), held=True)
        while session.current().answered is None:
            session.go_on()
        assert gizmos.shape_here(bpy.context).radius == 3.0
        session.current().scene += 1
        assert gizmos.shape_here(bpy.context).radius == pytest.approx(0.7)


@pytest.fixture
def room(empty_scene):
    """Add a room of 8 by 6 by 4 units around the origin; the probe shows axes."""
    cube("Room", 1.0).scale = (8, 6, 4)
    bpy.context.view_layer.update()
    settings_of(empty_scene).tab.near = "axes"
    return empty_scene


@pytest.mark.parametrize(
    ("point", "normal", "words"),
    [
        ((1, 2, 0.5), (0, 0, 0), "+X 3 m, +Y 1 m, +Z 1.5 m, -X 5 m, -Y 5 m, -Z 2.5 m"),
        ((1, 2, -2), (0, 0, 1), "+X 3 m, +Y 1 m, +Z 4 m, -X 5 m, -Y 5 m"),  # itself is not told
        ((50, 50, 50), (0, 0, 0), "nothing"),
    ],
)
def test_axes_tell_how_far_each_wall_is(room, point, normal, words):
    picture = answered(point, is_hit=any(normal), normal=normal).picture
    assert picture.words == words
    assert list(picture.lengths) == [each[3:] for each in words.split(", ") if " " in each]
    assert picture.segments.shape == (2 * len(picture.lengths), 3)
    assert (picture.segments[::2] == point).all()


def test_axes_are_shown_and_not_kept(room):
    with pytest.raises(RuntimeError, match="not kept: Measure Distances"):
        bpy.ops.octree.probe_keep(point=(1, 2, 0.5))
    assert active_result(room) is None
    lines = drawn(bpy.types.OCTREE_PT_main)
    assert "octree.probe" in lines
    assert not {question.bl_idname for question in NEAR} & set(lines)
