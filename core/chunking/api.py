"""Chunks of a scene: triangles cut at the walls of budgeted cells, or assigned to cells."""

from dataclasses import dataclass, replace
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tuning
from ..arrays import Flags, Floats, Ids, blocks, ranks_of
from ..boxes import bounds_by_owner
from ..clipping.cutting import Cutting
from ..clipping.pieces import Pieces, piece_steps
from ..options import one_box
from ..records import Record
from ..shapes import Boxes, Triangles
from ..steps import Steps, ascending, at_once, between
from .budget import COUNTED, TRIANGLES, Budget, Divided, divide_by_budget
from .lattice import Lattice

CUT, ASSIGN, KEEP = 0, 1, 2
# Default of `least_size`, as a part of `cell`.
_LEAST = 0.25
SPLITS = {"octree": (0, 1, 2), "quadtree": (0, 1)}


@dataclass(frozen=True, eq=False)
class Chunks(Record):
    """The c cells that hold triangles, in Morton order, and their content.

    Attributes
    ----------
    cell : float
        The base edge: all edges are powers of two times this one.
    root_lower : ndarray of float64, shape (3,)
        The root's lower corner: on each axis a whole multiple of half the root's edge.
    root_size : float
        The root's edge.
    lower, upper : ndarray of float64, shape (c, 3)
        Lower and upper corners of the cells. Cells of a quadtree are as high as the root.
    depths : ndarray of intp, shape (c,)
        Number of divisions between the root and each cell.
    codes : ndarray of int64, shape (c,)
        Unique Morton codes within the root, behind a leading one.
    levels : ndarray of intp, shape (c,)
        Levels of the cells: the edges are `cell * 2**level`.
    coordinates : ndarray of int64, shape (c, 3)
        Lower corners, counted in edges of the cell from the world's origin. Level and coordinates
        identify a cell, whatever the root. (Coordinates of the root itself are rounded down.)
    counts : ndarray of intp, shape (c,)
        Number of triangles in each cell: whole triangles and pieces.
    totals : ndarray of float64, shape (c,)
        Totals counted against the budget: triangles, objects or weights.
    is_over : ndarray of bool, shape (c,)
        True for cells over the budget, which could not be divided any further.
    neighbors : ndarray of intp, shape (3, h)
        Chunk, side (0 to 5: -x, +x, -y, +y, -z, +z) and the chunk on that side; sorted. A large
        chunk may have several smaller chunks on one side.
    cells : ndarray of intp, shape (n,)
        The chunk of each whole triangle; -1 for triangles in pieces and for invalid triangles.
    pieces : Pieces
        The pieces of cut triangles; `pieces.cells` are chunks, and `pieces.vertices` begin with
        the given vertices.
    """

    cell: float
    root_lower: Floats
    root_size: float
    lower: Floats
    upper: Floats
    depths: Ids
    codes: Ids
    levels: Ids
    coordinates: Ids
    counts: Ids
    totals: Floats
    is_over: Flags
    neighbors: Ids
    cells: Ids
    pieces: Pieces


