"""Scenes for counting: the drawn scene, and the solids that a view must not be placed in."""

from dataclasses import dataclass

import bpy
import numpy as np

from ....core import SceneOctree
from ...arrays import Flags, Ids
from ...scene_index import SceneIndex
from ...ui import named_object
from ..shown_scene import Shown, ShownScene
from .views import SampledViews

# A volume with one of these display types stands for its box and is not drawn.
_SHELLS = {"BOUNDS", "WIRE"}


@dataclass(frozen=True, eq=False)
class CountingStage:
    """The scene of one frame, prepared for counting.

    Attributes
    ----------
    shown : Shown
        The drawn scene. Holdouts are tested like other objects, since removing them would change
        pixels.
    solid : SceneOctree
        The objects that a view must not be placed in.
    """

    shown: Shown
    solid: SceneOctree

    @property
    def scene(self) -> SceneOctree:
        """The octree of the drawn scene."""
        return self.shown.renderer.scene

    @property
    def rows(self) -> Ids:
        """The row in the index of each placement of `scene`, in the order of ids, (n,)."""
        return self.shown.rows

    @property
    def open_polygons(self) -> dict[int, Flags]:
        """Flags of polygons that count as open, by row of the index; only rows that have any."""
        return self.shown.open_polygons


def stage_of(
    context: bpy.types.Context, index: SceneIndex, views: SampledViews, scene: ShownScene
) -> CountingStage:
    """Return the stage of an index that is up to date; `scene` is reused between frames."""
    objects = context.scene.objects
    volume: bpy.types.Object | None = objects.get(views.volume) if views.kind == "INSIDE" else None
    without = {named_object(context.scene, views.without).session_uid} if views.without else set()
    if volume is not None and volume.display_type in _SHELLS:
        without.add(volume.session_uid)
    shown = scene.update(context, index, without=without)
    rows = shown.rows
    if volume is not None:
        rows = rows[index.placements.owners[rows] != volume.session_uid]
    return CountingStage(shown, _solid(index, rows))


def _solid(index: SceneIndex, rows: Ids) -> SceneOctree:
    octree = index.octree
    return octree if len(rows) == len(index) else octree.only(octree.ids[np.sort(rows)])
