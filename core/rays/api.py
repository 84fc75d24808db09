"""Ray queries: the closest item on a ray or segment, any item, all items on the way."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import compiled, lone
from ..any_octree import AnyOctree
from ..arrays import Flags, Floats, Ids, blocks, joined, radix_argsort, starts_of_runs
from ..descend import UNVISITED, States
from ..groups import ALL_GROUPS
from ..octree import Octree
from ..records import Record
from ..shapes import Triangles
from .asked import AskedRays
from .crossings import Rays, barycentric
from .hits import normals, ray_hits

# Rays that descend together.
_TOGETHER = 16_384
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
        threads: SupportsIndex | None,
    ) -> RayHits:
        """Answer `ray_cast`."""

    @abstractmethod
    def _ray_test(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        max_distance: ArrayLike,
        groups: SupportsIndex,
        threads: SupportsIndex | None,
    ) -> Flags:
        """Answer `ray_test`."""

    @abstractmethod
    def _ray_cast_all(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        max_distance: ArrayLike,
        groups: SupportsIndex,
        threads: SupportsIndex | None,
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
    threads: SupportsIndex | None = None,
) -> RayHits:
    """Find the closest item that each ray meets.

    Parameters
    ----------
    tree : Octree or SceneOctree
        Any octree.
    origins, directions : array_like of float, shape (q, 3) or (3,)
        A ray each; one origin, or one direction, is for all. Directions may have any length but 0.
    max_distance : array_like of float, shape () or (q,)
        Where the rays end, in scene units, inclusive. A segment from a to b has direction b - a
        and the length of that for its end.
    groups : int
        A mask of 32 bits: items with a mask that shares none of them are not there.
    threads : int or None
        Across how many threads the compiled kernel may walk; None as `use_threads` tells. The
        same bits for any number.

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
        `max_distance` is negative or NaN, `groups` is no mask, or `threads` are fewer than 1.

    Notes
    -----
    O(cells on the way to the hit + items in them). Cells are met front to back, and none that a
    ray enters beyond its closest hit is visited.
    """
    found = lone.rays(tree, origins, directions, max_distance, groups, threads)
    if found is not None:
        return hits_of(found)
    if isinstance(tree, RayQuestions):
        return tree._ray_cast(origins, directions, max_distance, groups, threads)
    asked = AskedRays.of(tree, origins, directions, max_distance, groups, threads)
    found = lone.rays(*asked.alone)
    if found is not None:
        return hits_of(found)
    if asked.packed is None:
        return _cast(asked)
    count = len(asked.questions)
    places = np.empty(count, np.intp)
    hits = places, compiled.NO_PLACES, np.empty(count), *compiled.vectors(count)
    if not asked.packed.cast(asked.questions, hits, any_hit=False):
        return _cast(asked)
    answer = RayHits(compiled.named(asked.octree, places), *hits[2:])
    are_left = places == compiled.NOT_TAKEN
    return compiled.repaired(answer, are_left, lambda left: _cast(asked[left]))


def hits_of(few: compiled.Hits, placements: Ids | None = None) -> RayHits:
    """Return what the kernel has found of few rays."""
    items, numbers = few
    count = len(items)
    positions, normals, weights = numbers[2 * count :].reshape(3, count, 3)
    return RayHits(items, numbers[count : 2 * count], positions, normals, weights, placements)


def _cast(asked: AskedRays) -> RayHits:
    rays = asked.rays()
    items, distances = np.full(len(rays), -1), np.full(len(rays), np.inf)
    for some in _batches(rays):
        items[some], distances[some] = _closest(asked.octree, rays[some])
    return _described(asked.octree, rays, items, distances)


def _batches(rays: Rays) -> Iterator[Ids]:
    """Yield the numbers of rays that descend together."""
    for some in blocks(len(rays), _TOGETHER):
        yield np.arange(some.start, some.stop)


def ray_test(
    tree: AnyOctree,
    origins: ArrayLike,
    directions: ArrayLike,
    /,
    *,
    max_distance: ArrayLike = np.inf,
    groups: SupportsIndex = ALL_GROUPS,
    threads: SupportsIndex | None = None,
) -> Flags:
    """Tell which rays meet any item; each stops at the first that it finds.

    Parameters
    ----------
    tree : Octree or SceneOctree
        Any octree.
    origins, directions, max_distance, groups, threads : array_like
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
    found = lone.rays(tree, origins, directions, max_distance, groups, threads, any_hit=True)
    if found is not None:
        return found[0] >= 0
    if isinstance(tree, RayQuestions):
        return tree._ray_test(origins, directions, max_distance, groups, threads)
    asked = AskedRays.of(tree, origins, directions, max_distance, groups, threads)
    found = lone.rays(*asked.alone, any_hit=True)
    if found is not None:
        return found[0] >= 0
    if asked.packed is None:
        return _test(asked)
    items = np.empty(len(asked.questions), np.intp)
    if not asked.packed.cast(asked.questions, (items,), any_hit=True):
        return _test(asked)
    are_left = items == compiled.NOT_TAKEN
    return compiled.repaired(items >= 0, are_left, lambda left: _test(asked[left]))


