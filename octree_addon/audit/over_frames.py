"""Contacts over Frames: when each contact begins and ends, and how the list shows it."""

from typing import Any

import bpy
import numpy as np

from ..answers.answer import Answer
from ..answers.asking import Told
from ..cameras.find_seen import chosen_frames
from ..cameras.frames import go_to_frame
from ..results import Column, ResultKind, Rows, active_row, view_of
from ..ui import draw_hint, plural, settings_of
from .film import Film, FilmSteps, film_steps
from .operators import PairingOperator, audit_options
from .rules import wish_of
from .settings import ContactOptions

CONTACTS = "contacts_over_frames"
_BEGINS, _ENDS, _CUT_OFF = "Begins", "Ends", "Cut Off"
# Where the frames looked at may have cut a contact off: bit 0 the start, bit 1 the end.
_CUTS = ("no", "at the start", "at the end", "at both ends")


class OCTREE_OT_contacts_over_frames(PairingOperator[ContactOptions], bpy.types.Operator):
    """List in which frame each contact between objects begins, and in which it ends."""

    bl_idname = "octree.contacts_over_frames"
    bl_label = "Contacts over Frames"
    bl_description = (
        "Go through the frames, and list in which of them objects come into contact, and until"
        " when they stay so: what touches, crosses, or lies in something closed. A click on a row"
        " goes to the first frame of its contact"
    )
    doing = "Looking for contacts"
    key, may_play = "contacts", False

    def run(self, context: bpy.types.Context, options: ContactOptions) -> FilmSteps:
        options = self.take(settings_of(context.scene).audit)
        self.fix_chosen(context, options)
        frames = chosen_frames(context.scene, options.frames)
        return film_steps(context, wish_of(context.scene, audit_options(self.taken)), frames)

    def told(self, context: bpy.types.Context, found: Film, options: ContactOptions) -> Told:
        self.write_back(settings_of(context.scene).audit)
        answer = Answer(found=None, options=audit_options(options), rows=contact_rows(found))
        return answer, film_text(found)


def film_text(film: Film) -> str:
    """Say how many contacts there were, in one line."""
    found = film.intervals
    pairs = np.unique(found.pairs, axis=1).shape[1]
    text = f"{plural(len(found.first), 'contact')} of {plural(pairs, 'pair')}"
    return f"{text} in {plural(len(film.frames), 'frame')}"


def contact_rows(film: Film) -> Rows:
    """Return a row for each contact, those that begin first at the top."""
    found, frames = film.intervals, np.array(film.frames, np.intp)
    order = np.lexsort((*found.pairs[::-1], found.first))
    pairs, first, last = found.pairs[:, order], found.first[order], found.last[order]
    cuts = (first == 0) + 2 * (last == len(frames) - 1)
    columns = (
        Column(_BEGINS, "", frames[first].astype(np.int64)),
        Column(_ENDS, "", frames[last].astype(np.int64)),
        Column(_CUT_OFF, "", cuts.astype(np.int64), _CUTS),
    )
    places = np.arange(len(frames))
    seen = (places >= first[:, None]) & (places <= last[:, None])
    objects, instances = film.owners[pairs].astype(np.intp), film.instances[pairs]
    return Rows(objects, instances, columns, frames, seen)


def sentence(rows: Rows, row: int) -> str:
    """Say when a contact is, and where the frames looked at may have cut it off."""
    begins, ends, cut = (int(each.values[row]) for each in rows.columns)
    when = f"Frame {begins}" if begins == ends else f"Frames {begins} to {ends}"
    return f"{when}, cut off {_CUTS[cut]}" if cut else when


class ContactsKind(ResultKind):
    """Contacts over frames."""

    headers = (_BEGINS, _ENDS)

    def texts(self, scene: bpy.types.Scene, result: Any, row: int) -> tuple[str, str]:
        """Write the first and the last frame of a contact, with a sign where it may be longer."""
        columns = view_of(scene, result).rows.columns
        begins, ends, cut = (int(each.values[row]) for each in columns)
        return "\u2264 " * (cut & 1) + str(begins), "\u2265 " * (cut >> 1) + str(ends)

    def summary(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Say how many contacts there are."""
        layout.label(text=plural(result.count, "contact"), translate=False)

    def offer(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Show the active contact."""
        row = active_row(context.scene)
        if row < 0:
            draw_hint(layout, "Click a contact")
            return
        view = view_of(context.scene, result)
        box = layout.box().column(align=True)
        for text in (*view.labels(row), sentence(view.rows, row)):
            box.label(text=text, translate=False)

    def go_to(self, scene: bpy.types.Scene, result: Any, row: int) -> None:
        """Go to the frame in which a contact begins."""
        column = view_of(scene, result).rows.column(_BEGINS)
        assert column is not None
        go_to_frame(scene, int(column.values[row]))
