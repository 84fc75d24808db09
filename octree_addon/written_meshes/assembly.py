"""Assembly of chunks: flat arrays with unique vertices and edges, and their sources.

A chunk is the part of a mesh in one cell; walls are the faces of cells. A corner of a chunk is a
weighted mean of up to three corners of the source mesh. A vertex on a wall has the same number and
values in all chunks that share it. If two polygons have the same vertices, the second polygon gets
copies of them, since Blender and glTF would keep only one of the polygons.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core import (
    ChunkPolygons,
    Triangles,
    chunk_polygons,
    chunks,
    interpolated,
    interpolated_normals,
)
from ..arrays import Floats, Ids
from ..reader import MeshLayers, polygon_turns

# The mode of `chunks` that puts all triangles of an object into one cell, and empty arrays of
# loose edges and points.
_KEEP, _NOTHING = 2, (np.empty(0, np.intp), np.empty(0, np.intp))


@dataclass(frozen=True, eq=False)
class Blend:
    """Sources of n interpolated values: `rows` of the source, and their `weights`, (n, 3) each."""

    rows: Ids
    weights: Floats

    @cached_property
    def nearest(self) -> Ids:
        """The source row with the largest weight, (n,)."""
        largest = self.weights.argmax(axis=1)
        return np.take_along_axis(self.rows, largest[:, None], axis=1)[:, 0]

    @cached_property
    def mixed(self) -> Ids:
        """Indices of the values with more than one weight; few, as they lie along walls."""
        return np.flatnonzero(np.count_nonzero(self.weights, axis=1) > 1)

    def of(self, values: NDArray[Any], *, smooth: bool) -> NDArray[Any]:
        """Return the values, (n, k), from those of the source, (s, k).

        If `smooth`, values are interpolated; otherwise the row with the largest weight is taken.
        """
        return self._of(values, interpolated) if smooth else values[self.nearest]

    def of_normals(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return normals, (n, 3), interpolated from unit normals of the source, (s, 3)."""
        return self._of(values, interpolated_normals)

    def _of(self, values: NDArray[Any], mix: Callable[..., Floats]) -> NDArray[Any]:
        made = values[self.nearest]
        if len(self.mixed):
            # Pass the needed rows only, since `mix` would copy all rows of a large mesh.
            some = values[self.rows[self.mixed].ravel()]
            places = np.arange(len(some)).reshape(-1, 3)
            made[self.mixed] = mix(some, places, self.weights[self.mixed])
        return made


