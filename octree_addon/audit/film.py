"""Contacts in a shot: a walk through frames, each read into the scene index and looked at.

The index brings over what has moved, come, gone or been deformed; the tracker tests the triangles
of pairs that this concerns.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core import ContactIntervals, ContactTracker, Steps
from ..arrays import Ids
from ..cameras.frames import frame_steps
from ..reader import UNUSED, ScenePlacements
from ..scope import viewport_of
from ..snapshots import SceneTarget, TargetSteps, scene_steps
from ..ui import ChangedMeanwhileError
from .rules import Wish, rules_of


@dataclass(frozen=True, eq=False)
class Film:
    """What was in contact in which of some frames.

    Attributes
    ----------
    frames : tuple of int
        Those looked at.
    intervals : ContactIntervals
        Pairs of members of the cast, from one of these frames to another.
    owners : ndarray of int32, shape (c,)
        Of each member of the cast, the session id of the object, or of the instancer.
    instances : ndarray of int32, shape (c, 8)
        The persistent id of each instance, all `UNUSED` for an object itself.
    """

    frames: tuple[int, ...]
    intervals: ContactIntervals
    owners: NDArray[np.int32]
    instances: NDArray[np.int32]


FilmSteps = Steps[Film]


class _Cast:
    """Numbers of placements that stay the same over frames, whether they come and go or not."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._owners: list[NDArray[np.int32]] = []
        self._instances: list[NDArray[np.int32]] = []

    def names(self, placements: ScenePlacements) -> Ids:
        """Return the number of each placement, (n,)."""
        keys = [row.tobytes() for row in placements.keys]
        new = [row for row, key in enumerate(keys) if key not in self._numbers]
        for row in new:
            self._numbers[keys[row]] = len(self._numbers)
        instanced = placements.is_instance[new][:, None]
        self._owners.append(placements.owners[new])
        self._instances.append(np.where(instanced, placements.persistent_ids[new], UNUSED))
        return np.array([self._numbers[key] for key in keys], np.intp)

    def film(self, frames: Sequence[int], intervals: ContactIntervals) -> Film:
        """Return what was in contact, and who the numbers are."""
        owners, instances = np.concatenate(self._owners), np.concatenate(self._instances)
        return Film(tuple(frames), intervals, owners, instances.astype(np.int32))


def film_steps(context: bpy.types.Context, wish: Wish, frames: Sequence[int]) -> FilmSteps:
    """Look what is in contact in each of some frames, at least one, step by step.

    Yields the fraction done. The scene is at some of the frames then; when the steps end or are
    closed, it is back where it was.
    """
    tracker, cast = ContactTracker(band=wish.band), _Cast()
    look = partial(_look, tracker, cast, wish)
    yield from frame_steps(context, frames, read_shown, look, reading=0.5)
    film = cast.film(frames, tracker.intervals)
    if not len(film.owners):
        raise ValueError("There are no triangles: no visible object has faces in these frames")
    return film


def read_shown(context: bpy.types.Context) -> TargetSteps:
    """Read what is shown in a frame."""
    return scene_steps(context, viewport_of(context))


def _look(
    tracker: ContactTracker, cast: _Cast, wish: Wish, target: SceneTarget, _: int
) -> Steps[None]:
    """Look at one frame; a `ValueError` says that it has changed meanwhile."""
    rules = rules_of(target.octree, target.placements, wish)
    try:
        yield from tracker.look_steps(
            target.octree,
            names=cast.names(target.placements),
            **rules.options,
        )
    except RuntimeError:
        raise ChangedMeanwhileError from None
