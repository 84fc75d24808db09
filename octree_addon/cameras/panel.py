"""User interface of *What Cameras See*: the button, its options, the result and its actions."""

from collections.abc import Iterator
from typing import Any

import bpy

from ..answers.hints import Hint, draw_hints
from ..answers.result_kind import ResultKind
from ..answers.verbs import draw_age
from ..options import draw_options
from ..ui import (
    OptionsPopover,
    column_of,
    draw_button,
    draw_hint,
    plural,
    settings_of,
)
from .hide_unseen import draw_hide
from .hints import left_out_hints
from .settings import ShotOptions
from .table import OCCLUDED
from .visibility_result import ANSWERS, PixelFacts, VisibilityResult

# Options that widen the view are set in Select in Camera View.
_WIDENED = ("margin", "angle")


class OCTREE_PT_shot(OptionsPopover):
    """Cameras, frames and objects to test."""

    bl_label = "What Cameras See"

    def draw(self, context: bpy.types.Context) -> None:
        settings = settings_of(context.scene).shot
        column = column_of(self)
        draw_options(column, settings, ShotOptions, without=_WIDENED)
        counts_boxes = settings.precision == "BOX" and not settings.faces
        if counts_boxes and settings.behind == "IGNORE":
            draw_hint(column, "Objects count by their boxes")


def draw_shot(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the button of *What Cameras See*."""
    button = draw_button(layout, "octree.find_seen", "OCTREE_PT_shot")
    for name in _WIDENED:
        setattr(button, name, getattr(settings_of(context.scene).frustum, name))


def hints_of(scene: bpy.types.Scene, seen: VisibilityResult) -> Iterator[Hint]:
    """Yield the hints shown with an answer, each with a button."""
    yield from left_out_hints(scene, seen.left_out)
    if seen.instances:
        tab = settings_of(scene).tab
        options = {"kind": tab.kind, "action": tab.action, "meshes": tab.meshes}
        yield Hint(seen.instances, "List Each in View", "octree.select_in_frustum", options)


def result_lines(seen: VisibilityResult) -> list[str]:
    """Return the lines that summarize a result in the panel."""
    how, frames = "" if seen.is_exact else " (by boxes)", seen.frames
    when = f"Frame {frames[0]}"
    if len(frames) > 1:
        when = f"Frames {frames[0]} to {frames[-1]}"
    lines = [
        f"{seen.seen_count:,} of {plural(len(seen.objects), 'object')} seen{how}",
        f"{when}, {', '.join(seen.cameras)}",
    ]
    if seen.pixels:
        lines[1:1] = pixel_lines(seen, seen.pixels)
    if seen.faces:
        lines.insert(1, f"{seen.face_count:,} faces seen")
    return lines


def pixel_lines(seen: VisibilityResult, facts: PixelFacts) -> Iterator[str]:
    """Yield the lines about pixels, short enough for the sidebar."""
    were_hidden = seen.view_counts(seen.table.states == OCCLUDED) > 0
    hidden = int((were_hidden & (seen.frame_counts == 0)).sum())
    yield f"{hidden:,} hidden behind others"
    width, height = seen.table.which.size
    yield f"{width} x {height} pixels"
    if facts.clear:
        more = f", {len(facts.clear) - 1:,} more" if len(facts.clear) > 1 else ""
        yield f"See-through {'left out' if facts.is_open else 'as solid'}: {facts.clear[0]}{more}"


class SeenKind(ResultKind):
    """Kind of results that list seen or unseen objects."""

    def summary(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw the summary of the result."""
        seen = ANSWERS.of_result(context.scene, result)
        if seen is not None:
            for line in result_lines(seen):
                layout.label(text=line, translate=False)
            draw_hints(layout, hints_of(context.scene, seen))
            draw_age(layout, context.scene, ANSWERS)

    def offer(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw the buttons for seen and unseen objects."""
        if ANSWERS.of_result(context.scene, result) is None:
            return
        tab, answer = settings_of(context.scene).tab, settings_of(context.scene).answer
        draw_hide(layout, context)
        row = layout.row(align=True)
        row.prop(answer, "found", toggle=True)
        row.prop(answer, "fade", toggle=True)
        row = layout.row(align=True)
        for part, text in (("SEEN", "Select Seen"), ("UNSEEN", "Select Unseen")):
            button = row.operator("octree.select_seen", text=text)
            button.part, button.kind, button.action = part, tab.kind, tab.action
        row = layout.row(align=True)
        row.operator("octree.collect_seen", text="Collect")
        row.operator("octree.mark_seen", text="Mark")
        row.operator("octree.export_seen", text="Export")
