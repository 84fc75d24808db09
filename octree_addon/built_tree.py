"""A tree with what it was built from, and whether the scene has changed since."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..core import DynamicOctree, Octree, Statistics, Steps, run, statistics
from .scene_index import (
    Source,
    Version,
    comparison_steps,
    is_walking,
    version_of_layer,
    view_layer_named,
)


@dataclass(eq=False)
class BuiltTree:
    """A tree with what it was made of; each build makes another, equal to none.

    Attributes
    ----------
    tree : Octree or DynamicOctree
        Of triangles, which does not change, or of objects, which may.
    source : Source
        The objects that its items are of, in the order of `octree.items`.
    options : Mapping of str to Any
        What it was built with.
    build_seconds : float
        How long that took.
    follower : optional
        What lets it follow the scene (`live`), so that it never is stale.
    differs : bool, optional
        Whether the scene was another one when it was last compared; None before that.
    """

    tree: Octree | DynamicOctree
    source: Source
    options: Mapping[str, Any]
    build_seconds: float
    follower: Any = None
    differs: bool | None = None
    # The version of the scene when it was compared.
    _version: Version | None = None
    _counted: tuple[Octree, Statistics] | None = None

    @property
    def is_live(self) -> bool:
        """Whether it follows the scene."""
        return self.follower is not None

    @property
    def stale(self) -> bool:
        """Whether the scene has changed since; it is compared with that first, where shown."""
        layer = layer_of(self)
        if layer is not None and is_shown(layer):
            run(self.settle_steps(layer))
        return self.was_stale

    @property
    def was_stale(self) -> bool:
        """The same, as far as it is known: at no cost, for panels."""
        return bool(self.differs) and not self.is_live

    @property
    def is_settled(self) -> bool:
        """Whether the scene is as it was when it was compared with the tree.

        A tree that is live needs no look, nor any while we change the scene and change it back.
        """
        if self.is_live or is_walking():
            return True
        layer = layer_of(self)
        return layer is None or (
            self._version is not None and self._version.is_same(layer.id_data, layer)
        )

    def settle_steps(self, layer: bpy.types.ViewLayer) -> Steps[None]:
        """Compare the tree with what a view layer shows, step by step, unless that is known."""
        layer.update()  # an object deleted since would be met half alive
        shown = layer.id_data.session_uid, layer.name
        if not self.is_settled:
            self.differs = yield from comparison_steps(self.source, layer)
            self._version = version_of_layer(view_layer_named(*shown))

    def doubt(self) -> None:
        """Compare it anew when it is next asked about: nobody noted what has changed."""
        self._version = None

    @cached_property
    def nbytes(self) -> int:
        """Memory of its arrays and of those of its source."""
        arrays = vars(self.source.placements).values()
        held = sum(each.nbytes for each in arrays if isinstance(each, np.ndarray))
        return self.statistics.bytes + held

    @property
    def holds_objects(self) -> bool:
        """Whether its items are whole objects."""
        return self.source.holds_objects

    @property
    def octree(self) -> Octree:
        """The tree as it is now; of one that changes, another one after each change."""
        return self.tree.octree if isinstance(self.tree, DynamicOctree) else self.tree

    @property
    def statistics(self) -> Statistics:
        """The numbers that panels show, counted when first asked for."""
        octree = self.octree
        if self._counted is None or self._counted[0] is not octree:
            self._counted = octree, statistics(octree)
        return self._counted[1]

    def places_of(self, items: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return where items, as answers call them, stand in `octree.items` and `source`."""
        ids = self.octree.ids
        return items if ids is None else np.searchsorted(ids, items)


def layer_of(built: BuiltTree) -> bpy.types.ViewLayer | None:
    """Return the view layer that the tree was built in, or the only one that there is now."""
    uid, name = built.source.layer
    for scene in bpy.data.scenes:
        if scene.session_uid == uid:
            return scene.view_layers.get(name) or scene.view_layers[0]
    return None


def is_shown(layer: bpy.types.ViewLayer | None) -> bool:
    """Tell whether a window shows a view layer; others are not evaluated by themselves."""
    return any(window.view_layer == layer for window in bpy.context.window_manager.windows)
