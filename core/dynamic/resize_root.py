"""Where the root is: it grows towards those that left it, and shrinks to its only busy part."""

import numpy as np

from ..arrays import Floats, Ids, gather
from ..construction.levels import Pairs
from ..grid import enlarged
from .assignment import Layout
from .cells import Cells, doubled
from .items import limits
from .placement import Placement, climbed, held, sunk


def cube_around(rows: Floats) -> Floats:
    """Return the smallest cube (6,) around items (7, n); without any, the origin."""
    if rows.shape[1] == 0:
        return np.zeros(6)
    lower, upper = limits(rows)
    low, high = lower.min(axis=1), upper.max(axis=1)
    middle, half = (low + high) / 2, (high - low).max() / 2
    return np.concatenate((np.minimum(middle - half, low), np.maximum(middle + half, high)))


def laid_anew(layout: Layout, rows: Floats, placement: Placement) -> Layout:
    """Return a layout whose root is the cube around all items (7, n), undivided."""
    cells = Cells.of_root(cube_around(rows), layout.cells.factor)
    fresh = Layout.of(cells, layout.count, layout.single)
    return placed(fresh, rows, np.arange(layout.count), placement)


def is_wide(layout: Layout, rows: Floats) -> bool:
    """Tell whether all items (7, n) are in the root, and in less than half of its width."""
    walls = cube_around(rows)
    return len(layout.outside) == 0 and bool((walls[3:] - walls[:3])[0] < layout.cells.size / 2)


def placed(layout: Layout, rows: Floats, moved: Ids, placement: Placement) -> Layout:
    """Return the layout after these of the items (7, n) have looked for their cells.

    Each goes up from a cell that it stands in to the first that holds it, then down.
    """
    if len(moved) == 0:
        return layout
    some = gather(rows, moved)
    above = climbed(layout.cells, placement, layout.a_home[moved], some)
    found, strays = sunk(layout.cells, placement, above, some)
    return layout.rehomed(moved, Pairs(moved[found.entries], found.cells), moved[strays])


def grown(layout: Layout, rows: Floats, most: int) -> tuple[Layout, int]:
    """Return the layout after its root has doubled until at most `most` items will lie outside.

    They have still to be placed. The second result is the number of the old root.
    """
    old_root = 0
    for octant in _octants(layout.cells, *limits(rows[:, layout.outside]), most):
        cells, numbers = layout.cells.grown(octant)
        layout, old_root = layout.renumbered(cells, numbers), int(numbers[old_root])
    return layout, old_root


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
    layout: Layout, rows: Floats, below: int, most: int, placement: Placement
) -> Layout | None:
    """Return the layout after the root's fullest part has become the root.

    It stays as it is, and nothing is returned, unless at most `below` items lie outside that part
    and at most `most` items would lie outside the new root.
    """
    cells = layout.cells
    least = max(layout.count - below, 1)
    if len(cells) == 1 or _references(layout).max() < least:
        return None
    parts = _parts_of_items(layout)
    counts = np.bincount(parts + 1, minlength=9)[1:]
    fullest = int(counts.argmax())
    if counts[fullest] < least:
        return None
    child = int(cells.first_child[0]) + fullest
    smaller = layout.renumbered(*cells.shrunk(child))
    smaller = placed(smaller, rows, np.flatnonzero(parts != fullest), placement)
    return smaller if len(smaller.outside) <= most else None


def _references(layout: Layout) -> Ids:
    """Return how often items stand in each part of the root, (8,): no part has more items."""
    first = int(layout.cells.first_child[0])
    return (layout.end - layout.begin)[first : first + 8]


def _parts_of_items(layout: Layout) -> Ids:
    """Return which part of the root each item stands in with all its copies, (n,); -1 if none."""
    cells, homes = layout.cells, layout.homes
    first = int(cells.first_child[0])
    behind = np.searchsorted(cells.place[first : first + 8], cells.place, side="right")
    parts = np.append(behind - 1, -1)[homes.cells]
    found = np.empty(layout.count, np.intp)
    found[homes.entries] = parts
    # Of an item's copies the last one has been noted.
    found[homes.entries[found[homes.entries] != parts]] = -1
    return found
