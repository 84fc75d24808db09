"""An octree that was built as a query target: its triangles, or whole objects."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...core import Boxes, Octree, overlapping_pairs_steps, query
from ..arrays import Flags, Ids
from ..built_tree import BuiltTree
from ..reader import ScenePlacements
from ..scene_index import Source
from .target import Faces, PairSteps, Target, flags_of


@dataclass(frozen=True, eq=False)
class TreeTarget(Target):
    """An octree of the scene that was built, of triangles or of objects.

    Attributes
    ----------
    built : BuiltTree
        As it was.
    octree : Octree
        As it was then.
    """

    built: BuiltTree
    octree: Octree

    @property
    def noun(self) -> str:
        return self.source.noun

    @cached_property
    def source(self) -> Source:
        """What its items are of, as it was when it was first asked: Live puts another there."""
        return self.built.source

    @property
    def owners(self) -> Ids:
        return self.source.placements.owners

    @property
    def is_instance(self) -> Flags:
        return self.source.placements.is_instance

    @property
    def persistent_ids(self) -> NDArray[np.int32]:
        return self.source.placements.persistent_ids

    @property
    def starts(self) -> Ids:
        return self.source.placements.starts

    def __len__(self) -> int:
        return len(self.octree)

    @property
    def items(self) -> Any:
        return self.octree.items

    @property
    def possible(self) -> Flags:
        flags = np.ones(self.source.item_count, np.bool_)
        flags[self.octree.invalid_items] = False
        return flags

    def bounds(self) -> Boxes:
        return self.octree.arranged.bounds()

    @cached_property
    def possibles(self) -> Ids:
        counts: Ids = np.add.reduceat(self.possible, self.starts[:-1], dtype=np.intp)
        return counts

    def prepare_steps(self, placements: Ids) -> Generator[float, None, None]:
        yield from ()

    def frozen(self) -> Self:
        return self

    def in_volume(self, volume: Any, relation: str) -> Ids:
        return self._numbers(query(self.octree, volume, relation=relation)[1])

    def objects_in_volume(self, volume: Any) -> Ids:
        return self.starts[np.unique(self.placements_of(self.in_volume(volume, "touching")))]

    def numbers_found(self, answer: Any, kept: Flags) -> Ids:
        return self._numbers(answer.items.ravel()[kept])

    def numbers_crossed(self, pairs: Ids) -> Ids:
        return self._numbers(pairs[1])

    def pair_steps(self, owners: Ids, margin: float) -> PairSteps:
        of_item = owners[self.placement_of_item]
        pairs = yield from overlapping_pairs_steps(self.octree, margin=margin, owners=of_item)
        return self._numbers(pairs)

    def placement_pair_steps(self, owners: Ids, margin: float) -> PairSteps:
        pairs = yield from self.pair_steps(owners, margin)
        return np.unique(self.placements_of(pairs), axis=1)

    def shapes_of(self, items: Ids, most: int) -> Any:
        return self.items[items]

    def faces(self, items: Ids, owners: frozenset[int]) -> Iterator[Faces]:
        placements, starts = self.source.placements, self.starts
        if not isinstance(placements, ScenePlacements):
            raise ValueError("Whole objects have no faces: clear the octree of objects first")
        found, possible = flags_of(items, self.source.item_count), self.possible
        for row in np.flatnonzero(placements.has_faces):
            if self.owners[row] in owners:
                part = slice(starts[row], starts[row + 1])
                polygons = placements.meshes[row].polygons
                yield Faces(int(self.owners[row]), polygons, found[part], possible[part])

    def _numbers(self, items: Ids) -> Ids:
        """Return where items, as the octree calls them, stand in `items`."""
        ids = self.octree.ids
        return items if ids is None else np.searchsorted(ids, items)
