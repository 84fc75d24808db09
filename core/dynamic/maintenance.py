"""What a change entails: new places, a larger root, divisions, merges, a smaller root."""

from dataclasses import dataclass, replace

import numpy as np

from .. import checks
from ..arrays import Floats, Ids
from ..options import Options
from .assignment import Layout
from .cells import Cells
from .invariants import check_places
from .items import limits
from .merging import sparse, too_fine
from .placement import Copy, Keep, held
from .resize_root import grown, is_wide, laid_anew, placed, shrunk
from .splitting import crowded, divided, separable

MERGE = ("eager", "deferred")


@dataclass(frozen=True)
class ChangeCounts:
    """How often a changing tree has changed its cells.

    Attributes
    ----------
    splits, merges : int
        Leaves that were divided; divided cells that became leaves again.
    growths, shrinks : int
        How often the root was doubled, and how often a part of it became the root.
    """

    splits: int
    merges: int
    growths: int
    shrinks: int


class Maintenance:
    """Keeps a layout as the options want it, and counts what that takes."""

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
        self.is_kept = options.straddlers == "keep"
        self.placement = Keep(options.loose_factor) if self.is_kept else Copy()
        self.turnover = ChangeCounts(splits=0, merges=0, growths=0, shrinks=0)

    def empty_layout(self) -> Layout:
        """Return the layout of no items."""
        bounds = self.options.bounds
        walls = np.zeros(6) if bounds is None else bounds.rows[:, 0]
        return Layout.of(Cells.of_root(walls, self.options.enlargement), 0, self.is_kept)

    def joined(self, layout: Layout, rows: Floats) -> Layout:
        """Return the layout after those of the items (7, n) that it does not know have come."""
        new = np.arange(layout.count, rows.shape[1])
        is_first = layout.count == 0 and self.options.bounds is None
        layout = layout.joined(len(new))
        if is_first:
            layout = laid_anew(layout, rows, self.placement)
        return self._settled(placed(layout, rows, new, self.placement), rows, new, new[:0])

    def moved(self, layout: Layout, rows: Floats, numbers: Ids) -> Layout:
        """Return the layout after these items have moved."""
        left = layout.cells_of(numbers)
        return self._settled(placed(layout, rows, numbers, self.placement), rows, numbers, left)

    def only(self, layout: Layout, rows: Floats, staying: Ids) -> Layout:
        """Return the layout after all other items have gone."""
        going = np.ones(layout.count, bool)
        going[staying] = False
        left = layout.cells_of(np.flatnonzero(going))
        return self._settled(layout.only(staying), rows, staying[:0], left)

    def _settled(self, layout: Layout, rows: Floats, moved: Ids, left: Ids) -> Layout:
        """Return the layout after all that follows from items having left cells, and come."""
        if len(layout.outside) > self.grow_above:
            layout = self._divided(self._grown(layout, rows), rows, None)
        else:
            touched = np.concatenate((layout.cells_of(moved), left))
            layout = self._divided(layout, rows, touched)
        return self.tidied(layout, rows) if self.is_eager else layout

    def _grown(self, layout: Layout, rows: Floats) -> Layout:
        if layout.cells.size == 0:
            return laid_anew(layout, rows, self.placement)
        larger, old_root = grown(layout, rows, self.grow_above)
        self._count(growths=(len(larger.cells) - len(layout.cells)) // 8)
        # What touches a wall of the old root may touch a cell beside it now.
        box = self.placement.boxes(larger.cells)[:, old_root, None]
        beyond = np.flatnonzero(~held(box, *limits(rows)))
        # First: a root that is far larger takes every item for close to all of the old cells.
        larger = self._merged(larger, too_fine(larger, self.options.max_depth))
        return placed(larger, rows, beyond, self.placement)

    def _divided(self, layout: Layout, rows: Floats, touched: Ids | None) -> Layout:
        """Return the layout after crowded leaves, of these cells or of all, are divided."""
        numbers = np.arange(len(layout.cells)) if touched is None else touched
        leaves = crowded(layout, self.options, numbers)
        finer = divided(layout, rows, leaves, self.options, self.placement)
        self._count(splits=(len(finer.cells) - len(layout.cells)) // 8)
        return finer

    def _merged(self, layout: Layout, numbers: Ids) -> Layout:
        self._count(merges=len(numbers))
        return layout.merged(numbers)

    def tidied(self, layout: Layout, rows: Floats) -> Layout:
        """Return the layout after sparse cells have merged and the root has shrunk."""
        layout = self._merged(layout, sparse(layout, self.merge_below))
        thresholds = self.shrink_below, self.grow_above
        while smaller := shrunk(layout, rows, *thresholds, self.placement):
            self._count(shrinks=1)
            # Leaves that were too deep to be divided are so no longer.
            layout = self._divided(smaller, rows, None)
            layout = self._merged(layout, sparse(layout, self.merge_below))
        return self._gathered(layout, rows)

    def _gathered(self, layout: Layout, rows: Floats) -> Layout:
        """Return the layout with a root around its items, if only that sets them apart.

        After an item has flown far out and back, all may be in one cell of the greatest depth.
        """
        root = np.zeros(1, np.intp)
        if len(crowded(layout, self.options, root)) == 0 or not is_wide(layout, rows):
            return layout
        anew = laid_anew(layout, rows, self.placement)
        leaves = crowded(anew, self.options, root)
        finer = divided(anew, rows, leaves, self.options, self.placement)
        if len(finer.cells) == 1:
            return layout
        self._count(shrinks=1, splits=(len(finer.cells) - 1) // 8)
        return finer

    def check(self, layout: Layout, rows: Floats) -> None:
        """Assert that the layout is as the options want it.

        Raises
        ------
        AssertionError
            If an item is misplaced, or a cell should have been divided or merged.
        """
        check_places(layout, rows, self.placement)
        assert layout.cells.depth.max() <= self.options.max_depth
        assert len(layout.outside) <= self.grow_above
        leaves = crowded(layout, self.options, np.arange(len(layout.cells)))
        # Parts that only their own parts would justify are looked for when items come or go: how
        # far is a matter of what was divided then.
        assert len(separable(layout, rows, leaves, self.options, self.placement)) == 0
        assert not self.is_eager or len(sparse(layout, self.merge_below)) == 0

    def _count(self, **more: int) -> None:
        counts = {name: getattr(self.turnover, name) + count for name, count in more.items()}
        self.turnover = replace(self.turnover, **counts)
