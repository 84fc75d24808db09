"""Incremental updates: a dynamic octree that follows the scene, at the cost of what moved."""

from dataclasses import dataclass, replace
from time import perf_counter

import bpy
import numpy as np

from ...core import Boxes, ChangeCounts, DynamicOctree
from ..arrays import Floats, Ids
from ..build import kinds_of
from ..reader import ObjectSource, read_objects
from ..scope import current_objects
from ..ui import settings_of
from .tracked_items import TrackedItems

Pairs = tuple[Ids, Ids, Ids]
_NO_PAIRS: Pairs = (np.empty((2, 0), np.intp),) * 3


@dataclass(frozen=True, eq=False)
class TreeUpdate:
    """What one update of the scene did to a tree.

    Attributes
    ----------
    before : ChangeCounts
        The change counts of the tree before.
    moved, added, removed : int
        Items that moved, were added and were removed.
    pairs : tuple of three ndarray of intp, shape (2, h)
        Ids of items whose boxes began, continued and ceased to touch; none unless wanted.
    seconds : float
        How long it took.
    """

    before: ChangeCounts
    moved: int = 0
    added: int = 0
    removed: int = 0
    pairs: Pairs = _NO_PAIRS
    seconds: float = 0.0


class Follower:
    """Keeps a tree of objects as the scene is.

    Parameters
    ----------
    tree : DynamicOctree
        As it was built.
    source : ObjectSource
        The objects that its items are of.
    layer : str
        Name of the view layer that it follows.
    """

    def __init__(self, tree: DynamicOctree, source: ObjectSource, layer: str) -> None:
        self.tree, self.source, self.layer = tree, source, layer
        self.since = tree.turnover
        self.last_update = TreeUpdate(tree.turnover)
        self._boxes = tree.octree.items.bounds().rows.copy()
        self._tracked: TrackedItems | None = None

    def catch_up(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        """Bring the tree up to date with the scene; all its pairs count as begun."""
        self._read_again(scene, depsgraph)
        self.since = self.tree.turnover
        self.last_update = TreeUpdate(self.since, pairs=self.tree.changes())

    def update(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> bool:
        """Follow one update of the scene, note it, and tell whether the tree has changed."""
        started, before = perf_counter(), self.tree.turnover
        moved = self._tracked.moved(scene, depsgraph) if self._tracked else None
        if moved is None:
            counts = self._read_again(scene, depsgraph)
        else:
            counts = self._move(*moved), 0, 0
        if not any(counts):
            return False
        pairs = self.tree.changes() if settings_of(scene).live.pairs else _NO_PAIRS
        self.last_update = TreeUpdate(before, *counts, pairs, perf_counter() - started)
        return True

    def invalidate(self) -> None:
        """Read everything again at the next update."""
        self._tracked = None

    def _read_again(
        self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph
    ) -> tuple[int, int, int]:
        """Bring the tree up to date with the scene; count moved, added and removed items."""
        layer, kinds = depsgraph.view_layer, kinds_of(settings_of(scene).built_of)
        found = read_objects(depsgraph, current_objects(scene, layer), kinds=kinds)
        counts = self._apply(found.source, found.boxes)
        self._tracked = TrackedItems(layer, found, kinds, self.source.keys)
        return counts

    def _apply(self, source: ObjectSource, boxes: Floats) -> tuple[int, int, int]:
        rows = {key: row for row, key in enumerate(self.source.keys)}
        known = np.array([rows.get(key, len(rows)) for key in source.keys], np.intp)
        # Items that stay keep their order; new ones follow in the order in which they were read.
        order = np.argsort(known, kind="stable")
        staying = known[order][: np.count_nonzero(known < len(rows))]
        gone = np.setdiff1d(np.arange(len(rows)), staying)
        self.tree.remove(self.tree.ids[gone])
        self.source, self._boxes, boxes = (
            replace(source.arranged(order), bounds_object=self.source.bounds_object),
            self._boxes[:, staying],
            boxes[:, order],
        )
        moved = self._move(np.arange(len(staying)), boxes[:, : len(staying)])
        self._boxes = boxes
        new = boxes[:, len(staying) :]
        self.tree.insert(Boxes(new[:3].T, new[3:].T))
        return moved, new.shape[1], len(gone)

    def _move(self, rows: Ids, boxes: Floats) -> int:
        """Move the items whose boxes have changed, and return how many."""
        changed = np.flatnonzero((self._boxes[:, rows] != boxes).any(axis=0))
        if len(changed) == 0:
            return 0
        rows, boxes = rows[changed], boxes[:, changed]
        self._boxes[:, rows] = boxes
        self.tree.move(self.tree.ids[rows], Boxes(boxes[:3].T, boxes[3:].T))
        return len(rows)
