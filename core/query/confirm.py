"""Which candidates hold what is asked: exact tests, where no cell vouches for them."""

import numpy as np

from ..arrays import Flags, Ids
from ..octree import Octree
from ..shapes import Shapes
from ..touch import lying_inside, touching
from .candidates import Candidates
from .mailboxing import Pairs

_NONE = np.empty(0, np.intp)


def confirmed(tree: Octree, found: Candidates, relation: str) -> Pairs:
    """Return the pairs for which the relation holds, in no order."""
    if relation == "candidates":
        return _joined(found.doubtful, found.certain)
    sure, unsure = vouched(tree, found.certain, relation)
    parts = [holding(tree, found.volumes, some, relation) for some in (found.doubtful, unsure)]
    return _joined(*parts, sure)


def holding(tree: Octree, volumes: Shapes, pairs: Pairs, relation: str = "touching") -> Pairs:
    """Return those of the pairs that pass the test; their numbers ascend."""
    test = touching if relation == "touching" else lying_inside
    numbers, entries = pairs
    return chosen(pairs, test(tree.arranged, entries, volumes, numbers).nonzero()[0])


def vouched(tree: Octree, certain: Pairs, relation: str) -> tuple[Pairs, Pairs]:
    """Part the items of cells inside a volume: those that are sure, and those to be tested.

    Such a cell vouches for what touches the cell. Only items that stand in no other cell are
    known to lie in it wholly.
    """
    doubted = tree.copied[certain[1]] if relation == "inside" else _strays(tree, certain[1])
    if not doubted.any():
        return certain, (_NONE, _NONE)
    return chosen(certain, (~doubted).nonzero()[0]), chosen(certain, doubted.nonzero()[0])


def _strays(tree: Octree, entries: Ids) -> Flags:
    return np.isin(entries, tree.strays) if len(tree.strays) else np.zeros(1, bool)


def chosen(pairs: Pairs, some: Ids) -> Pairs:
    """Return some of the pairs."""
    return pairs[0][some], pairs[1][some]


def _joined(*parts: Pairs) -> Pairs:
    numbers, entries = zip(*parts, strict=True)
    return np.concatenate(numbers), np.concatenate(entries)
