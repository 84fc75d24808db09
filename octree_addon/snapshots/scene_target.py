"""The index of the scene as a query target (two levels): the triangles of every placed mesh.

An answer names what it found by numbers: where it stands among all items, placement after
placement, whatever the octree calls it.
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
        The polygon of the original mesh that each triangle is a part of.
    found, possible : ndarray of bool, shape (t,)
        Whether each was found, and whether it could be.
    """

    owner: int
    polygons: Ids
    found: Flags
    possible: Flags


@dataclass(frozen=True, eq=False)
class SceneTarget:
    """The triangles of the scene, as the index had them at the moment of the question.

    Attributes
    ----------
    octree : SceneOctree
        That of the index; of a frozen one, what it was.
    placements : ScenePlacements
        In the order of `octree.ids`.
    index : SceneIndex
        Where they are from.
    revision : int
        That of the index then.
    """

    octree: SceneOctree
    placements: ScenePlacements
    index: SceneIndex
    revision: int

    @property
    def owners(self) -> Ids:
        """Session id of each placement's object, or instancer, (p,)."""
        return self.placements.owners

    @property
    def is_instance(self) -> Flags:
        """Which placements are instances, (p,)."""
        return self.placements.is_instance

    @property
    def persistent_ids(self) -> NDArray[np.int32]:
        """Persistent ids of instances, (p, 8), which tell those of one owner apart."""
        return self.placements.persistent_ids

    @property
    def starts(self) -> Ids:
        """Where the items of each placement begin, and the number of all, (p + 1,)."""
        return self.placements.starts

    @cached_property
    def possibles(self) -> Ids:
        """How many items of each placement can be found, (p,)."""
        counts = np.array([mesh.finite_count for mesh in self.placements.meshes], np.intp)
        counts[np.searchsorted(self.octree.ids, self.octree.invalid_ids)] = 0
        return counts

    @cached_property
    def rooms(self) -> Ids:
        """The placements that things lie in whole: their ids in the octree, ascending."""
        return rooms_in(self.octree, self.owners)

    def __len__(self) -> int:
        return int(self.possibles.sum())

    @property
    def possible(self) -> Flags:
        """Which of the items can be found, (n,)."""
        parts = [mesh.finite for mesh in self.placements.meshes]
        flags = np.concatenate([np.empty(0, np.bool_), *parts])
        return flags & np.repeat(self.possibles > 0, np.diff(self.starts))

    def bounds(self) -> Boxes:
        """Return boxes around all that can be found; there may be none."""
        return self._boxes[1]

    @property
    def is_current(self) -> bool:
        """Whether the index still holds the same."""
        return self.index.revision == self.revision

    @cached_property
    def _boxes(self) -> tuple[Ids, Boxes]:
        """The placements that have triangles, and the boxes around them."""
        rows = np.flatnonzero(self.possibles > 0)
        return rows, self.octree.bounds_of(self.octree.ids[rows])

    def near(self, volume: Any) -> Ids:
        """Return the placements whose boxes touch one volume: what is needed to ask it."""
        rows, boxes = self._boxes
        numbers = np.arange(len(rows))
        return rows[pairs_touching(boxes, numbers, volume, 0 * numbers)]

    def meeting(self, owners: Ids, margin: float) -> Ids:
        """Return the placements whose boxes come near those of another owner, (p,)."""
        rows, boxes = self._boxes
        tree = build_octree(boxes)
        return rows[np.unique(overlapping_pairs(tree, margin=margin, owners=owners[rows]))]

    def prepare_steps(self, placements: Ids) -> Steps[None]:
        """Make what questions about placements will need; yield the fraction done."""
        return self.octree.prepare_steps(self.octree.meshes_of(self.octree.ids[placements]))

    def frozen(self) -> Self:
        """Return the same, which stays as it is when the scene changes."""
        return replace(self, octree=copy(self.octree))

    def only(self, rows: Ids) -> Self:
        """Return some of the placements; `rows` ascend."""
        octree = self.octree.only(self.octree.ids[rows])
        return replace(self, octree=octree, placements=self.placements.ordered(rows))

    def without(self, placement: int) -> SceneOctree:
        """Return an octree without a placement."""
        return self.octree.only(np.delete(self.octree.ids, placement))

    def in_volume(self, volume: Any, relation: str) -> Ids:
        """Return the numbers of the items in one volume, sorted."""
        _, placements, triangles = query(self.octree, volume, relation=relation)
        # Sorted by placement: of a million triangles in one, none is looked up.
        counts = np.diff(np.searchsorted(placements, self.octree.ids), append=len(placements))
        return np.repeat(self.starts[:-1], counts) + triangles

    def objects_in_volume(self, volume: Any) -> Ids:
        """Return the number of the first item of each placement that touches one volume."""
        placements = objects_touching(self.octree, volume)[1]
        return self.starts[np.searchsorted(self.octree.ids, placements)]

    def rows_of(self, others: PlacedItems) -> Ids:
        """Return where each of other placements, those of an octree, stands here, (k,), or -1."""
        return rows_before(row_bytes(self.placements.keys), row_bytes(others.keys))

    def renumbered(self, others: PlacedItems, items: Ids) -> Ids:
        """Return the numbers here, sorted, of items as other placements number them."""
        theirs = np.searchsorted(others.starts, items, side="right") - 1
        mine = self.rows_of(others)[theirs]
        return np.sort((self.starts[mine] + items - others.starts[theirs])[mine >= 0])

    def numbers_found(self, answer: Any, kept: Flags) -> Ids:
        """Return the numbers of what one ray hit or what is nearest, in its order, where kept."""
        both = answer.placements.ravel()[kept], answer.items.ravel()[kept]
        return self._numbers(np.stack(both))

    def numbers_crossed(self, pairs: Ids) -> Ids:
        """Return the numbers of what one ray has crossed, in the order of the pairs."""
        return self._numbers(pairs[1:])

    def numbers_of(self, answer: Any, kept: Flags) -> Ids:
        """Return the same as `numbers_found`, sorted."""
        return np.sort(self.numbers_found(answer, kept))

    def pair_steps(self, owners: Ids, margin: float) -> PairSteps:
        """Find pairs of items of different owners that are no farther apart than the margin.

        `owners`, (p,), are numbers of the placements' owners from 0 on. Yields the fraction done,
        returns numbers, (2, h).
        """
        pairs = yield from overlapping_pairs_steps(self.octree, margin=margin, owners=owners)
        return np.stack((self._numbers(pairs[:2]), self._numbers(pairs[2:])))

    def placement_pair_steps(self, owners: Ids, margin: float) -> PairSteps:
        """Do the same for placements, (2, h): faster, for one touch of two is enough."""
        steps = overlapping_objects_steps(self.octree, margin=margin, owners=owners)
        return np.searchsorted(self.octree.ids, (yield from steps))

    def shapes_of(self, items: Ids, most: int) -> Any:
        """Return items as a batch of shapes; of more than `most`, boxes around placements."""
        rows = np.unique(self.placements_of(items))
        sizes = np.diff(self.starts)[rows]
        if sizes.sum() > most:
            return self.octree.bounds_of(self.octree.ids[rows])
        shift = self.starts[rows] - (np.cumsum(sizes) - sizes)
        there = items - shift[np.searchsorted(rows, self.placements_of(items))]
        return self.octree.triangles_of(self.octree.ids[rows])[there]

    def faces(self, items: Ids, owners: frozenset[int]) -> Iterator[ItemFaces]:
        """Yield the faces of these objects, where their polygons are known."""
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
        """The placement of each item, (n,), as a row of `owners`."""
        return np.repeat(np.arange(len(self.owners)), np.diff(self.starts))

    def placements_of(self, items: Ids) -> Ids:
        """Return the placements of items, (h,), as rows of `owners`."""
        return np.searchsorted(self.starts, items, side="right") - 1

    def counts(self, items: Ids) -> tuple[Ids, Ids]:
        """Return how many items, sorted, each placement has, and how many could be, (p,) each."""
        return np.diff(np.searchsorted(items, self.starts)), self.possibles

    def _numbers(self, names: Ids) -> Ids:
        """Return where triangles, (2, h) by placement and triangle, stand among all items."""
        return self.starts[np.searchsorted(self.octree.ids, names[0])] + names[1]


