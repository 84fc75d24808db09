"""Volume queries: which items touch a volume, lie inside it, or might."""

from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..arrays import Flags, Ids, blocks, concatenated_ranges, radix_argsort
from ..groups import ALL_GROUPS, in_groups
from ..octree import Octree
from ..shapes import (
    Boxes,
    Capsules,
    Frusta,
    HalfSpaces,
    OrientedBoxes,
    Regions,
    Shapes,
    Spheres,
)
from ..two_levels import TwoLevels
from .candidates import candidates, confirmed
from .early import any_touched

VOLUME_KINDS = (Spheres, Boxes, Regions, OrientedBoxes, Capsules, HalfSpaces, Frusta)
# Pairs are dense if of this many possible ones at least one occurs.
_DENSE = 32
# Volumes that get their number at a time.
_BLOCK = 65_536


def query(
    tree: Octree | TwoLevels,
    volumes: Shapes,
    /,
    *,
    relation: str = "touching",
    groups: SupportsIndex = ALL_GROUPS,
) -> Ids:
    """Find the items that touch each volume.

    Parameters
    ----------
    tree : Octree or SceneOctree
        Any octree.
    volumes : Spheres, Boxes, Regions, OrientedBoxes, Capsules, HalfSpaces or Frusta
        q questions, asked together.
    relation : {"touching", "inside", "candidates", "objects"}
        "touching": the item touches the volume, borders included. "inside": it lies wholly in the
        volume, borders included. "candidates": potential colliders, the items of all cells that
        touch the volume, without a test of their own; the only answer that depends on how the
        tree was built; in a scene, of all cells of the meshes' octrees that touch an image of the
        volume in the space of the mesh. "objects": the placements of a `SceneOctree` of which any
        triangle touches the volume; each stops at the first that it finds.
    groups : int
        A mask of 32 bits: items whose own mask has none of these are not there. Those without a
        mask, as all of `build_octree`, are in every group.

    Returns
    -------
    ndarray of intp, shape (2, h)
        [0] volume numbers, [1] item numbers, sorted by volume, then by item, each pair once. No
        hits give (2, 0). Of a `SceneOctree`, (3, h): volumes, placements and triangles of their
        meshes, sorted in this order; for "objects" (2, h): volumes and placements.

    Raises
    ------
    ValueError
        If a volume is not finite or a frustum is flat, `relation` is none of the three, or
        `groups` is no mask.

    Notes
    -----
    O(cells touched + items of the cells that a volume's surface crosses + h log h). A cell that
    lies inside the volume hands over its whole subtree without another test, as with the item
    lists that inner nodes keep in Castle Game Engine (M. Kamburelis, "Castle Game Engine:
    Documentation", chapter on octrees); potential colliders are those of K. Miller, "Octrees for
    Potential Colliders", 2003.
    """
    if isinstance(tree, TwoLevels):
        answer: Ids = tree._answer("query", volumes, relation=relation, groups=groups)
        return answer
    check_question(tree, volumes)
    checks.choice("relation", relation, ("touching", "inside", "candidates"))
    tree = in_groups(tree, groups)
    answers = Answers(len(volumes), len(tree.items))
    for found in candidates(tree, volumes):
        queries, entries = confirmed(tree, found, relation)
        answers.add(found.asked, queries, tree.order[entries])
    pairs = answers.pairs()
    pairs[1] = tree.named(pairs[1])
    return pairs


def query_any(
    tree: Octree | TwoLevels, volumes: Shapes, /, *, groups: SupportsIndex = ALL_GROUPS
) -> Flags:
    """Tell which volumes touch any item; each stops at the first that it finds.

    Parameters
    ----------
    tree : Octree or SceneOctree
        Any octree.
    volumes : Spheres, Boxes, Regions, OrientedBoxes, Capsules, HalfSpaces or Frusta
        q questions, asked together.
    groups : int
        A mask of 32 bits: items whose own mask has none of these are not there. Those without a
        mask, as all of `build_octree`, are in every group.

    Returns
    -------
    ndarray of bool, shape (q,)
        One flag for each volume.

    Raises
    ------
    ValueError
        If a volume is not finite, a frustum is flat, or `groups` is no mask.
    """
    if isinstance(tree, TwoLevels):
        answer: Flags = tree._answer("query_any", volumes, groups=groups)
        return answer
    check_question(tree, volumes)
    return any_touched(in_groups(tree, groups), volumes)


