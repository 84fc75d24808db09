"""Change detection: two snapshots of placements compared by bits."""

import numpy as np
from numpy.typing import NDArray

from ..arrays import Ids
from ..reader import Snapshot


def rows_before(before: NDArray[np.void], now: NDArray[np.void]) -> Ids:
    """Return where each of the keys now, (n,), stood before, or -1."""
    distinct, which = np.unique(np.concatenate((before, now)), return_inverse=True)
    rows = np.full(len(distinct), -1)
    rows[which[: len(before)]] = np.arange(len(before))
    return rows[which[len(before) :]]


def changed(before: Snapshot, now: Snapshot) -> tuple[Ids, Ids]:
    """Return which placements are not the same as before.

    Returns
    -------
    gone, came : ndarray of intp
        Rows of `before` that are not there now, and rows of `now` that were not there; what is
        another one now is in both. Ascending.
    """
    rows = rows_before(before.keys, now.keys)
    both = np.flatnonzero(rows >= 0)
    same = both[before.states[rows[both]] == now.states[both]]
    return (
        np.setdiff1d(np.arange(len(before.keys)), rows[same]),
        np.setdiff1d(np.arange(len(now.keys)), same),
    )
