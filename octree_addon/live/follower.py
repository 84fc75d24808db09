"""Incremental updates: a dynamic octree that follows the scene, at the cost of moved objects."""

from dataclasses import dataclass, replace
from time import perf_counter

import bpy
import numpy as np

from ...core import Boxes, ChangeCounts, DynamicOctree
from ..arrays import Floats, Ids
from ..cells import kinds_of
from ..reader import ReadBoxes, row_bytes, taken_types
from ..scene_index import Source, box_source, index_of, rows_before
from ..scope import current_objects
from ..ui import settings_of

Pairs = tuple[Ids, Ids, Ids]
_NO_PAIRS: Pairs = (np.empty((2, 0), np.intp),) * 3


@dataclass(frozen=True, eq=False)
class TreeUpdate:
    """Changes of an octree in one update of the scene.

    Attributes
    ----------
    before : ChangeCounts
        The change counts of the octree before the update.
    moved, added, removed : int
        Numbers of items.
    pairs : tuple of three ndarray of intp, shape (2, h)
        Ids of items whose boxes began, continued and ceased to touch; empty unless wanted.
    seconds : float
        Duration of the update.
    """

    before: ChangeCounts
    moved: int = 0
    added: int = 0
    removed: int = 0
    pairs: Pairs = _NO_PAIRS
    seconds: float = 0.0


class Follower:
    """Synchronization of an octree of objects with the boxes of the scene index.

    Parameters
    ----------
    tree : DynamicOctree
        The octree as built.
    source : Source
        The objects of its items.
    layer : str
        Name of the view layer to follow.
    """

    def __init__(self, tree: DynamicOctree, source: Source, layer: str) -> None:
        self.tree, self.source, self.layer = tree, source, layer
        self.since = tree.turnover
        self.last_update = TreeUpdate(tree.turnover)
        # The boxes of the index at the last update, and the row of each item among them.
        self._known: ReadBoxes | None = None
        self._rows: Ids = np.empty(0, np.intp)

    def catch_up(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        """Bring the octree up to date with the scene; all its pairs count as begun."""
        self._take_again(scene, depsgraph)
        self.since = self.tree.turnover
        self.last_update = TreeUpdate(self.since, pairs=self.tree.changes())

    def update(
        self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, *, reshown: bool
    ) -> bool:
        """Follow an update of the scene, and return whether the octree has changed.

        With `reshown`, objects may have been shown or hidden.
        """
        started, before = perf_counter(), self.tree.turnover
        boxes = index_of(depsgraph).boxes.update(depsgraph)
        if reshown or not self._are_same(boxes):
            counts = self._take_again(scene, depsgraph)
        elif boxes is self._known:
            return False
        else:
            self._known = boxes
            counts = self._move(boxes.boxes[:, self._rows]), 0, 0
        if not any(counts):
            return False
        pairs = self.tree.changes() if settings_of(scene).live.pairs else _NO_PAIRS
        self.last_update = TreeUpdate(before, *counts, pairs, perf_counter() - started)
        return True

    def _are_same(self, boxes: ReadBoxes) -> bool:
        """Return whether boxes belong to the same placements, and the same of them are finite."""
        known = self._known
        if known is None or boxes.keys is not known.keys:
            return False
        return boxes is known or np.array_equal(
            np.isfinite(boxes.boxes).all(axis=0), np.isfinite(known.boxes).all(axis=0)
        )

    def _take_again(
        self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph
    ) -> tuple[int, int, int]:
        """Select the items again, and return the numbers of moved, added and removed ones."""
        kinds = kinds_of(settings_of(scene).built_of)
        source = box_source(depsgraph, current_objects(scene, depsgraph.view_layer), kinds=kinds)
        counts = self._apply(source)
        self._known = boxes = index_of(depsgraph).boxes.update(depsgraph)
        rows = boxes.rows_of(source.names.keys(), taken_types(kinds))
        keys = row_bytes(self.source.placements.keys)
        self._rows = rows[np.argsort(rows_before(keys, row_bytes(boxes.keys[rows])))]
        return counts

    def _apply(self, source: Source) -> tuple[int, int, int]:
        """Make the items those of a source; items that stay keep their order."""
        before, now = self.source.placements, source.boxes
        known = rows_before(row_bytes(before.keys), row_bytes(now.keys))
        kept, new = np.flatnonzero(known >= 0), np.flatnonzero(known < 0)
        kept = kept[np.argsort(known[kept])]
        gone = np.setdiff1d(np.arange(len(before)), known[kept])
        self.tree.remove(self.tree.ids[gone])
        staying = self.source.boxes.ordered(known[kept])
        self.source = replace(source, placements=staying, bounds_object=self.source.bounds_object)
        moved = self._move(now.boxes[:, kept])
        self.tree.insert(now.ordered(new).items)
        self.source = replace(self.source, placements=now.ordered(np.concatenate((kept, new))))
        return moved, len(new), len(gone)

    def _move(self, boxes: Floats) -> int:
        """Move the items whose boxes, (6, n), differ; return their number."""
        rows = np.flatnonzero((self.source.boxes.boxes != boxes).any(axis=0))
        if len(rows) == 0:
            return 0
        self.tree.move(self.tree.ids[rows], Boxes(boxes[:3, rows].T, boxes[3:, rows].T))
        self.source = replace(self.source, placements=replace(self.source.boxes, boxes=boxes))
        return len(rows)
