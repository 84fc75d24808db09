"""Splitting overfull leaves, and finding underfull cells to merge.

First all that are overfull are divided, with their children and so on. Then those divisions are
taken back that separated nothing and have none below them that did, so that coincident items stay
together in one leaf instead of a chain of cells.
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ..arrays import Flags, Floats, Ids
from ..child_masks import ChildMasks
from ..construction.levels import Level, Pairs, without_idle_divisions
from ..construction.off_grid import (
    ItemBounds,
    OffGridCells,
    divide_level,
    divide_off_grid,
    leaves_of,
)
from ..grid import Grid
from ..options import Options
from .assignment import Assignment
from .placement import bounds_of, root_grid

T = TypeVar("T")


def overfull(assignment: Assignment, options: Options, numbers: Ids) -> Ids:
    """Return those of the cells that are leaves, hold too many items and may be divided, once."""
    cells = assignment.cells
    many = (assignment.own[numbers] > options.capacity) & (cells.first_child[numbers] < 0)
    numbers = np.unique(numbers[many])
    rule = _Centers.of(assignment, options)
    return numbers[rule.divisible(cells.rows[:, numbers], cells.depth[numbers])]


@dataclass(frozen=True)
class _Centers:
    """Cells are divided at their centers."""

    grid: Grid
    options: Options
    least: float

    @classmethod
    def of(cls, assignment: Assignment, options: Options) -> "_Centers":
        least = max(options.min_size, assignment.finest)
        return cls(root_grid(assignment.cells), options, least)

    def divisible(self, walls: Floats, depths: Ids) -> Flags:
        """Return which cells are neither too deep nor too small to have children."""
        sizes, middles = walls[3:] - walls[:3], (walls[:3] + walls[3:]) / 2
        # Where numbers are too coarse to tell the middle from a wall, children would be as large.
        apart = ((walls[:3] < middles) & (middles < walls[3:])).any(axis=0)
        return apart & (depths < self.options.max_depth) & (sizes.max(axis=0) / 2 >= self.least)

    def divide(
        self, bounds: ItemBounds, walls: Floats, pairs: Pairs
    ) -> Generator[float, None, tuple[OffGridCells, ChildMasks, Ids]]:
        """Divide the cells, and find the children that take their items."""
        cells = OffGridCells(self.grid, walls, (walls[:3] + walls[3:]) / 2)
        masks, strays = cells.taking(bounds, pairs, self.options)
        yield 1.0
        return cells, masks, strays

    def check(self, copies: int, depth: int) -> None:
        """Let any number of copies be: items come and go."""


def divided(assignment: Assignment, rows: Floats, leaves: Ids, options: Options) -> Assignment:
    """Return the assignment after these leaves, of items among `rows` (7, n), are divided."""
    if len(leaves) == 0:
        return assignment
    items, bounds, level = _leaves(assignment, rows, leaves)
    rule, depths = _Centers.of(assignment, options), assignment.cells.depth[leaves]
    levels, strays = _finished(divide_off_grid(bounds, level, depths, rule, options))
    levels = without_idle_divisions(levels)
    numbers, count = leaves, len(assignment.cells)
    placements, parents = [], []
    for level in levels:
        placements.append(Pairs(items[level.own.entries], numbers[level.own.cells]))
        parents.append(numbers[level.divided])
        numbers = count + np.arange(8 * len(level.divided))
        count += len(numbers)
    if count > len(assignment.cells):
        walls = np.concatenate([level.cells for level in levels[1:]], axis=1)
        cells = assignment.cells.with_children(np.concatenate(parents), walls)
        found = sum(placements[1:], placements[0])
        assignment = assignment.refined(cells, leaves, found, items[strays])
    return assignment


def separable(assignment: Assignment, rows: Floats, leaves: Ids, options: Options) -> Ids:
    """Return those of the leaves whose division alone would set items (7, n) apart."""
    if len(leaves) == 0:
        return leaves
    _, bounds, level = _leaves(assignment, rows, leaves)
    rule = _Centers.of(assignment, options)
    _finished(divide_level(bounds, level, np.arange(len(leaves)), 0, rule, options))
    return leaves[level.divided[level.separated]]


def _leaves(assignment: Assignment, rows: Floats, leaves: Ids) -> tuple[Ids, ItemBounds, Level]:
    """Return the items that leaves hold, their bounds, and the leaves as a level."""
    pairs = assignment.placements[assignment.in_cells(leaves)]
    rank = np.empty(len(assignment.cells), np.intp)
    rank[leaves] = np.arange(len(leaves))
    ranks = rank[pairs.cells]
    order = np.argsort(ranks, kind="stable")
    items, entries = np.unique(pairs.entries[order], return_inverse=True)
    bounds = bounds_of(rows[:, items], assignment.stands_alone[items])
    walls = assignment.cells.rows[:, leaves]
    return items, bounds, leaves_of(walls, Pairs(entries, ranks[order]))


def _finished(steps: Generator[float, None, T]) -> T:
    """Return what the steps make, all at once."""
    while True:
        try:
            next(steps)
        except StopIteration as finished:
            return finished.value


def underfull(assignment: Assignment, least: int) -> Ids:
    """Return the uppermost divided cells whose subtrees hold fewer items than `least`."""
    few = (assignment.cells.first_child >= 0) & (assignment.different_items(least) < least)
    return assignment.cells.uppermost(few)


def too_fine(assignment: Assignment, most: int) -> Ids:
    """Return the uppermost divided cells at the greatest depth, or with too fine children."""
    cells = assignment.cells
    sizes = (cells.rows[3:] - cells.rows[:3]).max(axis=0)
    is_limit = (cells.depth >= most) | (sizes / 2 < assignment.finest)
    return cells.uppermost((cells.first_child >= 0) & is_limit)
