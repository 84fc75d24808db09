"""Resizing the root: it doubles towards items outside, and shrinks to its only busy child."""

import numpy as np

from ..arrays import Floats, Ids
from ..cells import Cells, doubled, smallest_cube
from ..grid import enlarged
from ..options import Options
from .assignment import Assignment
from .items import limits
from .placement import held, placed


def rebuilt_root(assignment: Assignment, rows: Floats, options: Options) -> Assignment:
    """Return an assignment whose root is the cube around all items (7, n), undivided."""
    cells = Cells.of_root(smallest_cube(*limits(rows)), options.enlargement)
    fresh = assignment.of(cells, assignment.count)
    return placed(fresh, rows, np.arange(assignment.count), options)


def is_wide(assignment: Assignment, rows: Floats) -> bool:
    """Tell whether all items (7, n) are in the root, and in less than half of its width."""
    walls, size = smallest_cube(*limits(rows)), assignment.cells.size
    return len(assignment.outside) == 0 and bool((walls[3:] - walls[:3])[0] < size / 2)


def grown(assignment: Assignment, rows: Floats, most: int) -> tuple[Assignment, int]:
    """Return the assignment after its root has doubled, with `most` items outside at most.

    Items have still to be placed. The second result is the number of the old root.
    """
    old_root = 0
    for octant in _octants(assignment.cells, *limits(rows[:, assignment.outside]), most):
        cells, numbers = assignment.cells.grown(octant)
        assignment, old_root = assignment.renumbered(cells, numbers), int(numbers[old_root])
    return assignment, old_root


def _octants(cells: Cells, lower: Floats, upper: Floats, most: int) -> list[int]:
    """Return the octants, one doubling after the other, that hold most of the items outside."""
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
        beyond = ~held(box[:, None], lower, upper)
        lower, upper = lower[:, beyond], upper[:, beyond]
    return octants


def shrunk(
    assignment: Assignment, rows: Floats, below: int, most: int, options: Options
) -> Assignment | None:
    """Return the assignment after the root's fullest child has become the root.

    It stays as it is, and nothing is returned, unless at most `below` items lie outside that child
    and at most `most` items would lie outside the new root.
    """
    cells = assignment.cells
    least = max(assignment.count - below, 1)
    if len(cells) == 1 or _references(assignment).max() < least:
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


def _references(assignment: Assignment) -> Ids:
    """Return how often items stand in each child of the root, (8,): none has more items."""
    first = int(assignment.cells.first_child[0])
    begin, _, end = assignment.slices
    return (end - begin)[first : first + 8]


def _children_of_items(assignment: Assignment) -> Ids:
    """Return which child of the root each item stands in with all its copies, (n,); -1 if none."""
    cells, placements = assignment.cells, assignment.placements
    first = int(cells.first_child[0])
    behind = np.searchsorted(cells.place[first : first + 8], cells.place, side="right")
    children = np.append(behind - 1, -1)[placements.cells]
    found = np.empty(assignment.count, np.intp)
    found[placements.entries] = children
    # Of an item's copies the last one has been noted.
    found[placements.entries[found[placements.entries] != children]] = -1
    return found
