"""Collision filters of audits: by owner, by two sets of placements, and by excluded pairs.

A row is the position of a placement in the snapshot of the scene.
"""

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
    """Filters of pairs of rows: owners, (n,), two sets of rows, and keys of excluded pairs.

    A filter that is None excludes no pair. `count` is the number of rows.
    """

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
        """Check the arguments, with placements given by id, and return the filters."""
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
    """Check the arguments, and return a snapshot of the scene for a mask of groups."""
    checks.kind("scene", scene, (SceneOctree,))
    return scene._snapshot(groups)


def checked_band(band: float | None) -> float:
    """Return the band, checked; 0 for None."""
    return 0.0 if band is None else checks.length("band", band)
