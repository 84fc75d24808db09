"""Tree join: synchronized traversal of two trees, down to overlapping pairs of leaves.

If items are copied to all leaves they touch, a common point of two items is in a leaf of each item
that overlaps a leaf of the other. So only items that reach into the intersection of two leaves are
compared, and no new cells are built (T. Brinkhoff, H.-P. Kriegel and B. Seeger, "Efficient
Processing of Spatial Joins Using R-trees", 1993, with the search space restricted).
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .. import tuning
from ..arrays import (
    Floats,
    Ids,
    blocks,
    concatenated_ranges,
    flagged,
    gather,
    joined,
    starts_of_runs,
)
from ..boxes import bounds_of_runs, box_gaps, boxes_grown, boxes_shared
from ..compiled import joined_triangles
from ..descend import overlapped_children
from ..octree import Octree
from ..options import COPYING
from ..records import Columns
from .sweep import PairBatch, grown_bounds, no_pairs

# In the estimate of work, this many pairs of places count as one place.
_EACH = 16
# A join does not pay if it has more pairs of leaves, places in these, or pairs of places than the
# tunable `joined_pairs`, plus this many for each reference of both trees.
_LEAVES, _STANDING, _COMPARED = 1, 8, 32
# Rounding error of the borders of cells, as a part of the largest coordinate.
_ROUNDING = 2.0**-46


class _Side(NamedTuple):
    """Entries of n leaves of one tree, (k,), their bounds (6, k), and the places of each leaf.

    Leaf l has `counts[l]` places from `starts[l]` on; a place is an index of `entries`. `content`
    (6, n) is the part of each leaf that the bounds of its entries reach.
    """

    entries: Ids
    bounds: Floats
    places: Ids
    starts: Ids
    counts: Ids
    content: Floats


@dataclass(frozen=True)
class _Leaves(Columns):
    """Pairs of leaves, (p,) and (p,), and the intersections of their contents, (6, p)."""

    ones: Ids
    others: Ids
    shared: Floats


def walked_join(tree: Octree, other: Octree) -> Generator[PairBatch, None, bool]:
    """Yield pairs of entries of two trees that touch, by the kernel; return whether all are found.

    Returns False if the join does not pay, if the kernel cannot take the trees, or without the
    compiled kernel. A pair may come in several batches.
    """
    if not _are_copied(tree, other):
        return False
    references = len(tree.references) + len(other.references)
    most = tuning.current.joined_pairs + _COMPARED * references
    batches = joined_triangles(tree, other, _slack_of(tree, other, 0.0), most)
    for ones, others in batches or ():
        if len(ones) and ones[-1] < 0:
            return False
        yield PairBatch(0.0, ones, others)
    if batches is None:
        return False
    yield no_pairs(1.0)
    return True


def _are_copied(tree: Octree, other: Octree) -> bool:
    """Return whether the items of both trees are in all leaves they touch, none out of bounds."""
    return all(each.straddlers in COPYING and not each.outside for each in (tree, other))


def _slack_of(tree: Octree, other: Octree, margin: float) -> float:
    """Return the slack of a join: the sum of both trees' slacks, the margin, and rounding."""
    largest = max(float(np.abs(each.cell_rows[:, 0]).max()) for each in (tree, other))
    return tree.slack + other.slack + margin + (largest + margin) * _ROUNDING


def tree_join(
    tree: Octree, other: Octree, margin: float
) -> Generator[PairBatch, None, Iterator[PairBatch] | None]:
    """Return batches of pairs of entries whose bounds may overlap; None if a join does not pay.

    A join does not pay if items are not in all leaves that they touch, or if leaves hold too many
    items. A pair may come in several batches.
    """
    if not _are_copied(tree, other):
        return None
    references = len(tree.references) + len(other.references)
    slack = _slack_of(tree, other, margin)
    most, crowd = tuning.current.joined_pairs, tuning.current.joined_crowd
    found = yield from leaf_pairs(tree, other, 2 * slack, most + _LEAVES * references)
    if found is None:
        return None
    one, ones = _side(tree, found[0], margin, slack)
    yield no_pairs(0.0)
    two, others = _side(other, found[1], margin, slack)
    yield no_pairs(0.0)
    leaves = _sharing(one, two, ones, others)
    work, compared = _work(one, two, leaves)
    if (
        work.sum() > most + _STANDING * references
        or compared.sum() > most + _COMPARED * references
        or compared.max(initial=0) > crowd
    ):
        return None
    return _batches(one, two, leaves)


