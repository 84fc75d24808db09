"""The boxes of the index as a query target: every object and instance is one item, its box."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Self

import bpy
import numpy as np

from ...core import Boxes, Octree, Steps, build_octree, overlapping_pairs_steps, query
from ..arrays import Flags, Ids
from ..reader import BoxPlacements, taken_types
from ..scene_index import index_of
from .scene_target import ItemFaces, PairSteps, SceneTarget, local_objects


@dataclass(frozen=True, eq=False)
class BoxTarget(SceneTarget):
    """The boxes of the scene's objects, with faces or without, as the index had them.

    Attributes
    ----------
    octree : Octree
        Of the boxes.
    placements : BoxPlacements
        In the order of its items.
    """

    octree: Octree  # type: ignore[assignment]  # an octree of one level
    placements: BoxPlacements  # type: ignore[assignment]

    @property
    def possibles(self) -> Ids:
        return np.ones(len(self.owners), np.intp)

    @property
    def items(self) -> Boxes:
        return self.placements.items

    @property
    def possible(self) -> Flags:
        return np.ones(len(self.owners), np.bool_)

    def bounds(self) -> Boxes:
        return self.items

    @property
    def is_current(self) -> bool:
        return True  # the octree is its own

    def near(self, volume: Any) -> Ids:
        return np.empty(0, np.intp)

    def meeting(self, owners: Ids, margin: float) -> Ids:
        return np.empty(0, np.intp)

    def prepare_steps(self, placements: Ids) -> Steps[None]:
        yield from ()

    def frozen(self) -> Self:
        return self

    def only(self, rows: Ids) -> Self:
        placements = self.placements.ordered(rows)
        return type(self)(build_octree(placements.items), placements, self.index, self.revision)

    def without(self, placement: int) -> tuple[Octree, int]:  # type: ignore[override]
        return self.octree, 1

    def in_volume(self, volume: Any, relation: str) -> Ids:
        return query(self.octree, volume, relation=relation)[1]

    def objects_in_volume(self, volume: Any) -> Ids:
        return self.in_volume(volume, "touching")

    def numbers_found(self, answer: Any, kept: Flags) -> Ids:
        numbers: Ids = answer.items.ravel()[kept]
        return numbers

    def numbers_crossed(self, pairs: Ids) -> Ids:
        return pairs[1]

    def pair_steps(self, owners: Ids, margin: float) -> PairSteps:
        return overlapping_pairs_steps(self.octree, margin=margin, owners=owners)

    def placement_pair_steps(self, owners: Ids, margin: float) -> PairSteps:
        return self.pair_steps(owners, margin)

    def shapes_of(self, items: Ids, most: int) -> Boxes:
        return self.items[items]

    def faces(self, items: Ids, owners: frozenset[int]) -> Iterator[ItemFaces]:
        raise ValueError("Whole objects have no faces: set Contents to Triangles first")


def box_target(
    context: bpy.types.Context,
    viewport: bpy.types.SpaceView3D | None,
    kinds: Collection[str],
) -> BoxTarget:
    """Bring the boxes of the index up to date, and return those of what is visible.

    `kinds` are types of objects without a shape that count too. The local view of `viewport`, if
    any, hides what is outside it.
    """
    depsgraph = context.evaluated_depsgraph_get()
    index = index_of(depsgraph)
    boxes, local = index.boxes.update(depsgraph), local_objects(context, viewport)
    owners = boxes.owners.tolist() if local is None else local
    placements = boxes.ordered(boxes.rows_of(set(owners), taken_types(kinds)))
    return BoxTarget(build_octree(placements.items), placements, index, index.revision)
