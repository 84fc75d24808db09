"""Every label of the tab has the room that it needs, at the default width, in each language."""

import bpy
import pytest
from blender_scenes import collection_instance, cube
from measured import SIDEBAR, Ruler, need_of, text_width, too_wide
from registered import PANELS

from octree_ext.octree_addon import CLASSES, translations
from octree_ext.octree_addon.ui import OptionsPopover, settings_of

TABLES = {"en_US": {}, **translations.TABLES}
POPOVERS = [each for each in CLASSES if issubclass(each, OptionsPopover)]
QUESTIONS = {
    "select_in_frustum": {},
    "find_seen": {},
    "find_never_seen": {"views": "SHOT", "resolution": 16},
    "select_in_sphere": {"radius": 9.0},
    "select_nearest": {},
    "select_collisions": {},
    "select_collisions over frames": {"span": "SCENE"},
    "audit": {},
    "select_floating": {},
}


def translator(locale):
    table = TABLES[locale]
    return lambda text, context: table.get((context, text), text)


@pytest.fixture
def town(empty_scene):
    empty_scene.frame_end = 2
    bpy.ops.octree.add_example()
    collection_instance([cube("One"), cube("Two", location=(0.5, 0.5, 0.5))], "Kit")
    return empty_scene


def wide_lines(panels, locale, room, draw="draw"):
    translate = translator(locale)
    return [line for each in panels for line in too_wide(each, room, translate, draw)]


@pytest.mark.parametrize("locale", TABLES)
def test_panels_fit_a_sidebar_of_the_default_width(town, locale):
    settings = settings_of(town)
    settings.source.scope, settings.source.source = "VISIBLE", "OBJECTS"
    bpy.ops.octree.build()
    bpy.ops.octree.live()
    wide = wide_lines([each for each in PANELS if "results" not in each.__name__], locale, SIDEBAR)
    bpy.ops.octree.live()
    for policy in ("COPY", "KEEP", "HYBRID"):
        settings.build.straddlers, settings.source.source = policy, "TRIANGLES"
        wide += wide_lines([bpy.types.OCTREE_PT_tree], locale, SIDEBAR)
    assert wide == []


@pytest.mark.parametrize("locale", TABLES)
def test_headers_fit(town, locale):
    translate = translator(locale)
    for panel in PANELS:
        if hasattr(panel, "draw_header_preset"):
            sheet = Ruler(translate)
            stand_in = type("Header", (), {"layout": sheet})
            panel.draw_header_preset(stand_in, bpy.context)
            label = text_width(translate(panel.bl_label, "*"))
            # Beside both stand the arrow and the grip.
            assert need_of(sheet) + label + 40 <= SIDEBAR + 14, panel


@pytest.mark.parametrize("locale", TABLES)
@pytest.mark.parametrize("question", QUESTIONS)
def test_answers_fit(town, locale, question):
    ask = getattr(bpy.ops.octree, question.partition(" ")[0])
    ask("EXEC_DEFAULT", True, **QUESTIONS[question])
    assert wide_lines([bpy.types.OCTREE_PT_results], locale, SIDEBAR) == []


@pytest.mark.parametrize("locale", TABLES)
def test_options_fit_their_popovers(town, locale):
    settings = settings_of(town)
    settings.shot.behind, settings.shot.span = "UNSEEN", "CUSTOM"
    settings.audit.ones, settings.collisions.span = "COLLECTION", "CUSTOM"
    room = 20 * OptionsPopover.bl_ui_units_x - 20
    assert wide_lines(POPOVERS, locale, room) == []


def test_a_label_that_is_too_wide_is_found():
    panel = type("Panel", (), {"draw": lambda self, _: self.layout.label(text="W" * 40)})
    assert list(too_wide(panel, SIDEBAR, lambda text, _: text))
    assert not list(too_wide(panel, 900, lambda text, _: text))
