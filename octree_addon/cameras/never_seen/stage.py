"""Drawn scenes: what a render shows, and what a place of a view must not be inside of."""

from dataclasses import dataclass

import bpy
import numpy as np

from ....core import SceneOctree
from ...arrays import Flags, Ids
from ...scene_index import SceneIndex
from ...ui import named_object
from ..shown_scene import Shown, ShownScene
from .views import SampledViews

# A volume that is displayed like this stands for its box, and is not drawn.
_SHELLS = {"BOUNDS", "WIRE"}


@dataclass(frozen=True, eq=False)
class CountingStage:
    """The scene of one frame as views are to see it.

    Attributes
    ----------
    shown : Shown
        What is drawn. A holdout counts as the others: without it pixels would change.
    solid : SceneOctree
        What a place of a view must not be inside of.
    """

    shown: Shown
    solid: SceneOctree

    @property
    def scene(self) -> SceneOctree:
        """What is drawn, as a scene."""
        return self.shown.renderer.scene

    @property
    def rows(self) -> Ids:
        """For each placement of `scene`, in the order of its ids, its row in the index, (n,)."""
        return self.shown.rows

    @property
    def open_polygons(self) -> dict[int, Flags]:
        """By rows of the index, where there are any: polygons that are counted as open."""
        return self.shown.open_polygons


def stage_of(
    context: bpy.types.Context, index: SceneIndex, views: SampledViews, scene: ShownScene
) -> CountingStage:
    """Return what is drawn of an index that is up to date; `scene` is kept between frames."""
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
