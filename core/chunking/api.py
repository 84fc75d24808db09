"""Chunks of a scene: its triangles cut at the walls of cells, or assigned to them, by a budget."""

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
# The least edge of cells by default, as a part of the edge that is asked for.
_LEAST = 0.25
SPLITS = {"octree": (0, 1, 2), "quadtree": (0, 1)}


@dataclass(frozen=True, eq=False)
class Chunks(Record):
    """Cells that hold triangles, c of them in Morton order, and what each holds.

    Attributes
    ----------
    cell : float
        The edge that all others are powers of two times of.
    root_lower : ndarray of float64, shape (3,)
        The root's lower corner: on each axis a whole multiple of half its edge.
    root_size : float
        The root's edge.
    lower, upper : ndarray of float64, shape (c, 3)
        The cells. A quadtree's are as high as the root.
    depths : ndarray of intp, shape (c,)
        How often the root was divided.
    codes : ndarray of int64, shape (c,)
        Morton codes within the root, behind a leading one: unique.
    levels : ndarray of intp, shape (c,)
        Edges are `cell * 2**level`.
    coordinates : ndarray of int64, shape (c, 3)
        Lower corners in edges from the world's origin. With the level they name a cell whatever
        the root. (Of the root itself they are rounded down.)
    counts : ndarray of intp, shape (c,)
        The triangles of each, whole ones and pieces.
    totals : ndarray of float64, shape (c,)
        What was counted against the budget.
    is_over : ndarray of bool, shape (c,)
        Which hold more than the budget: they could not be divided any further.
    neighbors : ndarray of intp, shape (3, h)
        Chunk, side (0 to 5: -x, +x, -y, +y, -z, +z) and the chunk on that side; sorted. A large
        one has several smaller ones on a side.
    cells : ndarray of intp, shape (n,)
        The chunk of each triangle that is in one piece; -1 for those in pieces and invalid ones.
    pieces : Pieces
        The pieces of the others; `pieces.cells` are chunks, and `pieces.vertices` begin with the
        vertices given.
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
    """Divide a scene into cells by a budget, and cut its triangles at their walls, in steps.

    Parameters
    ----------
    triangles : Triangles
        n triangles of the whole scene, in its space. Those that are not finite, or name a vertex
        twice, are in no chunk; nor are pieces with two equal corners.
    cell : float
        The edge of a cell in scene units. All edges are powers of two times it, and all walls
        whole multiples of edges: what moves elsewhere shifts none. The root is the least cube of
        an edge `cell * 2**k`, k from 0 on, whose corner is a whole multiple of half that edge
        from the origin.
    budget : float
        A cell that holds more than this is divided. With 0, and a `least_size`, all cells that
        hold anything are of the least size.
    counted : {"triangles", "objects", "weights"}
        What the budget counts: triangles, pieces included; owners; or `weights`, of which pieces
        have parts by area.
    split : {"octree", "quadtree"}
        Whether cells are divided into eight, or into four, which are as high as the root.
    least_triangles : int
        A cell with at most so many triangles is not divided.
    least_size : float
        A cell whose children would have a shorter edge is not divided; scene units. By default a
        quarter of `cell`: where more triangles meet than the budget allows, cells would shrink
        without end. No cell is divided more than 20 times.
    owners : array_like of int, shape (n,), optional
        The object of each triangle, 0 to o - 1; all of one by default.
    modes : array_like of int, shape (o,), optional
        What becomes of an object at walls. 0: its triangles are cut (default). 1: each triangle
        is in the cell of its centroid. 2: all are in the cell of the center of its bounds.
    weights : array_like of float, shape (n,), optional
        What each triangle counts, such as texels; not negative.
    bounds : Boxes, optional
        One box that the root holds, too: that of a scene of which these triangles are a part, so
        that cells are those of the scene.

    Returns
    -------
    generator of Chunks
        The cells that hold triangles. No triangles give none. O(n) for each depth; with chunks of
        some thousands about as long as `build_octree`, and ten million triangles within three
        gigabytes.

    Raises
    ------
    ValueError
        At the call, if an option is unknown or out of range, lengths differ, or neither a budget
        nor a least size would end the division; at a step, if cells are too small to be counted.

    Notes
    -----
    What is over the budget and can be divided no further is named, `is_over`: where divisions
    separate nothing, as where more triangles share a point than the budget allows.

    Cuts are those of `clip`: one vertex for each crossed edge and wall, no vertex inside an edge
    of another piece, whatever the depths of cells. They do not depend on the order of triangles,
    and scaled by a power of two, `cell` and `least_size`, too, chunks are the same.
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
    """Return which triangles (3, n) have three different vertices, (n,)."""
    flags: Flags = (corners != corners[[1, 2, 0]]).all(axis=0)
    return flags


def _sound(pieces: Pieces) -> Pieces:
    """Return pieces without those of flat triangles whose corners a wall has made one."""
    flags = _are_faces(pieces.faces.T)
    if flags.all():
        return pieces
    rows = {name: getattr(pieces, name) for name in ("faces", "cells", "triangles", "weights")}
    return replace(pieces, **{name: each[flags] for name, each in rows.items()})


def _bounds(cutting: Cutting, valid: Flags, also: Boxes | None) -> tuple[Floats, Floats]:
    """Return the bounds of valid triangles and of a box; the origin without any."""
    which = True if valid.all() else valid  # NumPy is slow where it has to choose
    lower = np.min(cutting.lower, axis=1, where=which, initial=np.inf)
    upper = np.max(cutting.upper, axis=1, where=which, initial=-np.inf)
    if also is not None:
        return np.minimum(lower, also.lower[0]), np.maximum(upper, also.upper[0])
    return (lower, upper) if valid.any() else (np.zeros(3), np.zeros(3))


def _stand_for(cutting: Cutting, owners: Ids, modes: Ids, valid: Flags) -> Steps[None]:
    """Let points stand for triangles that are never cut; yields the fraction done."""
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
    """Describe the cells that hold something, in Morton order; yields the fraction done."""
    chunks, whole = divided.chunks, cutting.cells
    # What is outside, or in pieces, is counted first.
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
