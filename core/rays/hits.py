"""Pairs of ray and item that meet, each looked at once."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np

from ..arrays import Floats, Ids, blocks, concatenated_ranges, starts_of_runs
from ..classify import States
from ..octree import Octree
from .crossings import Rays, crossings
from .culling import Near, SphereCull
from .mailboxes import Mailboxes
from .walk import walk

# Rays and entries of the tree.
Pairs = tuple[Ids, Ids]

# Pairs that may meet -> those that do, with items instead of entries, and where.
Meet = Callable[[Pairs], tuple[Ids, Ids, Floats]]

# Pairs of ray and slot that are looked at together, and pairs that are worth an exact look.
_PAIRS, _BATCH = 16_384, 8_192


def ray_hits(
    tree: Octree,
    rays: Rays,
    limits: Floats,
    mailboxes: Mailboxes,
    *,
    any_hit: bool = False,
    states: States | None = None,
    meet: Meet | None = None,
) -> Iterator[tuple[Ids, Ids, Floats]]:
    """Find where rays meet items.

    Parameters
    ----------
    tree : Octree
        The tree.
    rays : Rays
        The questions, q of them.
    limits : ndarray of float64, shape (q,)
        How far each ray still looks. The caller may lower them in between; below 0 it is done.
    mailboxes : Mailboxes
        Where to remember which pairs were tested: empty ones.
    any_hit : bool
        If any hit will do, rays look for it where it is likely: at their far ends, where closed
        rooms have walls, and among the items of a cell at that which they pass most centrally.
    states : ndarray of uint8, shape (m,), optional
        As for `walk`.
    meet : callable, optional
        The exact test. By default that of the tree's own items.

    Yields
    ------
    numbers, items : ndarray of intp, shape (h,)
        Rays and items that they meet, each pair once, rays ascending within what is yielded.
    distances : ndarray of float64, shape (h,)
        Where.
    """
    meet = meet or partial(_met, tree, rays, limits)
    lines = SphereCull.of(tree, rays)
    steps = walk(tree, rays, limits, backwards=any_hit, states=states)
    for found in _runs_of_slots(tree, rays, steps):
        near = (lines.near(*pairs, limits) for pairs in _expanded(tree, *found))
        for batch in _batches(near):
            for numbers, entries in _in_turn(*batch, limits) if any_hit else [batch[:2]]:
                yield meet(_not_yet_tested(tree, numbers, entries, mailboxes))


def _met(tree: Octree, rays: Rays, limits: Floats, pairs: Pairs) -> tuple[Ids, Ids, Floats]:
    """Return the pairs that meet, with items instead of entries, and where."""
    numbers, entries = pairs
    distances = crossings(tree.arranged, entries, rays, numbers)
    (met,) = (distances <= limits[numbers]).nonzero()
    return numbers[met], tree.order[entries[met]], distances[met]


def _in_turn(numbers: Ids, entries: Ids, misses: Floats, limits: Floats) -> Iterator[Pairs]:
    """Yield for each ray the pair that is likeliest to meet, then the others if it did not."""
    if len(numbers) == 0:
        return
    begins = starts_of_runs(numbers)
    counts = np.diff(begins, append=len(numbers))
    likely = misses == np.repeat(np.minimum.reduceat(misses, begins), counts)
    yield numbers[likely], entries[likely]
    (others,) = (~likely & (limits[numbers] >= 0)).nonzero()
    yield numbers[others], entries[others]


def _runs_of_slots(
    tree: Octree, rays: Rays, steps: Iterator[Pairs]
) -> Iterator[tuple[Ids, Ids, Ids]]:
    """Yield rays, and where the slots to look at begin and end.

    Those of items beyond the root come first, then those of the cells on the way.
    """
    if tree.outside:
        everyone = np.arange(len(rays))
        yield everyone, 0 * everyone, 0 * everyone + tree.outside
    for numbers, cells in steps:
        begin, end = tree.begin[cells], tree.own_end[cells]
        (holding,) = (begin < end).nonzero()
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
        slots = concatenated_ranges(begin[some] + skipped, taken)
        yield np.repeat(numbers[some], taken), tree.references.take(slots, mode="clip")


def _batches(pieces: Iterable[Near]) -> Iterator[Near]:
    """Join pieces until there are enough pairs to be worth a look together."""
    waiting: list[Near] = []
    for piece in pieces:
        waiting.append(piece)
        if sum(len(numbers) for numbers, _, _ in waiting) >= _BATCH:
            yield _joined(waiting)
            waiting = []
    if waiting:
        yield _joined(waiting)


def _joined(pieces: list[Near]) -> Near:
    numbers, entries, misses = zip(*pieces, strict=True)
    return np.concatenate(numbers), np.concatenate(entries), np.concatenate(misses)


def _not_yet_tested(tree: Octree, numbers: Ids, entries: Ids, mailboxes: Mailboxes) -> Pairs:
    """Return the pairs that were not tested before; only copies may have been."""
    copied = tree.copied[entries]
    fresh = ~copied
    (again,) = copied.nonzero()
    fresh[again[mailboxes.add_new(numbers[again], entries[again])]] = True
    (some,) = fresh.nonzero()
    return numbers[some], entries[some]
