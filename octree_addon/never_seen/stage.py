"""Drawn scenes: placements that a render shows, without faces that are counted as open."""

from dataclasses import dataclass

import bpy
import numpy as np

from ...core import SceneOctree
from ..arrays import Flags, Ids
from ..item_buffer import scene_without
from ..reader import RowMaterials, lets_light_through, row_materials
from ..scene_index import SceneIndex
from .views import Views

# A volume that is displayed like this stands for its box, and is not drawn.
_SHELLS = {"BOUNDS", "WIRE"}


@dataclass(frozen=True, eq=False)
class Stage:
    """The scene of one frame as views are to see it.

    Attributes
    ----------
    scene : SceneOctree
        What is drawn.
    solid : SceneOctree
        What a place of a view must not be inside of.
    rows : ndarray of intp, shape (n,)
        For each placement of `scene`, in the order of its ids, its row in the index.
    open_polygons : dict of int to ndarray of bool, shape (polygons,)
        By rows of the index, where there are any: polygons that are counted as open.
    opaque : frozenset of str
        Names of materials that let light through and are drawn.
    """

    scene: SceneOctree
    solid: SceneOctree
    rows: Ids
    open_polygons: dict[int, Flags]
    opaque: frozenset[str]


def stage_of(context: bpy.types.Context, index: SceneIndex, views: Views) -> Stage:
    """Return what is drawn of an index that is up to date."""
    clear = {each.session_uid: each for each in bpy.data.materials if lets_light_through(each)}
    materials: list[RowMaterials] = []
    if clear:
        materials = row_materials(context.evaluated_depsgraph_get(), index.placements)
    if clear and len(materials) < len(index.placements):
        raise ValueError("The scene has changed meanwhile: look once more")
    used = {uid for each in materials for uid in each.slots}
    names = frozenset(material.name for uid, material in clear.items() if uid in used)
    open_polygons: dict[int, Flags] = {}
    if views.is_open:
        flags = ((row, each.are_of(set(clear))) for row, each in enumerate(materials))
        open_polygons = {row: each for row, each in flags if each.any()}
    rows, others = _rows(context, index, views)
    solid = index.octree
    if len(others) < len(index):
        solid = solid.only(solid.ids[others])
    opaque = frozenset() if views.is_open else names
    if not open_polygons and len(rows) == len(index):
        return Stage(index.octree, solid, rows, {}, opaque)
    scene = scene_without(index, rows, open_polygons)
    return Stage(scene, solid, rows, open_polygons, opaque)


def _rows(context: bpy.types.Context, index: SceneIndex, views: Views) -> tuple[Ids, Ids]:
    """Return the placements that are drawn, and those that are solid: not the volume."""
    owners = index.placements.owners
    rows = np.flatnonzero(np.isin(owners, rendered_objects(context)))
    volume: bpy.types.Object | None = context.scene.objects.get(views.volume)
    if views.kind != "INSIDE" or volume is None:
        return rows, rows
    others = rows[owners[rows] != volume.session_uid]
    return (others if volume.display_type in _SHELLS else rows), others


def rendered_objects(context: bpy.types.Context) -> Ids:
    """Return the session ids of objects that a render of the scene shows to cameras.

    Cutters and other helpers, which it does not show, hide nothing.
    """
    collections = [context.scene.collection]
    objects: set[bpy.types.Object] = set()
    for collection in collections:
        if not collection.hide_render:
            objects.update(collection.objects)
            collections += [each for each in collection.children if each not in collections]
    shown = [each for each in objects if not each.hide_render and each.visible_camera]
    return np.array([each.session_uid for each in shown], np.intp)
