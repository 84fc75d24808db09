"""Questions of volumes: which items touch, lie inside, or may touch."""

from collections.abc import Iterator

import numpy as np

from . import checks
from .arrays import Flags, Ids, runs
from .descend import Found, descend
from .octree import Octree
from .shapes import Boxes, Frusta, Shapes, Spheres
from .touch import lying_inside, touching

VOLUME_KINDS = (Spheres, Boxes, Frusta)

# Pairs of volume and item that are looked at together.
_PAIRS = 262_144


def query(tree: Octree, volumes: Shapes, /, *, relation: str = "touching") -> Ids:
    """TODO."""
    _check(tree, volumes)
    checks.choice("relation", relation, ("touching", "inside", "candidates"))
    pairs = [np.empty((2, 0), np.intp)]
    for found in descend(tree, volumes):
        for numbers, items in _expanded(tree, found):
            keep = _confirmed(tree, volumes, numbers, items, relation, found.certain)
            pairs.append(np.stack((numbers[keep], items[keep])))
    return _sorted_once(np.concatenate(pairs, axis=1), len(volumes), len(tree.items))


def query_any(tree: Octree, volumes: Shapes, /) -> Flags:
    """TODO."""
    _check(tree, volumes)
    wanted = np.ones(len(volumes), bool)
    for found in descend(tree, volumes, wanted):
        for numbers, items in _expanded(tree, found):
            open_ = wanted[numbers]
            numbers, items = numbers[open_], items[open_]
            keep = _confirmed(tree, volumes, numbers, items, "touching", found.certain)
            wanted[numbers[keep]] = False
    return ~wanted


def query_count(tree: Octree, volumes: Shapes, /) -> Ids:
    """TODO."""
    return np.bincount(query(tree, volumes)[0], minlength=len(volumes))


def _check(tree: Octree, volumes: Shapes) -> None:
    checks.kind("tree", tree, (Octree,))
    checks.kind("volumes", volumes, VOLUME_KINDS)
    finite = np.isfinite(volumes.rows).all(axis=0)
    checks.every_row("volumes", "be finite", finite, volumes.rows.T)


def _expanded(tree: Octree, found: Found) -> Iterator[tuple[Ids, Ids]]:
    """The pairs of volume and item in these runs, in pieces of bounded size."""
    counts = found.end - found.begin
    ends = np.cumsum(counts)
    cuts = np.searchsorted(ends, np.arange(0, ends[-1], _PAIRS), side="right")
    for start, stop in zip(cuts, [*cuts[1:], len(ends)], strict=True):
        some = slice(start, stop)
        items = tree.slots[runs(found.begin[some], counts[some])]
        yield np.repeat(found.numbers[some], counts[some]), items


def _confirmed(
    tree: Octree, volumes: Shapes, numbers: Ids, items: Ids, relation: str, certain: bool
) -> Flags:
    """Which pairs hold; a certain run vouches for its items, but copies may reach beyond it."""
    if relation == "candidates" or (certain and relation == "touching" and not len(tree.strays)):
        return np.ones(len(items), bool)
    test = touching if relation == "touching" else lying_inside
    if not certain:
        return test(tree.items, items, volumes, numbers)
    flags = np.ones(len(items), bool)
    doubted = np.isin(items, tree.strays) if relation == "touching" else tree.copied[items]
    some = np.flatnonzero(doubted)
    flags[some] = test(tree.items, items[some], volumes, numbers[some])
    return flags


def _sorted_once(pairs: Ids, volumes: int, items: int) -> Ids:
    """The pairs in order, each once."""
    keys = pairs[0] * items + pairs[1]
    if len(keys) * 16 > volumes * items:
        marks = np.zeros(volumes * items, bool)
        marks[keys] = True
        keys = np.flatnonzero(marks)
    else:
        keys.sort()
        keys = keys[np.diff(keys, prepend=-1) > 0]
    return np.stack(np.divmod(keys, max(items, 1)))
