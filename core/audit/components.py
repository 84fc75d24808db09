"""Connected components by hooking and pointer jumping, all edges of a graph at once.

Y. Shiloach and U. Vishkin, "An O(log n) Parallel Connectivity Algorithm", 1982: every root that
has a smaller neighbor is hooked to it, then all paths are halved until they have ended.
"""

import numpy as np

from ..arrays import Ids


def components(count: int, ones: Ids, others: Ids) -> Ids:
    """Return the smallest node that each of `count` nodes is joined with, (count,).

    Edge i joins nodes `ones[i]` and `others[i]`. O((nodes + edges) log nodes).
    """
    labels = np.arange(count)
    while len(ones):
        here, there = labels[ones], labels[others]
        (apart,) = (here != there).nonzero()
        ones, others = ones[apart], others[apart]
        here, there = here[apart], there[apart]
        labels[np.maximum(here, there)] = np.minimum(here, there)
        while True:
            jumped = labels[labels]
            if np.array_equal(jumped, labels):
                break
            labels = jumped
    return labels
