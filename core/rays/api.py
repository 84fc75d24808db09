"""Ray queries: the closest item on a ray or segment, any item, all items on the way."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..any_octree import AnyOctree
from ..arrays import Flags, Floats, Ids, blocks, radix_argsort, starts_of_runs
from ..descend import UNVISITED, States
from ..groups import ALL_GROUPS, in_groups
from ..mailboxing import Mailboxes
from ..octree import Octree, as_octree
from ..records import Record
from ..shapes import Triangles
from .crossings import Rays, barycentric, ray_packets
from .hits import normals, ray_hits

# Rays, items and distances of no crossings.
_NOTHING = (np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0))


@dataclass(frozen=True, eq=False)
class RayHits(Record):
    """The closest item that each ray meets; a miss is item -1 at distance infinity, the rest NaN.

    Attributes
    ----------
    items : ndarray of intp, shape (q,)
        Item numbers; of items at the same distance the smallest.
    distances : ndarray of float64, shape (q,)
        In scene units; 0 for a ray that starts in an item.
    positions : ndarray of float64, shape (q, 3)
        Where the ray meets the item.
    normals : ndarray of float64, shape (q, 3)
        Unit normals there: of a triangle by its winding, of a box, sphere or region outward, NaN
        for a ray that starts inside.
    barycentric : ndarray of float64, shape (q, 3)
        Weights of the triangle's vertices in their order, of sum 1; NaN for other items.
    placements : ndarray of intp, shape (q,), or None
        Of a `SceneOctree`, the placements whose triangles `items` are, -1 for a miss.
    """

    items: Ids
    distances: Floats
    positions: Floats
    normals: Floats
    barycentric: Floats
    placements: Ids | None = None


@dataclass(frozen=True, eq=False)
class RayCrossings(Record):
    """All items that rays meet.

    Attributes
    ----------
    pairs : ndarray of intp, shape (2, h)
        [0] ray numbers, [1] item numbers, each pair once, sorted by ray, then by distance, then
        by item. Of a `SceneOctree`, shape (3, h): rays, placements, triangles.
    distances : ndarray of float64, shape (h,)
        In scene units; 0 for a ray that starts in an item.
    """

    pairs: Ids
    distances: Floats


class RayQuestions(AnyOctree):
    """An index that answers questions of rays with octrees of its own."""

    @abstractmethod
    def _ray_cast(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        max_distance: ArrayLike,
        groups: SupportsIndex,
    ) -> RayHits:
        """Answer `ray_cast`."""

    @abstractmethod
    def _ray_test(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        max_distance: ArrayLike,
        groups: SupportsIndex,
    ) -> Flags:
        """Answer `ray_test`."""

    @abstractmethod
    def _ray_cast_all(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        max_distance: ArrayLike,
        groups: SupportsIndex,
    ) -> RayCrossings:
        """Answer `ray_cast_all`."""


def ray_cast(
    tree: AnyOctree,
    origins: ArrayLike,
    directions: ArrayLike,
    /,
    *,
    max_distance: ArrayLike = np.inf,
    groups: SupportsIndex = ALL_GROUPS,
) -> RayHits:
    """Find the closest item that each ray meets.

    Parameters
    ----------
    tree : Octree or SceneOctree
        Any octree.
    origins, directions : array_like of float, shape (q, 3)
        A ray each. Directions may have any length but 0.
    max_distance : array_like of float, shape () or (q,)
        Where the rays end, in scene units, inclusive. A segment from a to b has direction b - a
        and the length of that for its end.
    groups : int
        A mask of 32 bits: items with a mask that shares none of them are not there.

    Returns
    -------
    RayHits
        Triangles are hit from both sides, boxes, spheres and regions where the ray enters them. A
        ray between triangles that share an edge hits one of them. A triangle in whose plane the
        ray lies, or that has no area, is not hit.

    Raises
    ------
    ValueError
        If shapes do not match, an origin or direction is not finite, a direction is 0, a
        `max_distance` is negative or NaN, or `groups` is no mask.

    Notes
    -----
    O(cells on the way to the hit + items in them). Cells are met front to back, and none that a
    ray enters beyond its closest hit is visited.
    """
    if isinstance(tree, RayQuestions):
        return tree._ray_cast(origins, directions, max_distance, groups)
    octree, rays, mailboxes = _asked(tree, origins, directions, max_distance, groups)
    items, distances = np.full(len(rays), -1), np.full(len(rays), np.inf)
    for packet in ray_packets(octree, rays, mailboxes):
        items[packet], distances[packet] = _closest(octree, rays[packet], mailboxes)
    return _described(octree, rays, items, distances)


def ray_test(
    tree: AnyOctree,
    origins: ArrayLike,
    directions: ArrayLike,
    /,
    *,
    max_distance: ArrayLike = np.inf,
    groups: SupportsIndex = ALL_GROUPS,
) -> Flags:
    """Tell which rays meet any item; each stops at the first that it finds.

    Parameters
    ----------
    tree : Octree or SceneOctree
        Any octree.
    origins, directions, max_distance, groups : array_like
        As for `ray_cast`.

    Returns
    -------
    ndarray of bool, shape (q,)
        One flag for each ray.

    Raises
    ------
    ValueError
        As with `ray_cast`.
    """
    if isinstance(tree, RayQuestions):
        return tree._ray_test(origins, directions, max_distance, groups)
    octree, rays, mailboxes = _asked(tree, origins, directions, max_distance, groups)
    flags = np.zeros(len(rays), bool)
    for packet in ray_packets(octree, rays, mailboxes):
        part, closest_so_far = rays[packet], rays.limits[packet]
        for numbers, _, _ in ray_hits(octree, part, closest_so_far, mailboxes, any_hit=True):
            closest_so_far[numbers] = -1.0
        flags[packet] = closest_so_far < 0
    return flags


def ray_cast_all(
    tree: AnyOctree,
    origins: ArrayLike,
    directions: ArrayLike,
    /,
    *,
    max_distance: ArrayLike = np.inf,
    groups: SupportsIndex = ALL_GROUPS,
) -> RayCrossings:
    """Find all items that each ray meets.

    Parameters
    ----------
    tree : Octree or SceneOctree
        Any octree.
    origins, directions, max_distance, groups : array_like
        As for `ray_cast`.

    Returns
    -------
    RayCrossings
        Each item once, where the ray first meets it; what counts as a hit is as for `ray_cast`.

    Raises
    ------
    ValueError
        As with `ray_cast`.
    """
    if isinstance(tree, RayQuestions):
        return tree._ray_cast_all(origins, directions, max_distance, groups)
    octree, rays, mailboxes = _asked(tree, origins, directions, max_distance, groups)
    packets = ray_packets(octree, rays, mailboxes)
    found = [_crossings_of(octree, rays, packet, mailboxes) for packet in packets]
    numbers, items, distances = map(np.concatenate, zip(_NOTHING, *found, strict=True))
    order = radix_argsort(numbers, len(rays).bit_length())
    return RayCrossings(np.stack((numbers[order], items[order])), distances[order])


def _asked(
    tree: AnyOctree,
    origins: ArrayLike,
    directions: ArrayLike,
    max_distance: ArrayLike,
    groups: SupportsIndex,
) -> tuple[Octree, Rays, Mailboxes]:
    """Return what there is of the tree for these rays, the checked rays, and empty mailboxes."""
    octree = as_octree("tree", tree)
    rays = checked_rays(origins, directions, max_distance)
    there = in_groups(octree, groups)
    return there, rays, Mailboxes(len(there.order))


def checked_rays(origins: ArrayLike, directions: ArrayLike, max_distance: ArrayLike) -> Rays:
    """Return rays, or raise a ValueError that names what is wrong with them."""
    starts = checks.floats("origins", origins, 3)
    towards = checks.floats("directions", directions, 3)
    checks.same_length("origins and directions", starts, towards)
    checks.every_row("origins", "be finite", np.isfinite(starts).all(axis=1), starts)
    checks.every_row("directions", "be finite", np.isfinite(towards).all(axis=1), towards)
    checks.every_row("directions", "not be zero", towards.any(axis=1), towards)
    limits = checks.number_or_floats("max_distance", max_distance, len(starts))
    checks.same_length("max_distance and origins", limits, starts)
    return Rays.of(np.ascontiguousarray(starts.T), np.ascontiguousarray(towards.T), limits)


def cells_on_ray(
    tree: Octree, origin: ArrayLike, direction: ArrayLike, max_distance: float
) -> States:
    """Return the state of each cell in `ray_cast`: the part of `trace` that is about one ray.

    Cells that it had not come to when it found its hit stay UNVISITED, like empty ones.
    """
    ray = np.atleast_2d(origin), np.atleast_2d(direction), max_distance
    tree, rays, mailboxes = _asked(tree, *ray, ALL_GROUPS)
    states = np.full(len(tree.node_depth), UNVISITED)
    _closest(tree, rays, mailboxes, states)
    return states


def _closest(
    tree: Octree, rays: Rays, mailboxes: Mailboxes, states: States | None = None
) -> tuple[Ids, Floats]:
    """Return the closest item of each ray, or -1, and its distance, or infinity."""
    items, closest_so_far = np.full(len(rays), -1), rays.limits.copy()
    hits = ray_hits(tree, rays, closest_so_far, mailboxes, states=states)
    for numbers, found, distances in hits:
        order = np.lexsort((found, distances, numbers))
        first = order[starts_of_runs(numbers)]
        asked, nearest, new = numbers[first], distances[first], found[first]
        old = items[asked]
        (closer,) = ((nearest < closest_so_far[asked]) | (old < 0) | (new < old)).nonzero()
        items[asked[closer]] = new[closer]
        closest_so_far[asked[closer]] = nearest[closer]
    return items, np.where(items < 0, np.inf, closest_so_far)


def _crossings_of(
    tree: Octree, rays: Rays, packet: Ids, mailboxes: Mailboxes
) -> tuple[Ids, Ids, Floats]:
    """Return the crossings of some rays, sorted for each: rays, items and distances."""
    part = rays[packet]
    found = [_NOTHING, *ray_hits(tree, part, part.limits, mailboxes)]
    numbers, items, distances = map(np.concatenate, zip(*found, strict=True))
    order = np.lexsort((items, distances, numbers))
    return packet[numbers[order]], tree.named(items[order]), distances[order]


def _described(tree: Octree, rays: Rays, items: Ids, distances: Floats) -> RayHits:
    """Return hits with places, normals and weights."""
    positions, directions, weights = np.full((3, 3, len(rays)), np.nan)
    hits = np.flatnonzero(items >= 0)
    for some in blocks(len(hits)):
        numbers = hits[some]
        found, reached = items[numbers], distances[numbers]
        positions[:, numbers] = rays.positions(numbers, reached)
        directions[:, numbers] = normals(tree.items, found, rays, numbers, reached)
        if isinstance(tree.items, Triangles):
            weights[:, numbers] = barycentric(tree.items, found, rays, numbers)
    items[hits] = tree.named(items[hits])
    return RayHits(items, distances, positions.T, directions.T, weights.T)
