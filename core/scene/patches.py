"""Linear BVH: boxes around runs of triangles along the Morton curve, and around runs of these.

The triangles have been sorted already, so that runs of them are small in space (after C.
Lauterbach and others, "Fast BVH Construction on GPUs", 2009). Unlike the cells of an octree, each
triangle is in one box only, so that no pair comes up twice.
"""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from .. import compiled, tuning
from ..arrays import Flags, Floats, Ids, blocks, concatenated_ranges, cross, dot, gather, joined
from ..boxes import bounds_of_runs
from ..shapes import Triangles

# Triangles in a patch, and patches in a larger one; of the largest, a mesh has at most _TOP.
_RUN, _FAN, _TOP = 8, 8, 64


@dataclass(frozen=True)
class Patches:
    """The patches of all meshes: bounds (6, p), and the first of `counts` children.

    Children are patches, or entries where `are_small`. No triangle of a patch has a lower altitude
    than that of `altitudes`: 0 if one may have no area. The largest patches of mesh i are
    `top_counts[i]` from `tops[i]` on.
    """

    rows: Floats
    altitudes: Floats
    firsts: Ids
    counts: Ids
    are_small: Flags
    tops: Ids
    top_counts: Ids

    def children(self, patches: Ids) -> tuple[Ids, Ids]:
        """Return the children of these patches: the place of the parent, and the child."""
        counts = np.where(self.are_small[patches], 1, self.counts[patches])
        firsts = np.where(self.are_small[patches], patches, self.firsts[patches])
        return np.repeat(np.arange(len(patches)), counts), concatenated_ranges(firsts, counts)

    def lowest_entries(self) -> Ids:
        """Return the lowest entry in each patch, (p,)."""
        found = np.where(self.are_small, self.firsts, -1)
        (left,) = (found < 0).nonzero()
        while len(left):
            found[left] = found[self.firsts[left]]
            left = left[found[left] < 0]
        return found

    def entries(self, patches: Ids) -> tuple[Ids, Ids]:
        """Return the entries of these small patches: the place of the patch, and the entry."""
        counts = self.counts[patches]
        of_which = np.repeat(np.arange(len(patches)), counts)
        return of_which, concatenated_ranges(self.firsts[patches], counts)


def made_patches(triangles: Triangles, sizes: Ids) -> Generator[None, None, Patches]:
    """Return the patches of meshes with `sizes` of these triangles, one after the other.

    All numbers begin at 0. Yields while they are made.
    """
    starts, owners, counts = _runs(sizes, _RUN)
    rows, kernel = np.empty((6, len(starts))), compiled.arranger()
    altitudes = np.empty(len(starts))
    for some in blocks(len(starts), tuning.current.patches_together):
        if kernel is not None:
            kernel.runs(triangles, starts, counts, some, rows, altitudes)
            yield
            continue
        begin = int(starts[some.start])
        part = triangles[begin : int(starts[some.stop - 1] + counts[some.stop - 1])]
        lower, upper = part.limits()
        rows[:, some] = bounds_of_runs(lower, upper, starts[some] - begin)
        altitudes[some] = np.minimum.reduceat(_altitudes(part), starts[some] - begin)
        yield
    levels = [(rows, altitudes, starts, counts)]
    begin = 0
    tops = np.zeros((2, len(sizes)), np.intp)
    while True:
        numbers = np.bincount(owners, minlength=len(sizes))
        places = begin + np.cumsum(numbers) - numbers
        is_done = (numbers <= _TOP) & (tops[1] == 0)
        tops[:, is_done] = places[is_done], numbers[is_done]
        (kept,) = (numbers[owners] > _TOP).nonzero()
        if len(kept) == 0:
            break
        starts, owners, counts = _runs(np.where(numbers > _TOP, numbers, 0), _FAN)
        parts = rows if len(kept) == rows.shape[1] else gather(rows, kept)
        above = bounds_of_runs(parts[:3], parts[3:], starts)
        altitudes = np.minimum.reduceat(altitudes[kept], starts)
        levels.append((above, altitudes, begin + kept[starts], counts))
        begin, rows = begin + rows.shape[1], above
    rows, altitudes, firsts, counts = joined(levels)
    are_small = np.arange(len(firsts)) < levels[0][0].shape[1]
    return Patches(rows, altitudes, firsts, counts, are_small, tops[0], tops[1])


def _altitudes(triangles: Triangles) -> Floats:
    """Return how far the corner farthest from the longest edge is from it, (n,).

    0 where that is unknown.
    """
    first, second, third = triangles.rows.reshape(3, 3, -1)
    with np.errstate(all="ignore"):
        edges = second - first, third - first, third - second
        normals = cross(edges[0], edges[1])
        longest = np.maximum(np.maximum(*(dot(e, e) for e in edges[:2])), dot(edges[2], edges[2]))
        altitudes = np.sqrt(dot(normals, normals) / longest)
        return np.where(altitudes < np.inf, altitudes, 0.0)


def _runs(sizes: Ids, run: int) -> tuple[Ids, Ids, Ids]:
    """Cut lists into runs of `run` elements; return starts, the list of each, and lengths."""
    numbers = -(-sizes // run)
    owners = np.repeat(np.arange(len(sizes)), numbers)
    begins = (np.cumsum(sizes) - sizes)[owners]
    within = concatenated_ranges(0 * numbers, numbers) * run
    return begins + within, owners, np.minimum(sizes[owners] - within, run)
