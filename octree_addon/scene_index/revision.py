"""Change detection: two snapshots of placements compared by bits."""

import numpy as np
from numpy.typing import NDArray

from ..arrays import Ids
from ..reader import Snapshot


def rows_before(before: NDArray[np.void], now: NDArray[np.void]) -> Ids:
    """Return the row of each key of `now`, (n,), in `before`; -1 if the key is new."""
    distinct, which = np.unique(np.concatenate((before, now)), return_inverse=True)
    rows = np.full(len(distinct), -1)
    rows[which[: len(before)]] = np.arange(len(before))
    return rows[which[len(before) :]]


def changed(before: Snapshot, now: Snapshot) -> tuple[Ids, Ids]:
    """Return the placements that differ between two snapshots.

    Returns
    -------
    gone, came : ndarray of intp
        Rows of `before` and rows of `now` without an equal placement in the other snapshot,
        ascending. A placement whose state has changed is in both.
    """
    rows = rows_before(before.keys, now.keys)
    both = np.flatnonzero(rows >= 0)
    same = both[before.states[rows[both]] == now.states[both]]
    return (
        np.setdiff1d(np.arange(len(before.keys)), rows[same]),
        np.setdiff1d(np.arange(len(now.keys)), same),
    )
