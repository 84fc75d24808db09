"""Connected components by hooking and pointer jumping, all edges of a graph at once.

Y. Shiloach and U. Vishkin, "An O(log n) Parallel Connectivity Algorithm", 1982: every root with a
smaller neighbor is hooked to it, then pointer jumping halves all paths down to length 1.
"""

from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tuning
from ..arrays import Ids, blocks
from ..steps import Steps, run


def connected_components(pairs: ArrayLike, count: SupportsIndex, /) -> Ids:
    """Return the smallest node in the connected component of each node.

    Parameters
    ----------
    pairs : array_like of int, shape (2, k)
        Edges between nodes, in any order; nodes are numbers below `count`.
    count : int
        The number of nodes.

    Returns
    -------
    ndarray of intp, shape (count,)
        The label of each node: the smallest node of its component.

    Raises
    ------
    ValueError
        If `count` is no whole number from 0 on, or `pairs` are no pairs of numbers below it.

    Notes
    -----
    O((nodes + edges) log nodes).
    """
    whole = checks.whole_number("count", count, 0)
    checks.room("count", count, whole)
    return components(whole, *checks.pairs("pairs", pairs, whole))


def components(count: int, ones: Ids, others: Ids) -> Ids:
    """Return the smallest node in the component of each of `count` nodes, (count,).

    Edge i joins nodes `ones[i]` and `others[i]`. O((nodes + edges) log nodes).
    """
    return run(component_steps(count, ones, others))


def component_steps(count: int, ones: Ids, others: Ids) -> Steps[Ids]:
    """Return the labels of `components`, in steps; yield roughly the fraction done."""
    labels = np.arange(count)
    edges = max(len(ones), 1)
    while len(ones):
        kept = []
        for some in blocks(len(ones), tuning.current.piece):
            yield 1 - len(ones) / edges
            of_one, of_other = labels[ones[some]], labels[others[some]]
            (apart,) = (of_one != of_other).nonzero()
            sides = ones[some], others[some], of_one, of_other
            kept.append(np.stack([side[apart] for side in sides]))
        ones, others, here, there = np.concatenate(kept, axis=1)
        labels[np.maximum(here, there)] = np.minimum(here, there)
        while True:
            yield 1 - len(ones) / edges
            jumped = labels[labels]
            if np.array_equal(jumped, labels):
                break
            labels = jumped
    return labels
