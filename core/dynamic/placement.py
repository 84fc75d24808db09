"""Placement in loose or tight cells: items find their cells, overfull leaves are split.

An item ascends from its present cell to the first ancestor that holds it, and descends from there
to its cells. All overfull leaves are divided first, then their overfull children, and so on.
Divisions that separated no items, and have none below them that did, are undone afterwards. So
coincident items stay together in one leaf instead of a chain of cells.
"""

import math

import numpy as np

from ..arrays import Flags, Floats, Ids, distinct, gather, ranks_of
from ..boxes import boxes_contain, boxes_grown
from ..cells import Cells
from ..child_masks import POPCOUNT, ChildMasks
from ..compiled import builder
from ..construction.levels import Level, Members, without_idle_divisions
from ..construction.off_grid import (
    ItemBounds,
    OffGridCut,
    OffGridRule,
    leaves_of,
    may_have_children,
)
from ..construction.rules import CellPairs, divide
from ..options import Options
from ..steps import Ticks, run
from .assignment import NO_CELL, Assignment, OneCellEach
from .items import limits, simplest


def placed(assignment: Assignment, rows: Floats, moved: Ids, options: Options) -> Assignment:
    """Return the assignment after the moved items, among `rows` (7, n), have been placed.

    Each item ascends from one of its cells to the first that holds it, then descends.
    """
    if len(moved) == 0:
        return assignment
    if isinstance(assignment, OneCellEach) and (kernel := builder()) is not None:
        return assignment.moved(rows, moved, kernel)[0]
    some, cells = gather(rows, moved), assignment.cells
    above = first_holding_ancestor(cells, options, assignment.any_cell[moved], some)
    found, strays = pushed_down(cells, options, above, some)
    return assignment.reassigned(moved, Members(moved[found.entries], found.cells), moved[strays])


def holding_boxes(cells: Cells, options: Options) -> Floats:
    """Return the boxes (6, m) in which the cells hold items completely.

    With "keep", the enlarged cells: boxes are closed sets. With "copy", the cells shrunk by the
    rounding error, so that the items inside surely touch no neighbor; the root is not shrunk,
    because it has no neighbors.
    """
    if options.straddlers == "keep":
        return cells.loose_rows
    tolerance = 4 * cells.root.rounding
    boxes = boxes_grown(cells.rows, -tolerance)
    boxes[:, 0] = cells.rows[:, 0]
    return boxes


def first_holding_ancestor(cells: Cells, options: Options, starts: Ids, rows: Floats) -> Ids:
    """Return for each item (7, k) the first cell, from its start upwards, that holds it."""
    boxes, (lower, upper) = holding_boxes(cells, options), limits(rows)
    found = np.maximum(starts, 0)
    here, waiting = found, np.arange(len(found))
    while len(waiting):
        up = np.flatnonzero(~boxes_contain(gather(boxes, here), lower, upper))
        here = cells.parent[here[up]]  # -1 for the root
        found[waiting[up]] = here
        inside = np.flatnonzero(here != NO_CELL)
        here, up = here[inside], up[inside]
        waiting, lower, upper = waiting[up], gather(lower, up), gather(upper, up)
    return found


def pushed_down(cells: Cells, options: Options, starts: Ids, rows: Floats) -> tuple[Members, Ids]:
    """Return the pairs of item and cell after items (7, k) have descended from these cells.

    The pairs are sorted by item. The second result are the strays.
    """
    pairs, strays = Members(np.arange(len(starts)), starts), [starts[:0]]
    found, bounds = pairs[:0], ItemBounds(simplest(rows), *limits(rows))
    cut = OffGridCut.of(cells.root, cells.rows, cells.middle_rows)
    never_copied = np.ones(len(starts), bool)
    while len(pairs):
        going = (pairs.cells != NO_CELL) & (cells.first_child[pairs.cells] >= 0)
        found, pairs = found + pairs[~going], pairs[going]
        if len(pairs) == 0:
            break
        each = CellPairs(pairs.entries, pairs.cells, never_copied[pairs.entries])
        masks, lost = cut.taking(bounds, options, each)
        # Later pairs of a copied item are parts of it, even if its other copies are in leaves.
        never_copied[pairs.entries[POPCOUNT[masks] > 1]] = False
        strays.append(lost)
        is_held = masks > 0
        found, pairs = found + pairs[~is_held], pairs[is_held]
        pairs = _handed_down(pairs.entries, cells.first_child[pairs.cells], masks[is_held])
    return found[np.argsort(found.entries, kind="stable")], distinct(np.concatenate(strays))


