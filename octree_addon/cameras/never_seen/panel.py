"""Never Seen in the tab: its button, its options, what it answered, and what is done with it."""

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
    """Which views are tested, and what is kept of what they do not see."""

    bl_label = "Never Seen"

    def draw(self, context: bpy.types.Context) -> None:
        settings = settings_of(context.scene).never_seen
        column = column_of(self)
        draw_options(column, settings, ViewsOptions)
        if masked_objects():
            column.operator("octree.unmask_never_seen", icon="LOOP_BACK")


def draw_never_seen(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Show the button that asks what no view sees."""
    draw_button(layout, "octree.find_never_seen", "OCTREE_PT_never_seen")


def stretching_hints(scene: bpy.types.Scene, samples: Samples) -> Iterator[Hint]:
    """Yield a hint if things are too small to tell because of one object, to leave that out."""
    uid, times = samples.facts.stretching
    name = next((item.name for item in scene.objects if item.session_uid == uid), "")
    if name and (samples.small_objects or samples.small_faces):
        text = f"Without {name} a pixel is {round(times):,} times smaller"
        options = {"without": name}
        yield Hint(text, "Leave It Out", "octree.find_never_seen", options, at_once=True)


def draw_lines(layout: bpy.types.UILayout, lines: list[str]) -> None:
    """Say something in a box."""
    box = layout.box().column(align=True)
    for line in lines:
        box.label(text=line, translate=False)


def forecast_lines(forecast: Forecast) -> list[str]:
    """Say what Delete in Copy will do, and why Hide and Mask leave something."""
    lines = copy_lines(forecast.copies)
    lines += [f"Hide leaves {count:,} {reason}" for reason, count in forecast.stay.items()]
    if forecast.masked["staying"]:
        lines.append(f"Mask leaves {plural(forecast.masked['staying'], 'face')}")
    return lines


def draw_counted(
    layout: bpy.types.UILayout, name: str, text: str, count: int | None, **shown: Any
) -> Any:
    """Show a button with how much it will take, if that is known; gray if that is nothing."""
    row = layout.row(align=True)
    row.enabled = count != 0
    said: Any = pgettext_iface(text, "Operator")  # type: ignore[func-returns-value]
    if count is not None:
        said = f"{said} ({count:,})"
    return row.operator(name, text=said, translate=False, **shown)


def draw_select(layout: bpy.types.UILayout, tab: Any, forecast: Forecast | None) -> None:
    """Offer to select what was never seen."""
    kept, row = forecast.kept if forecast else None, layout.column(align=True)
    for kind, text, count in (
        ("OBJECTS", "Select Objects", len(kept.never) if kept else None),
        ("FACES", "Select Faces", kept.face_count if kept else None),
    ):
        button = draw_counted(row, "octree.select_never_seen", text, count)
        button.kind, button.action = kind, tab.action


def draw_actions(layout: bpy.types.UILayout, forecast: Forecast | None) -> None:
    """Offer what is done with all that is never seen."""
    row = layout.row(align=True)
    never = len(forecast.kept.never) if forecast else None
    draw_counted(row, "octree.collect_never_seen", "Collect", never)
    draw_counted(row, "octree.hide_never_seen", "Hide", forecast.hidden if forecast else None)
    row = layout.row(align=True)
    faces = forecast.masked["faces"] if forecast else None
    draw_counted(row, "octree.mask_never_seen", "Mask", faces)
    row.operator("octree.mark_never_seen", text="Mark")


class NeverSeenKind(ResultKind):
    """Objects and faces that no sampled view sees."""

    def summary(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Say what no view saw: what the buttons under the list will take."""
        found = ANSWERS.of_result(context.scene, result)
        if found is not None:
            for line in never_lines(found):
                layout.label(text=line, translate=False)
            draw_hints(layout, left_out_hints(context.scene, found.facts.left_out))
            draw_hints(layout, stretching_hints(context.scene, found))
            draw_age(layout, context.scene, ANSWERS)

    def offer(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Say how it was found out, and offer to take away what was never seen."""
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
