"""Irregular edges: edges of an odd number of triangles, and inconsistently oriented edges.

A surface is closed if each edge has an even number of triangles (a cycle modulo 2). It is
consistently oriented if each edge is passed equally often in both directions (a cycle over the
integers): then the winding number of a point is the same along every ray.
"""

from dataclasses import dataclass

import numpy as np

from .. import tuning
from ..arrays import Flags, Ids, blocks, flagged, starts_of_runs
from ..passes import radix_argsort_steps, taken_steps
from ..records import Columns
from ..steps import Steps, between


@dataclass(frozen=True)
class Edges(Columns):
    """Irregular edges: both ends, (e,), flags of an odd number of triangles, (e,), turns, (e,).

    `turns` is the number of triangles that pass the edge from `low` to `high`, minus the number
    that pass it back.
    """

    low: Ids
    high: Ids
    is_odd: Flags
    turns: Ids

    def judged(self, labels: Ids) -> tuple[Flags, Flags]:
        """Flag the labels of vertices, (v,), with open edges, and with unbalanced edges, (v,)."""
        found = labels[self.low]
        open_ones = flagged(len(labels), found[self.is_odd])
        return open_ones, flagged(len(labels), found[self.turns != 0])


def irregular_edges(faces: Ids, vertices: int) -> Steps[Edges]:
    """Return the irregular edges of faces (3, n), with vertex numbers below `vertices`."""
    end, keys = 0, np.empty(faces.size, np.intp)
    for some in blocks(faces.shape[1], tuning.current.piece):
        for one, other in ((0, 1), (1, 2), (2, 0)):
            from_, to = faces[one, some], faces[other, some]
            made = np.minimum(from_, to) * vertices
            made += np.maximum(from_, to)
            made *= 2
            made += from_ < to
            proper = from_ != to
            start, end = end, end + np.count_nonzero(proper)
            keys[start:end] = made if end - start == len(made) else made[proper]
        yield 0.2 * some.stop / faces.shape[1]
    keys = keys[:end]
    sorting = radix_argsort_steps(keys, (2 * vertices * vertices).bit_length())
    order = yield from between(0.2, 0.8, sorting)
    keys = yield from between(0.8, 1.0, taken_steps(keys, order))
    # Opposite directions of one edge cancel in pairs; few keys are left.
    met, is_left = (keys[1:] ^ keys[:-1]) == 1, np.ones(end, bool)
    is_left[1:][met] = is_left[:-1][met] = False
    keys = keys[is_left]
    names, end = keys >> 1, len(keys)
    starts = starts_of_runs(names)
    sizes = np.diff(starts, append=end)
    turns = 2 * np.add.reduceat(keys & 1, starts) - sizes if end else sizes
    (some,) = ((sizes & 1 == 1) | (turns != 0)).nonzero()
    low, high = np.divmod(names[starts[some]], max(vertices, 1))
    return Edges(low, high, sizes[some] & 1 == 1, turns[some])


def sewn(edges: Edges, places: Ids) -> tuple[Ids, Edges]:
    """Return vertices to weld along coincident odd edges, (2, k), and the edges after welding.

    `places` (v,) are equal for vertices with equal coordinates. Welded edges count as one edge;
    edges without a length are dropped.
    """
    edges = edges[places[edges.low] != places[edges.high]]
    backwards = places[edges.low] > places[edges.high]
    first = np.where(backwards, edges.high, edges.low)
    last = np.where(backwards, edges.low, edges.high)
    turns = np.where(backwards, -edges.turns, edges.turns)
    keys = places[first] * len(places) + places[last]
    (rims,) = edges.is_odd.nonzero()
    rims = rims[np.argsort(keys[rims], kind="stable")]
    starts = starts_of_runs(keys[rims])
    follows = ~flagged(len(rims), starts)
    before, after = rims[:-1][follows[1:]], rims[follows]
    joins = np.stack([np.concatenate((first[each], last[each])) for each in (before, after)])
    sums = np.add.reduceat(turns[rims], starts) if len(rims) else turns[:0]
    is_odd = np.diff(starts, append=len(rims)) & 1 == 1
    sides = Edges(first[rims[starts]], last[rims[starts]], is_odd, sums)
    return joins, Edges.joined((edges[~edges.is_odd], sides))
