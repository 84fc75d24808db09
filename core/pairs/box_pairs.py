"""Overlapping pairs of boxes of two lists: by brute force for few boxes, else by an octree."""

import numpy as np

from ..arrays import Floats, Ids, blocks
from ..boxes import boxes_meet
from ..construction import build_steps
from ..shapes import Boxes
from ..steps import Steps, between
from ..volumes import query

# Up to this many pairs of boxes, building an octree is not faster than comparing all pairs.
_FEW = 16_384
# Boxes in one query of the octree.
_TOGETHER = 8_192


def meeting_boxes(ones: Floats, others: Floats) -> Steps[Ids]:
    """Return the overlapping pairs of boxes (6, n) and others (6, m), as numbers (2, p), sorted.

    Yields the fraction done.
    """
    count = ones.shape[1]
    if count * others.shape[1] <= _FEW:
        return np.stack(boxes_meet(ones[:, :, None], others[:, None]).nonzero())
    tree = yield from between(0.0, 0.5, build_steps(Boxes.from_rows(others)))
    found = []
    for some in blocks(count, _TOGETHER):
        which, near = query(tree, Boxes.from_rows(ones[:, some]))
        found.append(np.stack((some.start + which, near)))
        yield 0.5 + 0.5 * some.stop / count
    return np.concatenate(found, axis=1)
