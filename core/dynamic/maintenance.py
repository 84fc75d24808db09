"""Maintenance after a change: placing, splitting, merging, resizing the root.

The root doubles towards out-of-bounds items, and shrinks to its child if the other seven are
nearly empty.
"""

from dataclasses import dataclass, replace

import numpy as np

from .. import checks
from ..arrays import Floats, Ids, flagged
from ..boxes import boxes_contain
from ..cells import Cells, doubled, root_around
from ..compiled import Tallies, builder
from ..grid import enlarged
from ..options import Options
from .assignment import Assignment, OneCellEach
from .items import limits
from .placement import (
    divided,
    holding_boxes,
    overfull,
    placed,
    pushed_down,
    separable,
    too_fine,
    underfull,
)

MERGE = ("eager", "deferred")


@dataclass(frozen=True)
class ChangeCounts:
    """Counts of the changes of cells in a changing tree.

    Attributes
    ----------
    splits, merges : int
        Leaves that were divided; divided cells that became leaves again.
    growths, shrinks : int
        Doublings of the root; replacements of the root by one of its children.
    """

    splits: int
    merges: int
    growths: int
    shrinks: int


class Maintenance:
    """The rules that keep an assignment within the options, and the counts of changes."""

    def __init__(
        self, options: Options, merge_below: int, grow_above: int, shrink_below: int, merge: str
    ) -> None:
        self.options = options
        self.merge_below = checks.whole_number("merge_below", merge_below, 1)
        self.grow_above = checks.whole_number("grow_above", grow_above, 0)
        self.shrink_below = checks.whole_number("shrink_below", shrink_below, 0)
        self.is_eager = checks.choice("merge", merge, MERGE) == "eager"
        if self.merge_below > options.capacity:
            raise ValueError(
                f"merge_below must not exceed capacity, got {merge_below} and {options.capacity}"
            )
        self.turnover = ChangeCounts(splits=0, merges=0, growths=0, shrinks=0)

    def empty_assignment(self) -> Assignment:
        """Return the assignment of no items."""
        bounds = self.options.bounds
        walls = np.zeros(6) if bounds is None else bounds.rows[:, 0]
        kind = OneCellEach if self.options.straddlers == "keep" else Assignment
        return kind.of(Cells.of_root(walls, self.options.enlargement), 0)

    def joined(self, assignment: Assignment, rows: Floats) -> Assignment:
        """Return the assignment with the new items, the last columns of `rows` (7, n)."""
        new = np.arange(assignment.count, rows.shape[1])
        is_first = assignment.count == 0 and self.options.bounds is None
        assignment = assignment.joined(len(new))
        if is_first:
            assignment = _rebuilt_root(assignment, rows, self.options)
        return self._settled(placed(assignment, rows, new, self.options), rows, new, new[:0])

    def moved(self, assignment: Assignment, rows: Floats, numbers: Ids) -> Assignment:
        """Return the assignment after these items have moved."""
        kernel = builder()
        if kernel is None or not isinstance(assignment, OneCellEach):
            found = placed(assignment, rows, numbers, self.options)
        else:
            found, tallies = assignment.moved(rows, numbers, kernel)
            if self._is_calm(tallies, len(rows[0])):
                return found
        return self._settled(found, rows, numbers, assignment.cells_of(numbers))

    def _is_calm(self, known: Tallies, count: int) -> bool:
        """Return whether no cell has to change after some of `count` items have moved."""
        has_room = known.outside <= self.grow_above and known.crowd <= self.options.capacity
        if not (has_room and self.is_eager):
            return has_room
        most = max(count - self.shrink_below, 1)
        return known.fewest >= self.merge_below and known.fullest < most

    def only(self, assignment: Assignment, rows: Floats, staying: Ids) -> Assignment:
        """Return the assignment of only the staying items."""
        left = assignment.cells_of(np.flatnonzero(~flagged(assignment.count, staying)))
        return self._settled(assignment.only(staying), rows, staying[:0], left)

    def _settled(self, assignment: Assignment, rows: Floats, moved: Ids, left: Ids) -> Assignment:
        """Return the assignment with cells adapted to moved items and to the cells they left."""
        if len(assignment.outside) > self.grow_above:
            assignment = self._divided(self._grown(assignment, rows), rows, None)
        else:
            touched = np.concatenate((assignment.cells_of(moved), left))
            assignment = self._divided(assignment, rows, touched)
        return self.rebalanced(assignment, rows) if self.is_eager else assignment

    def _grown(self, assignment: Assignment, rows: Floats) -> Assignment:
        if assignment.cells.size == 0:
            return _rebuilt_root(assignment, rows, self.options)
        larger, old_root = _doubled_root(assignment, rows, self.grow_above)
        self._count(growths=(len(larger.cells) - len(assignment.cells)) // 8)
        # An item that touches a wall of the old root may touch a new cell beside it.
        box = holding_boxes(larger.cells, self.options)[:, old_root, None]
        beyond = np.flatnonzero(~boxes_contain(box, *limits(rows)))
        # Merge before placing: the rounding tolerance grows with the root, and cells finer than
        # the tolerance would receive a copy of every item near them.
        larger = self._merged(larger, too_fine(larger, self.options.max_depth))
        return placed(larger, rows, beyond, self.options)

    def _divided(self, assignment: Assignment, rows: Floats, touched: Ids | None) -> Assignment:
        """Return the assignment with overfull leaves divided, among `touched` or all cells."""
        numbers = np.arange(len(assignment.cells)) if touched is None else touched
        leaves = overfull(assignment, self.options, numbers)
        finer = divided(assignment, rows, leaves, self.options)
        self._count(splits=(len(finer.cells) - len(assignment.cells)) // 8)
        return finer

    def _merged(self, assignment: Assignment, numbers: Ids) -> Assignment:
        self._count(merges=len(numbers))
        return assignment.merged(numbers)

    def rebalanced(self, assignment: Assignment, rows: Floats) -> Assignment:
        """Return the assignment after underfull cells have merged and the root has shrunk."""
        assignment = self._merged(assignment, underfull(assignment, self.merge_below))
        thresholds = self.shrink_below, self.grow_above
        while smaller := _shrunk_root(assignment, rows, *thresholds, self.options):
            self._count(shrinks=1)
            # Cells are one level higher now: leaves at the depth limit may be divided again.
            assignment = self._divided(smaller, rows, None)
            assignment = self._merged(assignment, underfull(assignment, self.merge_below))
        return self._gathered(assignment, rows)

    def _gathered(self, assignment: Assignment, rows: Floats) -> Assignment:
        """Return the assignment with a root around its items, if only such a root separates them.

        After an item has moved far away and back, all items may be in one cell of maximal depth.
        """
        root = np.zeros(1, np.intp)
        if len(overfull(assignment, self.options, root)) == 0 or not _is_wide(assignment, rows):
            return assignment
        anew = _rebuilt_root(assignment, rows, self.options)
        leaves = overfull(anew, self.options, root)
        finer = divided(anew, rows, leaves, self.options)
        if len(finer.cells) == 1:
            return assignment
        self._count(shrinks=1, splits=(len(finer.cells) - 1) // 8)
        return finer

    def check(self, assignment: Assignment, rows: Floats) -> None:
        """Assert that items are in the cells that the options require, and no change is due."""
        boxes = holding_boxes(assignment.cells, self.options)
        beyond = ~boxes_contain(boxes[:, :1], *limits(rows))
        assert np.array_equal(np.sort(assignment.outside), np.flatnonzero(beyond))
        there = assignment.placements
        down, _ = pushed_down(assignment.cells, self.options, there.cells, rows[:, there.entries])
        assert np.array_equal(down.entries, np.arange(len(there)))
        assert np.array_equal(down.cells, there.cells)
        assert assignment.cells.depth.max() <= self.options.max_depth
        assert len(assignment.outside) <= self.grow_above
        leaves = overfull(assignment, self.options, np.arange(len(assignment.cells)))
        # A division that separates items only further down is searched for on a change only:
        # the search depends on the leaves that were divided together then.
        assert len(separable(assignment, rows, leaves, self.options)) == 0
        assert not self.is_eager or len(underfull(assignment, self.merge_below)) == 0

    def _count(self, **more: int) -> None:
        if not any(more.values()):
            return
        counts = {name: getattr(self.turnover, name) + count for name, count in more.items()}
        self.turnover = replace(self.turnover, **counts)


def _rebuilt_root(assignment: Assignment, rows: Floats, options: Options) -> Assignment:
    """Return an assignment whose root is a cube around all items (7, n), undivided."""
    cells = Cells.of_root(root_around(*limits(rows)), options.enlargement)
    fresh = assignment.of(cells, assignment.count)
    return placed(fresh, rows, np.arange(assignment.count), options)


def _is_wide(assignment: Assignment, rows: Floats) -> bool:
    """Return whether all items (7, n) are in the root and span less than half of its width."""
    walls, size = root_around(*limits(rows)), assignment.cells.size
    return len(assignment.outside) == 0 and bool((walls[3:] - walls[:3])[0] < size / 2)


def _doubled_root(assignment: Assignment, rows: Floats, most: int) -> tuple[Assignment, int]:
    """Return the assignment after its root has doubled, with at most `most` items outside.

    The items are not yet placed. The second result is the number of the old root.
    """
    old_root = 0
    for octant in _octants(assignment.cells, *limits(rows[:, assignment.outside]), most):
        cells, numbers = assignment.cells.grown(octant)
        assignment, old_root = assignment.renumbered(cells, numbers), int(numbers[old_root])
    return assignment, old_root


def _octants(cells: Cells, lower: Floats, upper: Floats, most: int) -> list[int]:
    """Return the octants of successive doublings, each with the most out-of-bounds items."""
    octants, walls = [], cells.rows[:, 0]
    while lower.shape[1] > most:
        above = (lower + upper) / 2 > ((walls[:3] + walls[3:]) / 2)[:, None]
        octant = int(np.bincount(np.array([1, 2, 4]) @ above).argmax())
        with np.errstate(over="ignore", invalid="ignore"):
            walls = doubled(walls, octant)
            box = np.concatenate(enlarged(walls[:3], walls[3:], cells.factor))
        if not np.isfinite(box).all():
            break
        octants.append(octant)
        beyond = ~boxes_contain(box[:, None], lower, upper)
        lower, upper = lower[:, beyond], upper[:, beyond]
    return octants


def _shrunk_root(
    assignment: Assignment, rows: Floats, below: int, most: int, options: Options
) -> Assignment | None:
    """Return the assignment after the root's fullest child has become the root.

    Returns None unless at most `below` items lie outside that child and at most `most` items
    would lie outside the new root.
    """
    cells = assignment.cells
    least = max(assignment.count - below, 1)
    references = assignment.slices.end - assignment.slices.begin
    # A child's item count is at most its reference count.
    if len(cells) == 1 or references[cells.first_child[0] :][:8].max() < least:
        return None
    children = _children_of_items(assignment)
    counts = np.bincount(children + 1, minlength=9)[1:]
    fullest = int(counts.argmax())
    if counts[fullest] < least:
        return None
    child = int(cells.first_child[0]) + fullest
    smaller = assignment.renumbered(*cells.shrunk(child))
    smaller = placed(smaller, rows, np.flatnonzero(children != fullest), options)
    return smaller if len(smaller.outside) <= most else None


def _children_of_items(assignment: Assignment) -> Ids:
    """Return the child of the root that holds all copies of each item, (n,), or -1 for none."""
    cells, placements = assignment.cells, assignment.placements
    first = int(cells.first_child[0])
    behind = np.searchsorted(cells.place[first : first + 8], cells.place, side="right")
    children = np.append(behind - 1, -1)[placements.cells]
    found = np.empty(assignment.count, np.intp)
    found[placements.entries] = children
    # `found` has the child of each item's last copy; a copy in another child resets it to -1.
    found[placements.entries[found[placements.entries] != children]] = -1
    return found
