"""The panels, drawn on paper: each property and operator that they name exists."""

import inspect
from contextlib import suppress
from types import SimpleNamespace

import bpy
import pytest
from paper import buttons, drawn, redo_panel
from registered import OPERATORS, PANELS

from octree_ext.core import DynamicOctree, build_octree
from octree_ext.octree_addon import scene_index, trees
from octree_ext.octree_addon.audit import OCTREE_OT_select_collisions
from octree_ext.octree_addon.cells.panel import REFERENCES_WARNING
from octree_ext.octree_addon.cells.steps import build_options, build_settings
from octree_ext.octree_addon.display import batches
from octree_ext.octree_addon.questions import QUESTIONS, last_query
from octree_ext.octree_addon.questions.panel import NEAR
from octree_ext.octree_addon.ui import SteppedOperator, forget_session, progress, settings_of

SELECTING = (*QUESTIONS, OCTREE_OT_select_collisions)
NEAR_KEYS = {each.key for each in NEAR}


@pytest.fixture
def stored(empty_scene, ball, build):
    trees.store(
        empty_scene, build([ball], **build_options(settings_of(empty_scene).build)), [ball]
    )
    return trees.get(empty_scene)


def test_every_panel_is_drawn_with_and_without_a_tree(empty_scene, ball, build):
    trees.store(empty_scene, build([ball]), [ball])
    bpy.ops.octree.select_in_sphere()
    assert all(drawn(panel) for panel in PANELS)
    trees.clear(empty_scene)
    absent = {panel for panel in PANELS if not getattr(panel, "poll", bool)(bpy.context)}
    names = {panel.__name__ for panel in absent}
    assert names == {"OCTREE_PT_live", "OCTREE_PT_statistics"}
    assert all(drawn(panel) for panel in PANELS if panel not in absent)


REDO_PANELS = [
    each
    for each in OPERATORS
    if hasattr(each, "draw")
    and each.__name__[-6:] != "_build"
    and "INTERNAL" not in each.bl_options
]


@pytest.mark.parametrize("operator", REDO_PANELS, ids=lambda operator: operator.__name__)
def test_every_redo_panel_is_drawn(operator):
    shown = redo_panel(operator).keys()
    assert shown
    assert "show" not in shown  # the scene's alone
    if operator in SELECTING:
        assert {"kind", "action"} <= shown


def test_each_panel_has_its_place():
    first, *inner = sorted(PANELS, key=lambda panel: panel.bl_order)
    assert first is bpy.types.OCTREE_PT_main
    assert len({panel.bl_order for panel in inner}) == len(inner)


def test_display_switch_stands_in_its_header():
    assert drawn(bpy.types.OCTREE_PT_display, "draw_header") == {"show": "open"}


def test_only_options_that_count_are_shown(empty_scene):
    build = settings_of(empty_scene).build
    for policy, wanted in (
        ("COPY", set()),
        ("KEEP", {"loose_factor"}),
        ("HYBRID", {"hybrid_limit"}),
    ):
        build.straddlers = policy
        lines = drawn(bpy.types.OCTREE_PT_tree)
        assert {"loose_factor", "hybrid_limit"} & lines.keys() == wanted
        assert "Overlapping Triangles" in lines


def test_fresh_tree_needs_nothing(stored):
    assert "octree.rebuild" not in drawn(bpy.types.OCTREE_PT_tree)


def test_out_of_date_tree_offers_rebuild(ball, stored):
    ball.location.x = 1
    bpy.context.view_layer.update()
    scene_index.catch_up(1)
    lines = drawn(bpy.types.OCTREE_PT_tree)
    assert any(line.startswith("Out of date") for line in lines)
    assert "octree.rebuild" in lines


def test_each_source_shows_its_own_options(empty_scene):
    settings = settings_of(empty_scene).source
    main = drawn(bpy.types.OCTREE_PT_tree).keys()
    assert {"source", "scope"} <= main
    assert not {"lights", "cameras", "empties", "collection"} & main
    settings.source, settings.scope = "OBJECTS", "COLLECTION"
    assert {"lights", "cameras", "empties", "collection"} <= drawn(bpy.types.OCTREE_PT_tree).keys()


