"""Ray traversal: the walk through the cells, front to back or back to front, with a stack a ray.

Rays descend together, like the volumes of `descend`, but each visits its nearest cell first. The
others wait on its stack, and are dropped if something nearer was found in the meantime. Leaves are
postponed: a ray that has come to items waits until about as many rays wait as move, so that items
are tested in few, large batches (T. Aila and S. Laine, "Understanding the Efficiency of Ray
Traversal on GPUs", 2009). Few rays do not wait but go on, although they may go too far.
"""

from collections.abc import Iterator

import numpy as np

from ..arrays import Floats, Ids, blocks, concatenated_ranges, radix_argsort
from ..classify import CROSSING, OUTSIDE, UNVISITED, States
from ..descend import occupied_children
from ..octree import Octree
from .rays import Rays
from .slabs import Front, RaySlabs

# Pairs of ray and cell that are computed together: eight children take a few hundred bytes.
_BLOCK = 8_192
# Rays take one cell at a time. Few rays take more, up to _MOST, and about _TOGETHER in all: a
# round costs more than to visit a cell too many.
_MOST, _TOGETHER = 16, 800
# Cells that there is room for on each stack at first.
_ROOM = 16


def walk(
    tree: Octree,
    rays: Rays,
    closest_so_far: Floats,
    *,
    backwards: bool = False,
    states: States | None = None,
) -> Iterator[tuple[Ids, Ids]]:
    """Walk down from the root with all rays, front to back or back to front.

    Parameters
    ----------
    tree : Octree
        The tree.
    rays : Rays
        The queries, q of them.
    closest_so_far : ndarray of float64, shape (q,)
        The distances beyond which a ray wants no more cells: the caller lowers them in place while
        the walk goes on; below 0 the ray is done.
    backwards : bool
        Farthest cells first.
    states : ndarray of uint8, shape (m,), optional
        Receives the state of each visited cell: CROSSING where a ray enters it, OUTSIDE where it
        passes by. Cells that it has not come to when it is done stay as they are, and empty ones.

    Yields
    ------
    numbers, cells : ndarray of intp, shape (k,)
        Rays, ascending, and the next cells that they visit.
    """
    slabs = RaySlabs.of(tree, rays, traced=states is not None)
    stacks = Stacks(len(rays), nearest_on_top=not backwards)
    # A trace asks which cells rays cross, even where a hit beyond the root stops them before.
    roots = slabs.roots(closest_so_far if states is None else rays.limits)
    stacks.put(roots)
    if states is not None:
        states[0] = UNVISITED if len(roots) else OUTSIDE
    waiting: list[Front] = []
    held = 0
    while len(taken := stacks.take()) or waiting:
        front = taken.where(taken.t_enter <= closest_so_far.take(taken.rays))
        inner = front.where(tree.child_masks.take(front.cells) > 0)
        # What is looked at first is put on top last.
        for some in [*blocks(len(inner), _BLOCK)][::-1]:
            below = slabs.children(inner[some], closest_so_far)
            stacks.put(below)
            if states is not None:
                states[occupied_children(tree, inner.cells[some])] = OUTSIDE
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
    """Return the rays, ascending, and the cells of all fronts."""
    rays = np.concatenate([front.rays for front in fronts])
    cells = np.concatenate([front.cells for front in fronts])
    order = radix_argsort(rays, int(rays.max()).bit_length())
    return rays[order], cells[order]


class Stacks:
    """A stack for each ray, empty at first; on top the nearest cell, or the farthest.

    The stacks stand side by side, level upon level: a row for each level, a column for each ray
    that still looks.
    """

    def __init__(self, rays: int, *, nearest_on_top: bool) -> None:
        self._nearest_on_top = nearest_on_top
        self._rays, self._columns = np.arange(rays), np.arange(rays)
        self._heights, self._postponed = np.zeros(rays, np.intp), np.zeros(rays, bool)
        self._few = False
        self._cells = np.empty(_ROOM * rays, np.intp)
        self._t_enter, self._t_exit = np.empty((2, _ROOM * rays))

    def put(self, front: Front) -> None:
        """Put the cells of each ray on its stack."""
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
        """Take from the top of the stacks: one cell for each ray, or more for few rays.

        Postponed rays get none. Nothing is left when none is postponed and nothing is taken.
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
        """Postpone these rays, each named once or more, until they resume; few go on."""
        if not self._few:
            self._postponed[self._columns[rays]] = True

    def resume(self) -> None:
        """Let the postponed rays go on."""
        self._postponed[:] = False

    def _make_room(self, size: int) -> None:
        more = max(size, 2 * len(self._cells)) - len(self._cells)
        if size > len(self._cells):
            self._cells = np.concatenate((self._cells, np.empty(more, np.intp)))
            self._t_enter = np.concatenate((self._t_enter, np.empty(more)))
            self._t_exit = np.concatenate((self._t_exit, np.empty(more)))

    def _compact(self) -> None:
        """Give columns only to rays that have cells, once half of the others are done."""
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