def chunks_steps(
    triangles: Triangles,
    /,
    *,
    cell: float = 1.0,
    budget: float = 50_000,
    counted: str = TRIANGLES,
    split: str = "octree",
    least_triangles: SupportsIndex = 0,
    least_size: float | None = None,
    owners: ArrayLike | None = None,
    modes: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    bounds: Boxes | None = None,
) -> Steps[Chunks]:
    """Divide a scene into cells by a budget, and cut its triangles at the walls, in steps.

    Parameters
    ----------
    triangles : Triangles
        n triangles of the whole scene, in its space. Triangles that are not finite, or name a
        vertex twice, are in no chunk; nor are pieces with two equal corners.
    cell : float
        The base edge of cells in scene units. All edges are powers of two times this edge, and
        all walls lie at whole multiples of edges, so objects that move elsewhere shift no walls.
        The root is the smallest cube around the scene with an edge of `cell * 2**k`, k >= 0, and
        its corner at a whole multiple of half that edge from the origin.
    budget : float
        A cell that holds more than this is divided. With a budget of 0 and a `least_size`, all
        cells that hold triangles have the least size.
    counted : {"triangles", "objects", "weights"}
        Quantity counted against the budget: triangles, pieces included; distinct owners; or
        `weights`, which the pieces of a triangle share by area.
    split : {"octree", "quadtree"}
        Whether cells are divided into eight, or into four that are as high as the root.
    least_triangles : int
        A cell with at most this number of triangles is not divided.
    least_size : float
        A cell whose children would have a shorter edge is not divided; scene units. By default a
        quarter of `cell`, because cells would shrink without end around a point in which more
        triangles meet than the budget allows. No cell is divided more than 20 times.
    owners : array_like of int, shape (n,), optional
        The object of each triangle, 0 to o - 1; by default all belong to one object.
    modes : array_like of int, shape (o,), optional
        Treatment of each object at walls. 0: its triangles are cut (default). 1: each triangle
        is in the cell of its centroid. 2: all triangles of the object are in the cell of the
        center of the object's bounds.
    weights : array_like of float, shape (n,), optional
        The weight of each triangle, such as its texels; not negative.
    bounds : Boxes, optional
        One box that the root also holds. If the triangles are a part of a scene, the bounds of
        the scene make the cells those of the scene.

    Returns
    -------
    generator of Chunks
        The cells that hold triangles; no triangles give no cells. O(n) for each depth. With some
        thousand triangles a chunk it takes about as long as `build_octree`; ten million triangles
        need at most three gigabytes.

    Raises
    ------
    ValueError
        At the call, if an option is unknown or out of range, if lengths differ, or if neither a
        budget nor a least size would end the division; at a step, if `cell` is too small for the
        extent of the scene.

    Notes
    -----
    `is_over` flags the cells over the budget that cannot be divided further, for example because
    more triangles share a point than the budget allows.

    Cuts are those of `clip`: one vertex for each crossed edge and wall, and no vertex inside an
    edge of another piece, whatever the depths of their cells. Cuts do not depend on the order of
    triangles. Scaling the scene, `cell` and `least_size` by one power of two scales the chunks
    and changes nothing else.
    """
    checks.kind("triangles", triangles, (Triangles,))
    count = len(triangles)
    edge = checks.number("cell", cell, 0.0)
    if edge == 0:
        raise ValueError(f"cell must be more than 0, got {cell!r}")
    objects = np.zeros(count, np.intp)
    if owners is not None:
        objects = checks.one_each("owners", owners, count)
    wanted = np.zeros(int(objects.max(initial=0)) + 1, np.intp)
    if modes is not None:
        wanted = checks.numbers("modes", modes, 3)
        if len(wanted) <= objects.max(initial=-1):
            raise ValueError(f"modes must be one for each owner, got {wanted.shape}")
    each = np.ones(count)
    if weights is not None:
        each = checks.number_or_floats("weights", weights, count)
        checks.same_length("triangles and weights", objects, each)
        checks.every_row("weights", "be finite", np.isfinite(each), each)
    limits = Budget(
        checks.number("budget", budget, 0.0),
        checks.choice("counted", counted, COUNTED),
        objects,
        each,
        checks.whole_number("least_triangles", least_triangles, 0),
        _LEAST * edge if least_size is None else checks.number("least_size", least_size, 0.0),
    )
    if limits.most == 0 and not least_size:
        raise ValueError(f"least_size must be more than 0 with no budget, got {least_size!r}")
    axes = SPLITS[checks.choice("split", split, tuple(SPLITS))]
    return ascending(_steps(triangles, edge, axes, limits, wanted, one_box(bounds)))


chunks = at_once(chunks_steps)


def _steps(
    triangles: Triangles,
    cell: float,
    axes: tuple[int, ...],
    budget: Budget,
    modes: Ids,
    bounds: Boxes | None,
) -> Steps[Chunks]:
    vertices, faces = triangles.vertices, triangles.faces
    rows = np.ascontiguousarray(vertices.T)
    yield 0.01
    corners = np.ascontiguousarray(faces.T)
    yield 0.02
    known = np.isfinite(rows).all(axis=0)
    if known.all():
        valid, points = np.ones(len(faces), bool), rows
    else:
        valid, points = known[corners].all(axis=0), np.where(known, rows, 0.0)
    valid &= _are_faces(corners)
    yield 0.05
    cuttable = modes[budget.owners] == CUT
    beginning = Cutting.steps(points, corners, valid)
    cutting = yield from between(0.05, 0.2, beginning)
    yield 0.2
    lower, upper = _bounds(cutting, valid, bounds)
    yield 0.2
    if not cuttable.all():
        standing = _stand_for(cutting, budget.owners, modes, valid)
        yield from between(0.2, 0.25, standing)
    lattice = Lattice.around(lower, upper, cell)
    dividing = divide_by_budget(cutting, lattice, axes, budget, cuttable & valid)
    divided = yield from between(0.25, 0.85, dividing)
    making = piece_steps(cutting, vertices, faces, np.zeros(len(faces), bool))
    pieces = yield from between(0.85, 0.95, making)
    pieces = _sound(pieces)
    yield 0.95
    describing = _chunks(lattice, divided, cutting, pieces, budget.most)
    return (yield from between(0.95, 1.0, describing))