@pytest.mark.parametrize(
    ("source", "built"), [("TRIANGLES", build_octree), ("OBJECTS", DynamicOctree)]
)
def test_panel_has_every_option_of_the_core(empty_scene, source, built):
    settings = settings_of(empty_scene)
    settings.source.source = source
    shown = set(drawn(bpy.types.OCTREE_PT_advanced))
    options = build_settings(empty_scene, source)
    for policy in options.bl_rna.properties["straddlers"].enum_items.keys():
        options.straddlers = policy
        shown |= drawn(bpy.types.OCTREE_PT_tree).keys()
    wanted = inspect.signature(built).parameters.keys() - {"items", "progress"}
    offered = {
        name for name in shown if name in build_settings(empty_scene, source).bl_rna.properties
    }
    assert offered == wanted


def test_other_settings_offer_rebuild(empty_scene, ball, stored):
    build = settings_of(empty_scene).build
    build.capacity = 7
    assert "octree.rebuild" in drawn(bpy.types.OCTREE_PT_tree)
    build.capacity = 32
    assert "octree.rebuild" not in drawn(bpy.types.OCTREE_PT_tree)
    build.bounds, build.bounds_object = "OBJECT", ball
    assert "octree.rebuild" in drawn(bpy.types.OCTREE_PT_tree)


def test_tree_that_was_not_restored_offers_rebuild(empty_scene, stored):
    forget_session()
    assert "octree.rebuild" in drawn(bpy.types.OCTREE_PT_tree)
    trees.set_rebuild_error(empty_scene, "1,000,000 triangles")
    lines = drawn(bpy.types.OCTREE_PT_tree)
    assert "1,000,000 triangles" in lines
    assert "octree.rebuild" in lines


def test_statistics_are_read_as_a_table(stored):
    lines = drawn(bpy.types.OCTREE_PT_statistics)
    assert {"Triangles", "1,280", "Undivided Cells", "Memory", "Build Time"} <= lines.keys()
    assert "ERROR" not in lines.values()


def test_many_references_are_a_warning(empty_scene, ball, build):
    trees.store(empty_scene, build([ball], capacity=1, max_depth=12), [ball])
    built = trees.get(empty_scene)
    assert built.statistics.references_per_item > REFERENCES_WARNING
    assert "ERROR" in drawn(bpy.types.OCTREE_PT_statistics).values()


def test_number_of_cells_is_said(stored, monkeypatch):
    picture = SimpleNamespace(wanted=300_000, octree=stored.octree)
    monkeypatch.setattr(batches, "shown_picture", lambda built: picture)
    assert "300,000 cells" in drawn(bpy.types.OCTREE_PT_display)
    assert "octree.inspect_cells" in drawn(bpy.types.OCTREE_PT_display)


def test_tree_that_is_being_built_again_is_no_fault(empty_scene, stored):
    forget_session()
    trees.build_later(empty_scene, (0.5 for _ in range(2)))
    trees.set_rebuild_error(empty_scene, "The octree could not be built again")
    assert "octree.rebuild" not in drawn(bpy.types.OCTREE_PT_tree)
    forget_session()
    assert "octree.rebuild" in drawn(bpy.types.OCTREE_PT_tree)


def test_margin_stands_once_under_cameras_and_counts_for_both(empty_scene):
    settings_of(empty_scene).frustum.margin = 0.5
    assert "margin" in drawn(bpy.types.OCTREE_PT_camera)
    assert "margin" not in drawn(bpy.types.OCTREE_PT_shot)
    pressed = {each.name: each for each in buttons(bpy.types.OCTREE_PT_main)}
    assert pressed["octree.find_seen"].margin == 0.5


def add_camera(scene):
    scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(scene.camera)


@pytest.mark.parametrize("question", SELECTING, ids=lambda question: question.key)
def test_answer_stands_above_its_rows(empty_scene, ball, question):
    add_camera(empty_scene)
    name = question.bl_idname.partition(".")[2]
    assert getattr(bpy.ops.octree, name)() == {"FINISHED"}
    lines = drawn(bpy.types.OCTREE_PT_results)
    query = last_query.get(empty_scene)
    assert query.found_text in lines
    bpy.ops.octree.find_seen()
    assert query.found_text not in drawn(bpy.types.OCTREE_PT_results)


