"""Pieces of triangles: faces, vertices and barycentric weights, made from polygons."""

from dataclasses import dataclass

import numpy as np

from .. import tuning
from ..arrays import Flags, Floats, Ids, blocks
from ..clash.components import component_steps
from ..passes import grouped_steps, taken_steps
from ..records import Record
from ..steps import Steps, between
from .cutting import IN_PIECES, Cutting
from .polygons import Polygons
from .triangulation import triangulated

# The triangle corner that lies on two edges, by the bits of the edges; else -1.
_CORNER = np.array([-1, -1, -1, 2, -1, 1, 0, -1])


@dataclass(frozen=True, eq=False)
class Pieces(Record):
    """Pieces of triangles that were cut at the walls of cells.

    Attributes
    ----------
    vertices : ndarray of float64, shape (v, 3)
        The vertices of the source, with their numbers, followed by new vertices on walls.
    faces : ndarray of intp, shape (f, 3)
        Three vertices each, oriented as the source; sorted by source triangle.
    cells : ndarray of intp, shape (f,)
        The cell of each piece; -1 beyond the root.
    triangles : ndarray of intp, shape (f,)
        The source triangle of each piece.
    weights : ndarray of float64, shape (f, 3, 3)
        Barycentric coordinates of each corner in its source: `weights[f, c]` are the shares of
        the source's three corners. A unit row for a corner of the source; exactly 0 for the
        source corner opposite an edge on which the corner lies; the sum is 1 within 2**-52.
    """

    vertices: Floats
    faces: Ids
    cells: Ids
    triangles: Ids
    weights: Floats


def piece_steps(cutting: Cutting, vertices: Floats, faces: Ids, whole: Flags) -> Steps[Pieces]:
    """Return the pieces of divided triangles, and the undivided triangles that `whole` flags.

    `vertices` (v, 3) and `faces` (n, 3) belong to the source. Yields the fraction done.
    """
    some = cutting.polygons
    yield 0.0
    corners, polygons = triangulated(some)
    yield 0.2
    numbers, points = yield from between(0.2, 0.6, _numbered(cutting, some, len(vertices), faces))
    source = np.where(numbers < len(vertices), numbers, -1)[corners]
    kept = _kept(some.places[corners], source, some.triangles[polygons])
    yield 0.65
    merging = _merged(numbers, some.places, corners[:, ~kept], len(vertices))
    numbers = yield from between(0.65, 0.7, merging)
    corners, polygons = corners[:, kept], polygons[kept]
    intact = (whole & (cutting.cells != IN_PIECES)).nonzero()[0]
    triangles = np.concatenate((intact, some.triangles[polygons]))
    order = np.argsort(triangles, kind="stable")
    weights = np.empty((len(triangles), 3, 3))
    yield 0.75
    for part in blocks(len(order), tuning.current.piece):
        which = order[part] - len(intact)
        weights[part] = np.eye(3)
        (cut,) = (which >= 0).nonzero()
        parts = some.weights[:, corners[:, which[cut]]]
        weights[part.start + cut] = _normal(parts).transpose(2, 1, 0)
        yield 0.75 + 0.15 * part.stop / len(order)
    cells = np.concatenate((cutting.cells[intact].astype(np.intp), some.cells[polygons]))
    yield 0.9
    made = np.concatenate((faces[intact], numbers[corners].T))
    used, compact = _compact(made, len(vertices), len(points))
    yield 0.92
    ordered = yield from between(0.92, 0.97, taken_steps(compact.T, order))
    yield 0.97
    points = np.concatenate((vertices, points[used]))
    return Pieces(points, ordered.T.copy(), cells[order], triangles[order], weights)


def _kept(places: Ids, source: Ids, triangles: Ids) -> Flags:
    """Flag the triangles to keep: triangles with three places, and a few that close gaps.

    A triangle with two different vertices of the `source` (-1: a new vertex) at one place is kept,
    because vertices of the source are never merged. Each source triangle keeps at least one.
    """
    following = np.roll(places, -1, axis=0)
    kept = (places != following).all(axis=0)
    (lost,) = (~kept).nonzero()
    ones, others = source[:, lost], np.roll(source[:, lost], -1, axis=0)
    joins = (ones >= 0) & (others >= 0) & (ones != others)
    kept[lost] = (joins & (places[:, lost] == following[:, lost])).any(axis=0)
    has_one = np.zeros(int(triangles.max(initial=-1)) + 1, bool)
    has_one[triangles[kept]] = True
    (lost,) = (~has_one[triangles]).nonzero()
    kept[lost[np.unique(triangles[lost], return_index=True)[1]]] = True
    return kept


def _normal(weights: Floats) -> Floats:
    """Return weights (3, ...) whose sum is 1: the largest is replaced by 1 minus the others."""
    largest = weights.argmax(axis=0)[None]
    others = weights.copy()
    np.put_along_axis(others, largest, 0.0, axis=0)
    np.put_along_axis(others, largest, 1.0 - (others[0] + others[1] + others[2])[None], axis=0)
    return others


def _numbered(
    cutting: Cutting, some: Polygons, count: int, faces: Ids
) -> Steps[tuple[Ids, Floats]]:
    """Return the vertex of each corner, and the points (k, 3) of new vertices, in steps.

    New vertices are numbered from `count` on. Triangles whose edges have the same two vertices
    share the new vertices on these edges; triangles with the same three vertices share the new
    vertices inside.
    """
    corner = _CORNER[some.edges]
    triangles = some.triangles[some.polygon_of_corner]
    numbers = np.where(corner >= 0, faces[triangles, corner], -1)
    (new,) = (corner < 0).nonzero()
    yield 0.2
    ends = faces[triangles[new]].T.copy()
    for opposite in range(3):
        ends[opposite, some.edges[new] == 1 << opposite] = -1
    ends.sort(axis=0)
    keys = np.stack((some.places[new], *ends))
    yield 0.5
    order, is_first = yield from between(0.5, 1.0, grouped_steps(keys))
    numbers[new[order]] = count + np.cumsum(is_first) - 1
    return numbers, cutting.places.rows[:, keys[0, order[is_first]]].T


def _merged(numbers: Ids, places: Ids, dropped: Ids, count: int) -> Steps[Ids]:
    """Merge vertices of dropped triangles at one place; return the vertex of each corner.

    The vertices of the source, below `count`, keep their numbers. Yields the fraction done.
    """
    ones, others = dropped.ravel(), np.roll(dropped, -1, axis=0).ravel()
    pairs = np.stack((numbers[ones], numbers[others]))
    is_one = (places[ones] == places[others]) & (pairs[0] != pairs[1]) & (pairs.max(0) >= count)
    yield 0.2
    labels = yield from component_steps(int(numbers.max(initial=count)) + 1, *pairs[:, is_one])
    labels[:count] = np.arange(count)
    return labels[numbers]


def _compact(faces: Ids, count: int, more: int) -> tuple[Ids, Ids]:
    """Return the new vertices that faces use, and the faces, renumbered without the others."""
    is_used = np.zeros(count + more, bool)
    is_used[faces] = is_used[:count] = True
    return is_used[count:].nonzero()[0], (np.cumsum(is_used) - 1)[faces]
