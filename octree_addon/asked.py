"""What questions are asked of: the index of the scene, or an octree that was built.

Both name what they found their own way: an octree by item, (h,); the index by placement and
triangle, (2, h), where the triangle -1 is all of them. To others they are the same.
"""

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..core import Boxes, Octree, SceneOctree, Triangles, overlapping_pairs_steps, query
from .arrays import Flags, Ids
from .reader import ScenePlacements, Source, TriangleSource
from .scene_index import index_steps
from .trees import BuiltTree

PairSteps = Generator[float, None, tuple[Ids, Ids]]
# Named so where all triangles of a placement are meant.
EVERY = -1


class Faces(NamedTuple):
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


class Asked(ABC):
    """Items of placements: what was asked, at the moment of the question.

    Attributes
    ----------
    octree : Octree or SceneOctree
        Takes the questions of the core.
    """

    octree: Any

    @property
    @abstractmethod
    def noun(self) -> str:
        """What its items are."""

    @property
    @abstractmethod
    def owners(self) -> Ids:
        """Session id of each placement's object, or instancer, (p,)."""

    @property
    @abstractmethod
    def is_instance(self) -> Flags:
        """Which placements are instances, (p,)."""

    @property
    @abstractmethod
    def starts(self) -> Ids:
        """Where the items of each placement begin, and the number of `items`, (p + 1,)."""

    @abstractmethod
    def __len__(self) -> int:
        """How many items can be found."""

    @property
    @abstractmethod
    def items(self) -> Any:
        """All items as a batch of shapes, found or not."""

    @property
    @abstractmethod
    def possible(self) -> Flags:
        """Which of the items can be found, (n,)."""

    @abstractmethod
    def bounds(self) -> Boxes:
        """Return boxes around all that can be found; there may be none."""

    @abstractmethod
    def in_volume(self, volume: Any, relation: str, *, whole: bool = False) -> Any:
        """Return what a volume holds.

        Of many triangles only the objects, if `whole` ones are enough.
        """

    @abstractmethod
    def named(self, answer: Any, kept: Any) -> Any:
        """Return the names of what rays hit or what is nearest: the kept ones of one row."""

    @abstractmethod
    def crossed(self, pairs: Ids) -> Any:
        """Return the names, sorted, of what one ray has crossed."""

    @abstractmethod
    def pair_steps(self, owners: Ids, margin: float) -> PairSteps:
        """Find pairs of items of different owners that are no farther apart than the margin.

        `owners`, (p,), are numbers of the placements' owners from 0 on. Yields the fraction done;
        returns the names of the ones, and of the others.
        """

    @abstractmethod
    def numbers_of(self, names: Any) -> Ids:
        """Return where found items stand among all `items`, (h,)."""

    @abstractmethod
    def placements_of(self, names: Any) -> Ids:
        """Return the placements of found items, (h,), as rows of `owners`."""

    @abstractmethod
    def counts(self, names: Any) -> tuple[Ids, Ids]:
        """Return how many items of each placement were found, and could be, (p,) each."""

    @abstractmethod
    def boxes_of(self, names: Any) -> Boxes:
        """Return boxes around the placements of found items."""

    @abstractmethod
    def faces(self, names: Any, owners: frozenset[int]) -> Iterator[Faces]:
        """Yield the faces of those of these objects whose polygons are known."""

    @property
    def placement_of_item(self) -> Ids:
        """The placement of each of the `items`, (n,), as a row of `owners`."""
        return np.repeat(np.arange(len(self.owners)), np.diff(self.starts))


@dataclass(frozen=True, eq=False)
class AskedTree(Asked):
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

    @property
    def source(self) -> Source:
        """What its items are of."""
        return self.built.source

    @cached_property
    def owners(self) -> Ids:
        uids = np.array([each.session_uid for each in self.source.objects], np.intp)
        return uids[self.source.object_of_placement]

    @property
    def is_instance(self) -> Flags:
        return self.source.is_instance

    @property
    def starts(self) -> Ids:
        return self.source.placement_start

    def __len__(self) -> int:
        return len(self.octree)

    @property
    def items(self) -> Any:
        return self.octree.items

    @property
    def possible(self) -> Flags:
        flags = np.ones(len(self.items), np.bool_)
        flags[self.octree.invalid_items] = False
        return flags

    def bounds(self) -> Boxes:
        return self.octree.arranged.bounds()

    def in_volume(self, volume: Any, relation: str, *, whole: bool = False) -> Ids:
        return query(self.octree, volume, relation=relation)[1]

    def named(self, answer: Any, kept: Any) -> Ids:
        return np.sort(answer.items.ravel()[kept])

    def crossed(self, pairs: Ids) -> Ids:
        return np.sort(pairs[1])

    def pair_steps(self, owners: Ids, margin: float) -> PairSteps:
        of_item = owners[self.placement_of_item]
        pairs = yield from overlapping_pairs_steps(self.octree, margin=margin, owners=of_item)
        return pairs[0], pairs[1]

    def numbers_of(self, names: Any) -> Ids:
        ids = self.octree.ids
        return names if ids is None else np.searchsorted(ids, names)

    def placements_of(self, names: Any) -> Ids:
        return np.searchsorted(self.starts, self.numbers_of(names), side="right") - 1

    def counts(self, names: Any) -> tuple[Ids, Ids]:
        starts = self.starts[:-1]
        flags = _flags(self.numbers_of(names), len(self.items)), self.possible
        found, possible = (np.add.reduceat(each, starts, dtype=np.intp) for each in flags)
        return found, possible

    def boxes_of(self, names: Any) -> Boxes:
        return self.items[self.numbers_of(names)].bounds()

    def faces(self, names: Any, owners: frozenset[int]) -> Iterator[Faces]:
        source, starts = self.source, self.starts
        if not isinstance(source, TriangleSource):
            raise ValueError("Only triangles have faces: choose Source: Triangles and build anew")
        found, possible = _flags(self.numbers_of(names), len(self.items)), self.possible
        for row in np.flatnonzero(source.polygon_of_triangle[starts[:-1]] >= 0):
            if self.owners[row] in owners:
                part = slice(starts[row], starts[row + 1])
                polygons = source.polygon_of_triangle[part]
                yield Faces(int(self.owners[row]), polygons, found[part], possible[part])


