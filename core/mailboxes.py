"""Which pairs of question and item were looked at before, exactly, in arrays.

An item that was copied to several cells comes up in each of them. Castle Game Engine gives every
item a mailbox that remembers the last question that looked at it (M. Kamburelis, "Castle Game
Engine", chapter on octrees). Rays that go down together would overwrite each other's, so here
every pair has a mailbox of its own, in a table that is searched by hashing with open addresses.
"""

import numpy as np

from .arrays import Ids

# Mailboxes at first; a factor that spreads keys (2**64 divided by the golden ratio); how many
# times as many mailboxes as letters there are at least.
_FIRST, _SPREAD, _ROOM = 2**16, np.uint64(0x9E3779B97F4A7C15), 3


class Mailboxes:
    """A growing set of whole numbers of 0 or more."""

    def __init__(self) -> None:
        self._clear(_FIRST)

    def _clear(self, size: int) -> None:
        self._keys = np.full(size, -1)
        self._letters = np.empty(size, np.intp)
        self._count = 0

    def first_time(self, keys: Ids) -> Ids:
        """Put `keys` into the set; return where in `keys` each new one is, once, ascending."""
        if _ROOM * (self._count + len(keys)) > len(self._keys):
            held = self._keys[self._keys >= 0]
            self._clear(4 * len(self._keys) * -(-_ROOM * len(keys) // len(self._keys)))
            self._put(held)
        return self._put(keys)

    def _put(self, keys: Ids) -> Ids:
        """Each key looks into one mailbox after the other, until one is free or holds the key."""
        size = len(self._keys)
        shift = np.uint64(65 - size.bit_length())
        places = (keys.astype(np.uint64) * _SPREAD >> shift).astype(np.intp)
        new, waiting = np.zeros(len(keys), bool), np.arange(len(keys))
        while len(waiting):
            free = np.flatnonzero(self._keys[places] < 0)
            # Of those that find the same mailbox free, the last one gets it.
            self._letters[places[free]] = waiting[free]
            won = free[self._letters[places[free]] == waiting[free]]
            self._keys[places[won]] = keys[waiting[won]]
            new[waiting[won]] = True
            other = np.flatnonzero(self._keys[places] != keys[waiting])
            waiting, places = waiting[other], places[other] + 1 & size - 1
        self._count += int(np.count_nonzero(new))
        return np.flatnonzero(new)
