"""Nearest placements of placements: a first sample limits the distance, a query finds the rest.

The placements whose boxes are nearest to the middle of a placement are measured first. Any closer
placement has a box that overlaps the placement's box grown by the largest distance measured
(branch and bound over two levels).
"""

from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Floats, Ids, distinct
from ..boxes import boxes_grown
from ..checks import ALL_GROUPS
from ..clash.bands import unusual_scale
from ..clash.rules import moment_of
from ..clash.sides import in_order
from ..construction import build_octree
from ..nearby import nearest
from ..octree import Octree
from ..records import Columns
from ..rounds import first_of_each
from ..scene import SceneOctree
from ..scene.dual_walk import Surfaces
from ..scene.moment import Moment
from ..scene.placements import GAP_ROUNDING
from ..shapes import Boxes
from ..steps import Steps, ascending, at_once, between
from ..volumes import query
from .gaps import gaps_between
from .surface_distances import touching_pairs

# Queries in one batch.
_TOGETHER = 4_096


def nearest_objects_steps(
    scene: SceneOctree,
    ids: ArrayLike,
    /,
    *,
    count: SupportsIndex = 1,
    against: ArrayLike | None = None,
    groups: SupportsIndex = ALL_GROUPS,
) -> Steps[Ids]:
    """Find the placements whose surfaces are nearest to those of some placements, in steps.

    Parameters
    ----------
    scene : SceneOctree
        Placed meshes.
    ids : array_like of int, shape (n,)
        Placements.
    count : int
        Number of neighbors for each placement.
    against : array_like of int, shape (k,), optional
        The placements that may be found; by default all. A placement never finds itself.
    groups : int
        A 32-bit mask; placements whose own mask shares no bit with it are ignored.

    Returns
    -------
    generator of ndarray of intp, shape (n, count)
        Ids of the nearest placements, sorted by distance, as `distances` measures it, then by id;
        -1 if there are fewer, or if the placement itself is empty or ignored. No ids give
        (0, count).

    Raises
    ------
    ValueError
        If this is no scene, a placement is unknown or removed, `count` is no whole number from 1
        on, or `groups` is no mask.
    RuntimeError
        At a step, if the scene has changed since the call.

    Notes
    -----
    O(placements + measured pairs). If placements have similar sizes, each measures few pairs
    beyond its `count` nearest ones.
    """
    moment = moment_of(scene, groups)
    rows = moment.placements.rows_of(ids)
    many = checks.whole_number("count", count, 1)
    checks.room("count", many, len(rows), many)
    (others,) = moment.placements.is_there.nonzero()
    if against is not None:
        others = np.intersect1d(others, moment.placements.rows_of(against, name="against"))
    return moment.as_long_as_current(ascending(_nearest(moment, rows, others, many)))


nearest_objects = at_once(nearest_objects_steps)


@dataclass(frozen=True)
class _Measured(Columns):
    """Pairs of a query and a row, and their distances."""

    queries: Ids
    rows: Ids
    lengths: Floats

    def best(self, count: int) -> "_Measured":
        """Return the `count` nearest rows of each query, sorted by query, distance and row."""
        found = self[np.isfinite(self.lengths)]
        found = found[np.lexsort((found.rows, found.lengths, found.queries))]
        return found[first_of_each(found.queries, count)]


def _nearest(moment: Moment, rows: Ids, others: Ids, count: int) -> Steps[Ids]:
    answer = np.full((len(rows), count), -1)
    if len(others) == 0:
        return answer
    moment = moment.scaled(unusual_scale(moment.placements.boxes))
    tree = build_octree(Boxes.from_rows(moment.placements.boxes[:, others]))
    (asked,) = moment.placements.is_there[rows].nonzero()
    for first in range(0, len(asked), _TOGETHER):
        some = asked[first : first + _TOGETHER]
        steps = _of_some(moment, rows[some], tree, others, count)
        stop = min(first + _TOGETHER, len(asked))
        best = yield from between(first / len(asked), stop / len(asked), steps)
        ranks = np.arange(len(best)) - np.searchsorted(best.queries, best.queries)
        answer[some[best.queries], ranks] = moment.placements.ids[best.rows]
    return answer


def _of_some(moment: Moment, rows: Ids, tree: Octree, others: Ids, count: int) -> Steps[_Measured]:
    """Return the nearest `others`, whose boxes are in the tree, of each placement in rows."""
    boxes = moment.placements.boxes[:, rows]
    middles = ((boxes[:3] + boxes[3:]) / 2).T
    found = nearest(tree, middles, count=min(count + 1, len(others))).items
    queries = np.repeat(np.arange(len(rows)), found.shape[1])
    near = others[found.ravel()]
    apart = near != rows[queries]
    queries, near = queries[apart], near[apart]
    nowhere = np.full(len(queries), np.inf)
    known = yield from between(0.0, 0.5, _measured(moment, rows, queries, near, nowhere))
    limits = _limits(known, len(rows), count)
    (left,) = np.isfinite(limits).nonzero()  # an infinite limit: all others are measured already
    reach = limits[left] * (1 + GAP_ROUNDING)
    which, items = query(tree, Boxes.from_rows(boxes_grown(boxes[:, left], reach)))
    queries, near = left[which], others[items]
    seen = np.isin(queries * len(moment) + near, known.queries * len(moment) + known.rows)
    new = ~seen & (near != rows[queries])
    queries, near = queries[new], near[new]
    steps = _measured(moment, rows, queries, near, limits[queries])
    more = yield from between(0.5, 1.0, steps)
    return _Measured.joined((known, more)).best(count)


def _limits(known: _Measured, queries: int, count: int) -> Floats:
    """Return the distance of the `count`-th nearest row of each query, infinite if fewer."""
    best = known.best(count)
    counts = np.bincount(best.queries, minlength=queries)
    farthest = np.zeros(queries)
    np.maximum.at(farthest, best.queries, best.lengths)
    return np.where(counts == count, farthest, np.inf)


def _measured(
    moment: Moment, rows: Ids, queries: Ids, near: Ids, limits: Floats
) -> Steps[_Measured]:
    """Return the distances of queries from nearby rows; infinite beyond the limits."""
    met = in_order(moment, np.stack((rows[queries], near)))
    lengths = np.zeros(len(queries))
    touched = yield from between(0.0, 0.4, touching_pairs(moment, met))
    (some,) = (~touched).nonzero()
    if len(some):
        meshes = distinct(moment.placements.meshes[met[:, some]])
        side = Surfaces(moment, (yield from between(0.4, 0.5, moment.meshes.pool(meshes))))
        steps = gaps_between(side, met[:, some], limits[some])
        lengths[some] = (yield from between(0.5, 1.0, steps)).lengths
    return _Measured(queries, near, lengths)