def test_frames_come_first_and_choose_the_options_of_collisions(empty_scene):
    settings = settings_of(empty_scene).collisions
    assert list(drawn(bpy.types.OCTREE_PT_collisions)) == ["span", "margin", "instances"]
    settings.span = "SCENE"
    first, step, *others = drawn(bpy.types.OCTREE_PT_collisions)
    assert (first, step) == ("span", "step")
    assert {"ones", "others", "band", "apart_one", "instances"} <= {*others}
    assert "margin" not in others


def test_nothing_above_a_button_appears_or_goes_because_of_a_press(empty_scene, ball):
    """The words of the head and their order stay; only what is greyed may change."""
    add_camera(empty_scene)
    before = list(drawn(bpy.types.OCTREE_PT_main))
    pressed = [each.name for each in buttons(bpy.types.OCTREE_PT_main)]
    for name in pressed:
        operator = getattr(bpy.ops.octree, name.partition(".")[2])
        if operator.poll() and name != "octree.probe":
            with suppress(RuntimeError):  # such as without anything selected
                operator()
            assert list(drawn(bpy.types.OCTREE_PT_main)) == before
    bpy.ops.octree.hide_unseen()
    assert list(drawn(bpy.types.OCTREE_PT_main)) == before


STEPPED = [each for each in OPERATORS if issubclass(each, SteppedOperator)]


@pytest.mark.parametrize("operator", STEPPED, ids=lambda operator: operator.__name__)
def test_all_work_has_one_cancel_in_the_head(empty_scene, operator):
    """In the place of its button, or of the first row."""
    name = f"octree.{operator.__name__.partition('_OT_')[2]}"
    progress.show_progress(name, 0.5, "Working")
    try:
        at_work = [each.name for each in buttons(bpy.types.OCTREE_PT_main)]
    finally:
        progress.end_progress(name)
    assert at_work.count("octree.cancel_work") == 1


def test_what_all_questions_share_is_shown_once(empty_scene):
    questions = [each for each in PANELS if each is not bpy.types.OCTREE_PT_main]
    names = [name for panel in questions if getattr(panel, "poll", bool)(bpy.context)
             for name in drawn(panel)]  # fmt: skip
    assert not {"kind", "action"} & set(names)
    assert "action" in drawn(bpy.types.OCTREE_PT_main)
    assert drawn(bpy.types.OCTREE_PT_selection).keys() == {"action", "kind", "meshes"}


def test_buttons_pass_on_what_they_share(empty_scene):
    tab = settings_of(empty_scene).tab
    tab.action, tab.kind = "EXTEND", "OBJECTS"
    pressed = [each for each in buttons(bpy.types.OCTREE_PT_main) if hasattr(each, "action")]
    assert len(pressed) == 3
    assert {(each.action, each.kind) for each in pressed} == {("EXTEND", "OBJECTS")}


@pytest.mark.parametrize("near", ["sphere", "box", "nearest", "ray"])
def test_one_question_at_a_time_around_the_cursor(empty_scene, near):
    settings_of(empty_scene).tab.near = near
    asked = {question.bl_idname for question in QUESTIONS if question.key in NEAR_KEYS}
    shown = [line for line in drawn(bpy.types.OCTREE_PT_main) if line in asked]
    assert shown == [question.bl_idname for question in QUESTIONS if question.key == near]
    assert ("Any" in drawn(bpy.types.OCTREE_PT_cursor)) == (near in ("nearest", "ray"))


def test_what_is_hidden_can_be_restored_at_the_top(empty_scene, ball):
    bpy.ops.octree.add_example()
    bpy.ops.octree.find_seen()
    assert "octree.hide_unseen" in drawn(bpy.types.OCTREE_PT_results)
    bpy.ops.octree.hide_unseen()
    assert drawn(bpy.types.OCTREE_PT_main)["octree.restore_hidden"].startswith("Restore (")
    bpy.ops.octree.restore_hidden()
    assert drawn(bpy.types.OCTREE_PT_main)["octree.restore_hidden"] == "Restore Hidden"


def test_tabs_of_blender_stand_first():
    """A tab stands where its first panel does, and panels stand by their order."""
    main = bpy.types.OCTREE_PT_main
    assert all(panel.bl_order >= main.bl_order > 0 for panel in PANELS)
    assert not any("HIDE_HEADER" in getattr(panel, "bl_options", ()) for panel in PANELS)
