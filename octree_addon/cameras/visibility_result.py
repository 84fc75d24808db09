"""Visibility results: flags of objects x cameras x frames, kept for the session, or a table."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..answers.standing import StandingAnswers
from ..arrays import Flags, Ids
from ..selection import Subjects
from ..text_formats import delimited, json_file
from ..written_files import Writer, Writers
from .data import SeenTable

HEADER = ("object", "camera", "first", "last", "frames", "intervals")


class TestedObject(NamedTuple):
    """An object that was tested, itself or by its instances."""

    session_uid: int
    name: str


@dataclass(frozen=True, eq=False)
class PixelFacts:
    """What pixels told, where what stands in front was asked, and how they were counted.

    Attributes
    ----------
    table : SeenTable
        A row for each view and item; its items are objects and instances.
    object_of_item : ndarray of intp, shape (items,)
        Index into the objects of the result.
    clear : tuple of str
        Names of the materials that let light through.
    is_open : bool
        Whether their faces were left out; else they hid what is behind them.
    not_counted : tuple of str
        What has pixels in a render, but no triangles: "hair", "volumes".
    left_out : int
        How many visible objects a render leaves out.
    """

    table: SeenTable
    object_of_item: Ids
    clear: tuple[str, ...] = ()
    is_open: bool = False
    not_counted: tuple[str, ...] = ()
    left_out: int = 0

    def view_counts(self, objects: int, chosen: Flags) -> Ids:
        """Return in how many views each of so many objects has a row that is chosen."""
        (rows,) = chosen.nonzero()
        pairs = self.object_of_item[self.table.items_of[rows]], self.table.views[rows]
        return np.bincount(np.unique(np.stack(pairs), axis=1)[0], minlength=objects)


@dataclass(frozen=True, eq=False)
class VisibilityResult:
    """What cameras saw over a shot; holds no reference into Blender.

    Attributes
    ----------
    objects : tuple of TestedObject
        Those that had triangles in any of the frames, in the order of first appearance.
    cameras : tuple of str
        Names of the cameras.
    frames : tuple of int
        In the order of the walk.
    flags : ndarray of bool, shape (objects, cameras, frames)
        Whether the object was in the camera's view in that frame; where pixels were counted,
        whether at least the least number of them showed it.
    is_exact : bool
        Whether an object counts by its triangles; else its box is enough.
    faces : Mapping of int to ndarray of intp, shape (polygons,)
        By the session id of a mesh: in how many frames each of its polygons was in view. Empty
        unless faces were tested.
    skipped : int
        How many of the objects to test never had triangles, or were hidden.
    views : tuple of tuple of int
        Number of the frame and of the camera of each view that was looked at.
    pixels : PixelFacts, optional
        None where what stands in front did not matter.
    left_out : tuple of str
        Names of cameras that were asked for, and have no frustum.
    instances : str
        How many instances count as one with their instancer, in words; empty if none does.
    """

    objects: tuple[TestedObject, ...]
    cameras: tuple[str, ...]
    frames: tuple[int, ...]
    flags: Flags
    is_exact: bool
    faces: Mapping[int, Ids]
    skipped: int
    views: tuple[tuple[int, int], ...] = ()
    pixels: PixelFacts | None = None
    left_out: tuple[str, ...] = ()
    instances: str = ""

    @cached_property
    def frame_counts(self) -> Ids:
        """In how many frames any camera saw each object, (objects,)."""
        counts: Ids = np.count_nonzero(self.flags.any(axis=1), axis=1)
        return counts

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


def intervals(flags: Flags) -> Ids:
    """Return the first and last index of each run of frames whose flags are set, (r, 2)."""
    steps = np.diff(flags.astype(np.int8), prepend=0, append=0)
    return np.stack((np.flatnonzero(steps > 0), np.flatnonzero(steps < 0) - 1), axis=1)


def csv_table(seen: VisibilityResult) -> str:
    """Return a line of `HEADER` for every object and camera; intervals read as "1-12 20-48".

    An object that was not seen has empty fields after the camera, but 0 frames.
    """
    lines: list[tuple[Any, ...]] = [HEADER]
    for name, camera, count, runs in _rows(seen):
        first, last = (runs[0][0], runs[-1][1]) if runs else ("", "")
        written = " ".join(f"{start}-{end}" for start, end in runs)
        lines.append((name, camera, first, last, count, written))
    return delimited(lines)


def json_table(seen: VisibilityResult) -> str:
    """Return the same as JSON: `frames`, `cameras`, `exact`, and a row for each pair in `seen`.

    Of an object that was not seen, `first` and `last` are null.
    """
    rows: list[dict[str, Any]] = [
        {
            "object": name,
            "camera": camera,
            "first": runs[0][0] if runs else None,
            "last": runs[-1][1] if runs else None,
            "frames": count,
            "intervals": runs,
        }
        for name, camera, count, runs in _rows(seen)
    ]
    asked = {"frames": seen.frames, "cameras": seen.cameras, "exact": seen.is_exact}
    return json_file({**asked, "seen": rows})


def _rows(seen: VisibilityResult) -> Iterator[tuple[str, str, int, list[tuple[int, int]]]]:
    """Yield object, camera, number of frames, and first and last frame of every interval."""
    for tested, by_camera in zip(seen.objects, seen.flags, strict=True):
        for camera, flags in zip(seen.cameras, by_camera, strict=True):
            runs = [(seen.frames[a], seen.frames[b]) for a, b in intervals(flags)]
            yield tested.name, camera, int(flags.sum()), runs


TABLES: Writers = {"csv": Writer(".csv", csv_table), "json": Writer(".json", json_table)}
ANSWERS = StandingAnswers(VisibilityResult, "find_seen", "Find what the cameras see first")
get, keep = ANSWERS.get, ANSWERS.put
