"""Index snapshots: one interface of trees and scenes, so that each query is written once.

A snapshot is a list of placements, each a tree (`Walkable`) under a matrix. A question runs in
three steps: find the placements that a ray, point or volume may hit; walk their trees in local
space; test the items in world space. A scene has one row per placement. An octree is a single
row, 0, with the identity matrix.

A query may be restricted to some of the groups, 32 bits for each item. Items in none of these
groups are removed from the tree before the query descends. Therefore no traversal, early exit or
bound depends on groups, and cells without other items count as empty.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from . import checks, compiled, lone
from .arrays import Flags, Floats, Ids, concatenated_ranges, gather
from .cells import child_masks_of
from .octree import Octree, as_octree
from .records import Columns
from .shapes import Shapes, Triangles
from .steps import Steps
from .touch.rays import Rays
from .walkable import AnyOctree, Walkable

_ZERO, _ONE = np.zeros(1), np.ones(1)

# A tree caches its filtered trees for this many masks.
_MASKS = 4


@dataclass(frozen=True)
class RayPairs(Columns):
    """Pairs of a ray and a placement row, and the distances at which rays enter the boxes.

    Sorted by ray, then by distance.
    """

    rays: Ids
    rows: Ids
    entries: Floats

    def numbered(self, numbers: Ids) -> "RayPairs":
        """Renumber the rays: ray i becomes `numbers[i]`."""
        return RayPairs(numbers[self.rays], self.rows, self.entries)


@dataclass(frozen=True)
class VolumePairs(Columns):
    """Ascending pairs of a volume and a placement row; `whole` flags boxes inside the volume."""

    volumes: Ids
    rows: Ids
    whole: Flags


@dataclass(frozen=True)
class Images:
    """Volumes of one kind in local space: shape i, with its slack, belongs to pair `pairs[i]`.

    `pairs` ascend. Items inside an `exact` image lie inside the volume. If `shapes` is None, the
    matrix has no inverse and every item is a candidate.
    """

    pairs: Ids
    shapes: Shapes | None
    slacks: Floats
    exact: bool


@dataclass(frozen=True)
class LocalRays:
    """Rays in the local spaces of their placements, and the tree that they walk.

    A world distance d corresponds to at most `factors * d + slacks` in local space.
    """

    tree: Walkable
    rays: Rays
    factors: Floats
    slacks: Floats


@dataclass(frozen=True)
class LocalPoints:
    """Points (3, k) in the local spaces of their placements, and the tree that they walk.

    A world length l corresponds to a local length from `l / most` to `l * stretch / most`.
    """

    tree: Walkable
    points: Floats
    most: Floats
    stretch: Floats


class SearchLimits(Protocol):
    """The search radii of points, which shrink during a nearest-item search."""

    most: Floats | float

    @property
    def limits(self) -> Floats:
        """The current search radius of each point, (q,), at most `most`."""

    @property
    def are_full(self) -> Flags:
        """Flags of the points that have found `count` items, (q,)."""


class IndexSnapshot(ABC):
    """An immutable index: placements, their trees and `top`, the octree of the top level.

    The top level of a tree is the tree itself, that of a scene the octree of placement boxes.
    """

    top: Octree

    @property
    @abstractmethod
    def item_limit(self) -> int:
        """An upper bound of the item numbers of a placement, exclusive."""

    @property
    @abstractmethod
    def has_triangles(self) -> bool:
        """True if all items are triangles."""

    @property
    @abstractmethod
    def item_count(self) -> int:
        """The number of items that queries may find."""

    @abstractmethod
    def ids_of(self, rows: Ids, items: Ids) -> tuple[Ids, ...]:
        """Return the ids by which answers name items: item ids, or placement ids and items.

        The arrays may have any shape and are overwritten; -1 stays -1.
        """

    @abstractmethod
    def answer_of(self, reached: VolumePairs, pairs: Ids) -> Ids:
        """Return volumes and the ids of their items, (2, h) or (3, h).

        Column i of `pairs`, (2, h), is a pair number of `reached` and an item; it is overwritten.
        """

    @abstractmethod
    def fast_path(self, count: int, *, several: bool = False) -> compiled.Few | None:
        """Return the kernel's entry for few queries; None if the batch path has to answer.

        With `several`, each query asks for more than one item.
        """

    @abstractmethod
    def packed(self, count: int) -> compiled.Walked | None:
        """Return the index as the kernel walks it, for a batch; None if NumPy has to answer."""

    @abstractmethod
    def trees_at(self, rows: Ids) -> Walkable:
        """Return the trees of these placements, without slack."""

    @abstractmethod
    def entry_items(self, tree: Walkable, entries: Ids, rows: Ids) -> tuple[Shapes, Ids]:
        """Return the placed items of tree entries as a batch, and their positions in it."""

    @abstractmethod
    def numbered_items(self, rows: Ids, items: Ids) -> tuple[Shapes, Ids]:
        """Return the placed items of item numbers as a batch, and their positions in it."""

    @abstractmethod
    def ray_pairs(self, rays: Rays, closest: Floats) -> Iterator[RayPairs]:
        """Yield ray-placement pairs front to back; the caller may lower `closest` meanwhile."""

    @abstractmethod
    def local_rays(self, rays: Rays, pairs: RayPairs, closest: Floats) -> LocalRays:
        """Return the rays in local space; they end at the closest hits so far."""

    @abstractmethod
    def point_pairs(self, points: Floats, best: SearchLimits) -> Iterator[tuple[Ids, Ids]]:
        """Yield points and rows of placements; the caller may lower the limits meanwhile."""

    @abstractmethod
    def local_points(self, points: Floats, numbers: Ids, rows: Ids) -> LocalPoints:
        """Return the points of these pairs in local space."""

    @abstractmethod
    def volume_pairs(self, volumes: Shapes) -> Iterator[VolumePairs]:
        """Yield volume-placement pairs, sorted by volume."""

    @abstractmethod
    def local_volumes(
        self, volumes: Shapes, pairs: VolumePairs
    ) -> Iterator[tuple[Walkable, Images]]:
        """Yield the volumes of these pairs in local space, and the tree that they walk."""

    @abstractmethod
    def first_items(self, rows: Ids, counts: Ids) -> Ids:
        """Concatenate the first `counts` item numbers of each placement, ascending."""

    @abstractmethod
    def item_counts(self, rows: Ids) -> Ids:
        """Return the number of finite items of each placement."""


@dataclass(frozen=True)
class TreeSnapshot(IndexSnapshot):
    """An octree as a snapshot of one placement under the identity matrix."""

    top: Octree

    @property
    def item_limit(self) -> int:
        """The number of items that the tree was built over."""
        return len(self.top.items)

    @property
    def has_triangles(self) -> bool:
        """True for a tree of triangles."""
        return isinstance(self.top.items, Triangles)

    @property
    def item_count(self) -> int:
        """The number of finite items."""
        return len(self.top)

    def ids_of(self, rows: Ids, items: Ids) -> tuple[Ids, ...]:
        """Replace item numbers by ids."""
        return (lone.named(self.top, items),)

    def answer_of(self, reached: VolumePairs, pairs: Ids) -> Ids:
        """Replace item numbers by ids: pair numbers equal volume numbers."""
        lone.named(self.top, pairs[1])
        return pairs

    def fast_path(self, count: int, *, several: bool = False) -> compiled.Few | None:
        """Return the tree's own arrays, or the packed tree, which has no copies, for `several`."""
        if several:
            packed = self.packed(count) if 0 < count <= lone.MOST else None
            return None if packed is None else packed.few
        return lone.of(self.top, count)

    def packed(self, count: int) -> compiled.Walked | None:
        """Return the packed tree."""
        return lone.packed_tree(self.top, count)

    def trees_at(self, rows: Ids) -> Walkable:
        """Return the tree."""
        return self.top

    def entry_items(self, tree: Walkable, entries: Ids, rows: Ids) -> tuple[Shapes, Ids]:
        """Return the tree's arranged items and the given entries."""
        return self.top.arranged, entries

    def numbered_items(self, rows: Ids, items: Ids) -> tuple[Shapes, Ids]:
        """Return the tree's items and the given numbers."""
        return self.top.items, items

    def ray_pairs(self, rays: Rays, closest: Floats) -> Iterator[RayPairs]:
        """Yield all rays once."""
        everyone = np.arange(len(rays))
        yield RayPairs(everyone, 0 * everyone, np.zeros(len(rays)))

    def local_rays(self, rays: Rays, pairs: RayPairs, closest: Floats) -> LocalRays:
        """Return the rays unchanged."""
        return LocalRays(self.top, rays[pairs.rays], _ONE, _ZERO)

    def point_pairs(self, points: Floats, best: SearchLimits) -> Iterator[tuple[Ids, Ids]]:
        """Yield all points once."""
        everyone = np.arange(points.shape[1])
        yield everyone, 0 * everyone

    def local_points(self, points: Floats, numbers: Ids, rows: Ids) -> LocalPoints:
        """Return the points unchanged."""
        return LocalPoints(self.top, gather(points, numbers), _ONE, _ONE)

    def volume_pairs(self, volumes: Shapes) -> Iterator[VolumePairs]:
        """Yield all volumes once."""
        everyone = np.arange(len(volumes))
        yield VolumePairs(everyone, 0 * everyone, np.zeros(len(volumes), bool))

    def local_volumes(
        self, volumes: Shapes, pairs: VolumePairs
    ) -> Iterator[tuple[Walkable, Images]]:
        """Yield the volumes unchanged."""
        numbers = pairs.volumes
        yield self.top, Images(np.arange(len(numbers)), volumes[numbers], _ZERO, True)

    def first_items(self, rows: Ids, counts: Ids) -> Ids:
        """Concatenate the first item numbers of the tree for each row."""
        return np.sort(self.top.order)[concatenated_ranges(0 * counts, counts)]

    def item_counts(self, rows: Ids) -> Ids:
        """Repeat the number of finite items for each row."""
        return np.full(len(rows), len(self.top))


