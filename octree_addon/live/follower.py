"""Incremental updates: a dynamic octree that follows the scene, at the cost of what moved."""

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
    """Changes that one update of the scene made to a tree.

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
    """Keeps a tree of objects as the boxes of the index are.

    Parameters
    ----------
    tree : DynamicOctree
        As it was built.
    source : Source
        The objects that its items are of.
    layer : str
        Name of the view layer that it follows.
    """

    def __init__(self, tree: DynamicOctree, source: Source, layer: str) -> None:
        self.tree, self.source, self.layer = tree, source, layer
        self.since = tree.turnover
        self.last_update = TreeUpdate(tree.turnover)
        # The boxes of the index as they were last, and which of them the items are.
        self._known: ReadBoxes | None = None
        self._rows: Ids = np.empty(0, np.intp)

    def catch_up(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        """Bring the tree up to date with the scene; all its pairs count as begun."""
        self._take_again(scene, depsgraph)
        self.since = self.tree.turnover
        self.last_update = TreeUpdate(self.since, pairs=self.tree.changes())

    def update(
        self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, *, reshown: bool
    ) -> bool:
        """Follow one update of the scene, note it, and tell whether the tree has changed.

        With `reshown`, other objects may be there to follow.
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
        """Tell whether boxes are of the same placements, of which the same have a shape."""
        known = self._known
        if known is None or boxes.keys is not known.keys:
            return False
        return boxes is known or np.array_equal(
            np.isfinite(boxes.boxes).all(axis=0), np.isfinite(known.boxes).all(axis=0)
        )

    def _take_again(
        self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph
    ) -> tuple[int, int, int]:
        """Choose again what to follow; count moved, added and removed items."""
        kinds = kinds_of(settings_of(scene).built_of)
        source = box_source(depsgraph, current_objects(scene, depsgraph.view_layer), kinds=kinds)
        counts = self._apply(source)
        self._known = boxes = index_of(depsgraph).boxes.update(depsgraph)
        rows = boxes.rows_of(source.names.keys(), taken_types(kinds))
        keys = row_bytes(self.source.placements.keys)
        self._rows = rows[np.argsort(rows_before(keys, row_bytes(boxes.keys[rows])))]
        return counts

    def _apply(self, source: Source) -> tuple[int, int, int]:
        """Let the items be those of a source: those that stay keep their order."""
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
        """Move the items to their boxes, (6, n), where these are other ones; return how many."""
        rows = np.flatnonzero((self.source.boxes.boxes != boxes).any(axis=0))
        if len(rows) == 0:
            return 0
        self.tree.move(self.tree.ids[rows], Boxes(boxes[:3, rows].T, boxes[3:, rows].T))
        self.source = replace(self.source, placements=replace(self.source.boxes, boxes=boxes))
        return len(rows)