def _are_faces(corners: Ids) -> Flags:
    """Flag the triangles (3, n) with three different vertices, (n,)."""
    flags: Flags = (corners != corners[[1, 2, 0]]).all(axis=0)
    return flags


def _sound(pieces: Pieces) -> Pieces:
    """Remove the pieces that name a vertex twice, because a wall merged two of their corners."""
    flags = _are_faces(pieces.faces.T)
    if flags.all():
        return pieces
    rows = {name: getattr(pieces, name) for name in ("faces", "cells", "triangles", "weights")}
    return replace(pieces, **{name: each[flags] for name, each in rows.items()})


def _bounds(cutting: Cutting, valid: Flags, also: Boxes | None) -> tuple[Floats, Floats]:
    """Return the bounds of valid triangles and a box; the origin if there are neither."""
    which = True if valid.all() else valid  # reductions with a mask are slow
    lower = np.min(cutting.lower, axis=1, where=which, initial=np.inf)
    upper = np.max(cutting.upper, axis=1, where=which, initial=-np.inf)
    if also is not None:
        return np.minimum(lower, also.lower[0]), np.maximum(upper, also.upper[0])
    return (lower, upper) if valid.any() else (np.zeros(3), np.zeros(3))


def _stand_for(cutting: Cutting, owners: Ids, modes: Ids, valid: Flags) -> Steps[None]:
    """Replace the bounds of triangles that are never cut by points; yields the fraction done."""
    which = modes[owners]
    for some in blocks(len(owners), tuning.current.piece):
        (ids,) = (which[some] == ASSIGN).nonzero()
        ids += some.start
        for axis, row in enumerate(cutting.places.rows):
            first, second, third = row.take(cutting.faces[:, ids], mode="clip")
            cutting.lower[axis, ids] = cutting.upper[axis, ids] = (first + second + third) / 3
        yield some.stop / len(owners)
    (kept,) = ((which == KEEP) & valid).nonzero()
    of = owners[kept]
    around = bounds_by_owner(cutting.lower[:, kept], cutting.upper[:, kept], of, len(modes))
    centers = around[:3, of] / 2 + around[3:, of] / 2
    cutting.lower[:, kept] = cutting.upper[:, kept] = centers


def _chunks(
    lattice: Lattice, divided: Divided, cutting: Cutting, pieces: Pieces, most: float
) -> Steps[Chunks]:
    """Return the cells that hold triangles, in Morton order; yields the fraction done."""
    chunks, whole = divided.chunks, cutting.cells
    # The first two bins count the triangles in pieces and outside.
    counts = np.bincount(whole + 2, minlength=len(chunks) + 2)[2:]
    yield 0.0
    counts += np.bincount(pieces.cells, minlength=len(chunks))
    (leaves,) = counts.nonzero()
    order = np.argsort(divided.cells[chunks[leaves]].firsts(), kind="stable")
    leaves = leaves[order]
    ranks = ranks_of(len(chunks), leaves)
    cells = divided.cells[chunks[leaves]]
    lower, upper = cells.bounds
    neighbors = yield from cells.neighbor_steps()
    pieces.cells[:] = ranks[pieces.cells]
    yield 1.0
    return Chunks(
        cell=lattice.cell,
        root_lower=lattice.lower,
        root_size=lattice.size,
        lower=lower.T,
        upper=upper.T,
        depths=cells.depths,
        codes=cells.codes,
        levels=cells.levels,
        coordinates=cells.coordinates.T,
        counts=counts[leaves],
        totals=divided.totals[leaves],
        is_over=divided.totals[leaves] > most,
        neighbors=neighbors,
        cells=np.append(ranks, (-1, -1))[whole],
        pieces=pieces,
    )
