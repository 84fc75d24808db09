"""Islands: groups of boxes with empty space around them wider than they are, for their own views.

Recursive X-Y cuts. G. Nagy and S. Seth, "Hierarchical Representation of Optically Scanned
Documents", 1984; here along three axes.
"""

import numpy as np

from . import checks
from .arrays import Flags, Floats, Ids
from .shapes import Boxes


def islands(bounds: Boxes, /) -> Ids:
    """Group boxes by the empty space between them.

    Two groups are apart where a slab across an axis is empty between them, at least half as thick
    as the thickest one of all, and as the diagonal of the box around the larger group.

    Parameters
    ----------
    bounds : Boxes
        Such as those of placements.

    Returns
    -------
    ndarray of intp, shape (n,)
        The number of the group of each box, from 0 on in the order of their first boxes; -1 for
        boxes that are not finite. A box in the room that others enclose is of their group.

    Raises
    ------
    ValueError
        If these are no boxes.

    Notes
    -----
    A box far from all others, however large, does not change the groups among the others. O(n log
    n) for each of the nested groups, which are as many as the scales that the boxes have.
    """
    checks.kind("bounds", bounds, (Boxes,))
    groups = np.full(len(bounds), -1)
    (finite,) = np.isfinite(bounds.rows).all(axis=0).nonzero()
    waiting, whole = [finite] * bool(len(finite)), []
    while waiting:
        some = waiting.pop()
        is_core = _core(bounds.rows[:, some])
        if is_core.all():
            whole.append(some)
        else:
            waiting += [some[~is_core], some[is_core]]
    for number, some in enumerate(sorted(whole, key=lambda each: int(each[0]))):
        groups[some] = number
    return groups


def _core(boxes: Floats) -> Flags:
    """Flag the connected boxes (6, n) that are apart from the rest; all boxes if none are."""
    orders = np.argsort(boxes[:3], axis=1, kind="stable")
    lower = np.take_along_axis(boxes[:3], orders, axis=1)
    upper = np.maximum.accumulate(np.take_along_axis(boxes[3:], orders, axis=1), axis=1)
    gaps = lower[:, 1:] - upper[:, :-1]
    empty = gaps.max(initial=0.0) / 2
    every = np.ones(boxes.shape[1], np.bool_)
    if not empty > 0:
        return every
    sections = _sections(gaps >= empty, orders)
    counts = np.bincount(sections)
    # No more than two hold half of all.
    cores = [sections == number for number in (2 * counts >= len(every)).nonzero()[0]]
    diagonals = [_diagonal(boxes[:, core]) for core in cores]
    if min(diagonals, default=np.inf) > empty:
        return every
    return cores[int(np.argmin(diagonals))]


def _sections(is_empty: Flags, orders: Ids) -> Ids:
    """Return a number for each box, equal between the same empty slabs of all axes, (n,)."""
    numbers = np.zeros(orders.shape[1], np.intp)
    for order, starts in zip(orders, is_empty, strict=True):
        along = np.empty_like(numbers)
        along[order] = np.append(0, np.cumsum(starts))
        _, numbers = np.unique(numbers * len(numbers) + along, return_inverse=True)
    return numbers


def _diagonal(boxes: Floats) -> float:
    return float(np.linalg.norm(boxes[3:].max(axis=1) - boxes[:3].min(axis=1)))
