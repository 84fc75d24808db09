"""Draw handlers of all 3D views; if one fails, the overlays are turned off and it is reported."""

import logging
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any

import bpy

from .. import questions
from ..scene_index import check_object_count
from ..ui import schedule, settings_of
from . import active_row, answered, batches, colored_cells, contact, dimensions, hover, live_marks
from .layers import LAYERS, Layer, Redraw, drop_uploads
from .lines import draw_outline

log = logging.getLogger(__name__)

_handles: list[Any] = []
_failures: list[str] = []


def shows_overlays(context: bpy.types.Context) -> bool:
    """Return whether the overlays of the 3D view are on; draw handlers are called regardless."""
    space = context.space_data
    return isinstance(space, bpy.types.SpaceView3D) and space.overlay.show_overlays


def draw() -> None:
    """Draw the scene's overlays into the 3D view that Blender is drawing."""
    _try(draw_scene)


def draw_pixels() -> None:
    """Draw the overlays that are measured in pixels into the current region."""
    _try(draw_labels)


def _try(drawn: Callable[[bpy.types.Scene], None]) -> None:
    if _failures or not shows_overlays(bpy.context):
        return
    try:
        drawn(bpy.context.scene)
    except Exception as error:  # Blender would print it in every redraw
        log.exception("The octree could not be drawn")
        _failures.append(str(error))
        schedule(switch_off, 0.0)


def draw_scene(scene: bpy.types.Scene) -> None:
    """Draw all layers in world space."""
    check_object_count()
    _draw_layers(scene, in_pixels=False)


def draw_labels(scene: bpy.types.Scene) -> None:
    """Draw all layers in pixels of the region."""
    _draw_layers(scene, in_pixels=True)


def _draw_layers(scene: bpy.types.Scene, *, in_pixels: bool) -> None:
    shown = Redraw(scene)
    for layer in LAYERS:
        if layer.in_pixels == in_pixels:
            layer.draw(shown)


def draw_question(redraw: Redraw) -> None:
    """Draw the outline of the last question, if the list shows its result."""
    query = redraw.query
    if query and query.outline and redraw.settings.answer.outline and redraw.shows_last:
        if redraw.is_current or not query.outlines_answer:
            draw_outline(query.outline)


def draw_camera(redraw: Redraw) -> None:
    """Draw the frustum of the scene's camera, if it is switched on."""
    outline = redraw.settings.frustum.show and questions.camera_outline(redraw.scene)
    if outline:
        draw_outline(outline)


LAYERS += [
    Layer(answered.draw_answer, ("answer.found",)),
    Layer(colored_cells.draw_cells, ("answer.found",)),
    Layer(batches.draw_tree, ("display.show",)),
    Layer(hover.draw_hovered, ("display.show",)),
    Layer(live_marks.draw_live_marks, ("live.mark",)),
    Layer(active_row.draw_active_row, ("results.outline",), takes_stage=active_row.is_drawn),
    Layer(contact.draw_active_contact, ("results.outline",)),
    Layer(draw_question, ("answer.outline",)),
    Layer(draw_camera, ("frustum.show",)),
    Layer(dimensions.draw_dimensions, ("distances.show",), in_pixels=True),
    Layer(hover.draw_text, in_pixels=True, stop=hover.stop),
]


def switch_off() -> None:
    """Turn all layers off and show the reason in a popup, after a failed drawing."""
    message = _failures.pop()

    def explain(popup: bpy.types.UIPopupMenu, _: bpy.types.Context) -> None:
        popup.layout.label(text=message)

    manager = bpy.context.window_manager
    turn_off([window.scene for window in manager.windows])
    with bpy.context.temp_override(window=manager.windows[0]):
        manager.popup_menu(explain, title="The Octree Could Not Be Drawn", icon="ERROR")


def turn_off(scenes: Iterable[bpy.types.Scene]) -> None:
    """Turn off the switches of all layers in scenes, and stop layers without a switch."""
    for scene in scenes:
        for switch in {each for layer in LAYERS for each in layer.switches}:
            group, _, name = switch.partition(".")
            setattr(attrgetter(group)(settings_of(scene)), name, False)
    for layer in LAYERS:
        layer.stop()


def is_installed() -> bool:
    """Return whether the draw handlers are installed."""
    return bool(_handles)


def install() -> None:
    """Add the draw handlers to all 3D views."""
    if not _handles:
        draw_handler_add = bpy.types.SpaceView3D.draw_handler_add
        _handles.append(draw_handler_add(draw, (), "WINDOW", "POST_VIEW"))
        _handles.append(draw_handler_add(draw_pixels, (), "WINDOW", "POST_PIXEL"))


def uninstall() -> None:
    """Remove the draw handlers, and drop all GPU data."""
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
    schedule(switch_off, None)
    drop_uploads()
    hover.stop()
    _failures.clear()
