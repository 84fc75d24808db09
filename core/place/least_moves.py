"""Moves along one axis with a small sum, under difference constraints.

Each constraint is the least distance by which one item moves farther than another. A relaxation
first moves both items of each violated constraint by half of the missing distance, which spreads
moves evenly. Longest paths then fulfill all constraints (Cormen, Leiserson, Rivest and Stein,
"Introduction to Algorithms", chapter 24). At last, groups with tight constraints move back
together as long as the sum of moves decreases.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids
from ..clash.components import components

# Largest numbers of relaxation steps, and of rounds in which groups move back.
_RELAXED, _BACK = 200, 400
_TIGHT = 2.0**-46


@dataclass(frozen=True)
class Order:
    """Constraints: item `afters[e]` moves at least `needs[e]` farther than item `befores[e]`.

    Items have numbers below `count`; `fixed` items, (count,), do not move.
    """

    count: int
    befores: Ids
    afters: Ids
    needs: Floats
    fixed: Flags

    def moves(self) -> tuple[Floats, Flags]:
        """Return moves with a small sum, (count,), and flag items that cannot fulfill them."""
        lower = self._bounds(self.befores, self.afters)
        upper = -self._bounds(self.afters, self.befores)
        bad = (lower > upper) & ~self.fixed
        moves = self._relaxed()
        moves = np.where(self.fixed, 0.0, np.clip(moves, lower, np.maximum(lower, upper)))
        moves = self._pushed(moves)
        for _ in range(_BACK):
            before = moves
            moves = self._drawn_back(moves)
            moves = -self.mirrored._drawn_back(-moves)
            if np.abs(before - moves).sum() <= _TIGHT:
                break
        return moves, bad

    @property
    def mirrored(self) -> "Order":
        """The same constraints with the axis reversed."""
        return Order(self.count, self.afters, self.befores, self.needs, self.fixed)

    def _bounds(self, befores: Ids, afters: Ids) -> Floats:
        """Return lower bounds of the moves that follow from the fixed items, (count,)."""
        least = np.where(self.fixed, 0.0, -np.inf)
        for _ in range(self.count + 1):
            more = least.copy()
            np.maximum.at(more, afters, least[befores] + self.needs)
            if (more == least).all():
                break
            least = more
        return least

    def _relaxed(self) -> Floats:
        moves, free = np.zeros(self.count), ~self.fixed
        # If one item is fixed, the other one takes the whole missing distance.
        shares = np.where(free[self.befores] & free[self.afters], 0.5, 1.0)
        for _ in range(_RELAXED):
            lack = self.needs - (moves[self.afters] - moves[self.befores])
            lack = np.maximum(lack, 0.0) * shares
            if lack.max(initial=0.0) <= _TIGHT:
                break
            ahead, back = np.zeros(self.count), np.zeros(self.count)
            np.maximum.at(ahead, self.afters, lack)
            np.maximum.at(back, self.befores, lack)
            moves += np.where(free, ahead - back, 0.0) * np.where(
                (ahead > 0) & (back > 0), 1.0, 0.9
            )
        return moves

    def _pushed(self, moves: Floats) -> Floats:
        """Return moves that fulfill all constraints of free items, none smaller than before."""
        free = ~self.fixed[self.afters]
        for _ in range(self.count + 1):
            more = moves.copy()
            np.maximum.at(more, self.afters[free], (moves[self.befores] + self.needs)[free])
            if (more == moves).all():
                break
            moves = more
        return moves

    def _drawn_back(self, moves: Floats) -> Floats:
        """Reduce the positive moves of single items, then of groups with tight constraints."""
        for _ in range(self.count):
            floor = np.zeros(self.count)
            np.maximum.at(floor, self.afters, moves[self.befores] + self.needs)
            less = np.where(self.fixed | (moves <= 0), moves, np.maximum(floor, 0.0))
            less = np.minimum(less, moves)
            if (less == moves).all():
                break
            moves = less
        slack = moves[self.afters] - moves[self.befores] - self.needs
        tight = slack <= _TIGHT
        groups = components(self.count, self.befores[tight], self.afters[tight])
        gain = np.zeros(self.count)
        np.add.at(gain, groups, np.where(moves > _TIGHT, 1.0, -1.0))
        held = np.zeros(self.count, bool)
        held[groups[self.fixed]] = True
        room = np.full(self.count, np.inf)
        np.minimum.at(room, groups, np.where(moves > _TIGHT, moves, np.inf))
        across = groups[self.afters] != groups[self.befores]
        np.minimum.at(room, groups[self.afters[across]], slack[across])
        step = np.where((gain > 0) & ~held & np.isfinite(room), room, 0.0)
        return moves - step[groups]
