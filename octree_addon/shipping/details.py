"""Contents of coarser cells: children joined, seams welded, the rest decimated.

Vertices on a wall of the cell or on an open edge stay fixed, bit by bit, so that a cell fits
neighbors of any level.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from .. import tuning
from ..arrays import Flags, Floats
from ..chunks import CHUNK, SOURCE, ChunkPart, ChunkSource, Draft, safe_name
from ..reader import mesh_arrays, mesh_layers
from .parents import ParentCell
from .reduction import ReductionWish, reduced_meshes
from .surface_errors import LevelError, Surface, joined_surface, surface_error
from .twins import CellStage
from .welding import open_vertices, welded_mesh

# Relative errors of positions that were rounded a few times, in single and in double precision.
_SINGLE, _DOUBLE = 2.0**-21, 2.0**-48
# Largest relative difference between squared scales that count as uniform.
_ALIKE = 1e-6


class DetailPart(NamedTuple):
    """The part of one source that lies in one cell of any level.

    Attributes
    ----------
    source : ChunkSource
        The source.
    mesh : bpy.types.Mesh
        The evaluated mesh, with its visible materials.
    origins : tuple of int
        Session ids of the meshes of chunks that it was made from.
    """

    source: ChunkSource
    mesh: bpy.types.Mesh
    origins: tuple[int, ...]


class CellDetail(NamedTuple):
    """Contents of a cell of any level; `draft` owns the data that was made for this cell only."""

    parts: list[DetailPart]
    error: LevelError
    draft: Draft


class DetailMaker:
    """Builder of the contents of cells of all levels; `close` removes all that it has made.

    Attributes
    ----------
    scene : bpy.types.Scene
        Scene for evaluation, shown in no window.
    """

    def __init__(self, matrices: Floats) -> None:
        """Store the matrices of the sources, (n, 4, 4), by row."""
        self._matrices = matrices
        self._draft = Draft()
        self._surfaces: dict[int, Surface] = {}
        self._known: dict[tuple[int, bytes], bpy.types.Mesh] = {}
        self._rims: dict[int, tuple[NDArray[np.float32], Flags]] = {}
        self._errors: dict[tuple[Any, ...], LevelError] = {}
        self.scene = bpy.data.scenes.new("Levels")

    def close(self) -> None:
        """Remove all new data, the scene first, so that no removed object is evaluated."""
        bpy.data.scenes.remove(self.scene)
        self._draft.drop()

    def of_chunk(self, stage: CellStage) -> CellDetail:
        """Return the contents of a chunk; valid while its stage is open."""
        draft, parts = Draft(), []
        for part, shown in zip(stage.parts, stage.shown, strict=True):
            mesh = shown.mesh
            materials = _materials(shown.item, mesh)
            if mesh.shape_keys is not None or materials != list(mesh.materials):
                mesh = self._plain(mesh, materials, draft)
            if len(mesh.polygons):
                uid = mesh.session_uid
                if uid not in self._surfaces:
                    arrays = mesh_arrays(mesh)
                    self._surfaces[uid] = Surface(
                        arrays.positions.astype(np.float64), arrays.triangles.astype(np.intp)
                    )
                parts.append(DetailPart(part.source, mesh, (uid,)))
        return CellDetail(parts, LevelError(), draft)

    def of_parent(self, parent: ParentCell, children: Sequence[CellDetail]) -> CellDetail:
        """Return the contents of a cell, joined from its children and reduced."""
        draft, joined = Draft(), Draft()
        try:
            parts = self._joined(children, joined)
            reduced = self._reduced(parent, parts, draft)
            error = LevelError()
            for part in reduced:
                error = error.with_other(self._error(part))
        except BaseException:
            draft.drop()
            raise
        finally:
            joined.drop()
        return CellDetail(reduced, error, draft)

    def items(self, parent: ParentCell, detail: CellDetail) -> list[bpy.types.Object]:
        """Return an object for each part; the draft of the cell owns the objects."""
        taken: set[str] = set()
        made = []
        for part in detail.parts:
            name = safe_name(part.source.label, f"_{parent.name}", taken)
            item = bpy.data.objects.new(name, part.mesh)
            detail.draft.data.append(item)
            item.vertex_groups.clear()
            item.matrix_world = Matrix(self._matrices[part.source.row].tolist())
            item[CHUNK], item[SOURCE] = parent.name, part.source.label
            made.append(item)
        return made

    def _plain(
        self, mesh: bpy.types.Mesh, materials: Sequence[bpy.types.Material | None], draft: Draft
    ) -> bpy.types.Mesh:
        """Return an evaluated copy of a mesh with these materials, without shape keys."""
        item = bpy.data.objects.new("plain", mesh)
        try:
            self.scene.collection.objects.link(item)
            layer = self.scene.view_layers[0]
            layer.update()
            plain = bpy.data.meshes.new_from_object(
                item.evaluated_get(layer.depsgraph),
                preserve_all_data_layers=True,
                depsgraph=layer.depsgraph,
            )
        finally:
            bpy.data.objects.remove(item)
        draft.data.append(plain)
        plain.materials.clear()
        for material in materials:
            plain.materials.append(material)
        return plain

    def _joined(self, children: Sequence[CellDetail], draft: Draft) -> list[DetailPart]:
        """Return the parts of all children, those of one source welded into one."""
        by_row: dict[int, list[DetailPart]] = {}
        for child in children:
            for part in child.parts:
                by_row.setdefault(part.source.row, []).append(part)
        found = []
        for row in sorted(by_row):
            parts = by_row[row]
            mesh = parts[0].mesh
            if len(parts) > 1:
                mesh = welded_mesh("joined", [each.mesh for each in parts])
                draft.data.append(mesh)
            origins = tuple(uid for each in parts for uid in each.origins)
            found.append(DetailPart(parts[0].source, mesh, origins))
        return found

    def _reduced(
        self, parent: ParentCell, parts: Sequence[DetailPart], draft: Draft
    ) -> list[DetailPart]:
        """Return parts with fewer triangles; a mesh that several sources share is reduced once."""
        keys, wishes = [], {}
        for part in parts:
            fixed = self._fixed(part, parent.members)
            key = part.mesh.session_uid, fixed.tobytes()
            keys.append(key)
            if key not in self._known:
                wishes[key] = ReductionWish(part.mesh, fixed)
        share = tuning.current.level_share
        made = dict(
            zip(wishes, reduced_meshes(self.scene, list(wishes.values()), share), strict=True)
        )
        for part, key in zip(parts, keys, strict=True):
            if key in made and len(part.origins) == 1:
                # A whole mesh may occur in other cells, too.
                self._draft.data.append(made[key])
                self._known[key] = made.pop(key)
        draft.data += made.values()
        found = self._known | made
        return [part._replace(mesh=found[key]) for part, key in zip(parts, keys, strict=True)]

    def _fixed(self, part: DetailPart, members: Mapping[str, Any]) -> Flags:
        """Flag the fixed vertices: those on open edges and on walls of the cell."""
        uid, matrix = part.mesh.session_uid, self._matrices[part.source.row]
        if uid not in self._rims:
            layers = mesh_layers(part.mesh)
            self._rims[uid] = layers.positions, open_vertices(layers)
        positions, is_open = self._rims[uid]
        turned = positions @ matrix[:3, :3].T
        room = _SINGLE * np.abs(turned).max(initial=0.0) + _DOUBLE * np.abs(matrix[:3, 3]).max()
        places = turned + matrix[:3, 3]
        on_wall = np.zeros(len(places), np.bool_)
        for wall in (members["lower"], members["upper"]):
            on_wall |= (np.abs(places - wall) <= room).any(axis=1)
        return is_open | on_wall

    def _error(self, part: DetailPart) -> LevelError:
        turn, size = _without_turn(self._matrices[part.source.row][:3, :3])
        key = part.origins, part.mesh.session_uid, turn.tobytes()
        if key not in self._errors:
            before = joined_surface([self._surfaces[uid] for uid in part.origins])
            arrays = mesh_arrays(part.mesh)
            after = Surface(arrays.positions.astype(np.float64), arrays.triangles.astype(np.intp))
            self._errors[key] = surface_error(
                *(each._replace(points=each.points @ turn.T) for each in (before, after))
            )
        return LevelError(*(size * each for each in self._errors[key]))


def detail_parts(detail: CellDetail, cell: int) -> list[ChunkPart]:
    """Return the contents of a cell as parts of a chunk."""
    return [
        ChunkPart(part.source, cell, len(part.mesh.loop_triangles), "") for part in detail.parts
    ]


def _without_turn(matrix: Floats) -> tuple[Floats, float]:
    """Return a matrix (3, 3) and a factor that together scale lengths as the given one does.

    For a rotation with a uniform scale these are the identity and the scale, so that instances
    that are only rotated or scaled share their errors.
    """
    squares = matrix.T @ matrix
    square = float(np.trace(squares)) / 3
    if np.abs(squares - square * np.eye(3)).max() <= _ALIKE * square:
        return np.eye(3), math.sqrt(square)
    return matrix, 1.0


def _materials(item: bpy.types.Object, mesh: bpy.types.Mesh) -> list[bpy.types.Material | None]:
    """Return the visible materials of an object: those of its mesh, or of its slots."""
    found = list(mesh.materials)
    for number, slot in enumerate(item.material_slots):
        if slot.link == "OBJECT" and number < len(found):
            found[number] = slot.material
    return found
