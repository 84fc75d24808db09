"""Collision changes: pairs that began, lasted and ended; the cost grows with the changed items."""

from dataclasses import replace

import numpy as np

from ..arrays import Ids
from ..octree import Octree
from ..pairs import overlapping_pairs
from ..volumes import query

# If more than one item in this many has changed, all pairs are searched again.
_MANY = 4
# Bits of an item's number.
_BITS = 31


class PairChanges:
    """The pairs reported last, as item numbers, and the items that have changed since."""

    def __init__(self) -> None:
        self._keys = np.empty(0, np.intp)
        self._dirty = np.zeros(0, bool)
        self._removed_pairs: list[Ids] = []

    def joined(self, count: int) -> None:
        """Mark `count` new items as changed."""
        self._dirty = np.append(self._dirty, np.ones(count, bool))

    def moved(self, numbers: Ids) -> None:
        """Mark items as changed."""
        self._dirty[numbers] = True

    def only(self, stay: Ids, ids: Ids) -> None:
        """Drop all items but `stay` and note their pairs as ended; `ids` are the old ids."""
        number = np.full(len(ids), -1)
        number[stay] = np.arange(len(stay))
        pairs = _pairs(self._keys)
        lasting = (number[pairs] >= 0).all(axis=0)
        self._removed_pairs.append(ids[pairs[:, ~lasting]])
        self._keys = _keys(number[pairs[:, lasting]])
        self._dirty = self._dirty[stay]

    def since_last(self, tree: Octree) -> tuple[Ids, Ids, Ids]:
        """Return pairs of ids that began, lasted and ended, (2, h) each, sorted."""
        known, now = self._keys, self._now(replace(tree, ids=None, groups=None))
        places = np.searchsorted(known, now)
        again = np.append(known, -1)[places] == now
        is_over = np.ones(len(known), bool)
        is_over[places[again]] = False
        ended = np.concatenate((tree.named(_pairs(known[is_over])), *self._removed_pairs), axis=1)
        self._keys, self._removed_pairs = now, []
        self._dirty[:] = False
        began, lasted = (tree.named(_pairs(keys)) for keys in (now[~again], now[again]))
        return began, lasted, ended[:, np.lexsort(ended[::-1])]

    def _now(self, tree: Octree) -> Ids:
        """Return the keys of all pairs, sorted; pairs of two unchanged items are kept."""
        numbers = np.flatnonzero(self._dirty)
        if len(numbers) * _MANY > len(tree):
            return _keys(overlapping_pairs(tree))
        ones, others = query(tree, tree.items[numbers])
        ones = numbers[ones]
        # Both queries of two changed items find their pair, and each item finds itself.
        once = np.flatnonzero((ones < others) | ~self._dirty[others])
        ones, others = ones[once], others[once]
        found = _keys(np.stack((np.minimum(ones, others), np.maximum(ones, others))))
        pairs = _pairs(self._keys)
        lasting = self._keys[~(self._dirty[pairs[0]] | self._dirty[pairs[1]])]
        # A stable sort is fast for input that is mostly sorted.
        return np.sort(np.concatenate((lasting, found)), kind="stable")


def _keys(pairs: Ids) -> Ids:
    return pairs[0] << _BITS | pairs[1]


def _pairs(keys: Ids) -> Ids:
    return np.stack((keys >> _BITS, keys & (1 << _BITS) - 1))
