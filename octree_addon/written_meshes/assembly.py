"""Polygons of chunks as meshes (flat arrays): vertices and edges each once, and their sources.

Of each corner it is known which corners of its source it lies between, and with which weights. A
vertex that a wall has made is one vertex of all chunks that have it, with one value. Of polygons
that have the same vertices the second gets copies of these: Blender and glTF would keep one.
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

# The mode of `chunks` in which all triangles are in one cell, and no loose edges and points.
_KEEP, _NOTHING = 2, (np.empty(0, np.intp), np.empty(0, np.intp))


@dataclass(frozen=True, eq=False)
class Blend:
    """Where n values come from: `rows` of the source, and their `weights`, (n, 3) each."""

    rows: Ids
    weights: Floats

    @cached_property
    def nearest(self) -> Ids:
        """The row that counts most, (n,)."""
        largest = self.weights.argmax(axis=1)
        return np.take_along_axis(self.rows, largest[:, None], axis=1)[:, 0]

    @cached_property
    def mixed(self) -> Ids:
        """Where more than one row counts: along walls, of all corners a few."""
        return np.flatnonzero(np.count_nonzero(self.weights, axis=1) > 1)

    def of(self, values: NDArray[Any], *, smooth: bool) -> NDArray[Any]:
        """Return values of the source, (s, k), interpolated or of the nearest row, (n, k)."""
        return self._of(values, interpolated) if smooth else values[self.nearest]

    def of_normals(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return unit normals of the source, (s, 3), interpolated, (n, 3)."""
        return self._of(values, interpolated_normals)

    def _of(self, values: NDArray[Any], mix: Callable[..., Floats]) -> NDArray[Any]:
        made = values[self.nearest]
        if len(self.mixed):
            # Of a large mesh the rows that are needed, not all: they would be copied each time.
            some = values[self.rows[self.mixed].ravel()]
            places = np.arange(len(some)).reshape(-1, 3)
            made[self.mixed] = mix(some, places, self.weights[self.mixed])
        return made


class ChunkArrays(NamedTuple):
    """One chunk of one mesh.

    Attributes
    ----------
    cell : int
        The cell that it fills.
    numbers : ndarray of intp, shape (v,)
        Of each vertex: below `len(positions)` that of the source, from there on of one that a
        wall has made.
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


def chunk_arrays(
    layers: MeshLayers, found: ChunkPolygons, edge_cells: Ids, point_cells: Ids
) -> Iterator[ChunkArrays]:
    """Yield the chunks of a mesh, by cell. O(corners log corners).

    `edge_cells` and `point_cells` are the cells of its `loose_parts`.
    """
    loose_edges, loose_points = loose_parts(layers)
    vertices = _made_vertices(layers, found)
    for cell in np.unique(np.concatenate((found.cells, edge_cells, point_cells))).tolist():
        polygons = slice(*np.searchsorted(found.cells, (cell, cell + 1)).tolist())
        edges = loose_edges[edge_cells == cell]
        points = loose_points[point_cells == cell]
        yield _chunk(layers, found, vertices, cell, polygons, edges, points)


def whole_arrays(layers: MeshLayers) -> ChunkArrays:
    """Return all of a mesh as one chunk, sound whatever it was: what is not finite is left out."""
    faces = layers.corner_vertices[layers.triangle_corners]
    # All at one place, so in one cell, but for what is not finite.
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
    """Vertices that walls have made: their numbers, sorted, and what each is blended of."""

    numbers: Ids
    blend: Blend


def _made_vertices(layers: MeshLayers, found: ChunkPolygons) -> _Vertices:
    """Return what made vertices are blended of: the first corner that has one tells of all cells.

    So both sides of a wall have the same values.
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
    """Return the vertices of corners such that no two polygons have the same, and what is copied.

    Copies are numbered from `count` on. The second polygons of several pairs share copies, so
    that a surface with two sides becomes two surfaces.
    """
    turn = np.repeat(polygon_turns(vertices, starts), np.diff(starts))
    (again,) = turn.nonzero()
    codes, places = np.unique(turn[again] * count + vertices[again], return_inverse=True)
    made = vertices.copy()
    made[again] = count + places.ravel()
    return made, codes % max(count, 1)


def _in_order(vertices: Ids, own: int) -> tuple[Ids, Ids]:
    """Return which vertices there are, each once, and where each of these stands among them.

    Those of the source by their numbers, then made ones as they come: how these are numbered
    depends on the rest of the scene.
    """
    numbers, first, places = np.unique(vertices, return_index=True, return_inverse=True)
    order = np.argsort(np.where(numbers < own, numbers - own, first), kind="stable")
    ranks = np.empty(len(order), np.intp)
    ranks[order] = np.arange(len(order))
    return numbers[order], ranks[places.ravel()]


def _point_blend(layers: MeshLayers, vertices: _Vertices, numbers: Ids) -> Blend:
    """Return what vertices are blended of; those of the source of themselves alone."""
    own = np.count_nonzero(numbers < len(layers.positions))
    rows = np.repeat(numbers[:, None], 3, axis=1)
    weights = np.zeros((len(numbers), 3))
    weights[:own, 0] = 1.0
    made = np.searchsorted(vertices.numbers, numbers[own:])
    rows[own:], weights[own:] = vertices.blend.rows[made], vertices.blend.weights[made]
    return Blend(rows, weights)


def loose_parts(layers: MeshLayers) -> tuple[Ids, Ids]:
    """Return the edges of no polygon, and the vertices of no edge, as far as they are finite.

    An edge that has one vertex twice is none.
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
