"""Cuts of edges, by the places of the edges' ends, so that all polygons with an edge share a cut.

An edge is cut once, at one place, even if its polygons are divided at different times. Later cuts
divide the parts of the edge.
"""

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Floats, Ids, joined
from .places import Places

Keys = NDArray[np.int64]

_NONE = np.empty(0, np.int64)


def edge_keys(ones: Ids, others: Ids) -> Keys:
    """Return a key for each pair of places, independent of their order."""
    return np.minimum(ones, others) << 32 | np.maximum(ones, others)


class Splits:
    """Cuts of edges: their places, and their positions along the edges.

    `near` is the end of the edge nearer to the cut, and `parts` the distance of the cut from that
    end, as a part of the edge's length.
    """

    def __init__(self) -> None:
        self._keys, self._order = _NONE, _NONE
        self.places, self.near, self.parts = _NONE, _NONE, np.empty(0)
        self._waiting: list[tuple[Keys, Ids, Ids, Floats]] = []

    def add(self, keys: Keys, places: Ids, near: Ids, parts: Floats) -> None:
        """Add cuts of edges that have no cut yet."""
        self._waiting.append((keys, places, near, parts))

    def find(self, keys: Keys) -> tuple[Ids, Flags]:
        """Return the cut of each edge, by number, and flag the edges that have a cut."""
        self._take_in()
        if len(self._keys) == 0:
            return np.zeros(len(keys), np.intp), np.zeros(len(keys), bool)
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return self._order[at], self._keys[at] == keys

    def _take_in(self) -> None:
        if not self._waiting:
            return
        known = np.empty(len(self._keys), np.int64)
        known[self._order] = self._keys
        parts = [(known, self.places, self.near, self.parts), *self._waiting]
        keys, self.places, self.near, self.parts = joined(parts)
        self._order = np.argsort(keys, kind="stable")
        self._keys, self._waiting = keys[self._order], []


def cut_edges(
    places: Places, below: Ids, above: Ids, axis: int, walls: Floats
) -> tuple[Ids, Ids, Floats]:
    """Cut edges from places below walls to places above.

    Returns the places of the cuts, the nearer ends of the edges, and the distances of the cuts
    from these ends, as parts of the edges. A cut is exactly on the wall, and between the ends of
    its edge on the other axes.
    """
    low, high = places.rows[:, below], places.rows[:, above]
    length = high[axis] - low[axis]
    from_low, from_high = (walls - low[axis]) / length, (high[axis] - walls) / length
    is_low = from_low <= from_high
    part = np.where(is_low, from_low, from_high)
    start, stop = np.where(is_low, low, high), np.where(is_low, high, low)
    points = start + (stop - start) * part
    points = np.clip(points, np.minimum(low, high), np.maximum(low, high))
    points[axis] = walls
    return places.number(points), np.where(is_low, below, above), part
