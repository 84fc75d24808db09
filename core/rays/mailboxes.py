"""Which pairs of ray and item were tested before, exactly, in arrays.

An item that was copied to several cells comes up in each of them. Castle Game Engine gives every
item a mailbox that remembers the last question that looked at it (M. Kamburelis, "Castle Game
Engine", chapter on octrees). Rays that go down together would overwrite each other's, so here a
ray has a row of mailboxes of its own, and what finds its place taken goes on to others: a table
with open addresses.
"""

import numpy as np

from ..arrays import Ids

# Mailboxes of a ray at first, a power of two; how many times as many as letters there are, at
# least; a factor that spreads keys (2**64 divided by the golden ratio).
_FIRST, _ROOM, _SPREAD = 16, 2, np.uint64(0x9E3779B97F4A7C15)


class Mailboxes:
    """A growing set of pairs of ray and entry, for rays from 0 on and so many entries."""

    def __init__(self, entries: int) -> None:
        self._entries = entries
        self.empty(0)

    def __len__(self) -> int:
        return self._count

    def empty(self, rays: int) -> None:
        """Forget everything, and make ready for so many rays."""
        self._rows = 1 << max(rays - 1, 1).bit_length()
        self._clear(_FIRST)

    def _clear(self, width: int) -> None:
        self._width, self._count = width, 0
        self._keys = np.full(self._rows * width, -1)
        self._letters = np.empty(self._rows * width, np.int32)

    def add_new(self, numbers: Ids, entries: Ids) -> Ids:
        """Remember these pairs; return where those stand that are new, each once, ascending."""
        if _ROOM * (self._count + len(numbers)) > len(self._keys):
            held = self._keys[self._keys >= 0]
            self._clear(1 << (_ROOM * (len(held) + len(numbers)) // self._rows).bit_length())
            self._put(*np.divmod(held, self._entries))
        return self._put(numbers, entries)

    def _put(self, numbers: Ids, entries: Ids) -> Ids:
        """Let each pair look into one mailbox after the other, until one is free or its own."""
        keys = numbers * self._entries + entries
        places = numbers * self._width + (entries & self._width - 1)
        step = 0
        new, waiting = np.zeros(len(keys), bool), np.arange(len(keys))
        while len(waiting):
            held = self._keys[places]
            (free,) = (held < 0).nonzero()
            wanted = places[free]
            # Of those that find the same mailbox free, the last one gets it.
            self._letters[wanted] = free
            won = free[self._letters[wanted] == free]
            self._keys[places[won]] = keys[won]
            new[waiting[won]] = True
            (other,) = (self._keys[places] != keys).nonzero()
            waiting, keys, step = waiting[other], keys[other], step + 1
            places = self._anywhere(keys) + step & len(self._keys) - 1
        self._count += int(np.count_nonzero(new))
        return new.nonzero()[0]

    def _anywhere(self, keys: Ids) -> Ids:
        shift = np.uint64(65 - len(self._keys).bit_length())
        places: Ids = (keys.astype(np.uint64) * _SPREAD >> shift).astype(np.intp)
        return places
