"""Query targets: the index of the scene, or an octree that was built, behind one interface.

An answer names what it found by numbers: where it stands among all items, placement after
placement, whatever the octree calls it.
"""

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import bpy
import numpy as np
from numpy.typing import NDArray

from ..core import (
    Boxes,
    Octree,
    SceneOctree,
    Triangles,
    build_octree,
    overlapping_pairs,
    overlapping_pairs_steps,
    pairs_touching,
    query,
)
from .arrays import Flags, Ids
from .reader import UNUSED, ObjectSource, ScenePlacements, Source, TriangleSource
from .scene_index import SceneIndex, index_steps
from .trees import BuiltTree

PairSteps = Generator[float, None, Ids]


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


class Target(ABC):
    """Items of placements, as they were at the moment of the question.

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
    def persistent_ids(self) -> NDArray[np.int32]:
        """What tells the instances of one owner apart, (p, 8); it says nothing of objects."""

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

    @property
    def is_current(self) -> bool:
        """Whether the scene has not been read again since."""
        return True

    def near(self, volume: Any) -> Ids:
        """Return the placements whose boxes touch one volume: what is needed to ask it."""
        return np.empty(0, np.intp)

    def meeting(self, owners: Ids, margin: float) -> Ids:
        """Return the placements whose boxes come near those of another owner, (p,)."""
        return np.empty(0, np.intp)

    @abstractmethod
    def prepare_steps(self, placements: Ids) -> Generator[float, None, None]:
        """Make what questions about placements will need; yield the fraction done."""

    @abstractmethod
    def frozen(self) -> Self:
        """Return the same, which stays as it is when the scene changes."""

    @abstractmethod
    def in_volume(self, volume: Any, relation: str) -> Ids:
        """Return the numbers of the items in one volume, sorted."""

    @abstractmethod
    def objects_in_volume(self, volume: Any) -> Ids:
        """Return the number of the first item of each placement that touches one volume."""

    @abstractmethod
    def numbers_found(self, answer: Any, kept: Flags) -> Ids:
        """Return the numbers of what one ray hit or what is nearest, in its order, where kept."""

    @abstractmethod
    def numbers_crossed(self, pairs: Ids) -> Ids:
        """Return the numbers of what one ray has crossed, in the order of the pairs."""

    def numbers_of(self, answer: Any, kept: Flags) -> Ids:
        """Return the same as `numbers_found`, sorted."""
        return np.sort(self.numbers_found(answer, kept))

    @abstractmethod
    def pair_steps(self, owners: Ids, margin: float) -> PairSteps:
        """Find pairs of items of different owners that are no farther apart than the margin.

        `owners`, (p,), are numbers of the placements' owners from 0 on. Yields the fraction done,
        returns numbers, (2, h).
        """

    @abstractmethod
    def placement_pair_steps(self, owners: Ids, margin: float) -> PairSteps:
        """Do the same for placements, (2, h): faster, for one touch of two is enough."""

    @abstractmethod
    def shapes_of(self, items: Ids, most: int) -> Any:
        """Return items as a batch of shapes; of more than `most`, boxes around placements."""

    @abstractmethod
    def faces(self, items: Ids, owners: frozenset[int]) -> Iterator[Faces]:
        """Yield the faces of those of these objects whose polygons are known."""

    @property
    def placement_of_item(self) -> Ids:
        """The placement of each of the `items`, (n,), as a row of `owners`."""
        return np.repeat(np.arange(len(self.owners)), np.diff(self.starts))

    def placements_of(self, items: Ids) -> Ids:
        """Return the placements of items, (h,), as rows of `owners`."""
        return np.searchsorted(self.starts, items, side="right") - 1

    def counts(self, items: Ids) -> tuple[Ids, Ids]:
        """Return how many items, sorted, each placement has, and how many could be, (p,) each."""
        return np.diff(np.searchsorted(items, self.starts)), self.possibles

    @property
    @abstractmethod
    def possibles(self) -> Ids:
        """How many items of each placement can be found, (p,)."""


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

    @cached_property
    def owners(self) -> Ids:
        uids = np.array([each.session_uid for each in self.source.objects], np.intp)
        return uids[self.source.object_of_placement]

    @property
    def is_instance(self) -> Flags:
        return self.source.is_instance

    @cached_property
    def persistent_ids(self) -> NDArray[np.int32]:
        numbers = np.full((len(self.owners), 8), UNUSED, np.int32)
        if isinstance(self.source, ObjectSource):
            for row in np.flatnonzero(self.is_instance).tolist():
                key = self.source.keys[row][1:9]
                numbers[row, : len(key)] = key
        else:
            # Triangles do not know which instance they are of: the place among all, below 0,
            # tells it, which no persistent id is.
            numbers[:, 0] = -1 - np.arange(len(numbers))
        return numbers

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
        source, starts = self.source, self.starts
        if not isinstance(source, TriangleSource):
            raise ValueError("Whole objects have no faces: clear the octree of objects first")
        found, possible = _flags(items, self.source.item_count), self.possible
        for row in np.flatnonzero(source.polygon_of_triangle[starts[:-1]] >= 0):
            if self.owners[row] in owners:
                part = slice(starts[row], starts[row + 1])
                polygons = source.polygon_of_triangle[part]
                yield Faces(int(self.owners[row]), polygons, found[part], possible[part])

    def _numbers(self, items: Ids) -> Ids:
        """Return where items, as the octree calls them, stand in `items`."""
        ids = self.octree.ids
        return items if ids is None else np.searchsorted(ids, items)


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

    @cached_property
    def starts(self) -> Ids:
        return np.cumsum([0, *(len(mesh.triangles) for mesh in self.placements.meshes)])

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
                found = _flags(triangles, len(mesh.triangles))
                possible = mesh.finite & bool(self.possibles[row])
                yield Faces(int(self.owners[row]), mesh.polygons, found, possible)

    def _numbers(self, names: Ids) -> Ids:
        """Return where triangles, (2, h) by placement and triangle, stand in `items`."""
        return self.starts[np.searchsorted(self.octree.ids, names[0])] + names[1]


TargetSteps = Generator[float, None, SceneTarget]


def scene_steps(context: bpy.types.Context, viewport: bpy.types.SpaceView3D | None) -> TargetSteps:
    """Bring the index of the scene up to date, and return what is visible of it.

    The local view of `viewport`, if any, hides what is outside it. It holds until the index is
    brought up to date again.
    """
    index = yield from index_steps(context)
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


def _flags(numbers: Ids, count: int) -> Flags:
    flags = np.zeros(count, np.bool_)
    flags[numbers] = True
    return flags
