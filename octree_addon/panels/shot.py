"""What cameras see over a shot: asked, told, and used."""

import bpy

from .. import shot
from ..properties import OctreeShotSettings
from ..shot import Seen
from ..ui import SubPanel, column_of, draw_hint, settings_of


class OCTREE_PT_shot(SubPanel):
    """Ask what cameras see, now or over a shot."""

    bl_label = "What Cameras See"
    bl_order = 60

    def draw(self, context: bpy.types.Context) -> None:
        settings = settings_of(context.scene).shot
        column = column_of(self)
        for name in shown(settings):
            column.prop(settings, name)
        if settings.precision == "BOX" and not settings.faces:
            draw_hint(column, "Objects count by their boxes")
        column.operator("octree.find_seen", icon="VIEW_CAMERA")
        seen = shot.get(context.scene)
        if seen:
            draw_answer(column, seen)


def shown(settings: OctreeShotSettings) -> list[str]:
    """Return the names of the settings that count, from top to bottom."""
    spans: dict[str, list[str]] = {
        "CURRENT": [],
        "SCENE": ["step"],
        "CUSTOM": ["first", "last", "step"],
    }
    collection = ["collection"] * (settings.scope == "COLLECTION")
    ends = ["precision", "faces", "margin", "angle"]
    return ["scope", *collection, "cameras", "span", *spans[settings.span], *ends]


def draw_answer(layout: bpy.types.UILayout, seen: Seen) -> None:
    """Say what was seen, and offer to use it."""
    box = layout.box().column()
    for line in answer_lines(seen):
        box.label(text=line)
    row = box.row(align=True)
    row.operator("octree.select_seen", text="Select").part = "SEEN"
    row.operator("octree.select_seen", text="Select Unseen").part = "UNSEEN"
    row = box.row(align=True)
    row.operator("octree.collect_seen", text="Collect")
    row.operator("octree.mark_seen", text="Mark")
    row.operator("octree.export_seen", text="Export")


def answer_lines(seen: Seen) -> list[str]:
    """Return what the user reads about an answer."""
    how = "" if seen.is_exact else " (by boxes)"
    lines = [
        f"{seen.seen_count:,} of {len(seen.objects):,} objects seen{how}",
        f"{frames_text(seen.frames)}, {', '.join(seen.cameras)}",
    ]
    if seen.faces:
        lines.insert(1, f"{seen.face_count:,} faces seen")
    return lines


def frames_text(frames: tuple[int, ...]) -> str:
    """Write down the frames of a shot."""
    if len(frames) == 1:
        return f"Frame {frames[0]}"
    return f"Frames {frames[0]} to {frames[-1]}"
