"""The walk of rays through the cells, front to back or back to front.

Rays go down together, like the volumes of `descend`, but each looks at its nearest cell first. The
others wait on its stack, and are dropped if something nearer was found in the meantime. A ray that
has come to items waits until about as many rays wait as move, so that items are looked at in few,
large batches. Few rays do not wait but go on, although they may go too far.
"""

from collections.abc import Iterator

import numpy as np

from ..arrays import Floats, Ids, blocks, radix_argsort
from ..classify import CROSSING, OUTSIDE, UNVISITED, States
from ..descend import occupied_children
from ..octree import Octree
from .crossings import Rays
from .slabs import RaySlabs
from .stacks import Front, Stacks

# Pairs of ray and cell that are computed together: eight children take a few hundred bytes.
_BLOCK = 8_192


def walk(
    tree: Octree,
    rays: Rays,
    limits: Floats,
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
        The questions, q of them.
    limits : ndarray of float64, shape (q,)
        The distances beyond which a ray wants no more cells. The caller may lower them while the
        walk goes on; below 0 the ray is done.
    backwards : bool
        Farthest cells first.
    states : ndarray of uint8, shape (m,), optional
        To be told what becomes of each cell: CROSSING where a ray looks at it, OUTSIDE where it
        passes by. What it has not come to when it is done is not touched, nor what is empty.

    Yields
    ------
    numbers, cells : ndarray of intp, shape (k,)
        Rays, ascending, and the next cells that they look at.
    """
    planes = RaySlabs.of(tree, rays, traced=states is not None)
    stacks = Stacks(len(rays), nearest_on_top=not backwards)
    # A trace asks which cells rays cross, even where a hit beyond the root stops them before.
    roots = planes.roots(limits if states is None else rays.limits)
    stacks.put(roots)
    if states is not None:
        states[0] = UNVISITED if len(roots) else OUTSIDE
    waiting: list[Front] = []
    held = 0
    while len(taken := stacks.take()) or waiting:
        front = taken.where(taken.entries <= limits.take(taken.numbers))
        inner = front.where(tree.child_masks.take(front.cells) > 0)
        # What is looked at first is put on top last.
        for some in [*blocks(len(inner), _BLOCK)][::-1]:
            below = planes.children(inner[some], limits)
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
            stacks.wait(holding.numbers)
        if waiting and held >= len(front):
            yield _together(waiting)
            waiting, held = [], 0
            stacks.call()


def _together(fronts: list[Front]) -> tuple[Ids, Ids]:
    """Return the rays, ascending, and the cells of all fronts."""
    numbers = np.concatenate([front.numbers for front in fronts])
    cells = np.concatenate([front.cells for front in fronts])
    order = radix_argsort(numbers, int(numbers.max()).bit_length())
    return numbers[order], cells[order]
