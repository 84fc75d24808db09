"""Chunks as files: arrays of each cell (npz), and a manifest that a second run takes up."""

import hashlib
import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..text_formats import json_file, read_head
from .cutting import ChunkPart, SceneCut
from .world import triangle_materials

FORMAT, VERSION = "octree chunks", 1
MANIFEST = "manifest.json"
_SIDES = ("-x", "+x", "-y", "+y", "-z", "+z")


def parts_by_cell(cut: SceneCut) -> list[list[ChunkPart]]:
    """Return the parts of each cell."""
    found: list[list[ChunkPart]] = [[] for _ in cut.names]
    for part in cut.parts:
        found[part.cell].append(part)
    return found


def cell_hash(parts: Sequence[ChunkPart]) -> str:
    """Return the same for the same chunks of a cell, in any session."""
    signatures = sorted(f"{part.source.label}\0{part.signature}" for part in parts)
    return hashlib.sha1("\n".join(signatures).encode(), usedforsecurity=False).hexdigest()


class CellFiles:
    """The triangles of each cell as an .npz file, in the world and in double precision."""

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
        """Return the file of a cell; `names` are those of materials by session id.

        `vertices` (v, 3), `faces` (f, 3), `objects` (f,) and `materials` (f,), places in
        `object_names` and `material_names`.
        """
        span = slice(self._starts[cell], self._starts[cell + 1])
        numbers, faces = np.unique(self._faces[span], return_inverse=True)
        triangles = self._triangles[span]
        rows, objects = np.unique(self._cut.world.rows[triangles], return_inverse=True)
        uids, materials = np.unique(self._materials[triangles], return_inverse=True)
        file = io.BytesIO()
        np.savez_compressed(
            file,
            vertices=self._cut.found.pieces.vertices[numbers],
            faces=faces.reshape(-1, 3).astype(np.int32),
            objects=objects.ravel().astype(np.int32),
            materials=materials.ravel().astype(np.int32),
            object_names=np.array([self._cut.sources[row].label for row in rows], np.str_),
            material_names=np.array([names.get(uid, "") for uid in uids.tolist()], np.str_),
        )
        return file.getvalue()


def manifest_of(
    cut: SceneCut, options: Mapping[str, Any], file: str, hashes: Sequence[str]
) -> str:
    """Return the manifest: all cells with bounds, triangles, neighbors, parents, files."""
    found = cut.found
    shift = 2 if options["tree"] == "QUADTREE" else 3
    near: list[dict[str, list[str]]] = [{side: [] for side in _SIDES} for _ in cut.names]
    for cell, side, other in found.neighbors.T.tolist():
        near[cell][_SIDES[side]].append(cut.names[other])
    chunks = [
        {
            "id": name,
            "code": int(found.codes[cell]),
            "parent": int(found.codes[cell]) >> shift,
            "level": int(found.levels[cell]),
            "lower": found.lower[cell].tolist(),
            "upper": found.upper[cell].tolist(),
            "triangles": int(found.counts[cell]),
            "over": bool(found.is_over[cell]),
            "objects": [part.source.label for part in parts],
            "neighbors": near[cell],
            "files": [f"{name}.npz", f"{name}.blend"],
            "hash": hashes[cell],
        }
        for cell, (name, parts) in enumerate(zip(cut.names, parts_by_cell(cut), strict=True))
    ]
    return json_file(
        {
            "format": FORMAT,
            "version": VERSION,
            "file": file,
            "options": dict(options),
            "cell": found.cell,
            "root": {"lower": found.root_lower.tolist(), "size": found.root_size},
            "chunks": chunks,
        }
    )


def known_hashes(content: bytes) -> dict[str, str]:
    """Return the hashes of the cells of a manifest, by id; a `ValueError` if it is none."""
    chunks = read_head(content, FORMAT, VERSION).get("chunks")
    if not isinstance(chunks, list):
        raise ValueError("chunks must be a list")
    return {str(each["id"]): str(each["hash"]) for each in chunks}
