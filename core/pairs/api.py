"""Overlapping pairs: items that touch or are within a margin, in one tree or between two."""

from collections.abc import Callable
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Flags, Ids, radix_argsort, starts_of_runs
from ..checks import ALL_GROUPS
from ..octree import Octree, as_octree
from ..shapes import Regions, Shapes, Spheres, Triangles
from ..snapshot import PlacedIndex, in_groups
from ..steps import Steps, at_once
from ..touch import touching
from ..touch.triangle_pairs import triangles_near_triangles
from ..walkable import AnyOctree
from .broad_phase import candidate_pairs

# Takes the entries of pairs, (h,) and (h,); flags the pairs that overlap, (h,).
_Test = Callable[[Ids, Ids], Flags]


def overlapping_pairs_steps(
    tree: AnyOctree,
    other: Octree | None = None,
    /,
    *,
    margin: float = 0.0,
    skip_neighbours: bool = False,
    within: bool = False,
    groups: SupportsIndex = ALL_GROUPS,
    owners: ArrayLike | None = None,
) -> Steps[Ids]:
    """Find all pairs of items that touch, within one tree or between two, in steps.

    Parameters
    ----------
    tree : Octree or SceneOctree
        Any octree.
    other : Octree, optional
        Any octree, over items of any kind. By default items are paired within `tree`.
    margin : float
        Items no farther apart than this are pairs, too; scene units, 1e150 at most.
    skip_neighbours : bool
        Leave out pairs of triangles that share a vertex number. Needs one tree of triangles.
    within : bool
        Also pair the triangles of one placement with each other. Needs a `SceneOctree`.
    groups : int
        A mask of 32 bits. Items of either tree whose mask shares no bit with it are ignored.
    owners : array_like of int, shape (n,), optional
        The owner of each of `tree.items`, a number from 0 on; for a `SceneOctree`, the owner of
        each placement, in the order of its `ids`. Two items of one owner are no pair; they are
        not tested, and cells with items of one owner only are not searched. Needs one tree.

    Returns
    -------
    generator of ndarray of intp, shape (2, h)
        [0] items of `tree`, [1] items of `other`, sorted by the first, then by the second, each
        pair once; (2, 0) without pairs. Within one tree the first item is the smaller. A tree
        given twice counts as two trees, so that (i, i) and (j, i) are pairs, too.

        For a `SceneOctree`, shape (4, h): the placement and the triangle of the first item, then
        those of the second. The placements differ, or, with `within`, may be the same.

    Raises
    ------
    ValueError
        If `margin` is negative or not finite, if `groups` is not a mask, or if `owners` are not
        one whole number for each item. If `skip_neighbours` or `owners` are given with two trees,
        or `skip_neighbours` with a tree over other items than triangles. If `within` is given
        with a tree that is not a scene, or with `owners`.
    RuntimeError
        At a step, if the scene, or the tree that an octree was taken of, has changed since the
        call.

    Notes
    -----
    Memory in use is bounded, except for the answer and the bounds.

    Bounds are sorted along a Morton curve, O(n), and a hierarchy of boxes over them is walked with
    itself or with that of the other tree: O(pairs of bounds that overlap + boxes that meet). With
    the compiled kernel, two trees of triangles that are copied to all cells they touch are joined
    leaf by leaf: O(pairs of leaves * items in a leaf).
    """
    skip_neighbours = checks.flag("skip_neighbours", skip_neighbours)
    within = checks.flag("within", within)
    if isinstance(tree, PlacedIndex):
        if other is not None:
            told = f"other must be None for a scene, got {type(other).__name__}"
            raise checks.ArgumentTypeError(told)
        return tree._pair_steps(margin, skip_neighbours, within, owners, groups)
    if within:
        raise ValueError("within needs a scene, got an octree")
    octree = as_octree("tree", tree)
    partner = None if other is None else as_octree("other", other)
    if skip_neighbours and (partner is not None or not isinstance(octree.items, Triangles)):
        raise ValueError("skip_neighbours needs one tree of triangles")
    margin = checks.length("margin", margin)
    seen = in_groups(octree, groups)
    if partner is not None and owners is not None:
        raise ValueError("owners need one tree")
    seen_too = None if partner is None else in_groups(partner, groups)
    numbers = None if owners is None else _owner_of_entry(octree, seen, owners)
    steps = seen._as_long_as_current(_steps(seen, seen_too, margin, skip_neighbours, numbers))
    return steps if seen_too is None else seen_too._as_long_as_current(steps)


overlapping_pairs = at_once(overlapping_pairs_steps)


def _steps(
    tree: Octree, other: Octree | None, margin: float, skip_neighbours: bool, owners: Ids | None
) -> Steps[Ids]:
    if owners is not None and (owners == owners[:1]).all():
        yield 1.0
        return np.empty((2, 0), np.intp)
    partner = tree if other is None else other
    near = exact_test(tree.arranged, partner.arranged, margin)
    bits = len(partner.items).bit_length()
    keys = [np.empty(0, np.intp)]
    for done, *met in candidate_pairs(tree, other, margin, owners):
        pairs = _strangers(tree.arranged, *met) if skip_neighbours else met
        some = np.flatnonzero(near(*pairs))
        firsts, seconds = tree.order[pairs[0][some]], partner.order[pairs[1][some]]
        if other is None:
            firsts, seconds = np.minimum(firsts, seconds), np.maximum(firsts, seconds)
        keys.append(firsts << bits | seconds)
        yield done
    found = np.concatenate(keys)
    ordered = found[radix_argsort(found, bits + len(tree.items).bit_length())]
    if other is not None:
        ordered = ordered[starts_of_runs(ordered)]
    return np.stack((tree.named(ordered >> bits), partner.named(ordered & (1 << bits) - 1)))


def _owner_of_entry(tree: Octree, seen: Octree, owners: ArrayLike) -> Ids:
    """Return the owner of each entry of `seen`, given the owners of the items of `tree`.

    `seen` is the tree with the items of the asked groups only.
    """
    numbers = checks.one_each("owners", owners, len(tree.items))
    names = seen.named(np.arange(len(seen.items)))
    places = names if tree.ids is None else np.searchsorted(tree.ids, names)
    return numbers[places[seen.order]]


def exact_test(ones: Shapes, others: Shapes, margin: float) -> _Test:
    """Return a test that flags pairs of items, of two batches, at most a margin apart."""
    if isinstance(others, Triangles):
        if not isinstance(ones, Triangles):
            swapped = exact_test(others, ones, margin)
            return lambda ids, numbers: swapped(numbers, ids)
        if margin > 0:
            return lambda ids, numbers: triangles_near_triangles(
                ones, ids, others, numbers, margin
            )
    volumes = _grown(others, margin)
    return lambda ids, numbers: touching(ones, ids, volumes, numbers)


def _grown(shapes: Shapes, margin: float) -> Shapes:
    """Return boxes, spheres or regions enlarged by the margin; boxes become regions."""
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
