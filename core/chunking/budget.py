"""Budgeted cells: cells over a budget are divided, and their triangles cut, round by round.

The budget counts the triangles in a cell, pieces included; the objects that own them; or given
weights, which the pieces of a triangle share by area. Cuts that a cell receives from finer
neighbors add triangles: if these exceed the budget, the cell is divided, too.
"""

from dataclasses import dataclass

import numpy as np

from .. import tuning
from ..arrays import Flags, Floats, Ids, blocks, distinct
from ..clipping.cutting import IN_PIECES, Cutting
from ..clipping.polygons import Polygons
from ..grid import DEEPEST
from ..steps import Steps, between
from .lattice import Lattice, LatticeCells, root_cell

# A division is idle for a child that keeps at least _NEARLY_ALL of its cell's total, if all
# children together have at least _MORE times that total. After _IDLE idle divisions in a row a
# cell is not divided (unless the budget is 0), because division would never end around a point
# that all triangles share.
_NEARLY_ALL, _MORE, _IDLE = 0.9, 1.25, 3
TRIANGLES, OBJECTS, WEIGHTS = "triangles", "objects", "weights"
COUNTED = (TRIANGLES, OBJECTS, WEIGHTS)


@dataclass(frozen=True)
class Budget:
    """The largest total of a cell, its unit, and limits below which no cell is divided.

    `owners` and `weights` have one entry for each triangle, (n,).
    """

    most: float
    counted: str
    owners: Ids
    weights: Floats
    least_triangles: int
    least_size: float

    def totals_steps(
        self, cutting: Cutting, some: Polygons, count: int
    ) -> Steps[tuple[Ids, Floats]]:
        """Return the triangles and the budgeted total of each cell, (count,) each, in steps."""
        triangles, sums, keys = np.zeros(count, np.intp), np.zeros(count), [np.empty(0, np.intp)]
        for part in blocks(len(cutting.cells), max(tuning.current.piece, count)):
            (whole,) = (cutting.cells[part] >= 0).nonzero()
            whole += part.start
            cells = cutting.cells[whole]
            triangles += np.bincount(cells, minlength=count)
            if self.counted == WEIGHTS:
                # Earlier sums come first: rounding is that of one sum over all parts, in order.
                numbers = np.append(np.arange(count), cells)
                added = np.bincount(numbers, np.append(sums, self.weights[whole]))
                sums = added.astype(np.float64)
            elif self.counted == OBJECTS:
                keys.append(distinct(_keys(cells, self.owners[whole], count)))
            yield part.stop / len(cutting.cells)
        triangles += _sums(some.cells, some.sizes - 2, count).astype(np.intp)
        if self.counted == TRIANGLES:
            return triangles, triangles.astype(float)
        if self.counted == WEIGHTS:
            return triangles, sums + _sums(some.cells, self.shares(some), count)
        keys.append(_keys(some.cells, self.owners[some.triangles], count))
        there = distinct(np.concatenate(keys)) % count
        return triangles, np.bincount(there, minlength=count).astype(float)

    def shares(self, some: Polygons) -> Floats:
        """Return the weights of pieces: shares of their triangles' weights, by area."""
        x, y, _ = some.weights
        following = some.next_corner
        twice = x * y[following] - x[following] * y
        areas = np.add.reduceat(twice, some.starts) if len(some) else twice
        return np.abs(areas) * self.weights[some.triangles]


def _keys(cells: Ids, owners: Ids, count: int) -> Ids:
    return owners * count + cells


def _sums(cells: Ids, values: Floats | Ids, count: int) -> Floats:
    inside = cells >= 0
    sums = np.bincount(cells[inside], values[inside], minlength=count)
    return sums.astype(np.float64)


