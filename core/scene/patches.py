"""Linear BVH: boxes around runs of triangles along the Morton curve, and around runs of these.

The octrees have sorted the triangles already, so that runs of them are small in space (after
C. Lauterbach and others, "Fast BVH Construction on GPUs", 2009). Unlike the cells of an octree,
each triangle is in one of the boxes only, and nothing has to be remembered.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, blocks, concatenated_ranges
from ..shapes import Triangles
from .growing import Growing

# Triangles in a patch, and patches in a larger one; of the largest, a mesh has at most _TOP.
_RUN, _FAN, _TOP = 8, 8, 64
# Patches whose bounds are computed together.
_TOGETHER = 16_384


@dataclass(frozen=True)
class Patches:
    """The patches of all meshes: bounds (6, p), and the first of `counts` children.

    Children are patches, or entries of the forest where `are_small`. The largest patches of mesh
    i are `top_counts[i]` from `tops[i]` on.
    """

    rows: Floats
    firsts: Ids
    counts: Ids
    are_small: Flags
    tops: Ids
    top_counts: Ids

    def children(self, patches: Ids) -> tuple[Ids, Ids]:
        """Return of which of these patches the children are, and the children, in order."""
        counts = np.where(self.are_small[patches], 1, self.counts[patches])
        firsts = np.where(self.are_small[patches], patches, self.firsts[patches])
        return np.repeat(np.arange(len(patches)), counts), concatenated_ranges(firsts, counts)

    def entries(self, patches: Ids) -> tuple[Ids, Ids]:
        """Return of which of these patches, all small, the entries are, and the entries."""
        counts = self.counts[patches]
        of_which = np.repeat(np.arange(len(patches)), counts)
        return of_which, concatenated_ranges(self.firsts[patches], counts)


class GrowingPatches:
    """Patches of meshes that come one after the other."""

    def __init__(self) -> None:
        self._rows, self._firsts, self._counts, self._are_small = (Growing() for _ in range(4))
        self._tops: dict[int, tuple[int, int]] = {}

    def __contains__(self, mesh: int) -> bool:
        return mesh in self._tops

    def forget(self, mesh: int) -> None:
        """Do without the patches of a mesh."""
        self._tops.pop(mesh, None)

    def of_meshes(self, born: int) -> Patches:
        """Return all patches there are, by the numbers of meshes."""
        tops, counts = np.zeros((2, born), np.intp)
        for mesh, (top, count) in self._tops.items():
            tops[mesh], counts[mesh] = top, count
        arrays = (self._rows, self._firsts, self._counts, self._are_small)
        rows, firsts, numbers, are_small = (array.rows for array in arrays)
        return Patches(rows, firsts, numbers, are_small, tops, counts)

    def add(self, mesh: int, triangles: Triangles, first: int) -> Iterator[None]:
        """Add the patches of a mesh, whose entries from `first` on are these triangles."""
        starts = np.arange(0, len(triangles), _RUN)
        rows = np.empty((6, len(starts)))
        for some in blocks(len(starts), _TOGETHER):
            part = triangles[some.start * _RUN : some.stop * _RUN]
            lower, upper = part.limits()
            here = np.arange(0, len(part), _RUN)
            rows[:3, some] = np.minimum.reduceat(lower, here, axis=1)
            rows[3:, some] = np.maximum.reduceat(upper, here, axis=1)
            yield
        levels = [(rows, first + starts, _lengths(len(triangles), _RUN))]
        begin = len(self._firsts)
        while rows.shape[1] > _TOP:
            starts = np.arange(0, rows.shape[1], _FAN)
            counts = _lengths(rows.shape[1], _FAN)
            lower = np.minimum.reduceat(rows[:3], starts, axis=1)
            rows = np.concatenate((lower, np.maximum.reduceat(rows[3:], starts, axis=1)))
            levels.append((rows, begin + starts, counts))
            begin += levels[-2][0].shape[1]
        self._tops[mesh] = (begin, rows.shape[1])
        self._keep(levels)

    def _keep(self, levels: list[tuple[Floats, Ids, Ids]]) -> None:
        rows, firsts, counts = (
            np.concatenate(each, axis=-1) for each in zip(*levels, strict=True)
        )
        are_small = np.arange(len(firsts)) < levels[0][0].shape[1]
        arrays = (self._rows, self._firsts, self._counts, self._are_small)
        for array, part in zip(arrays, (rows, firsts, counts, are_small), strict=True):
            array.put(part)
            array.keep(len(firsts))


def _lengths(count: int, run: int) -> Ids:
    """Return how many of so many there are in each run."""
    lengths = np.full(-(-count // run), run)
    if len(lengths):
        lengths[-1] -= len(lengths) * run - count
    return lengths