def _test(asked: AskedRays) -> Flags:
    rays = asked.rays()
    flags = np.zeros(len(rays), bool)
    for some in _batches(rays):
        closest_so_far = rays.limits[some]
        for numbers, _, _ in ray_hits(asked.octree, rays[some], closest_so_far, any_hit=True):
            closest_so_far[numbers] = -1.0
        flags[some] = closest_so_far < 0
    return flags


def ray_cast_all(
    tree: AnyOctree,
    origins: ArrayLike,
    directions: ArrayLike,
    /,
    *,
    max_distance: ArrayLike = np.inf,
    groups: SupportsIndex = ALL_GROUPS,
    threads: SupportsIndex | None = None,
) -> RayCrossings:
    """Find all items that each ray meets.

    Parameters
    ----------
    tree : Octree or SceneOctree
        Any octree.
    origins, directions, max_distance, groups, threads : array_like
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
    few = lone.crossings(tree, origins, directions, max_distance, groups, threads)
    if few is not None:
        return RayCrossings(*few)
    if isinstance(tree, RayQuestions):
        return tree._ray_cast_all(origins, directions, max_distance, groups, threads)
    asked = AskedRays.of(tree, origins, directions, max_distance, groups, threads)
    few = lone.crossings(*asked.alone)
    if few is not None:
        return RayCrossings(*few)
    found = asked.packed.cast_all(asked.questions) if asked.packed else None
    if found is None:
        return _all_crossings(asked, _crossed(asked))
    parts = [(numbers, asked.octree.named(items), where) for numbers, _, items, where in found[0]]
    (some,) = (found[1] == compiled.NOT_TAKEN).nonzero()
    if len(some) == 0:
        numbers, items, where = joined([_NOTHING, *parts])
        return RayCrossings(np.stack((numbers, items)), where)
    parts += [(some[numbers], items, where) for numbers, items, where in _crossed(asked[some])]
    return _all_crossings(asked, parts)


def _all_crossings(asked: AskedRays, parts: Iterable[tuple[Ids, Ids, Floats]]) -> RayCrossings:
    numbers, items, distances = joined([_NOTHING, *parts])
    order = radix_argsort(numbers, len(asked.questions).bit_length())
    return RayCrossings(np.stack((numbers[order], items[order])), distances[order])


def _crossed(asked: AskedRays) -> Iterator[tuple[Ids, Ids, Floats]]:
    """Yield rays, items and distances, sorted by distance and item for each ray."""
    rays = asked.rays()
    for some in _batches(rays):
        yield _crossings_of(asked.octree, rays, some)


def cells_on_ray(
    tree: Octree, origin: ArrayLike, direction: ArrayLike, max_distance: float
) -> States:
    """Return the state of each cell in `ray_cast`: the part of `trace` that is about one ray.

    Cells that it had not come to when it found its hit stay UNVISITED, like empty ones.
    """
    ray = np.atleast_2d(origin), np.atleast_2d(direction), max_distance
    rays = AskedRays.of(tree, *ray, ALL_GROUPS).rays()
    states = np.full(len(tree.node_depth), UNVISITED)
    _closest(tree, rays, states)
    return states


def _closest(tree: Octree, rays: Rays, states: States | None = None) -> tuple[Ids, Floats]:
    """Return the closest item of each ray, or -1, and its distance, or infinity."""
    items, closest_so_far = np.full(len(rays), -1), rays.limits.copy()
    for numbers, found, distances in ray_hits(tree, rays, closest_so_far, states=states):
        order = np.lexsort((found, distances, numbers))
        first = order[starts_of_runs(numbers)]
        asked, nearest, new = numbers[first], distances[first], found[first]
        old = items[asked]
        (closer,) = ((nearest < closest_so_far[asked]) | (old < 0) | (new < old)).nonzero()
        items[asked[closer]] = new[closer]
        closest_so_far[asked[closer]] = nearest[closer]
    return items, np.where(items < 0, np.inf, closest_so_far)


def _crossings_of(tree: Octree, rays: Rays, some: Ids) -> tuple[Ids, Ids, Floats]:
    """Return the crossings of some rays, sorted and each once: rays, items and distances."""
    part = rays[some]
    found = [_NOTHING, *ray_hits(tree, part, part.limits)]
    numbers, items, distances = joined(found)
    order = np.lexsort((items, distances, numbers))
    order = order[starts_of_runs(numbers[order], items[order])]
    return some[numbers[order]], tree.named(items[order]), distances[order]


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
