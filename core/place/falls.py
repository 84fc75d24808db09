"""Difference constraints: the greatest falls of bodies that the gaps between them allow.

fall(i) <= gap(i, j) + fall(j) and fall(ground) = 0 have a greatest solution, the lengths of the
shortest paths to the ground (T. H. Cormen, C. E. Leiserson, R. L. Rivest and C. Stein,
"Introduction to Algorithms", chapter 24, "Difference constraints and shortest paths"). All edges
are relaxed at once, as often as the longest path has edges.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, flagged


@dataclass(frozen=True)
class Constraints:
    """Gaps between bodies: body `ones[e]` may fall `gaps[e]` farther than `others[e]`.

    Bodies are numbered from 0 to `count - 1`; number `count` stands for all obstacles.
    """

    count: int
    ones: Ids
    others: Ids
    gaps: Floats

    def falls(self, limit: float) -> tuple[Floats, Flags]:
        """Return the falls of bodies, (count,), and flag bodies that nothing below can stop.

        Flagged bodies have an infinite fall but stay in place, and others may land on them.
        """
        stays = self._endless()
        falls = np.full(self.count + 1, np.inf)
        falls[:-1][~stays] = limit
        falls[:-1][stays], falls[-1] = 0.0, 0.0
        while True:
            lower = falls.copy()
            np.minimum.at(lower, self.ones, self.gaps + falls[self.others])
            if (lower == falls).all():
                return np.where(stays, np.inf, falls[:-1]), stays
            falls = lower

    def tight(self, falls: Floats, stays: Flags) -> Flags:
        """Flag the constraints that stop a body, except within a cycle of bodies in contact."""
        ends = np.append(np.where(stays, 0.0, falls), 0.0)
        is_tight = self.gaps + ends[self.others] == ends[self.ones]
        is_tight &= ~np.append(stays, True)[self.ones]
        ranks = np.where(np.append(stays, True), 0, self.count + 2)
        while True:
            lower = ranks.copy()
            np.minimum.at(lower, self.ones[is_tight], ranks[self.others[is_tight]] + 1)
            if (lower == ranks).all():
                break
            ranks = lower
        return is_tight & ((self.gaps > 0) | (ranks[self.others] < ranks[self.ones]))

    def _reaching(self, some: Flags, *, back: bool = True) -> Flags:
        """Flag nodes from which a path leads to the nodes `some`, or, not `back`, from them."""
        ones, others = (self.ones, self.others) if back else (self.others, self.ones)
        while True:
            more = some | flagged(len(some), ones[some[others]])
            if (more == some).all():
                return some
            some = more

    def lost(self) -> Flags:
        """Flag nodes, (count + 1,), from which no chain of gaps leads to an obstacle."""
        return ~self._reaching(flagged(self.count + 1, np.array([self.count])))

    def _endless(self) -> Flags:
        """Flag bodies in strongly connected components that no edge leaves.

        In such a component, and in no other, each node reaches exactly the nodes of the
        component; so all nodes reached from it agree on the smallest node they reach.
        """
        lost = self.lost()
        (inner,) = (lost[self.ones] & lost[self.others]).nonzero()
        ones, others = self.ones[inner], self.others[inner]
        least = np.arange(self.count + 1)
        while True:
            lower = least.copy()
            np.minimum.at(lower, ones, least[others])
            if (lower == least).all():
                break
            least = lower
        leaving = flagged(self.count + 1, ones[least[ones] != least[others]])
        mixed = self._reaching(leaving)
        roots = lost & (least == np.arange(self.count + 1)) & ~mixed
        return (self._reaching(roots, back=False) & lost)[:-1]
