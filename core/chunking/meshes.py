"""Meshes of chunks: whole polygons, pieces of the others, and attributes of corners.

Attributes are interpolated by barycentric coordinates, once for each corner. On an edge, only the
edge's two ends have weight, so that the pieces on both sides get equal attributes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tuning
from ..arrays import Flags, Floats, Ids, blocks, concatenated_ranges, starts_of_runs
from ..records import Record
from .api import Chunks


@dataclass(frozen=True, eq=False)
class ChunkPolygons(Record):
    """Polygons of the meshes of chunks: q polygons with k corners in total.

    Attributes
    ----------
    polygons, cells : ndarray of intp, shape (q,)
        The source polygon and the chunk of each; sorted by chunk, then by source.
    is_whole : ndarray of bool, shape (q,)
        True for an undivided source polygon. The others are triangles: pieces, or whole triangles
        of a divided polygon.
    starts : ndarray of intp, shape (q + 1,)
        Corners of polygon i are `starts[i]` to `starts[i + 1] - 1`, in the source's order.
    vertices : ndarray of intp, shape (k,)
        The vertex of each corner: a number in `chunks.pieces.vertices`.
    sources : ndarray of intp, shape (k, 3)
        The three source corners between which each corner lies.
    weights : ndarray of float64, shape (k, 3)
        Weights of the three source corners: a unit row for a corner of the source; exactly 0 for
        the source corner opposite an edge on which the corner lies; the sum is 1 within 2**-52.
    edges : ndarray of intp, shape (k,)
        The source edge on which the edge from each corner to the next lies, named by the source
        corner where the source edge begins; -1 for an edge inside a source polygon.
    """

    polygons: Ids
    cells: Ids
    is_whole: Flags
    starts: Ids
    vertices: Ids
    sources: Ids
    weights: Floats
    edges: Ids


def chunk_polygons(
    chunks: Chunks,
    faces: ArrayLike,
    triangle_corners: ArrayLike,
    triangle_polygons: ArrayLike,
    polygon_starts: ArrayLike,
    /,
    *,
    triangulate: bool = False,
) -> ChunkPolygons:
    """Return the polygons of chunks: a polygon in one chunk stays whole, others give triangles.

    A polygon that names a vertex twice is divided into triangles, too; no returned polygon names
    a vertex twice.

    Parameters
    ----------
    chunks : Chunks
        Chunks of n triangles, into which p polygons were divided.
    faces : array_like of int, shape (n, 3)
        The vertices of the triangles, as given to `chunks`.
    triangle_corners : array_like of int, shape (n, 3)
        The polygon corner at each corner of each triangle.
    triangle_polygons : array_like of int, shape (n,)
        The polygon of each triangle.
    polygon_starts : array_like of int, shape (p + 1,)
        Corners of polygon i are `polygon_starts[i]` to `polygon_starts[i + 1] - 1`, in order.
    triangulate : bool, default False
        Whether to divide all polygons into triangles, so that no renderer divides them otherwise.

    Returns
    -------
    ChunkPolygons
        All polygons of all chunks, without triangles that are not finite. O(n log n).

    Raises
    ------
    ValueError
        If lengths differ, `polygon_starts` do not ascend from 0, or a vertex, corner or polygon
        number is out of range.
    """
    checks.kind("chunks", chunks, (Chunks,))
    starts = checks.numbers("polygon_starts", polygon_starts, checks.MOST)
    if len(starts) == 0 or starts[0] != 0 or (np.diff(starts) < 0).any():
        raise ValueError("polygon_starts must begin with 0 and ascend, got other numbers")
    points = checks.indices("faces", faces, 3, max(len(chunks.pieces.vertices), 1))
    corners = checks.indices("triangle_corners", triangle_corners, 3, max(int(starts[-1]), 1))
    of = checks.numbers("triangle_polygons", triangle_polygons, max(len(starts) - 1, 1))
    names = "chunks.cells, faces, triangle_corners and triangle_polygons"
    checks.same_length(names, chunks.cells, points, corners, of)
    vertex_of = np.zeros(int(starts[-1]), np.intp)
    vertex_of[corners] = points
    whole = np.full(len(starts) - 1, -1)
    if not checks.flag("triangulate", triangulate):
        whole = _whole_polygons(chunks.cells, of, len(starts) - 1)
        whole[_with_repeats(starts, vertex_of)] = -1
    alone = ((chunks.cells >= 0) & (whole[of] < 0)).nonzero()[0]
    return _sorted(
        [
            _of_polygons(whole, starts, vertex_of),
            _of_triangles(chunks, alone, corners, points, of, starts),
            _of_pieces(chunks, corners, of, starts),
        ]
    )


def interpolated(values: ArrayLike, sources: ArrayLike, weights: ArrayLike, /) -> Floats:
    """Return attributes of corners: weighted sums of the attributes of their sources.

    Parameters
    ----------
    values : array_like of float, shape (c, d)
        An attribute of source corners or vertices, with d components.
    sources : array_like of int, shape (k, 3)
        Three sources for each corner: `ChunkPolygons.sources`, or the vertices of these corners.
    weights : array_like of float, shape (k, 3)
        The weight of each source. Attributes of sources with a weight of 0 are ignored, NaN
        included.

    Returns
    -------
    ndarray of float64, shape (k, d)
        The attribute of each corner; exactly the attribute of a source whose weight is 1 while
        the others are 0. No corners give (0, d).

    Raises
    ------
    ValueError
        If shapes differ, or a source is out of range.
    """
    given = checks.array("values", values)
    width = given.shape[1] if given.ndim == 2 else -1
    if width < 0:
        raise ValueError(f"values must have shape (c, d), got {given.shape}")
    rows = checks.floats("values", given, width)
    three = checks.indices("sources", sources, 3, len(rows), "values")
    parts = checks.floats("weights", weights, 3)
    checks.same_length("sources and weights", three, parts)
    made = np.zeros((len(three), width))
    for some in blocks(len(three), tuning.current.piece):
        for source, part in zip(three[some].T, parts[some].T, strict=True):
            (counting,) = (part != 0).nonzero()
            made[some.start + counting] += rows[source[counting]] * part[counting, None]
    return made


def interpolated_normals(normals: ArrayLike, sources: ArrayLike, weights: ArrayLike, /) -> Floats:
    """Return normals of corners: normalized weighted sums of the normals of their sources.

    Parameters
    ----------
    normals : array_like of float, shape (c, 3)
        Normals of the sources.
    sources : array_like of int, shape (k, 3)
        As for `interpolated`.
    weights : array_like of float, shape (k, 3)
        As for `interpolated`.

    Returns
    -------
    ndarray of float64, shape (k, 3)
        Unit normals; zero where the sum is zero. A corner with a single source of nonzero weight
        gets its normal without normalization.

    Raises
    ------
    ValueError
        If shapes differ, or a source is out of range.
    """
    sums = interpolated(checks.floats("normals", normals, 3), sources, weights)
    mixed = (np.asarray(weights) != 0).sum(axis=-1) > 1
    x, y, z = sums[mixed].T
    lengths = np.sqrt(x * x + y * y + z * z)
    sums[mixed] /= np.where(lengths > 0, lengths, 1.0)[:, None]
    return sums


def _whole_polygons(cells: Ids, of: Ids, count: int) -> Ids:
    """Return the chunk that holds all triangles of each polygon whole; -1 if there is none."""
    whole = np.full(count, -1)
    if len(of) == 0:
        return whole
    order = np.argsort(of, kind="stable")
    starts = starts_of_runs(of[order])
    least = np.minimum.reduceat(cells[order], starts)
    most = np.maximum.reduceat(cells[order], starts)
    whole[of[order[starts]]] = np.where(least == most, least, -1)
    return whole


def _with_repeats(starts: Ids, vertex_of: Ids) -> Ids:
    """Return the polygons that name a vertex more than once."""
    polygons = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    # The keys are nearly sorted: a merge sort is thirty times as fast as other sorts.
    keys = np.sort(polygons * (int(vertex_of.max(initial=0)) + 1) + vertex_of, kind="stable")
    (repeats,) = (keys[1:] == keys[:-1]).nonzero()
    return polygons[repeats]


def _of_polygons(whole: Ids, starts: Ids, vertex_of: Ids) -> ChunkPolygons:
    """Return the polygons that stay whole."""
    (kept,) = (whole >= 0).nonzero()
    sizes = np.diff(starts)[kept]
    corners = concatenated_ranges(starts[kept], sizes)
    weights = np.zeros((len(corners), 3))
    weights[:, 0] = 1.0
    return ChunkPolygons(
        kept,
        whole[kept],
        np.ones(len(kept), bool),
        _ends(sizes),
        vertex_of[corners],
        np.repeat(corners[:, None], 3, axis=1),
        weights,
        corners,
    )


def _of_triangles(
    chunks: Chunks, some: Ids, corners: Ids, points: Ids, of: Ids, starts: Ids
) -> ChunkPolygons:
    """Return whole triangles of divided polygons."""
    weights = np.tile(np.eye(3), (len(some), 1, 1))
    faces = points[some]
    return _pieces(some, chunks.cells[some], faces, weights, corners, of, starts)


def _of_pieces(chunks: Chunks, corners: Ids, of: Ids, starts: Ids) -> ChunkPolygons:
    pieces = chunks.pieces
    rows = pieces.triangles, pieces.cells, pieces.faces, pieces.weights
    return _pieces(*rows, corners, of, starts)


def _pieces(
    triangles: Ids, cells: Ids, faces: Ids, weights: Floats, corners: Ids, of: Ids, starts: Ids
) -> ChunkPolygons:
    sources, polygons = corners[triangles], of[triangles]
    # The triangle corner opposite the edge on which a corner and the next one both lie; else -1.
    beside = (weights == 0) & (np.roll(weights, -1, axis=1) == 0)
    opposite = np.where(beside.any(axis=2), beside.argmax(axis=2), -1)
    one = np.take_along_axis(sources, (opposite + 1) % 3, axis=1)
    other = np.take_along_axis(sources, (opposite + 2) % 3, axis=1)
    is_edge = (opposite >= 0) & (_following(one, polygons, starts) == other)
    return ChunkPolygons(
        polygons,
        cells,
        np.zeros(len(cells), bool),
        3 * np.arange(len(cells) + 1),
        faces.ravel(),
        np.repeat(sources, 3, axis=0),
        weights.reshape(-1, 3),
        np.where(is_edge, one, -1).ravel(),
    )


def _following(corners: Ids, polygons: Ids, starts: Ids) -> Ids:
    """Return the next corner of the polygon after each corner (f, 3)."""
    following = corners + 1
    is_last = following == starts[polygons + 1][:, None]
    return np.where(is_last, starts[polygons][:, None], following)


def _ends(sizes: Ids) -> Ids:
    return np.concatenate(([0], np.cumsum(sizes)))


def _sorted(parts: list[ChunkPolygons]) -> ChunkPolygons:
    """Return the polygons of all parts, sorted by chunk and source."""
    polygons, cells, is_whole = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("polygons", "cells", "is_whole")
    )
    sizes = np.concatenate([np.diff(part.starts) for part in parts])
    order = np.lexsort((polygons, cells))
    first = np.cumsum(sizes) - sizes
    corners = concatenated_ranges(first[order], sizes[order])
    rows = (
        np.concatenate([getattr(part, name) for part in parts])[corners]
        for name in ("vertices", "sources", "weights", "edges")
    )
    return ChunkPolygons(
        polygons[order], cells[order], is_whole[order], _ends(sizes[order]), *rows
    )