TargetSteps = Steps[SceneTarget]


def scene_steps(
    context: bpy.types.Context,
    viewport: bpy.types.SpaceView3D | None,
    *,
    of_original: bool = False,
) -> TargetSteps:
    """Bring the index of the scene up to date, and return what is visible of it.

    Of meshes as they are shown, or of the original ones without modifiers.
    The local view of `viewport`, if any, hides what is outside it. It holds until the index is
    brought up to date again.
    """
    index = yield from index_steps(context, of_original=of_original)
    target = SceneTarget(index.octree, index.placements, index, index.revision)
    local = local_objects(context, viewport)
    if local is None:
        return target
    return target.only(np.flatnonzero(np.isin(target.owners, local)))


def refuse_empty(target: SceneTarget) -> None:
    """Raise a `ValueError` if nothing visible has faces."""
    if not target.owners.size:
        raise ValueError("There are no triangles: no visible object has faces")


def local_objects(
    context: bpy.types.Context, viewport: bpy.types.SpaceView3D | None
) -> list[int] | None:
    """Return the session ids of what a local view shows; None if there is none."""
    if viewport is None or not viewport.local_view:
        return None
    layer = context.view_layer
    return [
        item.session_uid
        for item in layer.objects
        if item.visible_get(view_layer=layer, viewport=viewport)
    ]
