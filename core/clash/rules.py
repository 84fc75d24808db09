"""Collision filtering of audits: pairs that count by owners, by two sides, and exceptions."""

from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Ids, distinct, flagged
from ..scene import SceneOctree
from ..scene.moment import Moment


@dataclass(frozen=True)
class PairRules:
    """Which pairs of rows count, (n,) and keys of pairs that do not; None where all do."""

    owners: Ids | None
    ones: Ids | None
    others: Ids | None
    skipped: Ids | None
    count: int

    @classmethod
    def of(
        cls,
        moment: Moment,
        owners: ArrayLike | None,
        ones: ArrayLike | None,
        others: ArrayLike | None,
        skipped: ArrayLike | None,
    ) -> "PairRules":
        """Return checked rules."""
        count, placements = len(moment.placements), moment.placements
        numbers = None if owners is None else checks.one_each("owners", owners, count)
        sides = [
            None if each is None else placements.rows_of(each, name=name)
            for name, each in (("ones", ones), ("others", others))
        ]
        keys = None
        if skipped is not None:
            pairs = checks.pairs("skipped", skipped, placements.born)
            flat = placements.rows_of(pairs.reshape(-1), name="skipped")
            rows = np.sort(flat.reshape(2, -1), axis=0)
            keys = distinct(rows[0] * count + rows[1])
        return cls(numbers, sides[0], sides[1], keys, count)

    def kept(self, met: Ids) -> Ids:
        """Return the pairs of rows that count."""
        flags = np.ones(met.shape[1], bool)
        if self.owners is not None:
            flags &= self.owners[met[0]] != self.owners[met[1]]
        if self.ones is not None or self.others is not None:
            is_one, is_other = (
                np.ones(self.count, bool) if some is None else flagged(self.count, some)
                for some in (self.ones, self.others)
            )
            flags &= (is_one[met[0]] & is_other[met[1]]) | (is_other[met[0]] & is_one[met[1]])
        if self.skipped is not None:
            flags &= ~np.isin(met[0] * self.count + met[1], self.skipped)
        return met if flags.all() else met[:, flags]

    def alone(self, rows: Ids) -> Ids:
        """Return the rows whose self-intersections count."""
        flags = np.ones(len(rows), bool)
        for some in (self.ones, self.others):
            if some is not None:
                flags &= flagged(self.count, some)[rows]
        return rows[flags]


def moment_of(scene: SceneOctree, groups: SupportsIndex) -> Moment:
    """Return a scene as it is now, checked."""
    checks.kind("scene", scene, (SceneOctree,))
    return scene._snapshot(groups)


def checked_band(band: float | None) -> float:
    """Return a band; 0 if none is stated."""
    return 0.0 if band is None else checks.length("band", band)
