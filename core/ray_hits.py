"""Pairs of ray and item that meet, found front to back, each looked at once."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from .arrays import Floats, Ids, blocks, dot, gather, runs
from .cells import States
from .crossings import Rays, crossings
from .mailboxes import Mailboxes
from .octree import Octree
from .ray_walk import walk
from .shapes import Shapes, Triangles

# Rays and entries of the tree.
Pairs = tuple[Ids, Ids]

# Pairs of ray and slot that are looked at together, and pairs that are worth an exact look.
_PAIRS, _BATCH = 16_384, 8_192
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
    mailboxes = Mailboxes(len(rays), len(tree.order))
    lines = _Lines.of(tree, rays)
    for found in _runs_of_slots(tree, rays, limits, states):
        near = (lines.near(*pairs, limits) for pairs in _expanded(tree, *found))
        for pairs in _batches(near):
            numbers, entries = _not_yet_tested(tree, *pairs, mailboxes)
            distances = crossings(tree.arranged, entries, rays, numbers)
            met = np.flatnonzero(distances <= limits[numbers])
            yield numbers[met], tree.order[entries[met]], distances[met]


def _runs_of_slots(
    tree: Octree, rays: Rays, limits: Floats, states: States | None
) -> Iterator[tuple[Ids, Ids, Ids]]:
    """Yield rays, and where the slots to look at begin and end.

    Those of items beyond the root come first, then those of the cells on the way.
    """
    if tree.outside:
        everyone = np.arange(len(rays))
        yield everyone, 0 * everyone, 0 * everyone + tree.outside
    for numbers, cells in walk(tree, rays, limits, states):
        begin, end = tree.begin[cells], tree.own_end[cells]
        holding = np.flatnonzero(begin < end)
        yield numbers[holding], begin[holding], end[holding]


def _expanded(tree: Octree, numbers: Ids, begin: Ids, end: Ids) -> Iterator[Pairs]:
    """Yield the pairs of rays and the entries in their runs of slots, `_PAIRS` at a time."""
    counts = end - begin
    stops = np.cumsum(counts)
    starts = stops - counts
    for piece in blocks(int(stops[-1]) if len(stops) else 0, _PAIRS):
        first = np.searchsorted(stops, piece.start, side="right")
        some = slice(first, np.searchsorted(stops, piece.stop) + 1)
        skipped = np.maximum(piece.start - starts[some], 0)
        taken = np.minimum(counts[some], piece.stop - starts[some]) - skipped
        slots = runs(begin[some] + skipped, taken)
        yield np.repeat(numbers[some], taken), tree.slots[slots]


def _batches(pieces: Iterable[Pairs]) -> Iterator[Pairs]:
    """Join pieces until there are enough pairs to be worth a look together."""
    waiting: list[Pairs] = []
    for piece in pieces:
        waiting.append(piece)
        if sum(len(numbers) for numbers, _ in waiting) >= _BATCH:
            yield _concatenated(waiting)
            waiting = []
    if waiting:
        yield _concatenated(waiting)


def _concatenated(pieces: list[Pairs]) -> Pairs:
    numbers, entries = zip(*pieces, strict=True)
    return np.concatenate(numbers), np.concatenate(entries)


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
    slack: float

    @classmethod
    def of(cls, tree: Octree, rays: Rays) -> "_Lines":
        lower, upper = tree.cell_rows[:, :1].reshape(2, 3, 1)
        units = rays.directions / rays.lengths
        shifts = np.maximum(dot((lower + upper) / 2 - rays.origins, units), 0.0)
        middles = rays.origins + units * shifts
        farthest = float(np.abs(np.stack((rays.origins, middles))).max(initial=0.0))
        return cls(tree.arranged, middles, units, shifts, 2 * tree.slack + farthest * 2.0**-45)

    def near(self, numbers: Ids, entries: Ids, limits: Floats) -> Pairs:
        """Return the pairs that are near enough: in the sphere, not behind, not too far."""
        if not isinstance(self.items, Triangles):
            return numbers, entries
        centers = gather(self.items.balls, entries)
        units = gather(self.units, numbers)
        centers[:3] -= gather(self.middles, numbers)
        radii = centers[3] + self.slack
        along = dot(centers, units)
        beside = dot(centers, centers) * _ROUNDED - along * along
        (some,) = (beside <= radii * radii).nonzero()
        along, radii, crossing = along[some], radii[some], numbers[some]
        shifts = self.shifts[crossing]
        ahead = (along + radii >= -shifts) & (along - radii <= limits[crossing] - shifts)
        some = some[np.flatnonzero(ahead)]
        return numbers[some], entries[some]


def _not_yet_tested(tree: Octree, numbers: Ids, entries: Ids, mailboxes: Mailboxes) -> Pairs:
    """Return the pairs that were not tested before; only copies may have been."""
    copied = tree.copied[entries]
    fresh = ~copied
    (again,) = copied.nonzero()
    fresh[again[mailboxes.first_time(numbers[again], entries[again])]] = True
    (some,) = fresh.nonzero()
    return numbers[some], entries[some]