@dataclass(frozen=True)
class Divided:
    """All cells, their totals, and the chunk of each, (c,).

    The chunk of a leaf is the leaf itself. For a leaf over the budget, the chunk is its topmost
    ancestor with the same number of triangles, because no division between the two separated
    triangles. With a budget of 0, all chunks are leaves.
    """

    cells: LatticeCells
    totals: Floats
    chunks: Ids

    @classmethod
    def of(
        cls, cells: LatticeCells, first_child: Ids, triangles: Ids, totals: Floats, most: float
    ) -> "Divided":
        """Return the cells and their chunks, given triangle counts (c,) and totals (c,)."""
        parent, chunks = np.full(len(cells), -1), np.arange(len(cells))
        (inner,) = (first_child >= 0).nonzero()
        children = first_child[inner, None] + np.arange(1 << len(cells.axes))
        parent[children] = inner[:, None]
        below = triangles.copy()
        for depth in range(int(cells.depths.max()), 0, -1):
            (here,) = (cells.depths == depth).nonzero()
            np.add.at(below, parent[here], below[here])
        # With a budget of 0 all cells are over it, and all leaves are to have one size.
        is_over = (first_child < 0) & (totals > most) & (triangles > 0)
        rising = (is_over & (most > 0)).nonzero()[0]
        while len(rising):
            above = parent[chunks[rising]]
            alone = (above >= 0) & (below[above] == triangles[rising])
            rising = rising[alone]
            chunks[rising] = above[alone]
        return cls(cells, totals, chunks)


def divide_by_budget(
    cutting: Cutting, lattice: Lattice, axes: tuple[int, ...], budget: Budget, cuttable: Flags
) -> Steps[Divided]:
    """Divide the root and all cells over the budget; yields the fraction done.

    Whole triangles that are `cuttable` receive the cuts of their edges.
    """
    cells = root_cell(lattice, axes)
    first_child, idle = np.array([-1]), np.array([0])
    counting = budget.totals_steps(cutting, cutting.polygons, len(cells))
    triangles, totals = yield from between(0.0, 0.05, counting)
    done, rest = 0.05, 0.95
    while True:
        over = (first_child < 0) & (totals > budget.most)
        over &= (idle < _IDLE) | (budget.most == 0)
        over &= (triangles > budget.least_triangles) & (cells.depths < DEEPEST)
        over &= np.ldexp(lattice.size, -1 - cells.depths) >= budget.least_size
        (divided,) = over.nonzero()
        if len(divided) == 0:
            before = np.count_nonzero(cutting.cells == IN_PIECES), len(cutting.polygons.places)
            yield from between(done, done + rest / 2, cutting.refine_steps(cuttable))
            done, rest = done + rest / 2, rest / 2
            now = np.count_nonzero(cutting.cells == IN_PIECES), len(cutting.polygons.places)
            if now == before:
                return Divided.of(cells, first_child, triangles, totals, budget.most)
            counting = budget.totals_steps(cutting, cutting.polygons, len(cells))
            triangles, totals = yield from between(done, done, counting)
            continue
        first_child[divided] = len(cells) + np.arange(len(divided)) * (1 << len(axes))
        middles = np.full((3, len(cells)), np.nan)
        middles[:, divided] = cells[divided].middles
        here = np.where(over, first_child, -1)
        part = rest * 0.2
        # Walls of the root that are also walls of the coarser lattice come first: any larger root
        # would cut them first, too.
        order = sorted(axes, key=lambda axis: len(cells) == 1 and lattice.corner[axis] % 2 == 0)
        yield from between(done, done + part, cutting.divide_steps(here, middles, order))
        done, rest = done + part, rest - part
        cells = LatticeCells.joined([cells, cells[divided].children()])
        first_child = np.concatenate((first_child, np.full(len(cells) - len(first_child), -1)))
        undivided, counting = totals, budget.totals_steps(cutting, cutting.polygons, len(cells))
        triangles, totals = yield from between(done, done + part / 2, counting)
        done, rest = done + part / 2, rest - part / 2
        idle = np.concatenate((idle, _idle(divided, undivided, totals, idle)))


def _idle(divided: Ids, before: Floats, totals: Floats, idle: Ids) -> Ids:
    """Return the number of idle divisions in a row above each of the newest cells."""
    children = totals[len(before) :].reshape(len(divided), -1)
    whole = before[divided, None]
    bought = (children < _NEARLY_ALL * whole) | (
        children.sum(axis=1, keepdims=True) < _MORE * whole
    )
    return np.where(bought, 0, idle[divided, None] + 1).ravel()
