"""What cells really hold: bounds that are often much smaller than the cells."""

from functools import cached_property

import numpy as np

from .arrays import Floats, Ids, blocks, column_major
from .shapes import Shapes


class ContentBounds:
    """The part of an Octree that knows what is in its cells; the arrays are described there."""

    arranged: Shapes
    loose_rows: Floats
    node_depth: Ids
    first_child: Ids
    begin: Ids
    own_end: Ids
    references: Ids
    slack: float

    @cached_property
    def content_rows(self) -> Floats:
        """Bounds of the items of each cell and of all below it, made once, (6, m).

        Lower x, y, z, upper x, y, z. What reaches out of the enlarged cell by more than `slack`
        is cut off. A cell that holds nothing has infinite bounds, upper below lower.
        """
        held = np.repeat([[np.inf], [-np.inf]], 3, axis=0) * np.ones(len(self.begin))
        self._add_own(held)
        for depth in range(int(self.node_depth.max()) - 1, -1, -1):
            (parents,) = ((self.node_depth == depth) & (self.first_child >= 0)).nonzero()
            children = self.first_child[parents] + np.arange(8)[:, None]
            for low, high in zip(held[:3], held[3:], strict=True):
                low[parents] = np.minimum(low[parents], low[children].min(axis=0))
                high[parents] = np.maximum(high[parents], high[children].max(axis=0))
        return column_major(held)

    def _add_own(self, held: Floats) -> None:
        """Put in the bounds of each cell's own items."""
        (cells,) = (self.begin < self.own_end).nonzero()
        cells = cells[np.argsort(self.begin[cells], kind="stable")]
        lower, upper = self.arranged.limits()
        for some in blocks(len(cells)):
            here = cells[some]
            first = self.begin[here[0]]
            starts = self.begin[here] - first
            entries = self.references[first : self.own_end[here[-1]]]
            walls = self.loose_rows[:, here].reshape(2, 3, -1)
            for axis in range(3):
                low = np.minimum.reduceat(lower[axis].take(entries), starts)
                high = np.maximum.reduceat(upper[axis].take(entries), starts)
                held[axis, here] = np.maximum(low, walls[0, axis] - self.slack)
                held[axis + 3, here] = np.minimum(high, walls[1, axis] + self.slack)
