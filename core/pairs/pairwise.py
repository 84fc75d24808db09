"""Pairwise tests without a tree: a brute-force reference for the answers of queries."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Flags, Ids, blocks, flagged
from ..construction.api import ITEM_KINDS
from ..shapes import Shapes
from ..touch import lying_inside, touching
from ..volumes.api import check_volumes
from .api import exact_test

_BLOCK = 65_536


def pairs_touching(items: Shapes, ids: ArrayLike, volumes: Shapes, numbers: ArrayLike, /) -> Flags:
    """Flag the pairs of an item and a volume that touch, with the test of `query`.

    Parameters
    ----------
    items : Triangles, Boxes, Spheres or Regions
        A batch.
    ids : array_like of int, shape (h,)
        Items of that batch.
    volumes : Spheres, Boxes, Regions, OrientedBoxes, Capsules, HalfSpaces or Frusta
        A batch.
    numbers : array_like of int, shape (h,)
        Volumes of that batch, one for each of `ids`.

    Returns
    -------
    ndarray of bool, shape (h,)
        One flag for each pair; False where the item is not finite.

    Raises
    ------
    ValueError
        If a volume is not finite, a frustum is flat, a number is out of range, or `ids` and
        `numbers` differ in length.
    """
    return _related(touching, items, ids, volumes, numbers)


def pairs_inside(items: Shapes, ids: ArrayLike, volumes: Shapes, numbers: ArrayLike, /) -> Flags:
    """Flag the pairs whose item lies wholly in its volume, with the test of `query`.

    Parameters
    ----------
    items, ids, volumes, numbers : batches, and array_like of int, shape (h,)
        As for `pairs_touching`.

    Returns
    -------
    ndarray of bool, shape (h,)
        One flag for each pair; False where the item is not finite.

    Raises
    ------
    ValueError
        As with `pairs_touching`.
    """
    return _related(lying_inside, items, ids, volumes, numbers)


def pairs_within(
    items: Shapes, ids: ArrayLike, others: Shapes, numbers: ArrayLike, /, *, margin: float = 0.0
) -> Flags:
    """Flag the pairs of items within a margin, with the test of `overlapping_pairs`.

    Parameters
    ----------
    items, ids : batch, and array_like of int, shape (h,)
        As for `pairs_touching`.
    others : Triangles, Boxes, Spheres or Regions
        The same or another batch.
    numbers : array_like of int, shape (h,)
        Items of `others`, one for each of `ids`.
    margin : float
        Largest distance that counts, in scene units, 1e150 at most; 0 for items that touch.

    Returns
    -------
    ndarray of bool, shape (h,)
        One flag for each pair; False where an item is not finite.

    Raises
    ------
    ValueError
        If `margin` is negative or not finite, a number is out of range, or `ids` and `numbers`
        differ in length.
    """
    checks.kind("others", others, ITEM_KINDS)
    margin = checks.length("margin", margin)
    firsts, seconds = _pairs(items, ids, others, numbers)
    test = exact_test(items, others, margin)
    some = np.flatnonzero(_finite(items, firsts) & _finite(others, seconds))
    return flagged(len(firsts), some, test(firsts[some], seconds[some]))


def _related(
    test: Callable[[Shapes, Ids, Shapes, Ids], Flags],
    items: Shapes,
    ids: ArrayLike,
    volumes: Shapes,
    numbers: ArrayLike,
) -> Flags:
    check_volumes(volumes)
    entries, asked = _pairs(items, ids, volumes, numbers)
    some = np.flatnonzero(_finite(items, entries))
    some = some[np.argsort(asked[some], kind="stable")]  # tests need volumes in ascending order
    return flagged(len(asked), some, test(items, entries[some], volumes, asked[some]))


def _pairs(items: Shapes, ids: ArrayLike, others: Shapes, numbers: ArrayLike) -> tuple[Ids, Ids]:
    """Return the checked numbers of the items of each pair."""
    checks.kind("items", items, ITEM_KINDS)
    firsts = checks.numbers("ids", ids, len(items))
    seconds = checks.numbers("numbers", numbers, len(others))
    checks.same_length("ids and numbers", firsts, seconds)
    return firsts, seconds


def _finite(items: Shapes, ids: Ids) -> Flags:
    flags = np.empty(len(ids), bool)
    for some in blocks(len(ids), _BLOCK):
        flags[some] = np.isfinite(items.take_rows(ids[some])).all(axis=0)
    return flags
