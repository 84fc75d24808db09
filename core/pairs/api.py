"""Pairs of items that touch each other, or come near: within a tree, or between two."""

from collections.abc import Callable
from typing import SupportsIndex

import numpy as np

from .. import checks
from ..arrays import Flags, Ids, radix_argsort
from ..groups import ALL_GROUPS, in_groups
from ..octree import Octree
from ..shapes import Regions, Shapes, Spheres, Triangles
from ..touch import touching
from ..touch.nearness import triangles_near_triangles
from ..two_levels import TwoLevels
from .broad_phase import candidate_pairs

# Numbers of entries of two trees (h,), (h,) -> flags (h,).
_Test = Callable[[Ids, Ids], Flags]


def overlapping_pairs(
    tree: Octree | TwoLevels,
    other: Octree | None = None,
    /,
    *,
    margin: float = 0.0,
    skip_neighbours: bool = False,
    within: bool = False,
    groups: SupportsIndex = ALL_GROUPS,
) -> Ids:
    """Find all pairs of items that touch, within one tree or between two.

    Parameters
    ----------
    tree : Octree or SceneOctree
        Any octree.
    other : Octree, optional
        Any octree, over items of any kind. By default items are paired within `tree`.
    margin : float
        Items no farther apart than this are pairs, too; scene units.
    skip_neighbours : bool
        Leave out triangles that share a vertex number. Needs one tree of triangles.
    within : bool
        Of a `SceneOctree`, also pairs of triangles of one placement.
    groups : int
        A mask of 32 bits: items of either tree whose own mask has none of these are not there.
        Those without a mask, as all of `build_octree`, are in every group.

    Returns
    -------
    ndarray of intp, shape (2, h)
        [0] items of `tree`, [1] items of `other`, sorted by the first, then by the second, each
        pair once. Within one tree the first is the smaller; a tree given twice is two trees, so
        that (i, i) and (j, i) are pairs, too. No pairs give (2, 0).

    Raises
    ------
    ValueError
        If `margin` is negative or not finite, `groups` is no mask, or if `skip_neighbours` is
        asked of two trees or of a tree over other items than triangles.

    Notes
    -----
    Memory in use is bounded, but for the answer, the bounds and their cells. Within a tree whose
    items are copied to all cells they touch, items of one cell are compared: O(slots * items in a
    cell + h log h). Else bounds are first sorted into rows, O(n), or, where these do not fit, into
    cells of their own, O(n log n); of two trees only those that stand near the other.
    """
    if isinstance(tree, TwoLevels):
        answer: Ids = tree._answer(
            "overlapping_pairs",
            other,
            margin=margin,
            skip_neighbours=skip_neighbours,
            within=within,
            groups=groups,
        )
        return answer
    if within:
        raise ValueError("within needs a scene, got an octree")
    _check(tree, other, skip_neighbours)
    margin = checks.number("margin", margin, 0.0)
    tree = in_groups(tree, groups)
    other = other if other is None else in_groups(other, groups)
    partner = tree if other is None else other
    near = _nearness(tree.arranged, partner.arranged, margin)
    bits = len(partner.items).bit_length()
    keys = [np.empty(0, np.intp)]
    for met in candidate_pairs(tree, other, margin):
        pairs = _strangers(tree.arranged, *met) if skip_neighbours else met
        some = np.flatnonzero(near(*pairs))
        firsts, seconds = tree.order[pairs[0][some]], partner.order[pairs[1][some]]
        if other is None:
            firsts, seconds = np.minimum(firsts, seconds), np.maximum(firsts, seconds)
        keys.append(firsts << bits | seconds)
    found = np.concatenate(keys)
    ordered = found[radix_argsort(found, bits + len(tree.items).bit_length())]
    return np.stack((tree.named(ordered >> bits), partner.named(ordered & (1 << bits) - 1)))


def _check(tree: Octree, other: Octree | None, skip_neighbours: bool) -> None:
    checks.kind("tree", tree, (Octree,))
    tree.require_current()
    if other is not None:
        checks.kind("other", other, (Octree,))
        other.require_current()
    if skip_neighbours and (other is not None or not isinstance(tree.items, Triangles)):
        raise ValueError("skip_neighbours needs one tree of triangles")


def _nearness(ones: Shapes, others: Shapes, margin: float) -> _Test:
    """Return the exact test of items of one batch against items of another."""
    if isinstance(others, Triangles):
        if not isinstance(ones, Triangles):
            swapped = _nearness(others, ones, margin)
            return lambda ids, numbers: swapped(numbers, ids)
        if margin > 0:
            return lambda ids, numbers: triangles_near_triangles(
                ones, ids, others, numbers, margin
            )
    volumes = _grown(others, margin)
    return lambda ids, numbers: touching(ones, ids, volumes, numbers)


def _grown(shapes: Shapes, margin: float) -> Shapes:
    """Return boxes, spheres or regions with all that is no farther from them than the margin."""
    if margin == 0:
        return shapes
    if isinstance(shapes, Spheres):
        return Spheres.from_rows(np.concatenate((shapes.rows[:3], shapes.rows[3:] + margin)))
    radii = shapes.rows[6:] if isinstance(shapes, Regions) else np.zeros((1, len(shapes)))
    return Regions.from_rows(np.concatenate((shapes.rows[:6], radii + margin)))


def _strangers(triangles: Shapes, ones: Ids, others: Ids) -> tuple[Ids, Ids]:
    """Return the pairs of triangles that share no vertex number."""
    flags = np.ones(len(ones), bool)
    if isinstance(triangles, Triangles):
        here = [row[ones] for row in triangles.faces.T]
        for there in (row[others] for row in triangles.faces.T):
            for row in here:
                flags &= row != there
    some = np.flatnonzero(flags)
    return ones[some], others[some]
