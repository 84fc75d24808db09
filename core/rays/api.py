"""Ray queries: the closest item on a ray or segment, any item, all items on the way."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import compiled, lone
from ..any_octree import AnyOctree
from ..arrays import Flags, Floats, Ids
from ..descend import UNVISITED, States
from ..groups import ALL_GROUPS
from ..octree import Octree, as_octree
from ..records import Record
from ..snapshot import IndexSnapshot, TreeSnapshot
from .asked import AskedRays, questions_of, rays_of
from .walked import Crossings, all_crossings, any_hits, closest_hits, sorted_crossings


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
        return _few_hits(found)
    asked = AskedRays.of(tree, origins, directions, max_distance, groups, threads)
    found = (
        None
        if asked.fast_path is None
        else asked.fast_path.cast(*asked.questions.few, any_hit=False)
    )
    if found is not None:
        return _few_hits(found, asked.snapshot)
    hits = None if asked.packed is None else asked.packed.cast(asked.questions, any_hit=False)
    if hits is None:
        return _hits(asked)
    are_left = hits[0] == compiled.NOT_TAKEN
    return compiled.repaired(_named(asked, hits), are_left, lambda left: _hits(asked[left]))


def _few_hits(few: compiled.Hits, snapshot: IndexSnapshot | None = None) -> RayHits:
    """Return the hits of the fast path as a record, with the ids of a snapshot if given."""
    items, numbers = few
    count = len(items)
    positions, normals, weights = numbers[2 * count :].reshape(3, count, 3)
    placements: Sequence[Ids] = ()
    if snapshot is not None:
        *placements, items = snapshot.ids_of(numbers[:count].view(np.intp), items)
    return RayHits(items, numbers[count : 2 * count], positions, normals, weights, *placements)


def _hits(asked: AskedRays) -> RayHits:
    """Return the hits that NumPy finds."""
    return _named(asked, closest_hits(asked.snapshot, asked.rays()))


def _named(asked: AskedRays, hits: compiled.Arrays) -> RayHits:
    """Return hits, given items, rows and the other fields, with the ids of the index."""
    items, rows, *others = hits
    *placements, items = asked.snapshot.ids_of(rows, items)
    return RayHits(items, *others, *placements)


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
    """Flag the rays that meet any item; each stops at the first that it finds.

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
    asked = AskedRays.of(tree, origins, directions, max_distance, groups, threads)
    found = (
        None
        if asked.fast_path is None
        else asked.fast_path.cast(*asked.questions.few, any_hit=True)
    )
    if found is not None:
        return found[0] >= 0
    hits = None if asked.packed is None else asked.packed.cast(asked.questions, any_hit=True)
    if hits is None:
        return any_hits(asked.snapshot, asked.rays())
    return compiled.repaired(
        hits[0] >= 0, hits[0] == compiled.NOT_TAKEN,
        lambda left: any_hits(asked.snapshot, asked[left].rays()),
    )  # fmt: skip


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
    asked = AskedRays.of(tree, origins, directions, max_distance, groups, threads)
    crossed = None if asked.fast_path is None else asked.fast_path.cast_all(*asked.questions.few)
    if crossed is not None:
        counts, names, distances = crossed
        numbers = np.repeat(np.arange(len(counts)), counts)
        return _crossings(asked, (numbers, *compiled.split(names), distances))
    found = None if asked.packed is None else asked.packed.cast_all(asked.questions)
    if found is None:
        return _crossings(asked, all_crossings(asked.snapshot, asked.rays()))
    crossings, counts = found
    (left,) = (counts == compiled.NOT_TAKEN).nonzero()
    if len(left):
        numbers, *others = all_crossings(asked.snapshot, asked[left].rays())
        crossings = sorted_crossings([crossings, (left[numbers], *others)])
    return _crossings(asked, crossings)


def _crossings(asked: AskedRays, crossings: Crossings) -> RayCrossings:
    """Return crossings as a record, with the ids of the index."""
    numbers, rows, items, distances = crossings
    return RayCrossings(np.stack((numbers, *asked.snapshot.ids_of(rows, items))), distances)


def cells_on_ray(
    tree: Octree, origin: ArrayLike, direction: ArrayLike, max_distance: float
) -> States:
    """Return the state of each cell in `ray_cast`: the part of `trace` that is about one ray.

    Cells that it had not come to when it found its hit stay UNVISITED, like empty ones.
    """
    snapshot = TreeSnapshot(as_octree("tree", tree))
    asked = questions_of(np.atleast_2d(origin), np.atleast_2d(direction), max_distance)
    states = np.full(len(tree.node_depth), UNVISITED)
    closest_hits(snapshot, rays_of(asked), states)
    return states
