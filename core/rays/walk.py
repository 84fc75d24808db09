"""Ray traversal: slab tests of cells, front to back or back to front, and a stack for each ray.

Rays descend together, but each ray visits its nearest cell first. Its other cells wait on its
stack, and are dropped if a nearer hit is found in the meantime.

Leaves are postponed: a ray that has come to items waits until about as many rays wait as move, so
that items are tested in few, large batches (T. Aila and S. Laine, "Understanding the Efficiency of
Ray Traversal on GPUs", 2009). If there are only few rays, they do not wait, although they may
visit cells beyond their hit.

A ray enters and leaves a cell where it crosses the bounding box of the cell's content (T. Kay and
J. Kajiya, "Ray Tracing Complex Scenes", 1986).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import (
    Flags,
    Floats,
    Ids,
    blocks,
    columns,
    concatenated_ranges,
    gather,
    radix_argsort,
)
from ..descend import CROSSING, OUTSIDE, UNVISITED, States
from ..records import Columns
from ..touch.rays import Rays
from ..walkable import Walkable

# Pairs of ray and cell in a batch: each may have eight children, a few hundred bytes.
_BLOCK = 8_192
# Rays take one cell in each round. Few rays take up to _MOST cells each, about _TOGETHER in all,
# because a round costs more than an unnecessary visit.
_MOST, _TOGETHER = 16, 800
# Initial capacity of each stack.
_ROOM = 16
# Smallest absolute component of a direction; smaller ones are replaced by it.
_SLOWEST = 2.0**-400


@dataclass(frozen=True)
class Front(Columns):
    """Pairs of rays and cells, (k,), and the distances at which rays enter and leave the cells.

    Rays ascend. The cells of one ray are sorted by distance, ascending or descending.
    """

    rays: Ids
    cells: Ids
    t_enter: Floats
    t_exit: Floats

    def where(self, flags: Flags) -> "Front":
        """Return the flagged pairs."""
        (some,) = flags.nonzero()
        return self if len(some) == len(self) else self[some]


def walk(
    tree: Walkable,
    rays: Rays,
    closest_so_far: Floats,
    *,
    backwards: bool = False,
    states: States | None = None,
) -> Iterator[tuple[Ids, Ids]]:
    """Yield rays, ascending, and the next cells with items that they visit, (k,) each.

    `closest_so_far`, (q,), are the distances up to which rays visit cells. The caller lowers them
    in place between steps; a ray below 0 is done. If `backwards`, the farthest cells come first.

    `states`, (m,), receives CROSSING for each cell that a ray enters, and OUTSIDE for each cell
    that it passes by. The states of empty cells, and of cells behind the hit, do not change.
    """
    slabs = RaySlabs.of(tree, rays, traced=states is not None)
    stacks = Stacks(len(rays), nearest_on_top=not backwards)
    # A trace reports the root if the ray crosses it, even if a hit outside the root comes before.
    roots = slabs.roots(closest_so_far if states is None else rays.limits)
    stacks.put(roots)
    if states is not None:
        states[0] = UNVISITED if len(roots) else OUTSIDE
    waiting: list[Front] = []
    held = 0
    while len(taken := stacks.take()) or waiting:
        front = taken.where(taken.t_enter <= closest_so_far.take(taken.rays))
        inner = front.where(tree.child_masks.take(front.cells) > 0)
        # Cells to visit first are pushed last.
        for some in [*blocks(len(inner), _BLOCK)][::-1]:
            below = slabs.children(inner[some], closest_so_far)
            stacks.put(below)
            if states is not None:
                states[tree.children(inner.cells[some])[1]] = OUTSIDE
                states[below.cells] = UNVISITED
        if states is not None:
            states[front.cells] = CROSSING
        holding = front.where(tree.begin.take(front.cells) < tree.own_end.take(front.cells))
        if len(holding):
            waiting.append(holding)
            held += len(holding)
            stacks.postpone(holding.rays)
        if waiting and held >= len(front):
            yield _together(waiting)
            waiting, held = [], 0
            stacks.resume()


def _together(fronts: list[Front]) -> tuple[Ids, Ids]:
    """Return the rays, ascending, and the cells of several fronts, joined."""
    rays = np.concatenate([front.rays for front in fronts])
    cells = np.concatenate([front.cells for front in fronts])
    order = radix_argsort(rays, int(rays.max()).bit_length())
    return rays[order], cells[order]


@dataclass(frozen=True)
class RaySlabs:
    """Slab test of rays against the boxes of cells, (6, m).

    `coefficients` (9, q) are the inverses, starts and ends of the rays, three axes each. A ray
    enters a slab at `plane * inverse - start` of the nearer plane, and leaves it at
    `plane * inverse - end` of the farther plane. Start and end include the slack.
    """

    tree: Walkable
    coefficients: Floats
    boxes: Floats

    @classmethod
    def of(cls, tree: Walkable, rays: Rays, *, traced: bool) -> "RaySlabs":
        """Return the slab test of rays and a tree; a trace tests the cells, not their content."""
        speeds = np.maximum(np.abs(rays.directions), _SLOWEST)
        inverses = np.where(rays.directions < 0, -rays.lengths, rays.lengths) / speeds
        # Cells are enlarged by the slack of the tree and by the rounding errors of origins.
        slack = tree.slacks + np.abs(rays.origins).max(axis=0, initial=0.0) * 2.0**-46
        shifts, slacks = rays.origins * inverses, slack * np.abs(inverses)
        coefficients = np.concatenate((inverses, shifts + slacks, shifts - slacks))
        return cls(tree, coefficients, tree.loose_rows if traced else tree.boxes_for(rays.asked))

    def roots(self, closest_so_far: Floats) -> Front:
        """Return the pairs of a ray and a root that it crosses up to `closest_so_far`."""
        everyone = np.arange(self.coefficients.shape[1])
        roots, zeros = self.tree.roots + 0 * everyone, np.zeros(len(everyone))
        return self._met(Front(everyone, roots, zeros, zeros + np.inf), closest_so_far)

    def children(self, front: Front, closest_so_far: Floats) -> Front:
        """Return the occupied children that rays cross up to `closest_so_far`, nearest first."""
        parents, cells = self.tree.children(front.cells)
        below = Front(front.rays[parents], cells, front.t_enter[parents], front.t_exit[parents])
        return self._met(below, closest_so_far, parents)

    def _met(self, front: Front, closest_so_far: Floats, parents: Ids | None = None) -> Front:
        """Return the cells whose boxes rays cross up to `closest_so_far`, with distances.

        The cells of each parent are sorted by the distance at which they are entered.
        """
        inverses, starts, ends = gather(self.coefficients, front.rays).reshape(3, 3, -1)
        walls = columns(self.boxes, front.cells).reshape(2, 3, -1) * inverses
        near, far = np.minimum(*walls), np.maximum(*walls)
        near -= starts
        far -= ends
        t_enter = np.maximum(near.max(axis=0), front.t_enter)
        t_exit = np.minimum(far.min(axis=0), front.t_exit)
        (met,) = (t_enter <= np.minimum(t_exit, closest_so_far[front.rays])).nonzero()
        if parents is not None:
            met = met[np.lexsort((t_enter[met], parents[met]))]
        return Front(front.rays[met], front.cells[met], t_enter[met], t_exit[met])


class Stacks:
    """A stack of cells for each ray, empty at first, with the nearest or the farthest on top.

    All stacks share one array: a row for each level, a column for each ray that is not done.
    """

    def __init__(self, rays: int, *, nearest_on_top: bool) -> None:
        self._nearest_on_top = nearest_on_top
        self._rays, self._columns = np.arange(rays), np.arange(rays)
        self._heights, self._postponed = np.zeros(rays, np.intp), np.zeros(rays, bool)
        self._few = False
        self._cells = np.empty(_ROOM * rays, np.intp)
        self._t_enter, self._t_exit = np.empty((2, _ROOM * rays))

    def put(self, front: Front) -> None:
        """Push the cells of each ray on its stack."""
        columns = self._columns[front.rays]
        counts = np.bincount(columns, minlength=len(self._rays))
        ends = np.cumsum(counts)
        if self._nearest_on_top:
            levels = (self._heights + ends - 1)[columns] - np.arange(len(columns))
        else:
            levels = (self._heights + counts - ends)[columns] + np.arange(len(columns))
        places = levels * len(self._rays) + columns
        self._heights += counts
        self._make_room(int(self._heights.max(initial=0)) * len(self._rays))
        self._cells[places] = front.cells
        self._t_enter[places] = front.t_enter
        self._t_exit[places] = front.t_exit

    def take(self) -> Front:
        """Pop cells from the tops of the stacks: one for each ray, or more if there are few rays.

        Postponed rays are skipped. If no ray is postponed, an empty result means empty stacks.
        """
        if not self._postponed.any():
            self._compact()
        (columns,) = ((self._heights > 0) & ~self._postponed).nonzero()
        self._few = len(columns) <= _TOGETHER
        most = min(max(1, _TOGETHER // max(len(columns), 1)), _MOST)
        levels = self._heights[columns] - 1
        counts = np.minimum(levels + 1, most)
        self._heights[columns] -= counts
        if most > 1:
            columns = np.repeat(columns, counts)
            levels = np.repeat(levels, counts) - concatenated_ranges(0 * counts, counts)
        places = levels * len(self._rays) + columns
        kept = (self._cells[places], self._t_enter[places], self._t_exit[places])
        return Front(self._rays[columns], *kept)

    def postpone(self, rays: Ids) -> None:
        """Postpone these rays, repeated or not, until `resume`; if rays are few, do nothing."""
        if not self._few:
            self._postponed[self._columns[rays]] = True

    def resume(self) -> None:
        """Resume all postponed rays."""
        self._postponed[:] = False

    def _make_room(self, size: int) -> None:
        more = max(size, 2 * len(self._cells)) - len(self._cells)
        if size > len(self._cells):
            self._cells = np.concatenate((self._cells, np.empty(more, np.intp)))
            self._t_enter = np.concatenate((self._t_enter, np.empty(more)))
            self._t_exit = np.concatenate((self._t_exit, np.empty(more)))

    def _compact(self) -> None:
        """Drop the columns of rays with empty stacks, if these are at least half of all."""
        (columns,) = self._heights.nonzero()
        if 2 * len(columns) > len(self._rays):
            return
        levels = np.arange(self._heights.max(initial=0))[:, None]
        places = (levels * len(self._rays) + columns).ravel()
        self._cells, self._t_enter = self._cells[places], self._t_enter[places]
        self._t_exit = self._t_exit[places]
        self._rays, self._heights = self._rays[columns], self._heights[columns]
        self._postponed = np.zeros(len(columns), bool)
        self._columns[self._rays] = np.arange(len(columns))
