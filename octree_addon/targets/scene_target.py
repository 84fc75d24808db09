"""The index of the scene as a query target (two levels): the triangles of every placed mesh."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core import (
    Boxes,
    SceneOctree,
    Triangles,
    build_octree,
    overlapping_pairs,
    overlapping_pairs_steps,
    pairs_touching,
    query,
)
from ..arrays import Flags, Ids
from ..reader import ScenePlacements
from ..scene_index import SceneIndex, index_steps
from .target import Faces, PairSteps, Target, flags_of


@dataclass(frozen=True, eq=False)
class SceneTarget(Target):
    """The triangles of the scene, as the index had them.

    Attributes
    ----------
    octree : SceneOctree
        That of the index; of a frozen one, what it was.
    placements : ScenePlacements
        In the order of `octree.ids`.
    index : SceneIndex
        Where they are from.
    read : ScenePlacements
        All that it had then.
    """

    octree: SceneOctree
    placements: ScenePlacements
    index: SceneIndex
    read: ScenePlacements

    @property
    def noun(self) -> str:
        return "triangle"

    @property
    def owners(self) -> Ids:
        return self.placements.owners

    @property
    def is_instance(self) -> Flags:
        return self.placements.is_instance

    @property
    def persistent_ids(self) -> NDArray[np.int32]:
        return self.placements.persistent_ids

    @property
    def starts(self) -> Ids:
        return self.placements.starts

    @cached_property
    def possibles(self) -> Ids:
        counts = np.array([mesh.finite_count for mesh in self.placements.meshes], np.intp)
        counts[np.searchsorted(self.octree.ids, self.octree.invalid_ids)] = 0
        return counts

    def __len__(self) -> int:
        return int(self.possibles.sum())

    @cached_property
    def items(self) -> Triangles:
        return self.octree.triangles_of(self.octree.ids)

    @property
    def possible(self) -> Flags:
        parts = [mesh.finite for mesh in self.placements.meshes]
        flags = np.concatenate([np.empty(0, np.bool_), *parts])
        return flags & np.repeat(self.possibles > 0, np.diff(self.starts))

    def bounds(self) -> Boxes:
        return self._boxes[1]

    @property
    def is_current(self) -> bool:
        return self.index.placements is self.read

    @cached_property
    def _boxes(self) -> tuple[Ids, Boxes]:
        """The placements that have triangles, and the boxes around them."""
        rows = np.flatnonzero(self.possibles > 0)
        return rows, self.octree.bounds_of(self.octree.ids[rows])

    def near(self, volume: Any) -> Ids:
        rows, boxes = self._boxes
        numbers = np.arange(len(rows))
        return rows[pairs_touching(boxes, numbers, volume, 0 * numbers)]

    def meeting(self, owners: Ids, margin: float) -> Ids:
        rows, boxes = self._boxes
        tree = build_octree(boxes)
        return rows[np.unique(overlapping_pairs(tree, margin=margin, owners=owners[rows]))]

    def prepare_steps(self, placements: Ids) -> Generator[float, None, None]:
        return self.octree.prepare_steps(self.octree.meshes_of(self.octree.ids[placements]))

    def frozen(self) -> Self:
        return replace(self, octree=self.octree.only(self.octree.ids))

    def in_volume(self, volume: Any, relation: str) -> Ids:
        _, placements, triangles = query(self.octree, volume, relation=relation)
        # Sorted by placement: of a million triangles in one, none is looked up.
        counts = np.diff(np.searchsorted(placements, self.octree.ids), append=len(placements))
        return np.repeat(self.starts[:-1], counts) + triangles

    def objects_in_volume(self, volume: Any) -> Ids:
        placements = query(self.octree, volume, relation="objects")[1]
        return self.starts[np.searchsorted(self.octree.ids, placements)]

    def numbers_found(self, answer: Any, kept: Flags) -> Ids:
        both = answer.placements.ravel()[kept], answer.items.ravel()[kept]
        return self._numbers(np.stack(both))

    def numbers_crossed(self, pairs: Ids) -> Ids:
        return self._numbers(pairs[1:])

    def pair_steps(self, owners: Ids, margin: float) -> PairSteps:
        pairs = yield from overlapping_pairs_steps(self.octree, margin=margin, owners=owners)
        return np.stack((self._numbers(pairs[:2]), self._numbers(pairs[2:])))

    def placement_pair_steps(self, owners: Ids, margin: float) -> PairSteps:
        steps = overlapping_pairs_steps(self.octree, margin=margin, owners=owners, objects=True)
        return np.searchsorted(self.octree.ids, (yield from steps))

    def shapes_of(self, items: Ids, most: int) -> Triangles | Boxes:
        rows = np.unique(self.placements_of(items))
        sizes = np.diff(self.starts)[rows]
        if sizes.sum() > most:
            return self.octree.bounds_of(self.octree.ids[rows])
        shift = self.starts[rows] - (np.cumsum(sizes) - sizes)
        there = items - shift[np.searchsorted(rows, self.placements_of(items))]
        return self.octree.triangles_of(self.octree.ids[rows])[there]

    def faces(self, items: Ids, owners: frozenset[int]) -> Iterator[Faces]:
        ends = np.searchsorted(items, self.starts)
        for row in np.flatnonzero(self.placements.face_meshes >= 0).tolist():
            if self.owners[row] in owners:
                mesh = self.placements.meshes[row]
                triangles = items[ends[row] : ends[row + 1]] - self.starts[row]
                found = flags_of(triangles, len(mesh.triangles))
                possible = mesh.finite & bool(self.possibles[row])
                yield Faces(int(self.owners[row]), mesh.polygons, found, possible)

    def _numbers(self, names: Ids) -> Ids:
        """Return where triangles, (2, h) by placement and triangle, stand in `items`."""
        return self.starts[np.searchsorted(self.octree.ids, names[0])] + names[1]


TargetSteps = Generator[float, None, SceneTarget]


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
    placements, octree = index.placements, index.octree
    if viewport is not None and viewport.local_view:
        layer = context.view_layer
        local = [
            item.session_uid
            for item in layer.objects
            if item.visible_get(view_layer=layer, viewport=viewport)
        ]
        rows = np.flatnonzero(np.isin(placements.owners, local))
        placements, octree = placements.ordered(rows), octree.only(octree.ids[rows])
    return SceneTarget(octree, placements, index, index.placements)
