"""Collisions in one frame, or contacts over frames with their begin and end."""

from typing import Any

import bpy
import numpy as np

from ...core import Steps
from ..answers import verbs
from ..answers.answer import Answer
from ..answers.asking import QuestionOperator, Told
from ..cameras.find_seen import chosen_frames
from ..cameras.frames import go_to_frame
from ..questions import CollisionOperator, QueryKind
from ..result_list import Column, ResultKind, Rows, active_row, view_of
from ..selection import Subjects
from ..ui import draw_hint, plural
from .film import Film, film_steps
from .operators import audit_options, names_meant
from .rules import wish_of
from .settings import ContactOptions, OctreeCollisionSettings

COLLISIONS, CONTACTS_TITLE = "select_collisions", "Contacts in Shot"
_BEGINS, _ENDS, _CUT_OFF = "Begins", "Ends", "Cut Off"
# Words for contacts cut off by the frame range: bit 0 at the start, bit 1 at the end.
_CUTS = ("no", "at the start", "at the end", "at both ends")


class OCTREE_OT_select_collisions(CollisionOperator[ContactOptions], bpy.types.Operator):
    """Select objects that touch or are near another one; over frames, list each contact."""

    bl_idname = "octree.select_collisions"
    bl_label = "Select Collisions"
    bl_description = (
        "Select what touches another object, or comes near it. Over frames, list in which frame"
        " each contact begins, and in which it ends"
    )
    doing = "Looking for collisions"
    key, settings = "collisions", OctreeCollisionSettings

    def run(self, context: bpy.types.Context, options: ContactOptions) -> Steps[Any]:
        if options.span == "CURRENT":
            return super().run(context, options)
        if context.screen and context.screen.is_animation_playing:
            raise ValueError("Stop the playback first")
        self.put(chosen=names_meant(context, options))
        wish = wish_of(context.scene, audit_options(self.taken))
        return film_steps(context, wish, chosen_frames(context.scene, options))

    def told(self, context: bpy.types.Context, found: Any, options: ContactOptions) -> Told:
        """Select the objects found in any of the frames."""
        if not isinstance(found, Film):
            return super().told(context, found, options)
        rows, asked = contact_rows(found), audit_options(options)
        uids = np.unique(rows.objects).tolist()
        said = verbs.select(context, Subjects(dict.fromkeys(uids, 0)), options.action)
        answer = Answer(found=None, title=CONTACTS_TITLE, options=asked, rows=rows)
        return answer, f"{film_text(found)}; {said}"

    def keep(self, context: bpy.types.Context, answer: Answer[Any], name: str) -> Any:
        """Store the answer; contacts over frames are not drawn as a query."""
        if answer.title == CONTACTS_TITLE:
            return QuestionOperator.keep(self, context, answer, name)
        return super().keep(context, answer, name)


def film_text(film: Film) -> str:
    """Return the number of contacts, pairs and frames as text."""
    found = film.intervals
    pairs = np.unique(found.pairs, axis=1).shape[1]
    text = f"{plural(len(found.first), 'contact')} of {plural(pairs, 'pair')}"
    return f"{text} in {plural(len(film.frames), 'frame')}"


def contact_rows(film: Film) -> Rows:
    """Return a row for each contact, sorted by the frame in which it begins."""
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
    """Return the frames of a contact as text, and where the frame range may cut it off."""
    begins, ends, cut = (int(each.values[row]) for each in rows.columns)
    when = f"Frame {begins}" if begins == ends else f"Frames {begins} to {ends}"
    return f"{when}, cut off {_CUTS[cut]}" if cut else when


class CollisionsKind(QueryKind):
    """The result kind of collisions, in one frame or over frames."""

    def of(self, result: Any) -> ResultKind:
        """Return the kind of contacts if a result is over frames."""
        return _CONTACTS if result.title == CONTACTS_TITLE else self


class ContactsKind(ResultKind):
    """The result kind of contacts over frames."""

    headers = (_BEGINS, _ENDS)

    def texts(self, scene: bpy.types.Scene, result: Any, row: int) -> tuple[str, str]:
        """Return the first and the last frame of a contact, with a sign where it may be longer."""
        columns = view_of(scene, result).rows.columns
        begins, ends, cut = (int(each.values[row]) for each in columns)
        return "\u2264 " * (cut & 1) + str(begins), "\u2265 " * (cut >> 1) + str(ends)

    def summary(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw the number of contacts."""
        layout.label(text=plural(result.count, "contact"), translate=False)

    def offer(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw the names and frames of the active contact."""
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


_CONTACTS = ContactsKind(COLLISIONS)