class PlacedIndex(AnyOctree):
    """An index of placed meshes, which every query accepts in place of an octree."""

    @abstractmethod
    def _snapshot(self, groups: SupportsIndex) -> IndexSnapshot:
        """Return the current state of the index, restricted to these groups."""

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
    """Return the snapshot for queries of these groups.

    Raises
    ------
    ValueError
        If `tree` is no index or `groups` is no mask.
    """
    if isinstance(tree, PlacedIndex):
        return tree._snapshot(groups)
    return TreeSnapshot(in_groups(as_octree("tree", tree), groups))


def in_groups(tree: Octree, groups: SupportsIndex) -> Octree:
    """Return the tree's cells with only the items whose masks share a bit with `groups`.

    Results name items as before. A mask that is new to the tree costs a pass over all references
    and cells; a tree whose items have no masks is returned unchanged, unless `groups` is 0.
    Raises ValueError if `groups` is no mask of 32 bits.
    """
    mask = checks.mask("groups", groups)
    if tree.groups is None and mask:
        return tree
    seen = tree._seen.get(mask)
    if seen is None:
        seen = _only(tree, _is_there(tree, mask))
        if len(tree._seen) == _MASKS:
            tree._seen.clear()
        tree._seen[mask] = seen
    return seen


def _is_there(tree: Octree, mask: int) -> Flags:
    """Flag the items (n,) that share a bit with the mask; the mask is 0 if they have no masks."""
    if tree.groups is None:
        return np.zeros(len(tree.items), bool)
    return tree.groups & np.uint32(mask) != 0


