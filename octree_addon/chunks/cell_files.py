"""Chunks as arrays: the triangles of each cell in world space, in double precision (npz)."""

import io
from collections.abc import Mapping, Sequence

import numpy as np

from ..arrays import Floats, Ids
from .cutting import ChunkPart, SceneCut
from .world import triangle_materials

# Relative error of positions that were rounded to single precision a few times.
_SINGLE = 2.0**-20


def parts_by_cell(cut: SceneCut) -> list[list[ChunkPart]]:
    """Return the list of parts of each cell."""
    found: list[list[ChunkPart]] = [[] for _ in cut.names]
    for part in cut.parts:
        found[part.cell].append(part)
    return found


def shown_bounds(cut: SceneCut) -> tuple[Floats, Floats]:
    """Return the bounds of the triangles of each cell, (c, 3) each, with room for rounding."""
    found, world = cut.found, cut.world
    whole = np.flatnonzero(found.cells >= 0)
    cells = np.concatenate((found.cells[whole], found.pieces.cells))
    faces = np.concatenate((world.triangles.faces[whole], found.pieces.faces))
    corners = found.pieces.vertices[faces]
    lower, upper = np.full((2, len(cut.names), 3), np.inf) * [[[1.0]], [[-1.0]]]
    np.minimum.at(lower, cells, corners.min(axis=1))
    np.maximum.at(upper, cells, corners.max(axis=1))
    return rounded_bounds(lower, upper)


def rounded_bounds(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Return bounds (..., 3) enlarged by the rounding error of points in single precision."""
    slack = _SINGLE * np.maximum(np.abs(lower), np.abs(upper)).max(axis=-1, keepdims=True)
    return lower - slack, upper + slack


class CellFiles:
    """Contents of .npz files: the triangles of each cell in world space, in double precision."""

    def __init__(self, cut: SceneCut) -> None:
        found, world = cut.found, cut.world
        whole = np.flatnonzero(found.cells >= 0)
        cells = np.concatenate((found.cells[whole], found.pieces.cells))
        order = np.argsort(cells, kind="stable")
        self._cut, self._starts = cut, np.searchsorted(cells[order], np.arange(len(cut.names) + 1))
        self._faces = np.concatenate((world.triangles.faces[whole], found.pieces.faces))[order]
        self._triangles = np.concatenate((whole, found.pieces.triangles))[order]
        self._materials = triangle_materials(world, cut.materials)

    def content(self, cell: int, names: Mapping[int, str]) -> bytes:
        """Return the .npz file of a cell; `names` maps session ids of materials to names.

        Arrays: `vertices` (v, 3) and `faces` (f, 3); `objects` (f,) and `materials` (f,), which
        index `object_names` and `material_names`.
        """
        span = slice(self._starts[cell], self._starts[cell + 1])
        numbers, faces = np.unique(self._faces[span], return_inverse=True)
        triangles = self._triangles[span]
        rows, objects = np.unique(self._cut.world.rows[triangles], return_inverse=True)
        uids, materials = np.unique(self._materials[triangles], return_inverse=True)
        return arrays_file(
            self._cut.found.pieces.vertices[numbers],
            faces.reshape(-1, 3),
            objects.ravel(),
            materials.ravel(),
            [self._cut.sources[row].label for row in rows],
            [names.get(uid, "") for uid in uids.tolist()],
        )


def arrays_file(
    vertices: Floats,
    faces: Ids,
    objects: Ids,
    materials: Ids,
    object_names: Sequence[str],
    material_names: Sequence[str],
) -> bytes:
    """Return triangles as the bytes of an .npz file."""
    file = io.BytesIO()
    np.savez_compressed(
        file,
        vertices=vertices,
        faces=faces.astype(np.int32),
        objects=objects.astype(np.int32),
        materials=materials.astype(np.int32),
        object_names=np.array(object_names, np.str_),
        material_names=np.array(material_names, np.str_),
    )
    return file.getvalue()
