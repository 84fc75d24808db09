"""Pieces of one mesh as chunk meshes (flat arrays): whole polygons stay, corners are interpolated.

Of each output corner it is known which corners of its source triangle it lies between, and with
which weights. A vertex that a wall has made is one vertex, whichever pieces have it.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Floats, Ids
from ..reader import MeshLayers


class SourcePieces(NamedTuple):
    """The pieces of one mesh.

    Attributes
    ----------
    faces : ndarray of intp, shape (f, 3)
        Numbers of vertices: below `len(positions)` those of the mesh, from there on of others.
    cells, triangles : ndarray of intp, shape (f,)
        The cell of each, and the triangle of the mesh that it is of.
    weights : ndarray of float64, shape (f, 3, 3)
        Barycentric coordinates of each corner in that triangle.
    edge_cells, point_cells : ndarray of intp
        The cells of its loose edges and points, in their order.
    """

    faces: Ids
    cells: Ids
    triangles: Ids
    weights: Floats
    edge_cells: Ids
    point_cells: Ids


class Blend(NamedTuple):
    """Where n values come from: `rows` of the source, and their `weights`, (n, 3) each."""

    rows: Ids
    weights: Floats

    def of(self, values: NDArray[np.generic], *, smooth: bool) -> NDArray[np.generic]:
        """Return values of the source, (s, k), interpolated or of the nearest row, (n, k)."""
        if not smooth:
            nearest = self.weights.argmax(axis=1)
            return values[self.rows[np.arange(len(nearest)), nearest]]
        mixed = np.zeros((len(self.rows), *values.shape[1:]))
        for column in range(3):
            mixed += values[self.rows[:, column]] * self.weights[:, column, None]
        # What is not blended stays as it is to the bit.
        same = self.weights.max(axis=1) == 1.0
        mixed[same] = values[self.rows[same, self.weights[same].argmax(axis=1)]]
        return mixed.astype(values.dtype)


class ChunkArrays(NamedTuple):
    """One chunk of one mesh.

    Attributes
    ----------
    cell : int
        The cell that it fills.
    numbers : ndarray of intp, shape (v,)
        Of each vertex, as `SourcePieces` has them.
    points : Blend
        Of the vertices, from vertices.
    edges : ndarray of int32, shape (e, 2)
        Their vertices.
    edge_sources : ndarray of intp, shape (e,)
        The edge that each is a part of; -1 for one across a face.
    corner_vertices, corner_edges : ndarray of int32, shape (c,)
        As Blender has them.
    corners : Blend
        Of the corners, from corners.
    polygon_starts, polygons : ndarray of intp, shape (p,)
        The first corner of each polygon, and the polygon of the source that it is of.
    """

    cell: int
    numbers: Ids
    points: Blend
    edges: NDArray[np.int32]
    edge_sources: Ids
    corner_vertices: NDArray[np.int32]
    corner_edges: NDArray[np.int32]
    corners: Blend
    polygon_starts: Ids
    polygons: Ids

    @property
    def triangle_count(self) -> int:
        """How many triangles it has."""
        return len(self.corner_vertices) - 2 * len(self.polygons)


class _Polygons(NamedTuple):
    """Output polygons of all cells, in the order of these."""

    cells: Ids
    sources: Ids
    sizes: Ids
    rows: Ids
    weights: Floats
    keys: Ids
    edges: Ids


def chunk_arrays(layers: MeshLayers, pieces: SourcePieces) -> Iterator[ChunkArrays]:
    """Yield the chunks of a mesh, by cell. O(pieces log pieces)."""
    found = _polygons(layers, pieces)
    loose_edges, loose_points = loose_parts(layers)
    vertices = _vertex_blends(layers, found)
    cells = np.unique(np.concatenate((found.cells, pieces.edge_cells, pieces.point_cells)))
    first_corners = np.append(0, np.cumsum(found.sizes))
    for cell in cells.tolist():
        polygons = slice(*np.searchsorted(found.cells, (cell, cell + 1)).tolist())
        corners = slice(*first_corners[[polygons.start, polygons.stop]].tolist())
        edges = loose_edges[pieces.edge_cells == cell]
        points = loose_points[pieces.point_cells == cell]
        yield _chunk(layers, found, vertices, cell, polygons, corners, edges, points)


class _Vertices(NamedTuple):
    """Vertices that walls have made: their numbers, sorted, and what each is blended of."""

    numbers: Ids
    blend: Blend


def _vertex_blends(layers: MeshLayers, found: _Polygons) -> _Vertices:
    """Return what made vertices are blended of: the first corner that has one tells of all cells.

    So both sides of a wall have the same values.
    """
    (made,) = (found.keys >= len(layers.positions)).nonzero()
    numbers, first = np.unique(found.keys[made], return_index=True)
    corners = made[first]
    rows = layers.corner_vertices[found.rows[corners]].astype(np.intp)
    return _Vertices(numbers, Blend(rows, found.weights[corners]))


def _chunk(
    layers: MeshLayers,
    found: _Polygons,
    vertices: _Vertices,
    cell: int,
    polygons: slice,
    corners: slice,
    loose_edges: Ids,
    loose_points: Ids,
) -> ChunkArrays:
    loose = layers.edges[loose_edges].astype(np.intp).ravel()
    numbers, places = np.unique(
        np.concatenate((found.keys[corners], loose, loose_points)), return_inverse=True
    )
    places = places.ravel()
    count = corners.stop - corners.start
    corner_vertices, loose_ends = places[:count], places[count : count + len(loose)]
    starts = np.cumsum(found.sizes[polygons]) - found.sizes[polygons]
    following = _following(starts, found.sizes[polygons])
    ends = np.concatenate(
        (
            np.stack((corner_vertices, corner_vertices[following]), axis=1),
            loose_ends.reshape(-1, 2),
        )
    )
    codes, edge_of = np.unique(
        ends.min(axis=1) * len(numbers) + ends.max(axis=1), return_inverse=True
    )
    edge_of = edge_of.ravel()
    sources = np.full(len(codes), -1)
    np.maximum.at(sources, edge_of, np.concatenate((found.edges[corners], loose_edges)))
    return ChunkArrays(
        cell,
        numbers,
        _point_blend(layers, vertices, numbers),
        np.stack(np.divmod(codes, max(len(numbers), 1)), axis=1).astype(np.int32),
        sources,
        corner_vertices.astype(np.int32),
        edge_of[:count].astype(np.int32),
        Blend(found.rows[corners], found.weights[corners]),
        starts,
        found.sources[polygons],
    )


def _point_blend(layers: MeshLayers, vertices: _Vertices, numbers: Ids) -> Blend:
    """Return what vertices are blended of; those of the source of themselves alone."""
    own = np.searchsorted(numbers, len(layers.positions))
    rows = np.repeat(numbers[:, None], 3, axis=1)
    weights = np.zeros((len(numbers), 3))
    weights[:own, 0] = 1.0
    made = np.searchsorted(vertices.numbers, numbers[own:])
    rows[own:], weights[own:] = vertices.blend.rows[made], vertices.blend.weights[made]
    return Blend(rows, weights)


def _polygons(layers: MeshLayers, pieces: SourcePieces) -> _Polygons:
    """Return whole polygons and pieces of others, sorted by cell, then by polygon."""
    is_whole, polygon_cells = whole_polygons(layers, pieces)
    whole = np.flatnonzero(is_whole)
    cut = np.flatnonzero(~is_whole[layers.triangle_polygons[pieces.triangles]])
    starts, sizes = layers.polygon_starts[:-1][whole], np.diff(layers.polygon_starts)[whole]
    rows = spans(starts, sizes)
    unit = np.zeros((len(rows), 3))
    unit[:, 0] = 1.0
    triangles = pieces.triangles[cut]
    corners = layers.triangle_corners[triangles].astype(np.intp)
    all_cells = np.concatenate((polygon_cells[whole], pieces.cells[cut]))
    all_sources = np.concatenate((whole, layers.triangle_polygons[triangles]))
    all_sizes = np.concatenate((sizes, np.full(len(cut), 3)))
    order = np.lexsort((all_sources, all_cells))
    begins = np.cumsum(all_sizes) - all_sizes
    by = spans(begins[order], all_sizes[order])

    def both(one: NDArray[Any], other: NDArray[Any]) -> Any:
        return np.concatenate((one, other.reshape(-1, *other.shape[2:])))[by]

    return _Polygons(
        all_cells[order],
        all_sources[order].astype(np.intp),
        all_sizes[order],
        both(np.repeat(rows[:, None], 3, axis=1), np.repeat(corners[:, None], 3, axis=1)),
        both(unit, pieces.weights[cut]),
        both(layers.corner_vertices[rows].astype(np.intp), pieces.faces[cut]),
        both(layers.corner_edges[rows].astype(np.intp), _side_edges(layers, pieces, cut)),
    )


def whole_polygons(layers: MeshLayers, pieces: SourcePieces) -> tuple[Flags, Ids]:
    """Return which polygons lie whole in one cell, uncut, and the cells of these, (p,)."""
    count = len(layers.triangle_polygons)
    times = np.bincount(pieces.triangles, minlength=count)
    uncut = (pieces.weights.max(axis=2) == 1.0).all(axis=1) & (times[pieces.triangles] == 1)
    cells = np.full(count, -1)
    cells[pieces.triangles[uncut]] = pieces.cells[uncut]
    polygons = len(layers.polygon_starts) - 1
    lowest, highest = np.full(polygons, np.iinfo(np.intp).max), np.full(polygons, -1)
    np.minimum.at(lowest, layers.triangle_polygons, cells)
    np.maximum.at(highest, layers.triangle_polygons, cells)
    return (lowest == highest) & (highest >= 0), highest


def _side_edges(layers: MeshLayers, pieces: SourcePieces, cut: Ids) -> Ids:
    """Return the edge of the source that each side of pieces lies on, (k, 3); -1 for none."""
    zero = pieces.weights[cut] == 0.0
    on_side = zero & np.roll(zero, -1, axis=1)
    opposite = on_side.argmax(axis=2)
    corners = layers.triangle_corners[pieces.triangles[cut]].astype(np.intp)
    one = np.take_along_axis(corners, (opposite + 1) % 3, axis=1)
    other = np.take_along_axis(corners, (opposite + 2) % 3, axis=1)
    following = _following(layers.polygon_starts[:-1], np.diff(layers.polygon_starts))
    edges = np.where(following[one] == other, layers.corner_edges[one], -1)
    edges = np.where(following[other] == one, layers.corner_edges[other], edges)
    return np.where(on_side.any(axis=2), edges, -1)


def _following(starts: Ids, sizes: Ids) -> Ids:
    """Return the next corner of each corner in its polygon."""
    following = np.arange(1, int(sizes.sum()) + 1)
    following[starts + sizes - 1] = starts
    return following


def loose_parts(layers: MeshLayers) -> tuple[Ids, Ids]:
    """Return the edges of no polygon, and the vertices of no edge."""
    used = np.zeros(len(layers.edges), np.bool_)
    used[layers.corner_edges] = True
    joined = np.zeros(len(layers.positions), np.bool_)
    joined[layers.edges.ravel()] = True
    return np.flatnonzero(~used), np.flatnonzero(~joined)


def spans(starts: Ids, sizes: Ids) -> Ids:
    """Return the numbers of ranges, one after the other."""
    offsets = np.cumsum(sizes) - sizes
    return np.arange(int(sizes.sum())) + np.repeat(starts - offsets, sizes)