def query_count(
    tree: Octree | TwoLevels, volumes: Shapes, /, *, groups: SupportsIndex = ALL_GROUPS
) -> Ids:
    """Count the items that touch each volume; costs as much as to find them.

    Parameters
    ----------
    tree : Octree or SceneOctree
        Any octree.
    volumes : Spheres, Boxes, Regions, OrientedBoxes, Capsules, HalfSpaces or Frusta
        q questions, asked together.
    groups : int
        A mask of 32 bits: items whose own mask has none of these are not there. Those without a
        mask, as all of `build_octree`, are in every group.

    Returns
    -------
    ndarray of intp, shape (q,)
        One number for each volume.

    Raises
    ------
    ValueError
        If a volume is not finite, a frustum is flat, or `groups` is no mask.
    """
    if isinstance(tree, TwoLevels):
        answer: Ids = tree._answer("query_count", volumes, groups=groups)
        return answer
    check_question(tree, volumes)
    tree = in_groups(tree, groups)
    counts = np.zeros(len(volumes), np.intp)
    for found in candidates(tree, volumes):
        queries, _ = confirmed(tree, found, "touching")
        counts[found.asked] += np.bincount(queries, minlength=len(found.asked))
    return counts


def check_question(tree: Octree, volumes: Shapes) -> None:
    """Require that these volumes can be asked about in this tree."""
    checks.kind("tree", tree, (Octree,))
    tree.require_current()
    check_volumes(volumes)


def check_volumes(volumes: Shapes) -> None:
    """Require that these are volumes, finite and solid."""
    checks.kind("volumes", volumes, VOLUME_KINDS)
    finite = np.isfinite(volumes.rows).all(axis=0)
    checks.every_row("volumes", "be finite", finite, volumes.rows.T)
    if isinstance(volumes, Frusta):
        checks.every_row("volumes", "enclose a volume", volumes.is_solid, volumes.rows.T)


class Answers:
    """The items of each of `volumes`, numbers below `items`, gathered some volumes at a time.

    All pairs of a volume come together, so they are sorted at once, while they are in the cache,
    and wait as 32-bit queries until it is known where each volume's begin.
    """

    def __init__(self, volumes: int, items: int) -> None:
        self._items = items
        self._narrow = np.int32 if items < 2**31 else np.intp
        self._counts = np.zeros(volumes, np.intp)
        self._parts: list[tuple[Ids, NDArray[np.int32] | Ids]] = []

    def add(self, asked: Ids, queries: Ids, items: Ids) -> None:
        """Take all pairs of some volumes, each pair once; query i is volume `asked[i]`."""
        if len(queries) == 0:
            return
        counts = np.bincount(queries)
        volumes = counts.nonzero()[0]
        self._counts[asked[volumes]] = counts[volumes]
        lowest, span = int(volumes[0]), int(volumes[-1] - volumes[0]) + 1
        ordered = self._sorted(queries - lowest if span > 1 else queries, items, span)
        self._parts.append((asked[volumes], ordered.astype(self._narrow)))

    def _sorted(self, queries: Ids, items: Ids, volumes: int) -> Ids:
        """Return the items sorted by query, all of them below `volumes`, then by item."""
        if _DENSE * len(items) > volumes * self._items:
            # Marking them on a list of all pairs is cheaper than sorting.
            marks = np.zeros(volumes * self._items, bool)
            marks[items if volumes == 1 else queries * self._items + items] = True
            keys = marks.nonzero()[0]
            return keys if volumes == 1 else keys % self._items
        bits = self._items.bit_length()
        keys = items if volumes == 1 else queries << bits | items
        return items[radix_argsort(keys, bits + (volumes - 1).bit_length())]

    def pairs(self) -> Ids:
        """Return all pairs (2, h), sorted by volume, then by item; only once, to save memory."""
        ends = np.cumsum(self._counts)
        pairs = np.empty((2, ends[-1] if len(ends) else 0), np.intp)
        starts = ends - self._counts
        for some in blocks(len(ends), _BLOCK):
            numbers = np.arange(some.start, some.stop)
            pairs[0, starts[some.start] : ends[some.stop - 1]] = np.repeat(
                numbers, self._counts[some]
            )
        while self._parts:
            asked, items = self._parts.pop()
            if len(asked) == 1:
                pairs[1, starts[asked[0]] : ends[asked[0]]] = items
            else:
                pairs[1, concatenated_ranges(starts[asked], self._counts[asked])] = items
        return pairs
