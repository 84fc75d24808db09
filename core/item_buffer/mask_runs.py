"""Run lengths of pictures and masks: sample counts and bounding boxes of objects.

A run is a sequence of pixels in a row that show the same object. Sorting and bounds work on runs
instead of pixels; the number of runs is about the length of the objects' outlines in pixels.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, concatenated_ranges, starts_of_runs
from ..boxes import bounds_of_runs
from .renderers import Image, Size

# Larger than the width of any picture.
_FAR = 1 << 40


@dataclass(frozen=True)
class Counted:
    """Sample counts of objects, (n,), and bounding boxes of the samples, (n, 4)."""

    counts: Ids
    boxes: Ids

    @classmethod
    def nothing(cls, count: int) -> "Counted":
        """Return zero samples for all objects."""
        return cls(np.zeros(count, np.intp), np.zeros((count, 4), np.intp))


def counted_in(image: Image, width: int, owners: Ids, count: int) -> tuple[Counted, Floats]:
    """Count the pixels of each owner of placements, and return the greatest nearness of each.

    Nearness is (n,); 0 for owners without pixels. O(pixels + runs x log(runs)).
    """
    objects = np.append(owners, -1)[image.rows]  # row -1 selects the appended -1
    edges = np.ones(len(objects), bool)
    np.not_equal(objects[1:], objects[:-1], out=edges[1:])
    edges[::width] = True
    (starts,) = edges.nonzero()
    found, nearness = Counted.nothing(count), np.zeros(count)
    (order,) = (objects[starts] >= 0).nonzero()
    if len(order) == 0:
        return found, nearness
    order = order[np.argsort(objects[starts[order]], kind="stable")]
    lengths = np.diff(starts, append=len(objects))[order]
    nearest = np.maximum.reduceat(image.nearness, starts)[order]
    rows, columns = np.divmod(starts[order], width)
    runs = starts_of_runs(objects[starts[order]])
    there = objects[starts[order[runs]]]
    found.counts[there] = np.add.reduceat(lengths, runs)
    lower, upper = np.stack((columns, rows)), np.stack((columns + lengths, rows + 1))
    found.boxes[there] = bounds_of_runs(lower, upper, runs).T
    nearness[there] = np.maximum.reduceat(nearest, runs)
    return found, nearness


def counted_alone(flags: Flags, boxes: Ids, size: Size) -> tuple[Ids, Counted]:
    """Count the flags that are set in boxes (4, n), which may reach beyond the picture.

    `flags` hold one box after the other, row by row. Return the counts within the picture, (n,),
    and the counts and bounds of all set flags. O(flags).
    """
    left, bottom, right, top = boxes
    wide, high = right - left, top - bottom
    runs = Runs.of(flags)
    each, heights = np.repeat(np.arange(len(high)), high), concatenated_ranges(bottom, high)
    starts = (np.cumsum(wide * high) - wide * high)[each] + (heights - bottom[each]) * wide[each]
    ends = starts + wide[each]
    borders = (np.clip(border - left, 0, wide)[each] + starts for border in (0, size[0]))
    first, last = (runs.before(border) for border in borders)
    within = np.where((heights >= 0) & (heights < size[1]), last - first, 0)
    counts = runs.before(ends) - runs.before(starts)
    some, shift, boxes_of = counts > 0, left[each] - starts, starts_of_runs(each)
    lower = np.stack((runs.first_from(starts) + shift, heights))
    upper = np.stack((runs.last_before(ends) + shift, heights)) + 1
    lower[:, ~some], upper[:, ~some] = _FAR, -_FAR
    around = bounds_of_runs(lower, upper, boxes_of).T
    sums = np.add.reduceat(counts, boxes_of)
    around[sums == 0] = 0
    return np.add.reduceat(within, boxes_of), Counted(sums, around)


@dataclass(frozen=True)
class Runs:
    """Runs of set flags: r half-open intervals from `begins`, (r,), to `ends[1:]`, ascending.

    `sums` are the numbers of flags that are set up to the end of each run. `ends` and `sums`,
    (r + 1,), start with an extra 0.
    """

    begins: Ids
    ends: Ids
    sums: Ids

    @classmethod
    def of(cls, flags: Flags) -> "Runs":
        """Return the runs of set flags of an array (p,). O(p)."""
        cuts = [(flags[1:] != flags[:-1]).nonzero()[0] + 1]
        if flags[:1].any():
            cuts.insert(0, np.zeros(1, np.intp))
        if flags[-1:].any():
            cuts.append(np.array([len(flags)]))
        begins, ends = np.concatenate(cuts).reshape(-1, 2).T
        sums = np.append(0, np.cumsum(ends - begins))
        return cls(np.ascontiguousarray(begins), np.append(0, ends), sums)

    def before(self, places: Ids) -> Ids:
        """Return the number of flags that are set before places. O(places x log r)."""
        numbers = np.searchsorted(self.begins, places)
        return self.sums[numbers] - np.maximum(self.ends[numbers] - places, 0)

    def first_from(self, places: Ids) -> Ids:
        """Return the first set flag at or after places; an arbitrary number if there is none."""
        numbers = np.searchsorted(self.begins, places, side="right")
        following = np.append(self.begins, 0)[numbers]
        return np.where(self.ends[numbers] > places, places, following)

    def last_before(self, places: Ids) -> Ids:
        """Return the last set flag before places; an arbitrary number if there is none."""
        numbers = np.searchsorted(self.begins, places)
        return np.minimum(self.ends[numbers], places) - 1
