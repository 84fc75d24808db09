"""Groups of duplicates: connected components by min-label hooking and pointer jumping, one kept.

Being a duplicate is no equivalence: within a tolerance A may equal B, and B equal C, but A not C.
A chain is one group all the same, and one of it is kept. After Shiloach and Vishkin, "An O(log n)
parallel connectivity algorithm", 1982, whose rounds are passes over arrays here.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Flags, Ids
from .findings import CLASSES, Findings


@dataclass(frozen=True, eq=False)
class DuplicateGroups:
    """Which of k objects are duplicates of each other, and which of each group to keep.

    Attributes
    ----------
    group_of : ndarray of intp, shape (k,)
        The group of each object, or -1; groups are numbered by the place of what they keep.
    kept : ndarray of bool, shape (k,)
        One of each group: the first in the order of the scene.
    surplus : ndarray of bool, shape (k,)
        All others of the groups. What is in no group is neither kept nor surplus.
    """

    group_of: Ids
    kept: Flags
    surplus: Flags


def connected_components(pairs: ArrayLike, count: int) -> Ids:
    """Return for each of `count` things the smallest number that it is connected to, (count,).

    O(m) a round; a chain of a million takes a handful of rounds.

    Raises
    ------
    ValueError
        If `pairs` is not (2, m), or holds a number that is not below `count`.
    """
    a, b = _checked_pairs(pairs, count)
    labels = np.arange(count)
    while True:
        low = np.minimum(labels[a], labels[b])
        hooked = labels.copy()
        np.minimum.at(hooked, labels[a], low)
        np.minimum.at(hooked, labels[b], low)
        if (hooked == labels).all():
            return labels
        labels = _jumped(hooked)


def _jumped(labels: Ids) -> Ids:
    """Let everything point at the root that its chain ends in."""
    above = labels[labels]
    while (above != labels).any():
        labels, above = above, above[above]
    return labels


def duplicate_groups(pairs: ArrayLike, order: ArrayLike) -> DuplicateGroups:
    """Return the groups that pairs of duplicates connect, and what to keep of each.

    Parameters
    ----------
    pairs : array_like of int, shape (2, m)
        Objects that are duplicates of each other; the same twice connects nothing.
    order : array_like of int, shape (k,)
        The place of each object in the scene, all different.

    Raises
    ------
    ValueError
        If a place occurs twice, or a pair has a number that is not below k.
    """
    places = np.asarray(order, np.intp)
    if len(np.unique(places)) != len(places):
        raise ValueError("order must have another place for each object")
    count = len(places)
    scene = np.argsort(places)
    rank = np.empty(count, np.intp)
    rank[scene] = np.arange(count)
    both = _checked_pairs(pairs, count)
    # Numbered by their place in the scene, the smallest of a component is the one to keep.
    labels = connected_components(rank[both], count)[rank]
    grouped = np.bincount(labels, minlength=count)[labels] > 1
    kept = grouped & (labels == rank)
    group_of = np.full(count, -1, np.intp)
    group_of[grouped] = np.unique(labels[grouped], return_inverse=True)[1]
    return DuplicateGroups(group_of, kept, grouped & ~kept)


def duplicates_of(findings: Findings) -> Ids:
    """Return the pairs of objects that are duplicates by the findings, (2, m)."""
    return findings.pairs[:, findings.kinds == CLASSES.index("duplicate")]


def _checked_pairs(pairs: ArrayLike, count: int) -> Ids:
    both = np.asarray(pairs, np.intp)
    if both.ndim != 2 or len(both) != 2:
        raise ValueError(f"pairs must have shape (2, m), got {both.shape}")
    if both.size and (both.min() < 0 or both.max() >= count):
        raise ValueError(f"pairs must be from 0 to {count - 1}, got {both.min()} to {both.max()}")
    return both
