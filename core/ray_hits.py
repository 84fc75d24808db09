"""Pairs of ray and item that meet, found front to back, each looked at once."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .arrays import Floats, Ids, dot, gather, runs
from .cells import States
from .crossings import Rays, crossings
from .mailboxes import Mailboxes
from .octree import Octree
from .ray_walk import walk
from .shapes import Shapes, Triangles

# Pairs of ray and slot that are looked at together.
_PAIRS = 16_384
# What is left of a square after rounding, at least.
_ROUNDED = 1.0 - 2.0**-48


def ray_hits(
    tree: Octree, rays: Rays, limits: Floats, states: States | None = None
) -> Iterator[tuple[Ids, Ids, Floats]]:
    """Find where rays meet items, nearer cells first.

    Parameters
    ----------
    tree : Octree
        The tree.
    rays : Rays
        The questions, q of them.
    limits, states
        As for `walk`: how far each ray still looks, which the caller may lower in between, and
        what becomes of each cell.

    Yields
    ------
    numbers, items : ndarray of intp, shape (h,)
        Rays and items that they meet, each pair once, rays ascending within what is yielded.
    distances : ndarray of float64, shape (h,)
        Where.
    """
    mailboxes = Mailboxes()
    lines = _Lines.of(tree, rays)
    for pairs in _candidates(tree, rays, limits, states):
        numbers, entries = _not_yet_tested(tree, *lines.near(*pairs, limits), mailboxes)
        distances = crossings(tree.arranged, entries, rays, numbers)
        met = np.flatnonzero(distances <= limits[numbers])
        yield numbers[met], tree.order[entries[met]], distances[met]


def _candidates(
    tree: Octree, rays: Rays, limits: Floats, states: States | None
) -> Iterator[tuple[Ids, Ids]]:
    """Yield pairs of ray and entry: items beyond the root, then those of the cells on the way."""
    everyone = np.arange(len(rays))
    if tree.outside:
        yield from _expanded(tree, everyone, 0 * everyone, 0 * everyone + tree.outside)
    for numbers, cells in walk(tree, rays, limits, states):
        begin, end = tree.begin[cells], tree.own_end[cells]
        holding = np.flatnonzero(begin < end)
        if len(holding):
            yield from _expanded(tree, numbers[holding], begin[holding], end[holding])


def _expanded(tree: Octree, numbers: Ids, begin: Ids, end: Ids) -> Iterator[tuple[Ids, Ids]]:
    """Yield the pairs of rays and the entries in their runs of slots, about `_PAIRS` at a time."""
    counts = end - begin
    total = np.cumsum(counts)
    stops = np.searchsorted(total, np.arange(_PAIRS, total[-1] + _PAIRS, _PAIRS), side="right")
    start = 0
    for stop in np.unique(np.maximum(stops, 1)):
        some = slice(start, stop)
        yield np.repeat(numbers[some], counts[some]), tree.slots[runs(begin[some], counts[some])]
        start = stop


@dataclass(frozen=True)
class _Lines:
    """Rays for a look at spheres around items.

    Seen from the point of the ray that is nearest to the middle of the root, numbers are no
    larger than the scene, however far away the ray begins.
    """

    items: Shapes
    middles: Floats
    units: Floats
    shifts: Floats
    slacks: Floats

    @classmethod
    def of(cls, tree: Octree, rays: Rays) -> "_Lines":
        lower, upper = tree.cell_rows[:, :1].reshape(2, 3, 1)
        units = rays.directions / rays.lengths
        shifts = np.maximum(dot((lower + upper) / 2 - rays.origins, units), 0.0)
        middles = rays.origins + units * shifts
        farthest = np.abs(np.stack((rays.origins, middles))).max(axis=(0, 1), initial=0.0)
        return cls(tree.arranged, middles, units, shifts, 2 * tree.slack + farthest * 2.0**-45)

    def near(self, numbers: Ids, entries: Ids, limits: Floats) -> tuple[Ids, Ids]:
        """Return the pairs that are near enough: in the sphere, not behind, not too far."""
        if not isinstance(self.items, Triangles):
            return numbers, entries
        centers = gather(self.items.balls, entries)
        units = gather(self.units, numbers)
        centers[:3] -= gather(self.middles, numbers)
        radii = centers[3] + self.slacks[numbers]
        along = dot(centers, units)
        beside = dot(centers, centers) * _ROUNDED - along * along
        some = np.flatnonzero(beside <= radii * radii)
        along, radii, crossing = along[some], radii[some], numbers[some]
        shifts = self.shifts[crossing]
        ahead = (along + radii >= -shifts) & (along - radii <= limits[crossing] - shifts)
        some = some[np.flatnonzero(ahead)]
        return numbers[some], entries[some]


def _not_yet_tested(
    tree: Octree, numbers: Ids, entries: Ids, mailboxes: Mailboxes
) -> tuple[Ids, Ids]:
    """Return the pairs that were not tested before; only copies may have been."""
    copied = tree.copied[entries]
    fresh = ~copied
    (again,) = copied.nonzero()
    keys = numbers[again] * len(tree.order) + entries[again]
    fresh[again[mailboxes.first_time(keys)]] = True
    (some,) = fresh.nonzero()
    return numbers[some], entries[some]
