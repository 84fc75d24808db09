"""Contacts over Frames: a stepped operator that lists when each contact begins and ends."""

import bpy
import numpy as np

from ..results import keep_result
from ..shot.find_seen import chosen_frames
from ..ui import Status, column_of, draw_rows, plural, settings_of, take, write_back
from .contact_rows import CONTACTS, CONTACTS_TITLE, contact_rows
from .film import Film, FilmSteps, film_steps
from .operators import PairingOperator, audit_options, wish_of
from .settings import PairOptions, SpanOptions, draw_exceptions, draw_sides, span_rows


class OCTREE_OT_contacts_over_frames(
    SpanOptions, PairOptions, PairingOperator, bpy.types.Operator
):
    """List in which frame each contact between objects begins, and in which it ends."""

    bl_idname = "octree.contacts_over_frames"
    bl_label = "Contacts over Frames"
    bl_description = (
        "Go through the frames, and list in which of them objects come into contact, and until"
        " when they stay so: what touches, crosses, or lies in something closed. A click on a row"
        " goes to the first frame of its contact"
    )
    doing = "Looking for contacts"

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        is_playing = context.screen and context.screen.is_animation_playing
        return super().obstacle(context) or ("Stop the playback first" if is_playing else "")

    def steps(self, context: bpy.types.Context) -> FilmSteps:
        self.take_pairs(context)
        take(self, settings_of(context.scene).contacts)
        frames = chosen_frames(context.scene, self)
        return film_steps(context, wish_of(context.scene, audit_options(self)), frames)

    def finish(self, context: bpy.types.Context, result: Film) -> Status:
        for name in ("audit", "contacts"):
            write_back(self, getattr(settings_of(context.scene), name))
        keep_result(
            context,
            contact_rows(result),
            title=CONTACTS_TITLE,
            question=CONTACTS,
            options=audit_options(self),
            name=self.result,
        )
        self.report({"INFO"}, film_text(result))
        return {"FINISHED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the redo panel."""
        column = column_of(self)
        draw_rows(column, self, span_rows(self))
        draw_sides(column, self)
        column.prop(self, "band")
        draw_exceptions(column, self)


def film_text(film: Film) -> str:
    """Say how many contacts there were, in one line."""
    found = film.intervals
    pairs = np.unique(found.pairs, axis=1).shape[1]
    text = f"{plural(len(found.first), 'contact')} of {plural(pairs, 'pair')}"
    return f"{text} in {plural(len(film.frames), 'frame')}"