@dataclass(frozen=True, eq=False)
class AskedScene(Asked):
    """The triangles of the scene, as the index had them.

    Attributes
    ----------
    octree : SceneOctree
        Of its own: later changes of the index leave it alone.
    placements : ScenePlacements
        In the order of `octree.ids`.
    """

    octree: SceneOctree
    placements: ScenePlacements

    @property
    def noun(self) -> str:
        return "triangle"

    @property
    def owners(self) -> Ids:
        return self.placements.owners

    @property
    def is_instance(self) -> Flags:
        return self.placements.is_instance

    @cached_property
    def starts(self) -> Ids:
        return np.cumsum([0, *(len(mesh.triangles) for mesh in self.placements.meshes)])

    @cached_property
    def _possible(self) -> Ids:
        """How many triangles of each placement can be found, (p,)."""
        counts = np.array([mesh.finite.sum() for mesh in self.placements.meshes], np.intp)
        counts[np.searchsorted(self.octree.ids, self.octree.invalid_ids)] = 0
        return counts

    def __len__(self) -> int:
        return int(self._possible.sum())

    @cached_property
    def items(self) -> Triangles:
        return self.octree.triangles_of(self.octree.ids)

    @property
    def possible(self) -> Flags:
        parts = [mesh.finite for mesh in self.placements.meshes]
        flags = np.concatenate([np.empty(0, np.bool_), *parts])
        return flags & np.repeat(self._possible > 0, np.diff(self.starts))

    def bounds(self) -> Boxes:
        return self.octree.bounds_of(self.octree.ids[self._possible > 0])

    def in_volume(self, volume: Any, relation: str, *, whole: bool = False) -> Ids:
        if whole and relation == "touching":
            placements = query(self.octree, volume, relation="objects")[1]
            return np.stack((placements, np.full(len(placements), EVERY)))
        return query(self.octree, volume, relation=relation)[1:]

    def named(self, answer: Any, kept: Any) -> Ids:
        both = np.stack((answer.placements.ravel()[kept], answer.items.ravel()[kept]))
        return both[:, np.lexsort(both[::-1])]

    def crossed(self, pairs: Ids) -> Ids:
        return pairs[1:, np.lexsort(pairs[:0:-1])]

    def pair_steps(self, owners: Ids, margin: float) -> PairSteps:
        pairs = yield from overlapping_pairs_steps(self.octree, margin=margin, owners=owners)
        return pairs[:2], pairs[2:]

    def numbers_of(self, names: Any) -> Ids:
        rows, triangles = self.placements_of(names), names[1]
        if (triangles == EVERY).any():
            some = np.flatnonzero(_flags(rows, len(self.owners)))
            return np.flatnonzero(_flags(some, len(self.owners))[self.placement_of_item])
        return self.starts[rows] + triangles

    def placements_of(self, names: Any) -> Ids:
        return np.searchsorted(self.octree.ids, names[0])

    def counts(self, names: Any) -> tuple[Ids, Ids]:
        rows = self.placements_of(names)
        found = np.bincount(rows, minlength=len(self.owners))
        whole = rows[names[1] == EVERY]
        found[whole] = self._possible[whole]
        return found, self._possible

    def boxes_of(self, names: Any) -> Boxes:
        return self.octree.bounds_of(np.unique(names[0]))

    def faces(self, names: Any, owners: frozenset[int]) -> Iterator[Faces]:
        rows = self.placements_of(names)
        order = np.argsort(rows, kind="stable")
        ends = np.searchsorted(rows[order], np.arange(len(self.owners) + 1))
        for row in np.flatnonzero(self.placements.face_meshes >= 0).tolist():
            if self.owners[row] in owners:
                mesh = self.placements.meshes[row]
                triangles = names[1][order[ends[row] : ends[row + 1]]]
                found = _flags(triangles, len(mesh.triangles))
                possible = mesh.finite & bool(self._possible[row])
                yield Faces(int(self.owners[row]), mesh.polygons, found, possible)


AskedSteps = Generator[float, None, AskedScene]


def scene_steps(context: bpy.types.Context, viewport: bpy.types.SpaceView3D | None) -> AskedSteps:
    """Bring the index of the scene up to date, and return what is visible of it.

    The local view of `viewport`, if any, hides what is outside it.
    """
    index = yield from index_steps(context)
    placements, ids = index.placements, index.octree.ids
    if viewport is not None and viewport.local_view:
        layer = context.view_layer
        local = [
            item.session_uid
            for item in layer.objects
            if item.visible_get(view_layer=layer, viewport=viewport)
        ]
        rows = np.flatnonzero(np.isin(placements.owners, local))
        placements, ids = placements.ordered(rows), ids[rows]
    return AskedScene(index.octree.only(ids), placements)


def _flags(numbers: Ids, count: int) -> Flags:
    flags = np.zeros(count, np.bool_)
    flags[numbers] = True
    return flags