def leaf_pairs(
    tree: Octree, other: Octree, reach: float, most: int
) -> Generator[PairBatch, None, tuple[Ids, Ids] | None]:
    """Return the pairs of leaves of two trees within `reach` of each other, (p,) and (p,).

    The traversal divides the larger cell of a pair, unless only the smaller has children. Returns
    None if there are more than `most` pairs.
    """
    found, total = [(np.empty(0, np.intp),) * 2], 0
    gaps = box_gaps(tree.cell_rows[:, :1], other.cell_rows[:, :1])
    together = tuning.current.joined_cells
    fronts = [(np.zeros(1, np.intp),) * 2] if (gaps <= reach).all() else []
    while fronts:
        yield no_pairs(0.0)
        ones, others = fronts.pop()
        divides, also = tree.child_masks.take(ones) > 0, other.child_masks.take(others) > 0
        here, there = gather(tree.cell_rows, ones), gather(other.cell_rows, others)
        divides &= ~also | (here[3] - here[0] >= there[3] - there[0])
        (first,), (second,) = divides.nonzero(), (also & ~divides).nonzero()
        (end,) = (~(also | divides)).nonzero()
        found.append((ones[end], others[end]))
        total += len(end)
        if total > most:
            return None
        there = boxes_grown(gather(there, first), reach)
        here = boxes_grown(gather(here, second), reach)
        pairs, below = overlapped_children(tree, ones[first], there)
        more, beside = overlapped_children(other, others[second], here)
        ones = np.concatenate((below, ones[second[more]]))
        others = np.concatenate((others[first[pairs]], beside))
        fronts += [(ones[some], others[some]) for some in blocks(len(ones), together)]
    return joined(found)


def _side(tree: Octree, cells: Ids, margin: float, slack: float) -> tuple[_Side, Ids]:
    """Return the entries of leaves that are not empty, and the index of each of `cells` there."""
    wanted = flagged(len(tree.begin), cells)
    (leaves,) = wanted.nonzero()
    counts = (tree.end - tree.begin)[leaves]
    references = tree.references[concatenated_ranges(tree.begin[leaves], counts)]
    used = flagged(len(tree.order), references)
    (entries,) = used.nonzero()
    bounds = grown_bounds(tree.arranged[entries], margin / 2)
    places, starts = (np.cumsum(used) - 1)[references], np.cumsum(counts) - counts
    content = boxes_grown(gather(tree.cell_rows, leaves), slack)
    if len(places):
        held = gather(bounds, places)
        content = boxes_shared(content, bounds_of_runs(held[:3], held[3:], starts))
    side = _Side(entries, bounds, places, starts, counts, content)
    return side, (np.cumsum(wanted) - 1)[cells]


def _sharing(one: _Side, other: _Side, ones: Ids, others: Ids) -> _Leaves:
    """Return the pairs of leaves whose contents overlap."""
    here, there = gather(one.content, ones), gather(other.content, others)
    shared = boxes_shared(here, there)
    (met,) = (shared[:3] <= shared[3:]).all(axis=0).nonzero()
    return _Leaves(ones[met], others[met], gather(shared, met))


def _work(one: _Side, other: _Side, leaves: _Leaves) -> tuple[Ids, Ids]:
    """Return the numbers of places, and of pairs of places, in each pair of leaves."""
    here, there = one.counts[leaves.ones], other.counts[leaves.others]
    return here + there, here * there


def _batches(one: _Side, other: _Side, leaves: _Leaves) -> Iterator[PairBatch]:
    """Yield pairs of entries whose bounds overlap, each once in a batch, sorted."""
    standing, compared = _work(one, other, leaves)
    work = np.cumsum(standing + compared // _EACH)
    total = int(work[-1]) if len(work) else 0
    most = tuning.current.joined_places
    cuts = np.unique(np.searchsorted(work, np.arange(most, total, most))).tolist()
    for start, stop in zip([0, *cuts], [*cuts, len(work)], strict=True):
        some = leaves[start:stop]
        here, there = _meeting(one, other, some)
        keys = np.sort(one.entries[here] << 32 | other.entries[there])
        keys = keys[starts_of_runs(keys)]
        done = float(work[stop - 1]) / total if total and stop else 1.0
        yield PairBatch(done, keys >> 32, keys & (1 << 32) - 1)


def _meeting(one: _Side, other: _Side, leaves: _Leaves) -> tuple[Ids, Ids]:
    """Return pairs of indices of entries that overlap in a pair of leaves, (h,) and (h,)."""
    ones, counts = _reaching_in(one, leaves.ones, leaves.shared)
    others, other_counts = _reaching_in(other, leaves.others, leaves.shared)
    partners = np.repeat(other_counts, counts)
    starts = np.repeat(np.cumsum(other_counts) - other_counts, counts)
    here, there = np.repeat(ones, partners), others[concatenated_ranges(starts, partners)]
    for axis in range(3):
        flags = one.bounds[axis].take(here) <= other.bounds[axis + 3].take(there)
        flags &= one.bounds[axis + 3].take(here) >= other.bounds[axis].take(there)
        (some,) = flags.nonzero()
        here, there = here[some], there[some]
    return here, there


def _reaching_in(side: _Side, leaves: Ids, shared: Floats) -> tuple[Ids, Ids]:
    """Return the places of each leaf whose bounds reach into its box, `shared` (6, p).

    Returns indices of the side's entries, leaf after leaf, and their number in each leaf, (p,).
    """
    counts = side.counts[leaves]
    places = side.places[concatenated_ranges(side.starts[leaves], counts)]
    pairs = np.repeat(np.arange(len(leaves)), counts)
    for axis in range(3):
        flags = side.bounds[axis].take(places) <= shared[axis + 3].take(pairs)
        flags &= side.bounds[axis + 3].take(places) >= shared[axis].take(pairs)
        (some,) = flags.nonzero()
        places, pairs = places[some], pairs[some]
    return places, np.bincount(pairs, minlength=len(leaves))
