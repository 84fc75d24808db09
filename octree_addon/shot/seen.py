"""What cameras saw over a shot: objects x cameras x frames of flags."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Ids = NDArray[np.intp]


@dataclass(frozen=True)
class Subject:
    """An object that cameras were asked about, itself or by its instances."""

    session_uid: int
    name: str


@dataclass(frozen=True, eq=False)
class Seen:
    """What cameras saw over a shot; holds no reference into Blender.

    Attributes
    ----------
    objects : tuple of Subject
        Those that had triangles in any of the frames, in the order of first appearance.
    cameras : tuple of str
        Names of the cameras.
    frames : tuple of int
        In the order in which they were walked.
    flags : ndarray of bool, shape (objects, cameras, frames)
        Whether the object was in the camera's view in that frame.
    is_exact : bool
        Whether an object counts by its triangles; else its box is enough.
    faces : Mapping of int to ndarray of intp, shape (polygons,)
        By the session id of a mesh: in how many frames each of its polygons was in view. Empty
        unless faces were asked about.
    skipped : int
        How many of the objects in question never had triangles, or were hidden.
    """

    objects: tuple[Subject, ...]
    cameras: tuple[str, ...]
    frames: tuple[int, ...]
    flags: Flags
    is_exact: bool
    faces: Mapping[int, Ids]
    skipped: int

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

    def face_flags(self, *, seen: bool) -> dict[int, Flags]:
        """Return by mesh which polygons were seen at all, or which never were."""
        return {uid: (counts > 0) == seen for uid, counts in self.faces.items()}

    def uids(self, *, seen: bool) -> set[int]:
        """Return the session ids of the objects that were seen at all, or of those never seen."""
        wanted = (self.frame_counts > 0) == seen
        return {self.objects[number].session_uid for number in np.flatnonzero(wanted)}


def intervals(flags: Flags) -> Ids:
    """Return the runs of frames in which something was seen.

    Parameters
    ----------
    flags : ndarray of bool, shape (f,)
        Frame by frame.

    Returns
    -------
    ndarray of intp, shape (r, 2)
        Index of the first and of the last frame of each run, in order.
    """
    steps = np.diff(flags.astype(np.int8), prepend=0, append=0)
    return np.stack((np.flatnonzero(steps > 0), np.flatnonzero(steps < 0) - 1), axis=1)
