"""What a changing tree promises besides what every octree does, each promise stated once."""

import numpy as np

from ..arrays import Floats
from .assignment import OUTSIDE, Layout
from .cells import Cells
from .items import ItemStore, limits
from .placement import Placement, held, sunk


def check_layout(residents: ItemStore, layout: Layout) -> None:
    """Assert what holds whatever the options are.

    Raises
    ------
    AssertionError
        If numbers, ids and cells contradict each other.
    """
    ids, homes = residents.ids, layout.homes
    assert len(residents) == layout.count == residents.rows.shape[1]
    assert (np.diff(ids) > 0).all() and ids.max(initial=-1) < residents.born
    assert np.isfinite(limits(residents.rows)).all()
    assert np.array_equal(np.unique(homes.entries), np.arange(layout.count))
    is_outside = np.zeros(layout.count, bool)
    is_outside[layout.outside] = True
    assert (is_outside[homes.entries] == (homes.cells == OUTSIDE)).all()
    known = homes.cells[homes.cells != OUTSIDE]
    assert np.array_equal(layout.own, np.bincount(known, minlength=len(layout.cells)))
    if layout.single:
        assert np.array_equal(homes.entries, np.arange(layout.count))
        places = np.append(layout.cells.place, -1)[homes.cells]
        assert (np.diff(places[layout.references]) >= 0).all()
    _check_preorder(layout.cells)


def _check_preorder(cells: Cells) -> None:
    """Assert that a subtree's cells follow each other, parts in their order."""
    assert np.array_equal(np.sort(cells.place), np.arange(len(cells)))
    inner = np.flatnonzero(cells.first_child >= 0)
    parts = cells.first_child[inner, None] + np.arange(8)
    ends = cells.place[parts] + cells.span[parts]
    assert (cells.place[parts[:, 0]] == cells.place[inner] + 1).all()
    assert (cells.place[parts[:, 1:]] == ends[:, :-1]).all()
    assert (ends[:, -1] == cells.place[inner] + cells.span[inner]).all()
    assert (cells.span[cells.first_child < 0] == 1).all()
    assert (cells.parent < np.arange(len(cells))).all()


def check_places(layout: Layout, rows: Floats, placement: Placement) -> None:
    """Assert that every item (7, n) stands where it belongs.

    Raises
    ------
    AssertionError
        If the root holds an item outside, or an item would sink further.
    """
    beyond = ~held(placement.boxes(layout.cells)[:, :1], *limits(rows))
    assert np.array_equal(np.sort(layout.outside), np.flatnonzero(beyond))
    sinking, _ = sunk(layout.cells, placement, layout.homes.cells, rows[:, layout.homes.entries])
    assert np.array_equal(sinking.entries, np.arange(len(layout.homes)))
    assert np.array_equal(sinking.cells, layout.homes.cells)