class ChunkArrays(NamedTuple):
    """One chunk of one mesh.

    Attributes
    ----------
    cell : int
        The cell of the chunk.
    numbers : ndarray of intp, shape (v,)
        Global number of each vertex: below `len(positions)` a vertex of the source, from there on
        a new vertex on a wall.
    points : Blend
        Sources of the vertices, as vertices of the source.
    edges : ndarray of int32, shape (e, 2)
        The vertices of each edge.
    edge_sources : ndarray of intp, shape (e,)
        The edge of the source that contains each edge; -1 for an edge across a face.
    corner_vertices, corner_edges : ndarray of int32, shape (c,)
        The vertex of each corner, and the edge to the next corner, as in Blender.
    corners : Blend
        Sources of the corners, as corners of the source.
    polygon_starts, polygons : ndarray of intp, shape (p,)
        The first corner of each polygon, and the polygon of the source that contains it.
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
        """The number of triangles of the chunk."""
        return len(self.corner_vertices) - 2 * len(self.polygons)


def chunk_arrays(
    layers: MeshLayers, found: ChunkPolygons, edge_cells: Ids, point_cells: Ids
) -> Iterator[ChunkArrays]:
    """Yield the chunks of a mesh in ascending order of cells. O(corners log corners).

    `edge_cells` and `point_cells` are the cells of the edges and points of `loose_parts`.
    """
    loose_edges, loose_points = loose_parts(layers)
    vertices = _made_vertices(layers, found)
    for cell in np.unique(np.concatenate((found.cells, edge_cells, point_cells))).tolist():
        polygons = slice(*np.searchsorted(found.cells, (cell, cell + 1)).tolist())
        edges = loose_edges[edge_cells == cell]
        points = loose_points[point_cells == cell]
        yield _chunk(layers, found, vertices, cell, polygons, edges, points)


def whole_arrays(layers: MeshLayers) -> ChunkArrays:
    """Return a whole mesh as one sound chunk; elements with NaN or infinity are left out."""
    faces = layers.corner_vertices[layers.triangle_corners]
    # Move all vertices to the origin, so that all finite triangles are in one cell.
    places = np.where(np.isfinite(layers.positions), 0.0, np.nan)
    found = chunk_polygons(
        chunks(Triangles(places, faces), modes=[_KEEP]),
        faces,
        layers.triangle_corners,
        layers.triangle_polygons,
        layers.polygon_starts,
    )
    loose = (np.zeros(len(each), np.intp) for each in loose_parts(layers))
    made = next(chunk_arrays(layers, found, *loose), None)
    return made or _chunk(layers, found, _made_vertices(layers, found), 0, slice(0, 0), *_NOTHING)


class _Vertices(NamedTuple):
    """New vertices on walls: their numbers, sorted, and their sources."""

    numbers: Ids
    blend: Blend


def _made_vertices(layers: MeshLayers, found: ChunkPolygons) -> _Vertices:
    """Return the new vertices on walls, with the sources of the first corner at each.

    Using one corner for all cells gives both sides of a wall the same values.
    """
    (made,) = (found.vertices >= len(layers.positions)).nonzero()
    numbers, first = np.unique(found.vertices[made], return_index=True)
    corners = made[first]
    rows = layers.corner_vertices[found.sources[corners]].astype(np.intp)
    return _Vertices(numbers, Blend(rows, found.weights[corners]))


def _chunk(
    layers: MeshLayers,
    found: ChunkPolygons,
    vertices: _Vertices,
    cell: int,
    polygons: slice,
    loose_edges: Ids,
    loose_points: Ids,
) -> ChunkArrays:
    starts = found.starts[polygons.start : polygons.stop + 1]
    corners = slice(*starts[[0, -1]].tolist())
    starts = starts - starts[0]
    loose = layers.edges[loose_edges].astype(np.intp).ravel()
    numbers, places = _in_order(
        np.concatenate((found.vertices[corners], loose, loose_points)), len(layers.positions)
    )
    count = int(starts[-1])
    following = np.arange(1, count + 1)
    following[starts[1:] - 1] = starts[:-1]
    corner_vertices, loose_ends = places[:count], places[count : count + len(loose)]
    points = _point_blend(layers, vertices, numbers)
    corner_vertices, copied = _with_copies(corner_vertices, starts, len(numbers))
    if len(copied):
        numbers, rows, weights = (
            np.concatenate((each, each[copied])) for each in (numbers, points.rows, points.weights)
        )
        points = Blend(rows, weights)
    sides = np.stack((corner_vertices, corner_vertices[following]), axis=1)
    ends = np.concatenate((sides, loose_ends.reshape(-1, 2)))
    codes, edge_of = np.unique(
        ends.min(axis=1) * len(numbers) + ends.max(axis=1), return_inverse=True
    )
    edge_of = edge_of.ravel()
    begins = found.edges[corners]
    edges = np.where(begins >= 0, layers.corner_edges[begins], -1)
    sources = np.full(len(codes), -1)
    np.maximum.at(sources, edge_of, np.concatenate((edges, loose_edges)))
    return ChunkArrays(
        cell,
        numbers,
        points,
        np.stack(np.divmod(codes, max(len(numbers), 1)), axis=1).astype(np.int32),
        sources,
        corner_vertices.astype(np.int32),
        edge_of[:count].astype(np.int32),
        Blend(found.sources[corners], found.weights[corners]),
        starts[:-1],
        found.polygons[polygons],
    )


def _with_copies(vertices: Ids, starts: Ids, count: int) -> tuple[Ids, Ids]:
    """Replace vertices of corners by copies, so that no two polygons have the same vertices.

    Returns the new vertices of the corners, (c,), and the vertices that were copied. Copies are
    numbered from `count` on. The second polygons of several pairs share copies, so that a
    two-sided surface becomes two surfaces.
    """
    turn = np.repeat(polygon_turns(vertices, starts), np.diff(starts))
    (again,) = turn.nonzero()
    codes, places = np.unique(turn[again] * count + vertices[again], return_inverse=True)
    made = vertices.copy()
    made[again] = count + places.ravel()
    return made, codes % max(count, 1)


def _in_order(vertices: Ids, own: int) -> tuple[Ids, Ids]:
    """Return the distinct vertices in order, and the index of each given vertex among them.

    Vertices of the source, below `own`, come first, by number. New vertices follow in order of
    first use, since their numbers depend on the rest of the scene.
    """
    numbers, first, places = np.unique(vertices, return_index=True, return_inverse=True)
    order = np.argsort(np.where(numbers < own, numbers - own, first), kind="stable")
    ranks = np.empty(len(order), np.intp)
    ranks[order] = np.arange(len(order))
    return numbers[order], ranks[places.ravel()]


def _point_blend(layers: MeshLayers, vertices: _Vertices, numbers: Ids) -> Blend:
    """Return the sources of vertices; a vertex of the source mesh is its own source."""
    own = np.count_nonzero(numbers < len(layers.positions))
    rows = np.repeat(numbers[:, None], 3, axis=1)
    weights = np.zeros((len(numbers), 3))
    weights[:own, 0] = 1.0
    made = np.searchsorted(vertices.numbers, numbers[own:])
    rows[own:], weights[own:] = vertices.blend.rows[made], vertices.blend.weights[made]
    return Blend(rows, weights)


def loose_parts(layers: MeshLayers) -> tuple[Ids, Ids]:
    """Return the finite edges without a polygon, and the finite vertices without an edge.

    Loose edges whose two vertices are the same are ignored.
    """
    used = np.zeros(len(layers.edges), np.bool_)
    used[layers.corner_edges] = True
    loose, alone = np.flatnonzero(~used), np.ones(len(layers.positions), np.bool_)
    loose = loose[layers.edges[loose, 0] != layers.edges[loose, 1]]
    used[loose] = True
    alone[layers.edges[used].ravel()] = False
    points = np.flatnonzero(alone)
    of_edges = np.isfinite(layers.positions[layers.edges[loose]]).all(axis=(1, 2))
    of_points = np.isfinite(layers.positions[points]).all(axis=1)
    return loose[of_edges], points[of_points]
