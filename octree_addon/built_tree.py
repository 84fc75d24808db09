"""A tree with its sources, and its comparison with the present scene."""

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
    """A tree with its sources; compared by identity.

    Attributes
    ----------
    tree : Octree or DynamicOctree
        A fixed octree of triangles, or an octree of objects that may change.
    source : Source
        The objects of the items, in the order of `octree.items`.
    options : Mapping of str to Any
        The options of the build.
    build_seconds : float
        Duration of the build.
    follower : optional
        The object that updates the tree with the scene (`live`), so that it is never stale.
    differs : bool, optional
        Result of the last comparison: True if the scene differed; None before the first one.
    """

    tree: Octree | DynamicOctree
    source: Source
    options: Mapping[str, Any]
    build_seconds: float
    follower: Any = None
    differs: bool | None = None
    # Version of the view layer at the last comparison.
    _version: Version | None = None
    _counted: tuple[Octree, Statistics] | None = None

    @property
    def is_live(self) -> bool:
        """True if the tree follows the scene."""
        return self.follower is not None

    @property
    def stale(self) -> bool:
        """True if the scene differs from the tree; compares first if a window shows it."""
        layer = layer_of(self)
        if layer is not None and is_shown(layer):
            run(self.settle_steps(layer))
        return self.was_stale

    @property
    def was_stale(self) -> bool:
        """True if the last comparison found a difference: at no cost, for panels."""
        return bool(self.differs) and not self.is_live

    @property
    def is_settled(self) -> bool:
        """True if no comparison is needed: the scene is the same as at the last one.

        Live trees need none. Other trees need none while the extension changes the scene only
        temporarily (`is_walking`).
        """
        if self.is_live or is_walking():
            return True
        layer = layer_of(self)
        return layer is None or (
            self._version is not None and self._version.is_same(layer.id_data, layer)
        )

    def settle_steps(self, layer: bpy.types.ViewLayer) -> Steps[None]:
        """Compare the tree with a view layer step by step, unless `is_settled`."""
        layer.update()  # removes deleted objects, which are invalid until then
        shown = layer.id_data.session_uid, layer.name
        if not self.is_settled:
            self.differs = yield from comparison_steps(self.source, layer)
            self._version = version_of_layer(view_layer_named(*shown))

    def doubt(self) -> None:
        """Make `is_settled` false, so that the tree is compared when it is next needed."""
        self._version = None

    @cached_property
    def nbytes(self) -> int:
        """Bytes of the arrays of the tree and of its source."""
        arrays = vars(self.source.placements).values()
        held = sum(each.nbytes for each in arrays if isinstance(each, np.ndarray))
        return self.statistics.bytes + held

    @property
    def holds_objects(self) -> bool:
        """True if the items are whole objects."""
        return self.source.holds_objects

    @property
    def octree(self) -> Octree:
        """The present octree; a changing tree has another one after each change."""
        return self.tree.octree if isinstance(self.tree, DynamicOctree) else self.tree

    @property
    def statistics(self) -> Statistics:
        """The statistics of the present octree, for panels; cached."""
        octree = self.octree
        if self._counted is None or self._counted[0] is not octree:
            self._counted = octree, statistics(octree)
        return self._counted[1]

    def places_of(self, items: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the indices into `octree.items` and `source` of item numbers in answers."""
        ids = self.octree.ids
        return items if ids is None else np.searchsorted(ids, items)


def layer_of(built: BuiltTree) -> bpy.types.ViewLayer | None:
    """Return the view layer that the tree was built in, or the first one if it is gone.

    None if the scene is gone.
    """
    uid, name = built.source.layer
    for scene in bpy.data.scenes:
        if scene.session_uid == uid:
            return scene.view_layers.get(name) or scene.view_layers[0]
    return None


def is_shown(layer: bpy.types.ViewLayer | None) -> bool:
    """Return whether a window shows a view layer; Blender does not evaluate others by itself."""
    return any(window.view_layer == layer for window in bpy.context.window_manager.windows)
