"""Panel of What Cameras See: what is tested, the last result, and its uses."""

from collections.abc import Iterator

import bpy

from ..answers.verbs import draw_age
from ..ui import SelectionOptions, SidebarPanel, column_of, draw_hint, draw_rows, settings_of
from .data import OCCLUDED
from .settings import rows_of
from .visibility_result import ANSWERS, PixelFacts, VisibilityResult, get


class OCTREE_PT_shot(SidebarPanel):
    """Find what cameras see, now or over a shot."""

    bl_label = "Over a Shot"
    bl_parent_id = "OCTREE_PT_camera"
    bl_order = 41

    def draw(self, context: bpy.types.Context) -> None:
        settings = settings_of(context.scene).shot
        column = column_of(self)
        # How far the view is widened stands above, with the camera.
        widened = ("margin", "angle")
        draw_rows(column, settings, [row for row in rows_of(settings) if row not in widened])
        counts_boxes = settings.precision == "BOX" and not settings.faces
        if counts_boxes and settings.behind == "IGNORE":
            draw_hint(column, "Objects count by their boxes")
        button = column.operator("octree.find_seen", icon="VIEW_CAMERA")
        for name in widened:
            setattr(button, name, getattr(settings_of(context.scene).frustum, name))
        seen = get(context.scene)
        if seen:
            draw_result(column, seen, settings_of(context.scene).tab)
            draw_age(column, context.scene, ANSWERS)


def draw_result(layout: bpy.types.UILayout, seen: VisibilityResult, tab: SelectionOptions) -> None:
    """Say what was seen, and offer to use it."""
    box = layout.box().column()
    for line in result_lines(seen):
        box.label(text=line)
    row = box.row(align=True)
    for part, text in (("SEEN", "Select Seen"), ("UNSEEN", "Select Unseen")):
        button = row.operator("octree.select_seen", text=text)
        button.part, button.kind, button.action = part, tab.kind, tab.action
    row = box.row(align=True)
    row.operator("octree.collect_seen", text="Collect")
    row.operator("octree.mark_seen", text="Mark")
    row.operator("octree.export_seen", text="Export")


def result_lines(seen: VisibilityResult) -> list[str]:
    """Return what the user reads about a result."""
    how, frames = "" if seen.is_exact else " (by boxes)", seen.frames
    when = f"Frame {frames[0]}"
    if len(frames) > 1:
        when = f"Frames {frames[0]} to {frames[-1]}"
    lines = [
        f"{seen.seen_count:,} of {len(seen.objects):,} objects seen{how}",
        f"{when}, {', '.join(seen.cameras)}",
    ]
    if seen.pixels:
        lines[1:1] = pixel_lines(seen, seen.pixels)
    if seen.faces:
        lines.insert(1, f"{seen.face_count:,} faces seen")
    return lines


def pixel_lines(seen: VisibilityResult, facts: PixelFacts) -> Iterator[str]:
    """Yield what the user reads about pixels, none longer than the sidebar is wide."""
    were_hidden = facts.view_counts(len(seen.objects), facts.table.states == OCCLUDED) > 0
    hidden = int((were_hidden & (seen.frame_counts == 0)).sum())
    yield f"{hidden:,} hidden behind others"
    width, height = facts.table.which.size
    yield f"{width} x {height} pixels"
    if facts.clear:
        more = f", {len(facts.clear) - 1:,} more" if len(facts.clear) > 1 else ""
        yield f"See-through {'left out' if facts.is_open else 'as solid'}: {facts.clear[0]}{more}"
