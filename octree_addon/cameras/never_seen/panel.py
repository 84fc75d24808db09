"""User interface of *Never Seen*: the button, its options, the result and its actions."""

from collections.abc import Iterator
from typing import Any

import bpy
from bpy.app.translations import pgettext_iface

from ...answers.hints import Hint, draw_hints
from ...answers.result_kind import ResultKind
from ...answers.verbs import draw_age
from ...options import draw_options
from ...ui import (
    OptionsPopover,
    column_of,
    draw_button,
    plural,
    settings_of,
)
from ..hints import left_out_hints
from .forecast import Forecast, forecast_of
from .masks import masked_objects
from .report import copy_lines, never_lines, pixel_text, samples_lines
from .samples import ANSWERS, Samples
from .settings import UseOptions, ViewsOptions


class OCTREE_PT_never_seen(OptionsPopover):
    """Views to test."""

    bl_label = "Never Seen"

    def draw(self, context: bpy.types.Context) -> None:
        settings = settings_of(context.scene).never_seen
        column = column_of(self)
        draw_options(column, settings, ViewsOptions)
        if masked_objects():
            column.operator("octree.unmask_never_seen", icon="LOOP_BACK")


def draw_never_seen(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the button of *Never Seen*."""
    draw_button(layout, "octree.find_never_seen", "OCTREE_PT_never_seen")


def stretching_hints(scene: bpy.types.Scene, samples: Samples) -> Iterator[Hint]:
    """Yield a hint to leave out an object that makes pixels large, if anything is too small."""
    uid, times = samples.facts.stretching
    name = next((item.name for item in scene.objects if item.session_uid == uid), "")
    if name and (samples.small_objects or samples.small_faces):
        text = f"Without {name} a pixel is {round(times):,} times smaller"
        options = {"without": name}
        yield Hint(text, "Leave It Out", "octree.find_never_seen", options, at_once=True)


def draw_lines(layout: bpy.types.UILayout, lines: list[str]) -> None:
    """Draw lines of text in a box."""
    box = layout.box().column(align=True)
    for line in lines:
        box.label(text=line, translate=False)


def forecast_lines(forecast: Forecast) -> list[str]:
    """Return lines on the effect of Delete in Copy, and on leftovers of Hide and Mask."""
    lines = copy_lines(forecast.copies)
    lines += [f"Hide leaves {count:,} {reason}" for reason, count in forecast.stay.items()]
    if forecast.masked["staying"]:
        lines.append(f"Mask leaves {plural(forecast.masked['staying'], 'face')}")
    return lines


def draw_counted(
    layout: bpy.types.UILayout, name: str, text: str, count: int | None, **shown: Any
) -> Any:
    """Draw a button with the number of affected elements, if known; disabled if it is 0."""
    row = layout.row(align=True)
    row.enabled = count != 0
    said: Any = pgettext_iface(text, "Operator")  # type: ignore[func-returns-value]
    if count is not None:
        said = f"{said} ({count:,})"
    return row.operator(name, text=said, translate=False, **shown)


def draw_select(layout: bpy.types.UILayout, tab: Any, forecast: Forecast | None) -> None:
    """Draw the buttons that select never-seen objects and faces."""
    kept, row = forecast.kept if forecast else None, layout.column(align=True)
    for kind, text, count in (
        ("OBJECTS", "Select Objects", len(kept.never) if kept else None),
        ("FACES", "Select Faces", kept.face_count if kept else None),
    ):
        button = draw_counted(row, "octree.select_never_seen", text, count)
        button.kind, button.action = kind, tab.action


def draw_actions(layout: bpy.types.UILayout, forecast: Forecast | None) -> None:
    """Draw the buttons that collect, hide, mask and mark."""
    row = layout.row(align=True)
    never = len(forecast.kept.never) if forecast else None
    draw_counted(row, "octree.collect_never_seen", "Collect", never)
    draw_counted(row, "octree.hide_never_seen", "Hide", forecast.hidden if forecast else None)
    row = layout.row(align=True)
    faces = forecast.masked["faces"] if forecast else None
    draw_counted(row, "octree.mask_never_seen", "Mask", faces)
    row.operator("octree.mark_never_seen", text="Mark")


class NeverSeenKind(ResultKind):
    """Kind of results that list objects without samples."""

    def summary(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw the summary of the result."""
        found = ANSWERS.of_result(context.scene, result)
        if found is not None:
            for line in never_lines(found):
                layout.label(text=line, translate=False)
            draw_hints(layout, left_out_hints(context.scene, found.facts.left_out))
            draw_hints(layout, stretching_hints(context.scene, found))
            draw_age(layout, context.scene, ANSWERS)

    def offer(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw the buttons, the forecast of their effects, the facts and the options."""
        found = ANSWERS.of_result(context.scene, result)
        if found is None:
            return
        settings, forecast = settings_of(context.scene).never_seen, forecast_of(context)
        draw_select(layout, settings_of(context.scene).tab, forecast)
        draw_actions(layout, forecast)
        copied = forecast.copies["faces"] + forecast.copies["gone_along"] if forecast else None
        draw_counted(layout, "octree.copy_never_seen", "Delete in Copy", copied, icon="DUPLICATE")
        kept = forecast.kept if forecast else None
        more = [pixel_text(context.scene, found.facts), *samples_lines(found, kept)]
        draw_lines(layout, [*(forecast_lines(forecast) if forecast else []), *more])
        column = layout.column()
        column.use_property_split = True
        draw_options(column, settings, UseOptions)
