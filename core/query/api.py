"""Questions of volumes: which items touch one, lie inside it, or might."""

from typing import SupportsIndex

import numpy as np

from .. import checks
from ..arrays import Flags, Ids
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
from .answers import Answers
from .candidates import candidates
from .confirm import confirmed
from .early import any_touched

VOLUME_KINDS = (Spheres, Boxes, Regions, OrientedBoxes, Capsules, HalfSpaces, Frusta)


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
    relation : {"touching", "inside", "candidates"}
        "touching": the item touches the volume, borders included. "inside": it lies wholly in the
        volume, borders included. "candidates": potential colliders, the items of all cells that
        touch the volume, without a test of their own; the only answer that depends on how the
        tree was built.
    groups : int
        A mask of 32 bits: items whose own mask has none of these are not there. Those without a
        mask, as all of `build_octree`, are in every group.

    Returns
    -------
    ndarray of intp, shape (2, h)
        [0] volume numbers, [1] item numbers, sorted by volume, then by item, each pair once. No
        hits give (2, 0).

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
        numbers, entries = confirmed(tree, found, relation)
        answers.add(found.asked, numbers, tree.order[entries])
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
        numbers, _ = confirmed(tree, found, "touching")
        counts[found.asked] += np.bincount(numbers, minlength=len(found.asked))
    return counts


def check_question(tree: Octree, volumes: Shapes) -> None:
    """See that these volumes can be asked about in this tree."""
    checks.kind("tree", tree, (Octree,))
    tree.require_current()
    check_volumes(volumes)


def check_volumes(volumes: Shapes) -> None:
    """See that these volumes can be asked about."""
    checks.kind("volumes", volumes, VOLUME_KINDS)
    finite = np.isfinite(volumes.rows).all(axis=0)
    checks.every_row("volumes", "be finite", finite, volumes.rows.T)
    if isinstance(volumes, Frusta):
        checks.every_row("volumes", "enclose a volume", volumes.is_solid, volumes.rows.T)
