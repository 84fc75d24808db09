"""Scenes to draw for cameras: placements that a render shows, without open (transparent) faces.

Placements are in depsgraph order. If triangles have equal depth, the first one is visible. With a
fixed order, results do not depend on how the frames of a shot are split into chunks.
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
    """The scene that is drawn in one frame.

    Attributes
    ----------
    renderer : ItemRenderer
        Renderer of the scene.
    rows : ndarray of intp, shape (n,)
        The row in the index of each placement of the drawn scene, in the order of ids.
    holdout : ndarray of bool, shape (n,)
        True if the placement hides others but is not seen itself.
    open_polygons : dict of int to ndarray of bool, shape (polygons,)
        Flags of polygons that are left out, by row of the index; only rows that have any.
    """

    renderer: ItemRenderer
    rows: Ids
    holdout: Flags
    open_polygons: dict[int, Flags]


class ShownScene:
    """The drawn scene over several frames; reused while the same placements are drawn.

    Parameters
    ----------
    open_faces : bool
        True if faces of transparent materials are left out.
    made_by : callable, optional
        Creates the renderer of a scene; by default `renderer_of`.

    Attributes
    ----------
    clear : set of str
        Names of the transparent materials in all frames.
    left_out : set of int
        Session ids of objects that a render leaves out, in all frames.
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
        """Return the drawn scene of an index that is up to date.

        `without` has session ids of further objects to leave out, with their instances.
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
        """Return the scene to draw; the octree of the index if it fits, without a copy."""
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
    """Return whether two sets of placements have the same keys, meshes and order."""
    return (
        one.meshes == other.meshes
        and np.array_equal(one.keys, other.keys)
        and np.array_equal(one.entries, other.entries)
    )


def _matrices(index: SceneIndex, rows: Ids) -> Floats:
    """Return the world matrices of the placements in some rows of an index, (n, 4, 4)."""
    return index.octree.matrices_of(index.octree.ids[rows])