def _handed_down(entries: Ids, first_children: Ids, masks: ChildMasks) -> Members:
    """Return a pair of entry and child for each child that takes the entry, entry by entry."""
    each = np.flatnonzero(np.unpackbits(masks, bitorder="little"))
    return Members(entries[each >> 3], first_children[each >> 3] + (each & 7))


def overfull(assignment: Assignment, options: Options, numbers: Ids) -> Ids:
    """Return, once each, the given cells that are leaves, overfull and allowed to be divided."""
    cells = assignment.cells
    many = (assignment.own[numbers] > options.capacity) & (cells.first_child[numbers] < 0)
    if not many.any():
        return numbers[:0]
    numbers = distinct(numbers[many])
    least = max(options.min_size, assignment.finest)
    return numbers[may_have_children(cells.rows[:, numbers], cells.depth[numbers], least, options)]


class _CenterRule(OffGridRule):
    """The rule that divides cells at their centers."""

    def __init__(
        self, assignment: Assignment, bounds: ItemBounds, is_whole: Flags, options: Options
    ) -> None:
        super().__init__(bounds, is_whole, assignment.cells.root, options)
        self.least = max(options.min_size, assignment.finest)

    def choose(self, walls: Floats, pairs: CellPairs) -> Ticks[tuple[Floats, ChildMasks]]:
        """Return the centers of the cells, (3, c), and the children that take each entry."""
        centers = (walls[:3] + walls[3:]) / 2
        return centers, (yield from self.masks(walls, centers, pairs))


def divided(assignment: Assignment, rows: Floats, leaves: Ids, options: Options) -> Assignment:
    """Return the assignment after these leaves are divided; their items are among `rows`."""
    if len(leaves) == 0:
        return assignment
    items, rule, level = _leaves(assignment, rows, leaves, options)
    levels = without_idle_divisions(run(divide(level, rule, math.inf)))
    numbers, count = leaves, len(assignment.cells)
    placements, parents = [], []
    for level in levels:
        own = level.own
        placements.append(Members(items[own.entries], numbers[own.cells]))
        parents.append(numbers[level.divided])
        numbers = count + np.arange(8 * len(level.divided))
        count += len(numbers)
    if count > len(assignment.cells):
        walls = np.concatenate([level.cells.where for level in levels[1:]], axis=1)
        cells = assignment.cells.with_children(np.concatenate(parents), walls)
        found = sum(placements[1:], placements[0])
        assignment = assignment.refined(cells, leaves, found, items[rule.strays])
    return assignment


def separable(assignment: Assignment, rows: Floats, leaves: Ids, options: Options) -> Ids:
    """Return the leaves that a single division would separate, given items (7, n)."""
    if len(leaves) == 0:
        return leaves
    _, rule, level = _leaves(assignment, rows, leaves, options)
    run(rule.divide(level, np.arange(len(leaves)), lambda depth, count: None))
    return leaves[level.divided[level.separated]]


def _leaves(
    assignment: Assignment, rows: Floats, leaves: Ids, options: Options
) -> tuple[Ids, _CenterRule, Level]:
    """Return the items in leaves, the rule that divides the leaves, and the leaves as a level."""
    pairs = assignment.placements[assignment.in_cells(leaves)]
    ranks = ranks_of(len(assignment.cells), leaves)[pairs.cells]
    order = np.argsort(ranks, kind="stable")
    items, entries = np.unique(pairs.entries[order], return_inverse=True)
    walls, depths = assignment.cells.rows[:, leaves], assignment.cells.depth[leaves]
    level = leaves_of(walls, entries, np.bincount(ranks, minlength=len(leaves)), depths)
    bounds = ItemBounds(simplest(rows[:, items]), *limits(rows[:, items]))
    rule = _CenterRule(assignment, bounds, assignment.stands_alone[items], options)
    return items, rule, level


def underfull(assignment: Assignment, least: int) -> Ids:
    """Return the uppermost divided cells whose subtrees hold fewer items than `least`."""
    few = (assignment.cells.first_child >= 0) & (assignment.different_items(least) < least)
    return assignment.cells.uppermost(few) if few.any() else np.empty(0, np.intp)


def too_fine(assignment: Assignment, most: int) -> Ids:
    """Return the uppermost divided cells at the greatest depth, or with too fine children."""
    cells = assignment.cells
    sizes = (cells.rows[3:] - cells.rows[:3]).max(axis=0)
    is_limit = (cells.depth >= most) | (sizes / 2 < assignment.finest)
    return cells.uppermost((cells.first_child >= 0) & is_limit)
