"""The scene index as a query target (two levels): the triangles of all placed meshes.

Items are triangles. Results identify them by item numbers: positions in the sequence of all
triangles, placement after placement, independent of the ids in the octree.
"""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core import (
    Boxes,
    SceneOctree,
    Steps,
    build_octree,
    objects_touching,
    overlapping_objects_steps,
    overlapping_pairs,
    overlapping_pairs_steps,
    pairs_touching,
    query,
)
from ..arrays import Flags, Ids
from ..reader import PlacedItems, ScenePlacements, row_bytes
from ..scene_index import SceneIndex, index_steps, rows_before
from .rooms import rooms_in

PairSteps = Steps[Ids]


class ItemFaces(NamedTuple):
    """The faces of one object's own mesh: t triangles.

    Attributes
    ----------
    owner : int
        Session id of the object.
    polygons : ndarray of int, shape (t,)
        The polygon of the original mesh that contains each triangle.
    found, possible : ndarray of bool, shape (t,)
        Flags of the triangles that the query found, and of those that a query can find.
    """

    owner: int
    polygons: Ids
    found: Flags
    possible: Flags


@dataclass(frozen=True, eq=False)
class SceneTarget:
    """The triangles of the scene at the time of a query.

    p is the number of placements, n the number of items.

    Attributes
    ----------
    octree : SceneOctree
        The octree of the index; in a frozen target a copy, which later updates do not change.
    placements : ScenePlacements
        The placements in the order of `octree.ids`.
    index : SceneIndex
        The index that the octree and the placements come from.
    revision : int
        Revision of the index at that time.
    """

    octree: SceneOctree
    placements: ScenePlacements
    index: SceneIndex
    revision: int

    @property
    def owners(self) -> Ids:
        """Session id of the object, or of the instancer, of each placement, (p,)."""
        return self.placements.owners

    @property
    def is_instance(self) -> Flags:
        """Flags of the placements that are instances, (p,)."""
        return self.placements.is_instance

    @property
    def persistent_ids(self) -> NDArray[np.int32]:
        """Persistent ids, (p, 8), which distinguish the instances of one owner."""
        return self.placements.persistent_ids

    @property
    def starts(self) -> Ids:
        """First item number of each placement, then the number of all items, (p + 1,)."""
        return self.placements.starts

    @cached_property
    def possibles(self) -> Ids:
        """Number of items of each placement that queries can find, (p,)."""
        counts = np.array([mesh.finite_count for mesh in self.placements.meshes], np.intp)
        counts[np.searchsorted(self.octree.ids, self.octree.invalid_ids)] = 0
        return counts

    @cached_property
    def rooms(self) -> Ids:
        """Ids of the placements that enclose several others (see `rooms_in`), ascending."""
        return rooms_in(self.octree, self.owners)

    def __len__(self) -> int:
        return int(self.possibles.sum())

    @property
    def possible(self) -> Flags:
        """Flags of the items that queries can find, (n,)."""
        parts = [mesh.finite for mesh in self.placements.meshes]
        flags = np.concatenate([np.empty(0, np.bool_), *parts])
        return flags & np.repeat(self.possibles > 0, np.diff(self.starts))

    def bounds(self) -> Boxes:
        """Return the boxes of all placements with items that queries can find; may be empty."""
        return self._boxes[1]

    @property
    def is_current(self) -> bool:
        """True if the index still has the revision of the target."""
        return self.index.revision == self.revision

    @cached_property
    def _boxes(self) -> tuple[Ids, Boxes]:
        """The rows of placements with items that queries can find, and their bounding boxes."""
        rows = np.flatnonzero(self.possibles > 0)
        return rows, self.octree.bounds_of(self.octree.ids[rows])

    def near(self, volume: Any) -> Ids:
        """Return the rows of the placements whose boxes touch one volume.

        A query about the volume needs no other placements.
        """
        rows, boxes = self._boxes
        numbers = np.arange(len(rows))
        return rows[pairs_touching(boxes, numbers, volume, 0 * numbers)]

    def meeting(self, owners: Ids, margin: float) -> Ids:
        """Return the rows of placements whose boxes come within `margin` of another owner's."""
        rows, boxes = self._boxes
        tree = build_octree(boxes)
        return rows[np.unique(overlapping_pairs(tree, margin=margin, owners=owners[rows]))]

    def prepare_steps(self, placements: Ids) -> Steps[None]:
        """Index the meshes of placements for later queries; yield the fraction done."""
        return self.octree.prepare_steps(self.octree.meshes_of(self.octree.ids[placements]))

    def frozen(self) -> Self:
        """Return a copy that later updates of the index do not change."""
        return replace(self, octree=copy(self.octree))

    def only(self, rows: Ids) -> Self:
        """Return a target of some placements; `rows` are ascending."""
        octree = self.octree.only(self.octree.ids[rows])
        return replace(self, octree=octree, placements=self.placements.ordered(rows))

    def without(self, placement: int) -> SceneOctree:
        """Return the octree without one placement, given by row."""
        return self.octree.only(np.delete(self.octree.ids, placement))

    def in_volume(self, volume: Any, relation: str) -> Ids:
        """Return the numbers of items with a relation (see `query`) to one volume, sorted."""
        _, placements, triangles = query(self.octree, volume, relation=relation)
        # Results are sorted by placement, so one lookup per placement replaces one per triangle.
        counts = np.diff(np.searchsorted(placements, self.octree.ids), append=len(placements))
        return np.repeat(self.starts[:-1], counts) + triangles

    def objects_in_volume(self, volume: Any) -> Ids:
        """Return the first item number of each placement that touches one volume."""
        placements = objects_touching(self.octree, volume)[1]
        return self.starts[np.searchsorted(self.octree.ids, placements)]

    def rows_of(self, others: PlacedItems) -> Ids:
        """Return the row of each of k other placements in this target, (k,); -1 if missing."""
        return rows_before(row_bytes(self.placements.keys), row_bytes(others.keys))

    def renumbered(self, others: PlacedItems, items: Ids) -> Ids:
        """Translate item numbers of other placements to item numbers of this target, sorted.

        Items of placements that the target lacks are dropped.
        """
        theirs = np.searchsorted(others.starts, items, side="right") - 1
        mine = self.rows_of(others)[theirs]
        return np.sort((self.starts[mine] + items - others.starts[theirs])[mine >= 0])

    def numbers_found(self, answer: Any, kept: Flags) -> Ids:
        """Return the item numbers of a ray cast or nearest-item result, where `kept` is set.

        The order of the result is preserved.
        """
        both = answer.placements.ravel()[kept], answer.items.ravel()[kept]
        return self._numbers(np.stack(both))

    def numbers_crossed(self, pairs: Ids) -> Ids:
        """Return the item numbers of all hits of one ray, in the order of `pairs`."""
        return self._numbers(pairs[1:])

    def numbers_of(self, answer: Any, kept: Flags) -> Ids:
        """Return the item numbers of `numbers_found`, sorted."""
        return np.sort(self.numbers_found(answer, kept))

    def pair_steps(self, owners: Ids, margin: float) -> PairSteps:
        """Return pairs of items of different owners within `margin` of each other, (2, h).

        `owners`, (p,), numbers the owner of each placement from 0. Yields the fraction done.
        """
        pairs = yield from overlapping_pairs_steps(self.octree, margin=margin, owners=owners)
        return np.stack((self._numbers(pairs[:2]), self._numbers(pairs[2:])))

    def placement_pair_steps(self, owners: Ids, margin: float) -> PairSteps:
        """Return pairs of placements of different owners within `margin`: rows, (2, h).

        Faster than `pair_steps`, since the first pair of items decides a pair of placements.
        Yields the fraction done.
        """
        steps = overlapping_objects_steps(self.octree, margin=margin, owners=owners)
        return np.searchsorted(self.octree.ids, (yield from steps))

    def shapes_of(self, items: Ids, most: int) -> Any:
        """Return items as a batch of triangles.

        If their placements have more than `most` items, return the boxes of the placements.
        """
        rows = np.unique(self.placements_of(items))
        sizes = np.diff(self.starts)[rows]
        if sizes.sum() > most:
            return self.octree.bounds_of(self.octree.ids[rows])
        shift = self.starts[rows] - (np.cumsum(sizes) - sizes)
        there = items - shift[np.searchsorted(rows, self.placements_of(items))]
        return self.octree.triangles_of(self.octree.ids[rows])[there]

    def faces(self, items: Ids, owners: frozenset[int]) -> Iterator[ItemFaces]:
        """Yield the faces of these objects, of placements with known polygons.

        `items` are the numbers of found items, sorted.
        """
        ends = np.searchsorted(items, self.starts)
        for row in np.flatnonzero(self.placements.has_faces).tolist():
            if self.owners[row] in owners:
                mesh = self.placements.meshes[row]
                triangles = items[ends[row] : ends[row + 1]] - self.starts[row]
                found = np.zeros(len(mesh.triangles), np.bool_)
                found[triangles] = True
                possible = mesh.finite & bool(self.possibles[row])
                yield ItemFaces(int(self.owners[row]), mesh.polygons, found, possible)

    @property
    def placement_of_item(self) -> Ids:
        """The row in `owners` of each item's placement, (n,)."""
        return np.repeat(np.arange(len(self.owners)), np.diff(self.starts))

    def placements_of(self, items: Ids) -> Ids:
        """Return the row in `owners` of the placement of each given item, (h,)."""
        return np.searchsorted(self.starts, items, side="right") - 1

    def counts(self, items: Ids) -> tuple[Ids, Ids]:
        """Count the found items and the findable items of each placement, (p,) each.

        `items` are the numbers of found items, sorted.
        """
        return np.diff(np.searchsorted(items, self.starts)), self.possibles

    def _numbers(self, names: Ids) -> Ids:
        """Return the item numbers, (h,), of pairs (placement id, triangle), (2, h)."""
        return self.starts[np.searchsorted(self.octree.ids, names[0])] + names[1]


