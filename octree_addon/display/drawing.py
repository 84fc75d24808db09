"""Draw handler (GPU overlay) of every 3D view; one that fails is switched off and reported."""

import logging
from collections.abc import Callable
from typing import Any

import bpy

from .. import questions, results, trees
from ..scene_index import check_object_count
from ..ui import schedule, settings_of
from . import (
    active_row,
    answered,
    batches,
    colored_cells,
    contact,
    dimensions,
    hover,
    live_marks,
    painted_objects,
)
from .lines import draw_outline
from .uploads import drop_uploads

log = logging.getLogger(__name__)

_handles: list[Any] = []
_failures: list[str] = []


def shows_overlays(context: bpy.types.Context) -> bool:
    """Tell whether the overlays of the 3D view are on; Blender calls its handlers either way."""
    space = context.space_data
    return isinstance(space, bpy.types.SpaceView3D) and space.overlay.show_overlays


def draw() -> None:
    """Draw what the scene shows into the 3D view that Blender is drawing."""
    _try(draw_scene)


def draw_pixels() -> None:
    """Draw what is as large on the screen however far it is, in front of all."""
    _try(dimensions.draw_dimensions)


def _try(drawn: Callable[[bpy.types.Scene], None]) -> None:
    if _failures or not shows_overlays(bpy.context):
        return
    try:
        drawn(bpy.context.scene)
    except Exception as error:  # Blender would print it at every redraw
        log.exception("The octree could not be drawn")
        _failures.append(str(error))
        schedule(switch_off, 0.0)


def draw_scene(scene: bpy.types.Scene) -> None:
    """Draw what exists and is switched on."""
    check_object_count()
    painted_objects.drop_others(scene)
    settings, built, query = settings_of(scene), trees.get(scene), questions.get(scene)
    display, answer = settings.display, settings.answer
    holds = query is not None and questions.is_current(scene)
    active = results.active_of(scene)
    if active and answer.found:
        answered.draw_answer(active, query if holds else None)
        colored_cells.draw_cells(active)
    # The cells that a question visited are a part of its answer.
    if built and display.show and (holds or display.cells != "QUESTION"):
        picture = batches.picture_of(built, query, display)
        is_dimmed = query is not None and display.cells != "QUESTION" and answer.dim
        is_dimmed = is_dimmed and not questions.is_before_tree(scene)
        batches.draw_picture(picture, display, is_dimmed=is_dimmed)
        hover.draw_hovered(scene)
    if built:
        live_marks.draw_live_marks(scene, built)
    if settings.results.outline:
        active_row.draw_active_row(scene, active)
        contact.draw_active_contact(active)
    if active and query and query.outline and answer.outline and answered.is_last(active):
        if holds or not query.outlines_answer:
            draw_outline(query.outline)
    view = settings.frustum.show and questions.camera_outline(scene)
    if view:
        draw_outline(view)


def switch_off() -> None:
    """Switch the display off and say why, soon after a drawing that failed."""
    message = _failures.pop()

    def explain(popup: bpy.types.UIPopupMenu, _: bpy.types.Context) -> None:
        popup.layout.label(text=message)

    manager = bpy.context.window_manager
    for window in manager.windows:
        settings = settings_of(window.scene)
        settings.display.show = settings.frustum.show = False
        settings.answer.outline = settings.answer.found = settings.results.outline = False
        settings.live.mark = settings.distances.show = False
    with bpy.context.temp_override(window=manager.windows[0]):
        manager.popup_menu(explain, title="The Octree Could Not Be Drawn", icon="ERROR")


def is_installed() -> bool:
    """Tell whether the draw handler is installed."""
    return bool(_handles)


def install() -> None:
    """Draw in every 3D view from now on."""
    if not _handles:
        draw_handler_add = bpy.types.SpaceView3D.draw_handler_add
        _handles.append(draw_handler_add(draw, (), "WINDOW", "POST_VIEW"))
        _handles.append(draw_handler_add(draw_pixels, (), "WINDOW", "POST_PIXEL"))


def uninstall() -> None:
    """Stop drawing, and leave nothing on the graphics card."""
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
    schedule(switch_off, None)
    drop_uploads()
    hover.stop()
    _failures.clear()
