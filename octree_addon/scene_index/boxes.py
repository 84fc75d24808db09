"""Boxes of a scene: one box for each visible object and instance, with faces or without.

An update reads all matrices in bulk, and the local boxes of objects whose shape has changed. All
boxes are read again if objects were added, removed, shown or hidden.
"""

from collections.abc import Callable

import bpy
import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ids
from ..reader import (
    ReadBoxes,
    entry_count,
    evaluated_box,
    layer_ids,
    may_instance,
    read_boxes,
    read_layer_matrices,
    read_matrices,
    visibility_of,
)
from .pending import Pending


class SceneBoxes:
    """Boxes of a view layer, read on first use.

    Parameters
    ----------
    depsgraph_of : callable
        Returns the evaluated depsgraph to read.
    """

    def __init__(self, depsgraph_of: Callable[[], bpy.types.Depsgraph]) -> None:
        self.pending = Pending(all=True)
        self._depsgraph_of = depsgraph_of
        self._placements: ReadBoxes | None = None

    def update(self, depsgraph: bpy.types.Depsgraph | None = None) -> ReadBoxes:
        """Update the boxes and return them; the same instance if nothing has changed.

        A handler passes the `depsgraph` that it was called with.
        """
        depsgraph = depsgraph or self._depsgraph_of()
        while self.pending or self._placements is None:
            pending, self.pending = self.pending, Pending()
            try:
                same = self._moved(pending, depsgraph)
                self._placements = read_boxes(depsgraph) if same is None else same
            except BaseException:
                self.pending.all = True
                raise
        return self._placements

    def _moved(self, pending: Pending, depsgraph: bpy.types.Depsgraph) -> ReadBoxes | None:
        """Return the known placements with current boxes; None if all have to be read again."""
        known, layer = self._placements, depsgraph.view_layer
        if known is None or pending.all or pending.reshaped & known.watched:
            return None
        if not np.array_equal(layer_ids(layer), known.layer_ids):
            return None
        if pending.reshown or pending.regrouped:
            if known.is_instance.any() or known.visibility != visibility_of(layer):
                return None
        own = _reshaped(known, pending.reshaped, depsgraph)
        matrices = _matrices(known, pending.moved, depsgraph)
        return None if own is None or matrices is None else known.moved(matrices, own)


def _reshaped(
    known: ReadBoxes, changed: set[int], depsgraph: bpy.types.Depsgraph
) -> Floats | None:
    """Return the local boxes, (6, n), those of changed objects read again.

    Returns None if a changed object may have instances now.
    """
    is_own = np.isin(known.owners, list(changed)) & ~known.is_instance
    rows: Ids = np.flatnonzero(is_own) if changed else np.empty(0, np.intp)
    if not len(rows):
        return known.own
    own, objects = known.own.copy(), depsgraph.view_layer.objects
    for row, place in zip(rows.tolist(), known.places[rows].tolist(), strict=True):
        item = objects[place]
        if may_instance(item):
            return None
        own[:, row] = evaluated_box(item, depsgraph)
    return own


def _matrices(
    known: ReadBoxes, moved: set[int] | None, depsgraph: bpy.types.Depsgraph
) -> NDArray[np.float32] | None:
    """Return the matrices of all placements, (n, 16).

    Matrices of instances are read only if an object that they depend on may have moved. Returns
    None if the number of instances has changed.
    """
    of_objects = ~known.is_instance
    matrices = read_layer_matrices(depsgraph.view_layer)[known.places[of_objects]]
    if not known.watched:
        return matrices
    if moved is not None and not moved & known.watched:
        return np.concatenate((matrices, known.matrices[~of_objects]))
    if entry_count(depsgraph) != known.entry_count:
        return None
    instanced = read_matrices(depsgraph)[known.places[~of_objects]]
    return np.concatenate((matrices, instanced))