TargetSteps = Steps[SceneTarget]


def scene_steps(
    context: bpy.types.Context,
    viewport: bpy.types.SpaceView3D | None,
    *,
    of_original: bool = False,
) -> TargetSteps:
    """Update the index of the scene, and return its visible placements as a query target.

    The meshes are evaluated ones, or with `of_original` the original ones without modifiers. If
    `viewport` is in local view, objects outside the local view are left out. The target is valid
    until the next update of the index; use `frozen` to keep it.
    """
    index = yield from index_steps(context, of_original=of_original)
    target = SceneTarget(index.octree, index.placements, index, index.revision)
    local = local_objects(context, viewport)
    if local is None:
        return target
    return target.only(np.flatnonzero(np.isin(target.owners, local)))


def refuse_empty(target: SceneTarget) -> None:
    """Raise a `ValueError` if a target is empty."""
    if not target.owners.size:
        raise ValueError("There are no triangles: no visible object has faces")


def local_objects(
    context: bpy.types.Context, viewport: bpy.types.SpaceView3D | None
) -> list[int] | None:
    """Return the session ids of the objects in a local view; None without a local view."""
    if viewport is None or not viewport.local_view:
        return None
    layer = context.view_layer
    return [
        item.session_uid
        for item in layer.objects
        if item.visible_get(view_layer=layer, viewport=viewport)
    ]
