"""Scenes as camera rays meet them: without what a render leaves out, and without open faces.

Placements stand in the order of the dependency graph, whatever was asked before: of equally near
triangles the first is seen, so that the frames of a shot may be asked in any chunks.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import bpy
import numpy as np

from ...core import ItemRenderer, SceneOctree
from ..arrays import Flags, Floats, Ids
from ..item_buffer import clear_of, renderer_of, scene_without
from ..reader import ScenePlacements
from ..scene_index import SceneIndex
from .render_roles import Roles, roles_of


@dataclass(frozen=True, eq=False)
class Shown:
    """What is drawn in one frame.

    Attributes
    ----------
    renderer : ItemRenderer
        What draws it.
    rows : ndarray of intp, shape (n,)
        For each placement of its scene, in the order of their ids, the row in the index.
    holdout : ndarray of bool, shape (n,)
        Whether it only hides.
    open_polygons : dict of int to ndarray of bool, shape (polygons,)
        By rows of the index, where there are any: polygons that are left out.
    """

    renderer: ItemRenderer
    rows: Ids
    holdout: Flags
    open_polygons: dict[int, Flags]


class ShownScene:
    """What camera rays meet, frame after frame; drawn on as it is while only cameras move.

    Parameters
    ----------
    open_faces : bool
        Whether faces of materials that let light through are left out.
    made_by : callable, optional
        Makes what draws a scene; by default what is best here.

    Attributes
    ----------
    clear : set of str
        Names of the materials that let light through, of all frames.
    left_out : set of int
        Session ids of objects that a render leaves out, of all frames.
    """

    def __init__(
        self,
        *,
        open_faces: bool = False,
        made_by: Callable[[SceneOctree], ItemRenderer] | None = None,
    ) -> None:
        self.clear: set[str] = set()
        self.left_out: set[int] = set()
        self._open_faces, self._made_by = open_faces, made_by or renderer_of
        self._placements: ScenePlacements | None = None
        self._roles: Roles | None = None
        self._open: dict[int, Flags] = {}
        self._shown: Shown | None = None

    def update(
        self, context: bpy.types.Context, index: SceneIndex, *, without: Collection[int] = ()
    ) -> Shown:
        """Return what is drawn of an index that is up to date.

        `without` are session ids of objects that are left out besides, with their instances.
        """
        depsgraph, placements = context.evaluated_depsgraph_get(), index.placements
        roles = roles_of(depsgraph, placements)
        self.left_out.update(placements.owners[~roles.drawn].tolist())
        if without:
            roles.drawn[np.isin(placements.owners, [*without])] = False
        before = self._roles or roles
        is_same = self._placements is not None and _are_alike(self._placements, placements)
        if not is_same:
            clear = clear_of(depsgraph, placements)
            self.clear |= clear.names
            self._open = clear.polygons if self._open_faces else {}
        self._placements, self._roles = placements, roles
        if self._shown is None or not is_same or not all(map(np.array_equal, before, roles)):
            self._shown = self._staged(index, roles)
        elif self._shown.renderer.scene is not index.octree:
            scene = self._shown.renderer.scene
            scene.move(scene.ids, _matrices(index, self._shown.rows))
        return self._shown

    def _staged(self, index: SceneIndex, roles: Roles) -> Shown:
        """Return what is drawn by whom; the index itself if all of it is, in its order."""
        order = np.argsort(index.placements.entries, kind="stable")
        rows = order[roles.drawn[order]]
        if self._open or not np.array_equal(rows, np.arange(len(index))):
            scene = scene_without(index, rows, self._open)
        else:
            scene = index.octree
        if self._shown is not None and self._shown.renderer.scene is scene:
            renderer = self._shown.renderer
        else:
            renderer = self._made_by(scene)
        return Shown(renderer, rows, roles.holdout[rows], self._open)


def _are_alike(one: ScenePlacements, other: ScenePlacements) -> bool:
    """Tell whether these are the same meshes of the same objects, wherever they stand."""
    return (
        one.meshes == other.meshes
        and np.array_equal(one.keys, other.keys)
        and np.array_equal(one.entries, other.entries)
    )


def _matrices(index: SceneIndex, rows: Ids) -> Floats:
    """Return the matrices of rows of an index, (n, 4, 4)."""
    return index.octree.matrices_of(index.octree.ids[rows])
