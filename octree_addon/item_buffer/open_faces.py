"""Scenes to draw: some placements of an index, without the polygons that are counted as open."""

from collections.abc import Mapping

import numpy as np

from ...core import SceneOctree, Triangles
from ..arrays import Flags, Ids
from ..reader import SceneMesh
from ..scene_index import SceneIndex


def scene_without(index: SceneIndex, rows: Ids, open_polygons: Mapping[int, Flags]) -> SceneOctree:
    """Return a scene of some rows of an index, (n,), placed in their order.

    `open_polygons` are flags by row, where there are any; triangles keep their numbers.
    """
    scene = SceneOctree()
    numbers: dict[tuple[SceneMesh, bytes], int] = {}
    placed = np.empty(len(rows), np.intp)
    for place, row in enumerate(rows.tolist()):
        mesh, flags = index.placements.meshes[row], open_polygons.get(row)
        key = mesh, b"" if flags is None else flags.tobytes()
        if key not in numbers:
            triangles = mesh.triangles
            if flags is not None:
                triangles = _opened(triangles, flags[mesh.polygons])
            numbers[key] = scene.add_mesh(triangles)
        placed[place] = numbers[key]
    scene.place(placed, index.octree.matrices_of(index.octree.ids[rows]))
    return scene


def _opened(triangles: Triangles, is_open: Flags) -> Triangles:
    """Return triangles of which the open ones are nowhere."""
    nowhere = np.full((1, 3), np.nan)
    faces = np.where(is_open[:, None], len(triangles.vertices), triangles.faces)
    return Triangles(np.concatenate((triangles.vertices, nowhere)), faces)
