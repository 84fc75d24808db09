"""Division of a scene into chunk parts, in steps; works on arrays, changes nothing in Blender."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import bpy
import numpy as np

from ...core import Chunks, Steps, between, chunk_polygons, chunks_steps
from ..arrays import Flags, Floats, Ids
from ..reader import (
    MeshLayers,
    RowMaterials,
    are_sound,
    is_sound,
    layer_steps,
    matrices_of,
    read_rows,
)
from ..scene_index import version_of
from ..shares import Chunk, share_range
from ..ui import ChangedMeanwhileError
from ..written_meshes import ChunkArrays, chunk_arrays, loose_parts, whole_arrays
from .settings import ChunkOptions
from .shear import with_shear
from .sources import ChunkSource, sources_of
from .world import WorldTriangles, nearest_cells, triangle_texels, world_steps

# Budget of the options -> name that `chunks_steps` has for the counted quantity.
_COUNTED = {"TRIANGLES": "triangles", "OBJECTS": "objects", "TEXELS": "weights"}
# Progress at the end of reading the world, of cutting, and of reading mesh layers.
_WORLD, _CUT, _READ = 0.3, 0.6, 0.7


@dataclass(frozen=True, eq=False)
class ChunkPart:
    """The part of one source that lies in one cell.

    Attributes
    ----------
    source : ChunkSource
        The source.
    cell : int
        Row of the cell.
    triangles : int
        Number of triangles of the part.
    signature : str
        Hash of the arrays, the source, its place and its materials; equal for equal parts.
    arrays : ChunkArrays, optional
        The mesh of the part; None if the part becomes a copy of the object of the source.
    is_whole : bool
        True if the arrays are the whole mesh of the source, which other sources may share.
    """

    source: ChunkSource
    cell: int
    triangles: int
    signature: str
    arrays: ChunkArrays | None = None
    is_whole: bool = False


class SourceTrace(NamedTuple):
    """A record of how a source was cut, without its arrays.

    Attributes
    ----------
    digest : bytes
        Hash of the place of the source, its pieces and their cells.
    parts : tuple of (str, int, str)
        The name of the cell, the number of triangles and the signature of each part.
    """

    digest: bytes
    parts: tuple[tuple[str, int, str], ...]


@dataclass(frozen=True, eq=False)
class SceneCut:
    """A scene divided into chunks.

    Attributes
    ----------
    world : WorldTriangles
        The triangles of the scene; a row below is a row of its placements.
    found : Chunks
        The cells.
    parts : tuple of ChunkPart
        The parts of all wanted cells, sorted by cell.
    sources : tuple of ChunkSource
        The sources, by row.
    layers : Mapping of int to MeshLayers
        Mesh layers of the sources that are read, by row; shear is applied to the vertices.
    matrices : ndarray of float64, shape (r, 4, 4)
        Matrices of the sources and of their parts, by row.
    materials : list of RowMaterials
        Materials of the sources, by row.
    made : ndarray of float64, shape (m, 3)
        Vertices on the walls of cells, made by cutting, in world space.
    traces : Mapping of str to SourceTrace
        Traces of the sources that a later cut may reuse, by label.
    own : range
        The cells whose parts are wanted: all, or those of one share of the work.
    """

    world: WorldTriangles
    found: Chunks
    parts: tuple[ChunkPart, ...]
    sources: tuple[ChunkSource, ...]
    layers: Mapping[int, MeshLayers]
    matrices: Floats
    materials: list[RowMaterials]
    made: Floats
    traces: Mapping[str, SourceTrace]
    own: range

    @cached_property
    def names(self) -> list[str]:
        """Names of the cells."""
        return cell_names(self.found)


def cell_names(found: Chunks) -> list[str]:
    """Return names of cells that do not depend on the root of the octree, such as "2_-1_0_3".

    The first number is the level: the edge length is 2**2 times the option `cell`. The others
    are the coordinates of the cell in units of its edge length, counted from the origin.
    """
    rows = np.column_stack((found.levels, found.coordinates)).tolist()
    return ["_".join(map(str, row)) for row in rows]


NO_TRACES: Mapping[str, SourceTrace] = MappingProxyType({})


def cut_steps(
    context: bpy.types.Context,
    options: ChunkOptions,
    also: Iterable[bpy.types.Object] = (),
    known: Mapping[str, SourceTrace] = NO_TRACES,
    chunk: Chunk | None = None,
) -> Steps[SceneCut]:
    """Cut the visible objects into chunks; yield the fraction done.

    Parameters
    ----------
    context : bpy.types.Context
        In Object Mode.
    options : ChunkOptions
        Scope, budget and cutting method.
    also : iterable of bpy.types.Object
        Objects that are cut even if they are out of scope.
    known : Mapping of str to SourceTrace
        Traces of unchanged sources whose chunks exist. If the pieces of such a source are the
        same now, its layers are not read and its arrays not made.
    chunk : tuple of int, optional
        Number and count of a share of the work. Parts are made only for the cells of the share:
        consecutive cells, with about as many triangles as any other share.

    Raises
    ------
    ValueError
        If there are no triangles, or the scene has changed between two steps.
    """
    world = yield from between(0.0, _WORLD, world_steps(context, options.scope, also))
    version, sources = version_of(context.scene), sources_of(world, options)
    texels = texels_if_counted(context, world, options)
    yield _WORLD
    dividing = scene_chunks_steps(world, sources, options, texels)
    found = yield from between(_WORLD, _CUT, dividing)
    own = range(*share_range(found.counts, chunk)) if chunk else range(len(found.counts))
    entries = world.placements.entries
    digests = _place_digests(world, found, sources)
    same = {each.row for each in sources if _is_known(each, digests, known)}
    kept = [each.row for each in sources if not each.is_read and each.row not in same]
    unsound = _unsound_rows(context, world, kept)
    read = [each for each in sources if each.is_read or each.row in unsound]
    read = [each for each in read if each.row not in same]
    wanted = {int(entries[each.row]): each.own for each in read}
    reading = layer_steps(context.evaluated_depsgraph_get, wanted)
    by_entry = yield from between(_CUT, _READ, reading)
    if not version.is_same(context.scene):
        raise ChangedMeanwhileError
    layers = {each.row: by_entry[int(entries[each.row])] for each in read}
    matrices = matrices_of(world.placements.matrices)
    for row in [each.row for each in read if each.is_sheared]:
        layers[row], matrices[row] = with_shear(layers[row], matrices[row])
    cut = SceneCut(
        world,
        found,
        (),
        tuple(sources),
        layers,
        matrices,
        world.materials(context.evaluated_depsgraph_get()),
        found.pieces.vertices[len(world.triangles.vertices) :],
        NO_TRACES,
        own,
    )
    parts: list[ChunkPart] = []
    traces = {}
    numbers = {name: number for number, name in enumerate(cut.names)}
    marks, is_there, whole = _marks(cut), _are_in(own, world, found), WholeMeshes()
    for number, source in enumerate(sources):
        if source.row in same:
            trace = known[source.label]
            mine = [
                ChunkPart(source, numbers[name], count, signature)
                for name, count, signature in trace.parts
            ]
        elif is_there[source.row] or _has_loose_parts(cut.layers.get(source.row)):
            mine = list(_parts_of(source, cut, world, marks[source.row], whole))
            said = tuple((cut.names[each.cell], each.triangles, each.signature) for each in mine)
            trace = SourceTrace(digests[source.row], said)
        else:
            continue
        parts += [each for each in mine if each.cell in own]
        if source.row in same or not _has_loose_parts(cut.layers.get(source.row)):
            traces[source.label] = trace
        yield _READ + (1 - _READ) * (number + 1) / len(sources)
    parts.sort(key=lambda part: part.cell)
    return replace(cut, parts=tuple(parts), traces=traces)


def _is_known(
    source: ChunkSource, digests: Sequence[bytes], known: Mapping[str, SourceTrace]
) -> bool:
    trace = known.get(source.label)
    return trace is not None and trace.digest == digests[source.row]


def _has_loose_parts(layers: MeshLayers | None) -> bool:
    """Return whether a mesh has loose edges or points, whose cells follow from their positions."""
    return layers is not None and any(map(len, loose_parts(layers)))


def _are_in(cells: range, world: WorldTriangles, found: Chunks) -> Flags:
    """Flag the placements that have triangles in a range of cells, (r,); for all cells, all."""
    if len(cells) == len(found.counts):
        return np.ones(len(world.placements), np.bool_)
    start, stop, pieces = cells.start, cells.stop, found.pieces
    wanted = (found.cells >= start) & (found.cells < stop)
    wanted[pieces.triangles[(pieces.cells >= start) & (pieces.cells < stop)]] = True
    there = np.zeros(len(world.placements), np.bool_)
    there[world.rows[wanted]] = True
    return there


def _place_digests(
    world: WorldTriangles, found: Chunks, sources: Sequence[ChunkSource]
) -> list[bytes]:
    """Return a hash of the place, the pieces and the cells of each source.

    Cells are hashed by name, vertices on walls by position: the numbers of both depend on the
    rest of the scene.
    """
    names = [hashlib.sha1(each.encode(), usedforsecurity=False) for each in cell_names(found)]
    codes = np.frombuffer(b"".join(each.digest()[:8] for each in names), np.int64)
    codes = np.append(codes, 0)  # for cell -1: triangles in pieces, and invalid ones
    pieces, digests = found.pieces, []
    for source in sources:
        start, stop = world.starts[source.row : source.row + 2].tolist()
        span = slice(*np.searchsorted(pieces.triangles, (start, stop)).tolist())
        sums = hashlib.sha1(repr(source[3:]).encode(), usedforsecurity=False)
        for each in (
            world.placements.matrices[source.row], codes[found.cells[start:stop]],
            codes[pieces.cells[span]], pieces.triangles[span] - start, pieces.weights[span],
            pieces.vertices[pieces.faces[span]],
        ):  # fmt: skip
            sums.update(np.ascontiguousarray(each).tobytes())
        digests.append(sums.digest())
    return digests


def texels_if_counted(
    context: bpy.types.Context, world: WorldTriangles, options: ChunkOptions
) -> Floats | None:
    """Return the texels of each triangle, (n,); None if the budget counts anything else."""
    if options.counted != "TEXELS":
        return None
    return triangle_texels(world, context.evaluated_depsgraph_get())


def scene_chunks_steps(
    world: WorldTriangles,
    sources: Sequence[ChunkSource],
    options: ChunkOptions,
    texels: Floats | None,
) -> Steps[Chunks]:
    """Divide triangles into cells, in the mode of their source; yield the fraction done."""
    return chunks_steps(
        world.triangles,
        cell=options.cell,
        budget=options.budget,
        counted=_COUNTED[options.counted],
        split=options.tree.lower(),
        least_triangles=options.least_triangles,
        least_size=options.least_size,
        owners=world.rows,
        modes=np.array([each.how for each in sources], np.intp),
        weights=texels,
    )


def _marks(cut: SceneCut) -> list[bytes]:
    """Return bytes for each row that stand for its label and the names of its materials."""
    names = {each.session_uid: each.name for each in bpy.data.materials}
    return [
        repr((source.label, [names.get(uid) for uid in each.slots])).encode()
        for source, each in zip(cut.sources, cut.materials, strict=True)
    ]


class WholeMeshes:
    """Cache of properties of mesh layers that several sources share, by the `id` of the layers.

    Valid only while the layers exist.
    """

    def __init__(self) -> None:
        self._sound: dict[int, bool] = {}
        self._digests: dict[int, bytes] = {}
        self._arrays: dict[int, ChunkArrays] = {}

    def are_sound(self, layers: MeshLayers) -> bool:
        """Return whether the mesh is sound: `Mesh.validate` would not change it."""
        key = id(layers)
        if key not in self._sound:
            self._sound[key] = are_sound(layers)
        return self._sound[key]

    def digest(self, layers: MeshLayers) -> bytes:
        """Return the digest of the layers."""
        key = id(layers)
        if key not in self._digests:
            self._digests[key] = layers.digest()
        return self._digests[key]

    def arrays(self, layers: MeshLayers, cell: int) -> ChunkArrays:
        """Return the arrays of the whole mesh, placed in a cell."""
        key = id(layers)
        if key not in self._arrays:
            self._arrays[key] = whole_arrays(layers)
        return self._arrays[key]._replace(cell=cell)


def _unsound_rows(
    context: bpy.types.Context, world: WorldTriangles, rows: Sequence[int]
) -> set[int]:
    """Return the rows whose mesh is not sound: `Mesh.validate` would change it."""
    if not rows:
        return set()
    some = world.placements.ordered(np.array(rows, np.intp))
    depsgraph = context.evaluated_depsgraph_get()
    flags = read_rows(depsgraph, some, is_sound, lambda _, is_sound_: is_sound_)
    return {row for row, sound in zip(rows, flags, strict=True) if not sound}


def _parts_of(
    source: ChunkSource, cut: SceneCut, world: WorldTriangles, mark: bytes, whole: WholeMeshes
) -> Iterator[ChunkPart]:
    """Yield the parts of a source, one for each cell that it has anything in."""
    row, found = source.row, cut.found
    start, stop = world.starts[row : row + 2].tolist()
    cells, layers = found.cells[start:stop], cut.layers.get(row)
    matrix = cut.matrices[row].tobytes()
    empty = np.empty(0, np.intp)
    loose = _loose_cells(layers, cut.matrices[row], found) if layers else (empty, empty)
    # Cell -1 stands for triangles in pieces, and for invalid ones.
    all_cells = np.unique(np.concatenate((cells, *loose)))
    is_whole = len(all_cells) == 1 and all_cells[0] >= 0 and not source.is_sheared
    if is_whole and source.is_copied and (layers is None or whole.are_sound(layers)):
        sums = hashlib.sha1(world.placements.meshes[row].digest, usedforsecurity=False)
        sums.update(matrix + mark)
        yield ChunkPart(source, int(all_cells[0]), stop - start, sums.hexdigest())
        return
    if layers is None:
        return
    digest = whole.digest(layers) + matrix + mark
    if is_whole:
        arrays = whole.arrays(layers, int(all_cells[0]))
        signed = hashlib.sha1(digest, usedforsecurity=False).hexdigest()
        yield ChunkPart(source, arrays.cell, arrays.triangle_count, signed, arrays, True)
        return
    polygons = chunk_polygons(
        *_of_row(row, world, found),
        layers.triangle_corners,
        layers.triangle_polygons,
        layers.polygon_starts,
        # Shear would change the diagonals of a non-planar face, so it is triangulated before.
        triangulate=source.is_sheared,
    )
    for arrays in chunk_arrays(layers, polygons, *loose):
        signed = _signature(digest, arrays, cut.made, len(layers.positions))
        yield ChunkPart(source, arrays.cell, arrays.triangle_count, signed, arrays)


def _of_row(row: int, world: WorldTriangles, found: Chunks) -> tuple[Chunks, Ids]:
    """Return chunks and triangles of one placement, with the vertex numbers of its mesh."""
    start, stop = world.starts[row : row + 2].tolist()
    first, last = world.vertex_starts[row : row + 2].tolist()
    pieces, count = found.pieces, len(world.triangles.vertices)
    span = slice(*np.searchsorted(pieces.triangles, (start, stop)).tolist())
    faces = pieces.faces[span]
    own = replace(
        pieces,
        vertices=pieces.vertices[first : len(pieces.vertices) - count + last],
        faces=np.where(faces < count, faces - first, faces - count + last - first),
        cells=pieces.cells[span],
        triangles=pieces.triangles[span] - start,
        weights=pieces.weights[span],
    )
    chunks = replace(found, cells=found.cells[start:stop], pieces=own)
    return chunks, world.triangles.faces[start:stop] - first


def _signature(digest: bytes, arrays: ChunkArrays, made: Floats, own: int) -> str:
    sums = hashlib.sha1(digest, usedforsecurity=False)
    for each in (
        arrays.points.rows, arrays.points.weights, arrays.corners.rows, arrays.corners.weights,
        arrays.corner_vertices, arrays.polygon_starts, arrays.polygons, arrays.edges,
    ):  # fmt: skip
        sums.update(np.ascontiguousarray(each).tobytes())
    sums.update(made[arrays.numbers[arrays.numbers >= own] - own].tobytes())
    return sums.hexdigest()


def _loose_cells(layers: MeshLayers, matrix: Floats, found: Chunks) -> tuple[Ids, Ids]:
    """Return the nearest cells of the midpoints of loose edges, and of loose points."""
    edges, points = loose_parts(layers)
    middles = layers.positions[layers.edges[edges]].astype(np.float64).mean(axis=1)
    both = np.concatenate((middles, layers.positions[points]))
    cells = nearest_cells(found, both @ matrix[:3, :3].T + matrix[:3, 3])
    return cells[: len(edges)], cells[len(edges) :]
