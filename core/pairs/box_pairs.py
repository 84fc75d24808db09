"""Pairs of boxes of two lists that meet: one by one if they are few, else by an octree."""

import numpy as np

from ..arrays import Floats, Ids, blocks
from ..boxes import boxes_meet
from ..construction import build_steps
from ..shapes import Boxes
from ..steps import Steps, between
from ..volumes import query

# To build an octree for fewer pairs of boxes costs as much as to compare them.
_FEW = 16_384
# Boxes that ask the octree together.
_TOGETHER = 8_192


def meeting_boxes(ones: Floats, others: Floats) -> Steps[Ids]:
    """Return the pairs of boxes, (6, n), and others, (6, m), that meet: (2, p), sorted.

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
