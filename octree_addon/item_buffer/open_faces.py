"""Scenes to draw: placements of an index, without polygons that count as open (transparent)."""

from collections.abc import Mapping
from typing import NamedTuple

import bpy
import numpy as np

from ...core import SceneOctree, Triangles
from ..arrays import Flags, Ids
from ..reader import RowMaterials, SceneMesh, ScenePlacements, lets_light_through, row_materials
from ..scene_index import SceneIndex
from ..ui import ChangedMeanwhileError


class Clear(NamedTuple):
    """The transparent materials, and the polygons that have them.

    Attributes
    ----------
    names : frozenset of str
        Names of the materials.
    polygons : dict of int to ndarray of bool, shape (polygons,)
        Flags of transparent polygons, by row of the placement; only rows that have any.
    """

    names: frozenset[str]
    polygons: dict[int, Flags]


def clear_of(depsgraph: bpy.types.Depsgraph, placements: ScenePlacements) -> Clear:
    """Return the transparent materials and polygons of placements of a depsgraph.

    The placements must stem from the present state of the depsgraph. Raises a `ValueError` if the
    depsgraph has fewer placements by now.
    """
    clear = {item.session_uid: item.name for item in bpy.data.materials if _is_clear(item)}
    if not clear:
        return Clear(frozenset(), {})
    materials: list[RowMaterials] = row_materials(depsgraph, placements)
    if len(materials) < len(placements):
        raise ChangedMeanwhileError
    used = {uid for each in materials for uid in each.slots}
    flags = ((row, each.are_of(set(clear))) for row, each in enumerate(materials))
    return Clear(
        frozenset(name for uid, name in clear.items() if uid in used),
        {row: each for row, each in flags if each.any()},
    )


def _is_clear(material: bpy.types.Material) -> bool:
    return bool(material.users) and lets_light_through(material)


def scene_without(index: SceneIndex, rows: Ids, open_polygons: Mapping[int, Flags]) -> SceneOctree:
    """Return a scene of some placements of an index, in the order of `rows`, (n,).

    `open_polygons` has flags of polygons to leave out, by row; rows without such polygons may be
    missing. Triangles keep their numbers.
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
    """Return triangles with NaN vertices for the open ones, so that nothing finds them."""
    nowhere = np.full((1, 3), np.nan)
    faces = np.where(is_open[:, None], len(triangles.vertices), triangles.faces)
    return Triangles(np.concatenate((triangles.vertices, nowhere)), faces)
