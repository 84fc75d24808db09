"""Snapshots: an index as a question finds it, placements over what each of them holds.

A question asks a snapshot to which placements it comes, goes on in the space of what is placed
there (`Walkable`), and tests items where they are in the world. A scene has a row for each
placement; a tree is one row, 0, that nothing has moved. So every question is written once.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from . import compiled, lone
from .any_octree import AnyOctree
from .arrays import Flags, Floats, Ids, concatenated_ranges, gather
from .groups import in_groups
from .octree import Octree, as_octree
from .records import Columns
from .shapes import Shapes, Triangles
from .steps import Steps
from .touch.rays import Rays
from .walkable import Walkable

_ZERO, _ONE = np.zeros(1), np.ones(1)


@dataclass(frozen=True)
class Crossed(Columns):
    """Pairs of rays and rows of placements, and where the rays enter their boxes.

    Sorted by ray, then by where.
    """

    rays: Ids
    rows: Ids
    entries: Floats

    def numbered(self, numbers: Ids) -> "Crossed":
        """Return the same pairs for ray `numbers[i]` instead of i."""
        return Crossed(numbers[self.rays], self.rows, self.entries)


@dataclass(frozen=True)
class Reached(Columns):
    """Pairs of volumes and rows of placements, ascending; `whole` ones lie in their volume."""

    volumes: Ids
    rows: Ids
    whole: Flags


@dataclass(frozen=True)
class Images:
    """Images of one kind: shape i, with its slack, is the image for pair `pairs[i]`.

    `pairs` ascend. Items that lie in an `exact` image lie in the volume. Without shapes nothing
    is known: any item may lie in the volume.
    """

    pairs: Ids
    shapes: Shapes | None
    slacks: Floats
    exact: bool


@dataclass(frozen=True)
class SeenRays:
    """Pairs of rays and placements, seen from what is placed: `tree` is walked by `rays`.

    A distance d in the world is one of `factors * d + slacks` there, at most.
    """

    tree: Walkable
    rays: Rays
    factors: Floats
    slacks: Floats


@dataclass(frozen=True)
class SeenPoints:
    """Pairs of points and placements, seen from what is placed: `points` (3, k) walk `tree`.

    Lengths there are at least `1 / most` and at most `stretch / most` of those in the world.
    """

    tree: Walkable
    points: Floats
    most: Floats
    stretch: Floats


class Nearby(Protocol):
    """What is nearest to points so far."""

    most: Floats | float

    @property
    def limits(self) -> Floats:
        """How far each point still looks, (q,), `most` at most."""

    @property
    def are_full(self) -> Flags:
        """Which points have found as many as they want, (q,)."""


class IndexSnapshot(ABC):
    """An index that stays what it is while it is asked.

    Questions come to the octree `top` first: that of the items, or of the placements' boxes.
    """

    top: Octree

    @property
    @abstractmethod
    def largest(self) -> int:
        """Numbers of items are below this."""

    @property
    @abstractmethod
    def has_triangles(self) -> bool:
        """Whether all items are triangles."""

    @property
    @abstractmethod
    def item_count(self) -> int:
        """How many items there are that a question may find."""

    @abstractmethod
    def names(self, rows: Ids, items: Ids) -> tuple[Ids, ...]:
        """Return what answers call items: their ids, or those of placements and their numbers.

        Of any shape; -1 stands for nothing. May write into what it is given.
        """

    @abstractmethod
    def answer(self, reached: Reached, pairs: Ids) -> Ids:
        """Return volumes and names of items, (2, h) or more, given pairs of `reached` and items.

        May write into what it is given.
        """

    @abstractmethod
    def few(self, count: int, *, several: bool = False) -> compiled.Few | None:
        """Return what so few questions ask the kernel; None if they go the usual way.

        `several`: each wants several items.
        """

    @abstractmethod
    def packed(self, count: int) -> compiled.Walked | None:
        """Return what so many questions ask the kernel; None if NumPy answers."""

    @abstractmethod
    def walked(self, rows: Ids) -> Walkable:
        """Return what questions about these placements walk."""

    @abstractmethod
    def at_entries(self, tree: Walkable, entries: Ids, rows: Ids) -> tuple[Shapes, Ids]:
        """Return items as they are placed, and their numbers there, given entries of a walk."""

    @abstractmethod
    def at_numbers(self, rows: Ids, items: Ids) -> tuple[Shapes, Ids]:
        """Return the same, given the numbers of items in the order in which they were given."""

    @abstractmethod
    def crossed(self, rays: Rays, closest: Floats) -> Iterator[Crossed]:
        """Yield the placements that rays come to, front to back; `closest` may be lowered."""

    @abstractmethod
    def seen_by_rays(self, rays: Rays, pairs: Crossed, closest: Floats) -> SeenRays:
        """Return what these pairs of rays and placements walk, up to the closest hits so far."""

    @abstractmethod
    def near(self, points: Floats, best: Nearby) -> Iterator[tuple[Ids, Ids]]:
        """Yield points and rows of what may be nearest; limits may be lowered in between."""

    @abstractmethod
    def seen_by_points(self, points: Floats, numbers: Ids, rows: Ids) -> SeenPoints:
        """Return what these pairs of points and placements walk."""

    @abstractmethod
    def reached(self, volumes: Shapes) -> Iterator[Reached]:
        """Yield the placements that volumes come to, in the order of the volumes."""

    @abstractmethod
    def images(self, volumes: Shapes, pairs: Reached) -> Iterator[tuple[Walkable, Images]]:
        """Yield what pairs of volumes and placements walk, and the volumes as seen there."""

    @abstractmethod
    def items_of(self, rows: Ids, counts: Ids) -> Ids:
        """Return the first `counts` items of each placement, ascending, one after the other."""

    @abstractmethod
    def sizes_of(self, rows: Ids) -> Ids:
        """Return how many items placements have that can be found."""


@dataclass(frozen=True)
class TreeSnapshot(IndexSnapshot):
    """A tree, as one placement that nothing has moved."""

    top: Octree

    @property
    def largest(self) -> int:
        """How many items the tree was built over."""
        return len(self.top.items)

    @property
    def has_triangles(self) -> bool:
        """Whether it is a tree of triangles."""
        return isinstance(self.top.items, Triangles)

    @property
    def item_count(self) -> int:
        """How many of them are finite."""
        return len(self.top)

    def names(self, rows: Ids, items: Ids) -> tuple[Ids, ...]:
        """Return the ids of items, put in place."""
        return (compiled.named(self.top, items),)

    def answer(self, reached: Reached, pairs: Ids) -> Ids:
        """Return the pairs, with the ids of items: all volumes come to the tree."""
        compiled.named(self.top, pairs[1])
        return pairs

    def few(self, count: int, *, several: bool = False) -> compiled.Few | None:
        """Return the tree's own arrays; for `several` the packed tree, which holds items once."""
        if several:
            packed = self.packed(count) if 0 < count <= lone.MOST else None
            return None if packed is None else packed.few
        return lone.of(self.top, count)

    def packed(self, count: int) -> compiled.Walked | None:
        """Return the packed tree."""
        return compiled.packed(self.top, count)

    def walked(self, rows: Ids) -> Walkable:
        """Return the tree."""
        return self.top

    def at_entries(self, tree: Walkable, entries: Ids, rows: Ids) -> tuple[Shapes, Ids]:
        """Return the items of the tree in the order of its entries, and the entries."""
        return self.top.arranged, entries

    def at_numbers(self, rows: Ids, items: Ids) -> tuple[Shapes, Ids]:
        """Return the items that the tree was built over, and the numbers."""
        return self.top.items, items

    def crossed(self, rays: Rays, closest: Floats) -> Iterator[Crossed]:
        """Yield all rays, once."""
        everyone = np.arange(len(rays))
        yield Crossed(everyone, 0 * everyone, np.zeros(len(rays)))

    def seen_by_rays(self, rays: Rays, pairs: Crossed, closest: Floats) -> SeenRays:
        """Return the tree and the rays as they are, but for where they end."""
        return SeenRays(self.top, rays[pairs.rays], _ONE, _ZERO)

    def near(self, points: Floats, best: Nearby) -> Iterator[tuple[Ids, Ids]]:
        """Yield all points, once."""
        everyone = np.arange(points.shape[1])
        yield everyone, 0 * everyone

    def seen_by_points(self, points: Floats, numbers: Ids, rows: Ids) -> SeenPoints:
        """Return the tree and the points as they are."""
        return SeenPoints(self.top, gather(points, numbers), _ONE, _ONE)

    def reached(self, volumes: Shapes) -> Iterator[Reached]:
        """Yield all volumes, once."""
        everyone = np.arange(len(volumes))
        yield Reached(everyone, 0 * everyone, np.zeros(len(volumes), bool))

    def images(self, volumes: Shapes, pairs: Reached) -> Iterator[tuple[Walkable, Images]]:
        """Yield the tree and the volumes as they are."""
        numbers = pairs.volumes
        yield self.top, Images(np.arange(len(numbers)), volumes[numbers], _ZERO, True)

    def items_of(self, rows: Ids, counts: Ids) -> Ids:
        """Return the first items of the tree for each row."""
        return np.sort(self.top.order)[concatenated_ranges(0 * counts, counts)]

    def sizes_of(self, rows: Ids) -> Ids:
        """Return how many items the tree holds for each row."""
        return np.full(len(rows), len(self.top))


class Placing(AnyOctree):
    """An index of placements, which all questions take in place of a tree."""

    @abstractmethod
    def _snapshot(self, groups: SupportsIndex) -> IndexSnapshot:
        """Return the index as it is now, to those who ask with these groups."""

    @abstractmethod
    def _pair_steps(
        self,
        margin: float,
        skip_neighbours: bool,
        within: bool,
        owners: ArrayLike | None,
        groups: SupportsIndex,
    ) -> Steps[Ids]:
        """Answer `overlapping_pairs_steps`."""


def snapshot_of(tree: AnyOctree, groups: SupportsIndex) -> IndexSnapshot:
    """Return what a question with these groups asks; raise a ValueError if it is no index."""
    if isinstance(tree, Placing):
        return tree._snapshot(groups)
    return TreeSnapshot(in_groups(as_octree("tree", tree), groups))
