"""The panels, drawn on paper: each property and operator that they name exists."""

import inspect

import bpy
import pytest
from paper import drawn, redo_panel
from registered import OPERATORS, PANELS

from octree_ext.core import DynamicOctree, build_octree
from octree_ext.octree_addon import trees
from octree_ext.octree_addon.build.panel import REFERENCES_WARNING
from octree_ext.octree_addon.build.steps import build_options, build_settings
from octree_ext.octree_addon.display import batches
from octree_ext.octree_addon.questions import QUESTIONS
from octree_ext.octree_addon.ui import settings_of


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
    each for each in OPERATORS if hasattr(each, "draw") and each.__name__[-6:] != "_build"
]


@pytest.mark.parametrize("operator", REDO_PANELS, ids=lambda operator: operator.__name__)
def test_every_redo_panel_is_drawn(operator):
    shown = redo_panel(operator).keys()
    assert shown
    assert "show" not in shown  # the scene's alone
    if operator in QUESTIONS:
        assert {"kind", "action"} <= shown


def test_panels_stand_in_their_order():
    inner = sorted(PANELS[1:], key=lambda panel: panel.bl_order)
    assert PANELS[0] is bpy.types.OCTREE_PT_main
    assert [panel.__name__.removeprefix("OCTREE_PT_") for panel in inner] == [
        "advanced", "live", "display", "camera", "cursor", "shot", "collisions", "results",
        "hiding",
        "answer", "statistics",
    ]  # fmt: skip
    assert len({panel.bl_order for panel in inner}) == len(inner)


def test_display_switch_stands_in_its_header():
    assert drawn(bpy.types.OCTREE_PT_display, "draw_header") == {"show": "open"}


def test_loose_factor_is_greyed_with_the_reason(empty_scene):
    lines = drawn(bpy.types.OCTREE_PT_main)
    assert lines["loose_factor"] == "greyed"
    assert any("Keep" in line for line in lines)
    settings_of(empty_scene).build.straddlers = "KEEP"
    lines = drawn(bpy.types.OCTREE_PT_main)
    assert lines["loose_factor"] == "open"
    assert not any("Keep" in line for line in lines)


def test_fresh_tree_needs_nothing(stored):
    assert "octree.rebuild" not in drawn(bpy.types.OCTREE_PT_main)


def test_out_of_date_tree_offers_rebuild(ball, stored):
    trees.mark_stale({ball.session_uid})
    lines = drawn(bpy.types.OCTREE_PT_main)
    assert any(line.startswith("Out of date") for line in lines)
    assert "octree.rebuild" in lines


def test_each_source_shows_its_own_options(empty_scene):
    settings = settings_of(empty_scene).source
    main = drawn(bpy.types.OCTREE_PT_main).keys()
    assert {"source", "scope"} <= main
    assert not {"lights", "cameras", "empties", "collection"} & main
    settings.source, settings.scope = "OBJECTS", "COLLECTION"
    assert {"lights", "cameras", "empties", "collection"} <= drawn(bpy.types.OCTREE_PT_main).keys()


@pytest.mark.parametrize(
    ("source", "built"), [("TRIANGLES", build_octree), ("OBJECTS", DynamicOctree)]
)
def test_panel_has_every_option_of_the_core(empty_scene, source, built):
    settings = settings_of(empty_scene)
    settings.source.source = source
    shown = drawn(bpy.types.OCTREE_PT_main).keys() | drawn(bpy.types.OCTREE_PT_advanced).keys()
    wanted = inspect.signature(built).parameters.keys() - {"items", "progress"}
    offered = {
        name for name in shown if name in build_settings(empty_scene, source).bl_rna.properties
    }
    assert offered == wanted


def test_other_settings_offer_rebuild(empty_scene, ball, stored):
    build = settings_of(empty_scene).build
    build.capacity = 7
    assert "octree.rebuild" in drawn(bpy.types.OCTREE_PT_main)
    build.capacity = 32
    assert "octree.rebuild" not in drawn(bpy.types.OCTREE_PT_main)
    build.bounds, build.bounds_object = "OBJECT", ball
    assert "octree.rebuild" in drawn(bpy.types.OCTREE_PT_main)


def test_tree_that_was_not_restored_offers_rebuild(empty_scene, stored):
    trees.forget()
    assert "octree.rebuild" in drawn(bpy.types.OCTREE_PT_main)
    trees.set_rebuild_error(empty_scene, "1,000,000 triangles")
    lines = drawn(bpy.types.OCTREE_PT_main)
    assert "1,000,000 triangles" in lines
    assert "octree.rebuild" in lines


def test_statistics_are_read_as_a_table(stored):
    lines = drawn(bpy.types.OCTREE_PT_statistics)
    assert {"Triangles", "1,280", "Leaves", "Memory", "Build Time"} <= lines.keys()
    assert "ERROR" not in lines.values()


def test_many_references_are_a_warning(empty_scene, ball, build):
    trees.store(empty_scene, build([ball], capacity=1, max_depth=12), [ball])
    built = trees.get(empty_scene)
    assert built.statistics.references_per_item > REFERENCES_WARNING
    assert "ERROR" in drawn(bpy.types.OCTREE_PT_statistics).values()


def test_limit_of_cells_is_said(stored, monkeypatch):
    monkeypatch.setattr(batches, "counts", lambda built: (200, 3000))
    assert "Drawn: the largest 200 of 3,000 cells" in drawn(bpy.types.OCTREE_PT_display)
