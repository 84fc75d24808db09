"""Visibility results: a table of views and items, with the objects and faces they stand for."""

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
    """An object that was tested, itself or by its instances."""

    session_uid: int
    name: str


@dataclass(frozen=True)
class PixelFacts:
    """How pixels were counted.

    Attributes
    ----------
    clear : tuple of str
        Names of the materials that let light through.
    is_open : bool
        Whether their faces were left out; else they hid what is behind them.
    not_counted : tuple of str
        What has pixels in a render, but no triangles: "hair", "volumes".
    left_out : int
        How many visible objects a render leaves out.
    """

    clear: tuple[str, ...] = ()
    is_open: bool = False
    not_counted: tuple[str, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class VisibilityResult:
    """What cameras saw over a shot; holds no reference into Blender.

    Attributes
    ----------
    table : SeenTable
        A row for each view and item. Its items are the objects that had triangles in any frame,
        and with pixels also their instances, in the order of first appearance.
    owners : tuple of int
        Session id of the object of each item, or of its instancer.
    is_exact : bool
        Whether an object counts by its triangles; else its box is enough.
    faces : Mapping of int to ndarray of intp, shape (polygons,)
        By the session id of a mesh: in how many frames each of its polygons was in view. Empty
        unless faces were tested.
    skipped : int
        How many of the objects to test never had triangles, or were hidden.
    pixels : PixelFacts, optional
        None where what stands in front did not matter.
    left_out : tuple of str
        Names of cameras that were asked for, and have no frustum.
    instances : str
        How many instances count as one with their instancer, in words; empty if none does.
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
        """The objects of the items, each once."""
        names = dict(zip(reversed(self.owners), reversed(self.table.items.names), strict=True))
        return tuple(TestedObject(uid, names[uid]) for uid in dict.fromkeys(self.owners))

    @cached_property
    def object_of_item(self) -> Ids:
        """Index into the objects of each item."""
        places = {uid: place for place, uid in enumerate(dict.fromkeys(self.owners))}
        return np.array([places[uid] for uid in self.owners], np.intp)

    @property
    def cameras(self) -> tuple[str, ...]:
        """Names of the cameras."""
        return self.table.which.names

    @cached_property
    def frames(self) -> tuple[int, ...]:
        """The frames in the order of the walk."""
        return tuple(dict.fromkeys(self.table.which.frames.tolist()))

    @cached_property
    def in_frames(self) -> Flags:
        """Whether any camera saw each object in each frame, (objects, frames)."""
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
        """In how many frames any camera saw each object, (objects,)."""
        counts: Ids = np.count_nonzero(self.in_frames, axis=1)
        return counts

    def view_counts(self, chosen: Flags) -> Ids:
        """Return in how many views each object has a row that is chosen, (objects,)."""
        (rows,) = chosen.nonzero()
        pairs = self.object_of_item[self.table.items_of[rows]], self.table.views[rows]
        objects = np.unique(np.stack(pairs), axis=1)[0]
        return np.bincount(objects, minlength=len(self.objects))

    @cached_property
    def seen_count(self) -> int:
        """How many objects were seen at all."""
        return int(np.count_nonzero(self.frame_counts))

    @cached_property
    def face_count(self) -> int:
        """How many faces were seen at all."""
        return sum(int(np.count_nonzero(counts)) for counts in self.faces.values())

    def subjects(self, *, seen: bool) -> Subjects:
        """Return the objects and faces that were seen at all, or those that never were."""

        def faces(_: Any) -> dict[int, Flags]:
            return {uid: (counts > 0) == seen for uid, counts in self.faces.items()}

        wanted = ((self.frame_counts > 0) == seen).tolist()
        each = zip(self.objects, self.frame_counts.tolist(), wanted, strict=True)
        counts = {tested.session_uid: count for tested, count, is_meant in each if is_meant}
        return Subjects(counts, faces)


ANSWERS = StandingAnswers(VisibilityResult, "find_seen", "Find what the cameras see first")
get, keep = ANSWERS.get, ANSWERS.put
