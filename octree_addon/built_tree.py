"""A tree with what it was built from, and whether the scene has changed since."""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..core import DynamicOctree, Octree, Statistics, statistics
from .reader import Comparison, ObjectSource, Source

# Trees that our own writing is not to put in doubt.
_preserved: list["BuiltTree"] = []


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
    is_live : bool
        Whether it follows the scene, and never is stale.
    comparison : Comparison
        What is known of its source beside the scene as it is now.
    """

    tree: Octree | DynamicOctree
    source: Source
    options: Mapping[str, Any]
    build_seconds: float
    is_live: bool = False
    comparison: Comparison = field(default_factory=Comparison)
    _counted: tuple[Octree, Statistics] | None = None

    @property
    def stale(self) -> bool:
        """Whether the scene has changed since; what is in doubt is compared first."""
        settle_tree(self, math.inf)
        return self.was_stale

    @stale.setter
    def stale(self, value: bool) -> None:
        self.comparison.decree(value)

    @property
    def was_stale(self) -> bool:
        """The same, as far as it is known: at no cost, for panels."""
        return self.comparison.differs and not self.is_live

    @cached_property
    def nbytes(self) -> int:
        """Memory of its arrays and of those of its source."""
        arrays = (each for each in vars(self.source).values() if isinstance(each, np.ndarray))
        return self.statistics.bytes + sum(array.nbytes for array in arrays)

    @property
    def holds_objects(self) -> bool:
        """Whether its items are whole objects."""
        return isinstance(self.source, ObjectSource)

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


def settle_tree(
    built: BuiltTree, deadline: float, layer: bpy.types.ViewLayer | None = None
) -> None:
    """Compare what is in doubt until the time is up, but not while we change the scene.

    The view layer is evaluated first; by default one that a window shows, or nothing is done.
    """
    if built.is_live or built in _preserved or built.comparison.is_settled:
        return
    if layer is None:
        layer = layer_of(built)
        if layer is None or not is_shown(layer):
            return
    layer.update()  # an object deleted since would be met half alive
    boxes = built.octree.items.bounds().rows if built.holds_objects else np.empty((6, 0))
    built.comparison.settle(built.source, boxes, layer, deadline)


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


def is_any_preserved() -> bool:
    """Tell whether we change a scene just now."""
    return bool(_preserved)


@contextmanager
def preserving_staleness(built: BuiltTree | None, layer: bpy.types.ViewLayer) -> Iterator[None]:
    """Keep our own writing from putting the tree, if there is one, in doubt.

    Blender cannot be told that only a selection or an attribute has changed, or that a value is
    what it was before.
    """
    layer.update()
    preserved = [(built, built.comparison.copy())] if built else []
    _preserved.extend(built for built, _ in preserved)
    try:
        yield
    finally:
        layer.update()
        for built, comparison in preserved:
            _preserved.remove(built)
            built.comparison = comparison