def _only(tree: Octree, is_there: Flags) -> Octree:
    """Return the tree with only the flagged items, (n,), numbered anew."""
    if is_there.all():
        return replace(tree, groups=None)
    is_there[tree.invalid_items] = False
    is_kept = is_there[tree.order]  # entries
    numbers, entries = np.flatnonzero(is_there), np.flatnonzero(is_kept)
    new_number, new_entry = np.cumsum(is_there) - 1, np.cumsum(is_kept) - 1
    stays = is_kept[tree.references]
    references = tree.references.take(np.flatnonzero(stays))
    before = np.append(0, np.cumsum(stays))
    items = tree.items[numbers]
    begin, end = before[tree.begin], before[tree.end]
    return replace(
        tree,
        items=items,
        invalid_items=numbers[:0],
        order=new_number[tree.order[entries]],
        arranged=items if tree.arranged is tree.items else tree.arranged[entries],
        begin=begin,
        own_end=before[tree.own_end],
        end=end,
        child_masks=child_masks_of(tree.node_parent, end > begin),
        references=new_entry.take(references),
        outside=int(before[tree.outside]),
        copied=tree.copied[entries],
        strays=new_entry[tree.strays[is_kept[tree.strays]]],
        ids=tree.named(numbers),
        groups=None,
    )
