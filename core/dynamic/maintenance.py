"""Maintenance after a change: placing items, growing, splitting, merging, shrinking."""

from dataclasses import dataclass, replace

import numpy as np

from .. import checks
from ..arrays import Floats, Ids
from ..cells import Cells
from ..options import Options
from .assignment import Assignment, OneCellEach
from .items import limits
from .placement import held, holding_boxes, placed, pushed_down
from .resize_root import grown, is_wide, rebuilt_root, shrunk
from .splitting import divided, overfull, separable, too_fine, underfull

MERGE = ("eager", "deferred")


@dataclass(frozen=True)
class ChangeCounts:
    """How often a changing tree has changed its cells.

    Attributes
    ----------
    splits, merges : int
        Leaves that were divided; divided cells that became leaves again.
    growths, shrinks : int
        How often the root was doubled, and how often a child of it became the root.
    """

    splits: int
    merges: int
    growths: int
    shrinks: int


class Maintenance:
    """Keeps an assignment as the options want it, and counts what that takes."""

    def __init__(
        self,
        options: Options,
        *,
        merge_below: int,
        grow_above: int,
        shrink_below: int,
        merge: str,
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
        """Return the assignment after the items (7, n) that it does not know have come."""
        new = np.arange(assignment.count, rows.shape[1])
        is_first = assignment.count == 0 and self.options.bounds is None
        assignment = assignment.joined(len(new))
        if is_first:
            assignment = rebuilt_root(assignment, rows, self.options)
        return self._settled(placed(assignment, rows, new, self.options), rows, new, new[:0])

    def moved(self, assignment: Assignment, rows: Floats, numbers: Ids) -> Assignment:
        """Return the assignment after these items have moved."""
        left = assignment.cells_of(numbers)
        return self._settled(placed(assignment, rows, numbers, self.options), rows, numbers, left)

    def only(self, assignment: Assignment, rows: Floats, staying: Ids) -> Assignment:
        """Return the assignment after all other items have gone."""
        going = np.ones(assignment.count, bool)
        going[staying] = False
        left = assignment.cells_of(np.flatnonzero(going))
        return self._settled(assignment.only(staying), rows, staying[:0], left)

    def _settled(self, assignment: Assignment, rows: Floats, moved: Ids, left: Ids) -> Assignment:
        """Return the assignment after all that follows from items having left cells, and come."""
        if len(assignment.outside) > self.grow_above:
            assignment = self._divided(self._grown(assignment, rows), rows, None)
        else:
            touched = np.concatenate((assignment.cells_of(moved), left))
            assignment = self._divided(assignment, rows, touched)
        return self.rebalanced(assignment, rows) if self.is_eager else assignment

    def _grown(self, assignment: Assignment, rows: Floats) -> Assignment:
        if assignment.cells.size == 0:
            return rebuilt_root(assignment, rows, self.options)
        larger, old_root = grown(assignment, rows, self.grow_above)
        self._count(growths=(len(larger.cells) - len(assignment.cells)) // 8)
        # What touches a wall of the old root may touch a cell beside it now.
        box = holding_boxes(larger.cells, self.options)[:, old_root, None]
        beyond = np.flatnonzero(~held(box, *limits(rows)))
        # First: a root that is far larger takes every item for close to all of the old cells.
        larger = self._merged(larger, too_fine(larger, self.options.max_depth))
        return placed(larger, rows, beyond, self.options)

    def _divided(self, assignment: Assignment, rows: Floats, touched: Ids | None) -> Assignment:
        """Return the assignment after overfull leaves, of these cells or of all, are divided."""
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
        while smaller := shrunk(assignment, rows, *thresholds, self.options):
            self._count(shrinks=1)
            # Leaves that were too deep to be divided are so no longer.
            assignment = self._divided(smaller, rows, None)
            assignment = self._merged(assignment, underfull(assignment, self.merge_below))
        return self._gathered(assignment, rows)

    def _gathered(self, assignment: Assignment, rows: Floats) -> Assignment:
        """Return the assignment with a root around its items, if only that separates them.

        After an item has flown far out and back, all may be in one cell of the greatest depth.
        """
        root = np.zeros(1, np.intp)
        if len(overfull(assignment, self.options, root)) == 0 or not is_wide(assignment, rows):
            return assignment
        anew = rebuilt_root(assignment, rows, self.options)
        leaves = overfull(anew, self.options, root)
        finer = divided(anew, rows, leaves, self.options)
        if len(finer.cells) == 1:
            return assignment
        self._count(shrinks=1, splits=(len(finer.cells) - 1) // 8)
        return finer

    def check(self, assignment: Assignment, rows: Floats) -> None:
        """Assert that the assignment is as the options want it.

        Raises
        ------
        AssertionError
            If an item is misplaced, or a cell should have been divided or merged.
        """
        boxes = holding_boxes(assignment.cells, self.options)
        beyond = ~held(boxes[:, :1], *limits(rows))
        assert np.array_equal(np.sort(assignment.outside), np.flatnonzero(beyond))
        there = assignment.placements
        down, _ = pushed_down(assignment.cells, self.options, there.cells, rows[:, there.entries])
        assert np.array_equal(down.entries, np.arange(len(there)))
        assert np.array_equal(down.cells, there.cells)
        assert assignment.cells.depth.max() <= self.options.max_depth
        assert len(assignment.outside) <= self.grow_above
        leaves = overfull(assignment, self.options, np.arange(len(assignment.cells)))
        # Children that only their own children would justify are looked for on a change: how
        # far is a matter of what was divided then.
        assert len(separable(assignment, rows, leaves, self.options)) == 0
        assert not self.is_eager or len(underfull(assignment, self.merge_below)) == 0

    def _count(self, **more: int) -> None:
        counts = {name: getattr(self.turnover, name) + count for name, count in more.items()}
        self.turnover = replace(self.turnover, **counts)
