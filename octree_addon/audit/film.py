"""Contact timeline: the frames of a shot, each read into the scene index and tested.

The index updates the placements that moved, appeared, disappeared or were deformed. The tracker
tests only pairs with such a placement.
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
    """A contact timeline: the pairs in contact over some frames.

    Attributes
    ----------
    frames : tuple of int
        The frames that were tested.
    intervals : ContactIntervals
        Pairs of the c placements, with the first and the last frame of contact, as indices.
    owners : ndarray of int32, shape (c,)
        Session id of the object or instancer of each placement.
    instances : ndarray of int32, shape (c, 8)
        Persistent id of each instance; all `UNUSED` for an object itself.
    """

    frames: tuple[int, ...]
    intervals: ContactIntervals
    owners: NDArray[np.int32]
    instances: NDArray[np.int32]


FilmSteps = Steps[Film]


class _Cast:
    """A registry of placements over frames: each keeps its number when it disappears."""

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
        """Return the contact timeline, with the placement of each number."""
        owners, instances = np.concatenate(self._owners), np.concatenate(self._instances)
        return Film(tuple(frames), intervals, owners, instances.astype(np.int32))


def film_steps(context: bpy.types.Context, wish: Wish, frames: Sequence[int]) -> FilmSteps:
    """Find the contacts in each of some frames, at least one, in steps.

    Yields the fraction done. Between steps the scene is at one of the frames; when the steps end
    or are closed, its former frame is restored.
    """
    tracker, cast = ContactTracker(band=wish.band), _Cast()
    look = partial(_look, tracker, cast, wish)
    yield from frame_steps(context, frames, read_shown, look, reading=0.5)
    film = cast.film(frames, tracker.intervals)
    if not len(film.owners):
        raise ValueError("There are no triangles: no visible object has faces in these frames")
    return film


def read_shown(context: bpy.types.Context) -> TargetSteps:
    """Read the visible scene of a frame."""
    return scene_steps(context, viewport_of(context))


def _look(
    tracker: ContactTracker, cast: _Cast, wish: Wish, target: SceneTarget, _: int
) -> Steps[None]:
    """Test one frame; raise `ChangedMeanwhileError` if the scene has changed meanwhile."""
    rules = rules_of(target.octree, target.placements, wish)
    try:
        yield from tracker.look_steps(
            target.octree,
            names=cast.names(target.placements),
            **rules.options,
        )
    except RuntimeError:
        raise ChangedMeanwhileError from None
