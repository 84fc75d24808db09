"""Contacts over frames: a walk through frames, each read into the scene index and looked at.

The index brings over what has moved, come, gone or been deformed; the tracker tests the triangles
of pairs that this concerns.
"""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core import ContactIntervals, ContactTracker, Steps, between
from ..arrays import Ids
from ..built_tree import preserving_staleness
from ..cameras.frames import walk
from ..reader import UNUSED, ScenePlacements
from ..scope import viewport_of
from ..targets import SceneTarget, scene_steps
from .rules import Wish, rules_of

# The share of a frame that reading it takes, about.
_READ = 0.5


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
    tracker, cast, count, seen = ContactTracker(band=wish.band or None), _Cast(), len(frames), 0
    scene, layer = context.scene, context.view_layer
    with (
        preserving_staleness(layer),
        closing(walk(scene, frames)) as walking,
    ):
        for number, _ in enumerate(walking):
            start, stop = number / count, (number + 1) / count
            middle = start + _READ * (stop - start)
            target = yield from between(start, middle, scene_steps(context, viewport_of(context)))
            seen = max(seen, len(target.octree))
            yield from between(middle, stop, _look(tracker, cast, target, wish))
    if not seen:
        raise ValueError("There are no triangles: no visible object has faces in these frames")
    return cast.film(frames, tracker.intervals)


def _look(tracker: ContactTracker, cast: _Cast, target: SceneTarget, wish: Wish) -> Steps[None]:
    """Look at one frame; a `ValueError` says that it has changed meanwhile."""
    rules = rules_of(target.octree, target.placements, wish)
    try:
        yield from tracker.look_steps(
            target.octree,
            names=cast.names(target.placements),
            **rules.options,
        )
    except RuntimeError:
        raise ValueError("The scene has changed meanwhile: look once more") from None
