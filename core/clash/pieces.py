"""Pieces of surfaces, each wholly inside, outside or on the surface of another solid.

A triangle changes from one side of a surface to the other only where it meets the surface. So a
triangle is divided by the planes of all triangles in contact, and by the edges of coplanar ones
(`cutting`). A connected set of triangles without contact lies on one side.

A row is the position of a placement in the snapshot, an entry the position of a triangle in the
pool.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, blocks, cross, dot, unit_vectors
from ..boxes import bounds_of_points, boxes_meet
from ..records import Columns
from ..scene.moment import Moment
from ..scene.pool import Pool
from ..steps import Steps

# Parts of surfaces per step.
_PLACED = 32_768


@dataclass(frozen=True)
class SurfaceParts(Columns):
    """Parts of surfaces: triangles (9, n), each with a solid in which it may lie, (n,).

    `entries` are the whole triangles of the parts. `uniform` flags parts wholly on one side of the
    solid's surface.
    """

    corners: Floats
    solids: Ids
    entries: Ids
    uniform: Flags


def triangles_in_boxes(
    moment: Moment, pool: Pool, rows: Ids, boxes: Floats
) -> Steps[SurfaceParts]:
    """Return the triangles placed in `rows`, (b,), that reach into boxes (6, b).

    Triangles are sorted by box, then by number; `solids` are the numbers of the boxes.
    """
    nodes, solids = pool.nodes, np.arange(len(rows))
    found = nodes.roots[moment.placements.meshes[rows]]
    while True:
        parts = []
        for some in blocks(len(found), _PLACED):
            here = nodes.boxes.take(found[some], axis=1)
            bounds = moment.placements.boxes_around(rows[solids[some]], here)
            (near,) = boxes_meet(bounds, boxes[:, solids[some]]).nonzero()
            parts.append(some.start + near)
            yield 0.3
        left = np.concatenate([np.empty(0, np.intp), *parts])
        solids, found = solids[left], found[left]
        if nodes.are_leaves(found):
            break
        of_which, found = nodes.children(found)
        solids = solids[of_which]
    of_which, entries = nodes.entries(found)
    solids = solids[of_which]
    kept, corners = [np.empty(0, np.intp)], [np.empty((9, 0))]
    for some in blocks(len(entries), _PLACED):
        placed = moment.placed(pool, entries[some], rows[solids[some]]).rows
        bounds = bounds_of_points(placed.reshape(3, 3, -1))
        (reached,) = boxes_meet(bounds, boxes[:, solids[some]]).nonzero()
        kept.append(some.start + reached)
        corners.append(placed[:, reached])
        yield 0.8
    left = np.concatenate(kept)
    order = np.lexsort((pool.order[entries[left]], solids[left]))
    left = left[order]
    everywhere = np.concatenate(corners, axis=1)[:, order]
    return SurfaceParts(everywhere, solids[left], entries[left], np.ones(len(left), bool))


def plane_through(corners: Floats, number: int) -> tuple[Floats, Floats]:
    """Return the unit normals and heights of planes of triangles (9, n).

    If `number` is 3, the plane is that of the triangle itself; if it is less, the plane goes
    through this edge and is perpendicular to the triangle.
    """
    points = corners.reshape(3, 3, -1)
    normal = cross(points[1] - points[0], points[2] - points[0])
    start = points[number % 3]
    if number < 3:
        normal = cross(normal, points[(number + 1) % 3] - start)
    normal = unit_vectors(normal)
    return normal, dot(normal, start)


def cut(
    corners: Floats, normals: Floats, heights: Floats, wanted: Flags, through: float
) -> tuple[Floats, Ids]:
    """Return the parts of triangles (9, n), divided by planes if `wanted`, and their triangles."""
    points = corners.reshape(3, 3, -1)
    sides = np.stack([dot(normals, point) - heights for point in points])
    sides[np.abs(sides) <= through] = 0.0
    signs = np.sign(sides)
    (some,) = (wanted & (signs.max(axis=0) > 0) & (signs.min(axis=0) < 0)).nonzero()
    whole = np.ones(corners.shape[1], bool)
    whole[some] = False
    (kept,) = whole.nonzero()
    signs, sides, points = signs[:, some], sides[:, some], points[:, :, some]
    # The single corner on its side of the plane comes first.
    total = signs.sum(axis=0)
    alone = np.where(total == 0, signs == 1, signs == -np.sign(total)).argmax(axis=0)
    turn, each = (alone + np.arange(3)[:, None]) % 3, np.arange(len(some))
    first, second, third = (points[row, :, each].T for row in turn)
    a, b, c = (sides[row, each] for row in turn)
    one = first + a / (a - b) * (second - first)
    other = first + a / (a - c) * (third - first)
    tip = np.concatenate((first, one, other))
    base = np.concatenate((one, second, third))
    (quad,) = (c != 0).nonzero()
    rest = np.concatenate((one, third, other))[:, quad]
    parts = np.concatenate((corners[:, kept], tip, base, rest), axis=1)
    return parts, np.concatenate((kept, some, some, some[quad]))
