"""Cutting a scene into chunk parts, step by step: NumPy arrays, nothing in Blender is touched."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import bpy
import numpy as np

from ...core import Chunks, Steps, between, chunk_polygons, chunks_steps
from ..answers.rows import numbered
from ..arrays import Floats, Ids
from ..reader import MeshLayers, RowMaterials, layer_steps, matrices_of
from ..scene_index import revision
from .assembly import ChunkArrays, chunk_arrays, loose_parts
from .settings import limit_of
from .shear import are_sheared, with_shear
from .world import WorldTriangles, nearest_cells, triangle_texels, world_steps

# What is done with a placement, as `chunks_steps` counts it: its triangles are cut at walls, or
# assigned to cells, or it stays whole.
CUT, ASSIGN, KEEP = 0, 1, 2
# What `chunks_steps` calls what a budget is of.
_COUNTED = {"TRIANGLES": "triangles", "OBJECTS": "objects", "TEXELS": "weights"}
# Where in the work reading, cutting and the reading of layers have ended.
_WORLD, _CUT, _READ = 0.3, 0.6, 0.7


class ChunkSource(NamedTuple):
    """A placement that chunks are made of.

    Attributes
    ----------
    row : int
        Where it stands among the placements of `WorldTriangles`.
    owner, shown : int
        Session ids of the object, or the instancer, and of what it shows.
    label : str
        Its name: "Tree", or of an instance "Tree #3".
    is_instance : bool
        Whether it is no object itself.
    how : int
        `CUT`, `ASSIGN` or `KEEP`.
    own : bool
        Whether its original mesh is taken, with shape keys, and with the modifiers that it has.
    is_sheared : bool
        Whether it will stand by itself, as no object can: its mesh has to be.
    """

    row: int
    owner: int
    shown: int
    label: str
    is_instance: bool
    how: int
    own: bool
    is_sheared: bool

    @property
    def is_read(self) -> bool:
        """Whether meshes are made of its layers, and not only copies of it."""
        return self.how != KEEP or self.is_sheared


@dataclass(frozen=True, eq=False)
class ChunkPart:
    """What one source has in one cell.

    Attributes
    ----------
    source : ChunkSource
        The source.
    cell : int
        Which cell.
    triangles : int
        How many it has.
    signature : str
        The same for the same chunk: its arrays, its source and where that stands.
    arrays : ChunkArrays, optional
        None of a source that is whole in the cell.
    """

    source: ChunkSource
    cell: int
    triangles: int
    signature: str
    arrays: ChunkArrays | None = None


@dataclass(frozen=True, eq=False)
class SceneCut:
    """A scene in chunks.

    Attributes
    ----------
    world : WorldTriangles
        Its triangles.
    found : Chunks
        Its cells.
    parts : tuple of ChunkPart
        What is in them, by cell.
    sources : tuple of ChunkSource
        What they are of, by row.
    layers : Mapping of int to MeshLayers
        By the row of a source that is read; sheared as it is in the world.
    matrices : ndarray of float64, shape (r, 4, 4)
        Where the sources stand, by row, and what is made of them.
    materials : list of RowMaterials
        By row.
    made : ndarray of float64, shape (m, 3)
        The vertices that walls have made, in the world.
    """

    world: WorldTriangles
    found: Chunks
    parts: tuple[ChunkPart, ...]
    sources: tuple[ChunkSource, ...]
    layers: Mapping[int, MeshLayers]
    matrices: Floats
    materials: list[RowMaterials]
    made: Floats

    @cached_property
    def names(self) -> list[str]:
        """What each cell is called."""
        return cell_names(self.found)


def cell_names(found: Chunks) -> list[str]:
    """Return names of cells that hold wherever the root is, such as "2_-1_0_3".

    An edge of four times that of a cell, and from the origin one of these to the left, three up.
    """
    rows = np.column_stack((found.levels, found.coordinates)).tolist()
    return ["_".join(map(str, row)) for row in rows]


def cut_steps(
    context: bpy.types.Context,
    options: Mapping[str, Any],
    also: Iterable[bpy.types.Object] = (),
) -> Steps[SceneCut]:
    """Cut what is visible into chunks; yield the fraction done.

    Parameters
    ----------
    context : bpy.types.Context
        In Object Mode.
    options : Mapping of str to Any
        As `ChunkOptions` has them.
    also : iterable of bpy.types.Object
        What is cut, too, whatever the scope.

    Raises
    ------
    ValueError
        If there are no triangles, or the scene has changed between two steps.
    """
    world = yield from between(0.0, _WORLD, world_steps(context, options["scope"], also))
    since, sources = revision(), sources_of(world, options)
    texels = texels_if_counted(context, world, options)
    dividing = scene_chunks_steps(world, sources, options, texels)
    found = yield from between(_WORLD, _CUT, dividing)
    entries = world.placements.entries
    wanted = {int(entries[each.row]): each.own for each in sources if each.is_read}
    read = layer_steps(context.evaluated_depsgraph_get, wanted)
    by_entry = yield from between(_CUT, _READ, read)
    if revision() != since:
        raise ValueError("The scene has changed meanwhile: cut once more")
    layers = {each.row: by_entry[int(entries[each.row])] for each in sources if each.is_read}
    matrices = matrices_of(world.placements.matrices)
    for row in [each.row for each in sources if each.is_sheared]:
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
    )
    parts: list[ChunkPart] = []
    for number, source in enumerate(sources):
        parts += _parts_of(source, cut, world)
        yield _READ + (1 - _READ) * (number + 1) / len(sources)
    return replace(cut, parts=tuple(sorted(parts, key=lambda part: part.cell)))


def texels_if_counted(
    context: bpy.types.Context, world: WorldTriangles, options: Mapping[str, Any]
) -> Floats | None:
    """Return the texels of each triangle, (n,); None where the budget is of something else."""
    if options["counted"] != "TEXELS":
        return None
    return triangle_texels(world, context.evaluated_depsgraph_get())


def scene_chunks_steps(
    world: WorldTriangles,
    sources: Sequence[ChunkSource],
    options: Mapping[str, Any],
    texels: Floats | None,
) -> Steps[Chunks]:
    """Divide the triangles of sources, each as it wants to be; yield the fraction done."""
    return chunks_steps(
        world.triangles,
        cell=options["cell"],
        budget=limit_of(options),
        counted=_COUNTED[options["counted"]],
        split=options["tree"].lower(),
        least_triangles=options["least_triangles"],
        least_size=options["least_size"],
        owners=world.rows,
        modes=np.array([each.how for each in sources], np.intp),
        weights=texels,
    )


def sources_of(world: WorldTriangles, options: Mapping[str, Any]) -> list[ChunkSource]:
    """Return what is done with each placement."""
    placements = world.placements
    items = {item.session_uid: item for item in bpy.data.objects}
    columns = (
        placements.owners, placements.shown, placements.is_instance, placements.intact,
        placements.persistent_ids, are_sheared(matrices_of(placements.matrices)),
    )  # fmt: skip
    found = []
    for row, values in enumerate(zip(*(each.tolist() for each in columns), strict=True)):
        owner, uid, is_instance, intact, numbers, sheared = values
        item = items.get(uid)
        own = intact and item is not None and not (is_instance and uid == owner)
        how = {"CUT": CUT, "ASSIGN": ASSIGN}[options["method"]]
        if is_instance and options["instances"] == "WHOLE":
            how = KEEP
        elif item is not None and is_deformed(item):
            how = ASSIGN if own and not is_instance else KEEP
        elif item is not None and any(each.show_viewport for each in item.modifiers):
            own = False
        # An object that is copied keeps its parents.
        sheared &= is_instance or item is None or item.type != "MESH"
        own &= not (sheared and item.modifiers)
        name = items[owner].name if owner in items else ""
        label = numbered(name, numbers) if is_instance else name
        found.append(ChunkSource(row, owner, uid, label, is_instance, how, own, sheared))
    return found


def is_deformed(item: bpy.types.Object) -> bool:
    """Tell whether an armature deforms an object."""
    return any(each.type == "ARMATURE" and each.show_viewport for each in item.modifiers)


def _parts_of(source: ChunkSource, cut: SceneCut, world: WorldTriangles) -> Iterator[ChunkPart]:
    """Yield what a source has in each cell."""
    row, found = source.row, cut.found
    start, stop = world.starts[row : row + 2].tolist()
    cells, layers = found.cells[start:stop], cut.layers.get(row)
    matrix = cut.matrices[row].tobytes()
    empty = np.empty(0, np.intp)
    loose = _loose_cells(layers, cut.matrices[row], found) if layers else (empty, empty)
    # Triangles in pieces are in cell -1.
    all_cells = np.unique(np.concatenate((cells, *loose)))
    is_whole = len(all_cells) == 1 and all_cells[0] >= 0
    if is_whole and not source.is_sheared:
        sums = hashlib.sha1(world.placements.meshes[row].digest, usedforsecurity=False)
        sums.update(matrix + source.label.encode())
        yield ChunkPart(source, int(all_cells[0]), stop - start, sums.hexdigest())
        return
    if layers is None:
        return
    polygons = chunk_polygons(
        *_of_row(row, world, found),
        layers.triangle_corners,
        layers.triangle_polygons,
        layers.polygon_starts,
        # A sheared face that is not flat would be tessellated along other lines.
        triangulate=source.is_sheared,
    )
    digest = layers.digest() + matrix + source.label.encode()
    for arrays in chunk_arrays(layers, polygons, *loose):
        signed = _signature(digest, arrays, cut.made, len(layers.positions))
        yield ChunkPart(source, arrays.cell, arrays.triangle_count, signed, arrays)


def _of_row(row: int, world: WorldTriangles, found: Chunks) -> tuple[Chunks, Ids]:
    """Return the chunks of one placement alone and its triangles, as its mesh numbers them."""
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
    """Return the cells of loose edges, by their middles, and of loose points."""
    edges, points = loose_parts(layers)
    middles = layers.positions[layers.edges[edges]].astype(np.float64).mean(axis=1)
    both = np.concatenate((middles, layers.positions[points]))
    cells = nearest_cells(found, both @ matrix[:3, :3].T + matrix[:3, 3])
    return cells[: len(edges)], cells[len(edges) :]
