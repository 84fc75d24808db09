"""Visibility results: a table of views and items, with the objects and faces of Blender."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..answers.standing import StandingAnswers
from ..arrays import Flags, Ids
from ..selection import Subjects
from .table import SeenTable


class TestedObject(NamedTuple):
    """An object that was tested by its own geometry or by its instances."""

    session_uid: int
    name: str


@dataclass(frozen=True)
class PixelFacts:
    """Facts about a count of pixels, for reports.

    Attributes
    ----------
    clear : tuple of str
        Names of the transparent materials.
    is_open : bool
        True if faces of transparent materials were left out, False if they counted as solid.
    not_counted : tuple of str
        Kinds of objects that have pixels in a render but no triangles: "hair", "volumes".
    left_out : int
        Number of visible objects that a render leaves out.
    """

    clear: tuple[str, ...] = ()
    is_open: bool = False
    not_counted: tuple[str, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class VisibilityResult:
    """Visibility over a shot, without references to Blender data.

    Attributes
    ----------
    table : SeenTable
        A row for each view and item. The items are the objects that had triangles in any frame,
        and if pixels were counted also their instances, in the order of first appearance.
    owners : tuple of int
        Session id of the object, or of the instancer, of each item.
    is_exact : bool
        True if objects were tested by their triangles, False if by their boxes.
    faces : Mapping of int to ndarray of intp, shape (polygons,)
        The number of frames in which each polygon was in view, by session id of the mesh. Empty
        unless faces were tested.
    skipped : int
        Number of requested objects that never had triangles or were hidden.
    pixels : PixelFacts, optional
        Facts about the count of pixels; None if occlusion was not tested.
    left_out : tuple of str
        Names of requested cameras without a frustum.
    instances : str
        Text about instances that count as one with their instancer; empty if there are none.
    """

    table: SeenTable
    owners: tuple[int, ...]
    is_exact: bool = True
    faces: Mapping[int, Ids]
    skipped: int = 0
    pixels: PixelFacts | None = None
    left_out: tuple[str, ...] = ()
    instances: str = ""

    @cached_property
    def objects(self) -> tuple[TestedObject, ...]:
        """The distinct objects of the items, in the order of first appearance."""
        names = dict(zip(reversed(self.owners), reversed(self.table.items.names), strict=True))
        return tuple(TestedObject(uid, names[uid]) for uid in dict.fromkeys(self.owners))

    @cached_property
    def object_of_item(self) -> Ids:
        """The index in `objects` of each item's object, (items,)."""
        places = {uid: place for place, uid in enumerate(dict.fromkeys(self.owners))}
        return np.array([places[uid] for uid in self.owners], np.intp)

    @property
    def cameras(self) -> tuple[str, ...]:
        """The names of the cameras."""
        return self.table.which.names

    @cached_property
    def frames(self) -> tuple[int, ...]:
        """The distinct frames, in the order in which they were tested."""
        return tuple(dict.fromkeys(self.table.which.frames.tolist()))

    @cached_property
    def in_frames(self) -> Flags:
        """Flags of objects that any camera saw, for each frame, (objects, frames)."""
        place = {frame: number for number, frame in enumerate(self.frames)}
        frame_of_view = np.array(
            [place[each] for each in self.table.which.frames.tolist()], np.intp
        )
        (rows,) = self.table.is_seen.nonzero()
        flags = np.zeros((len(self.objects), len(self.frames)), np.bool_)
        objects = self.object_of_item[self.table.items_of[rows]]
        flags[objects, frame_of_view[self.table.views[rows]]] = True
        return flags

    @cached_property
    def frame_counts(self) -> Ids:
        """Number of frames in which any camera saw each object, (objects,)."""
        counts: Ids = np.count_nonzero(self.in_frames, axis=1)
        return counts

    def view_counts(self, chosen: Flags) -> Ids:
        """Count the views in which each object has a chosen row, (objects,).

        `chosen`, (rows,), are flags of rows of the table.
        """
        (rows,) = chosen.nonzero()
        pairs = self.object_of_item[self.table.items_of[rows]], self.table.views[rows]
        objects = np.unique(np.stack(pairs), axis=1)[0]
        return np.bincount(objects, minlength=len(self.objects))

    @cached_property
    def seen_count(self) -> int:
        """The number of objects that any camera saw in any frame."""
        return int(np.count_nonzero(self.frame_counts))

    @cached_property
    def face_count(self) -> int:
        """The number of faces that any camera saw in any frame."""
        return sum(int(np.count_nonzero(counts)) for counts in self.faces.values())

    def subjects(self, *, seen: bool) -> Subjects:
        """Return the seen objects and faces, or the unseen ones."""

        def faces(_: Any) -> dict[int, Flags]:
            return {uid: (counts > 0) == seen for uid, counts in self.faces.items()}

        wanted = ((self.frame_counts > 0) == seen).tolist()
        each = zip(self.objects, self.frame_counts.tolist(), wanted, strict=True)
        counts = {tested.session_uid: count for tested, count, is_meant in each if is_meant}
        return Subjects(counts, faces)


ANSWERS = StandingAnswers(VisibilityResult, "find_seen", "Find what the cameras see first")
get, keep = ANSWERS.get, ANSWERS.put
