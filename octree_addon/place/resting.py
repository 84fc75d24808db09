"""Resting poses of held objects: lifted above a point until they fit, then dropped.

A unit is a group of objects that move together; all held objects are one unit.
"""

from dataclasses import dataclass

import numpy as np

from ...core import Steps, Triangles, fits, obstacles, ray_cast
from ..arrays import Floats, Ids
from ..snapshots import SceneTarget
from .falling import Falls, FallWish, settle_steps, slid_steps, still_falls
from .turning import Turns
from .units import Movers

# Lifts to try, as fractions of the held height; and a margin in float32 steps (ULPs).
_LIFTS = np.linspace(0.0, 1.0, 9)
_LEAST = 16.0


@dataclass(frozen=True, eq=False)
class Resting:
    """The resting pose of one unit.

    Attributes
    ----------
    falls : Falls
        The move to the resting pose; if no lift fits, the move to the point.
    in_way : ndarray of intp, shape (h,)
        The obstacles at the point, as rows of the target; empty if a lift fits.
    """

    falls: Falls
    in_way: Ids

    @property
    def is_free(self) -> bool:
        """True if the unit fits and lands on something."""
        return not len(self.in_way) and not self.falls.endless.any()


def rest_steps(
    target: SceneTarget, movers: Movers, wish: FallWish, point: Floats, angle: float, rooms: Ids
) -> Steps[Resting]:
    """Return the resting pose of the one unit of `movers`, turned by an angle, at a point.

    The origin of the unit's first root object is above the point, and the unit's lowest vertex is
    at the point's height. The angle, in radians, is about the drop direction.
    """
    up = -wish.direction
    octree, rows = target.octree, movers.rows
    others = np.delete(octree.ids, rows)
    origin = movers.frames[movers.first_roots[0], :3, 3]
    whole = octree.triangles_of(octree.ids[rows])
    shape = Triangles(whole.vertices - origin, whole.faces)
    rotation = rotation_about(up, angle)
    heights = shape.vertices[np.unique(shape.faces)] @ rotation.T @ up
    size = float(heights.max() - heights.min())
    least = float(np.spacing(np.float32(np.abs(whole.vertices).max() + np.abs(point).max())))
    lifts = size * _LIFTS + _LEAST * least
    # Lifts end below what is above the point: a point under a board means the place under it.
    above = ray_cast(octree.only(others), [point + lifts[0] * up], [up], max_distance=size)
    lifts = lifts[: max(1, int((lifts <= above.distances[0]).sum()))]
    origins = point + (lifts - heights.min())[:, None] * up
    frames = np.zeros((len(origins), 4, 4))
    frames[:, :3, :3], frames[:, :3, 3], frames[:, 3, 3] = rotation, origins, 1.0
    free = np.flatnonzero(fits(octree, shape, frames, against=others, rooms=rooms))
    yield 0.5
    lift = int(free[0]) if len(free) else 0
    turns = Turns(rotation[None] if angle else np.eye(3)[None])
    falls = still_falls(target, movers, wish, (origins[lift] - origin)[None], turns)
    if not len(free):
        ways = obstacles(octree, shape, frames[:1], against=others, rooms=rooms)[1]
        return Resting(falls, np.searchsorted(octree.ids, np.unique(ways)))
    falls = yield from slid_steps(falls)
    falls = yield from settle_steps(falls, Falls.octree)
    return Resting(falls, rows[:0])


def rotation_about(axis: Floats, angle: float) -> Floats:
    """Return the rotation by an angle about an axis of length 1, (3, 3) (Rodrigues)."""
    x, y, z = axis
    skew = np.array(((0, -z, y), (z, 0, -x), (-y, x, 0)))
    return np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew
