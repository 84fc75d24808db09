"""Questions of rays and segments: the closest item, any item, all items on the way."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from . import checks
from .arrays import Flags, Floats, Ids, blocks
from .cells import UNVISITED, States
from .crossings import Rays, barycentric, normals
from .octree import Octree
from .ray_hits import ray_hits
from .shapes import Triangles

# Rays that go down together.
_TOGETHER = 32_768


@dataclass(frozen=True, eq=False)
class RayHits:
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
    """

    items: Ids
    distances: Floats
    positions: Floats
    normals: Floats
    barycentric: Floats


@dataclass(frozen=True, eq=False)
class RayCrossings:
    """All items that rays meet.

    Attributes
    ----------
    pairs : ndarray of intp, shape (2, h)
        [0] ray numbers, [1] item numbers, each pair once, sorted by ray, then by distance, then
        by item.
    distances : ndarray of float64, shape (h,)
        In scene units; 0 for a ray that starts in an item.
    """

    pairs: Ids
    distances: Floats


def ray_cast(
    tree: Octree,
    origins: ArrayLike,
    directions: ArrayLike,
    /,
    *,
    max_distance: ArrayLike = np.inf,
) -> RayHits:
    """Find the closest item that each ray meets.

    Parameters
    ----------
    tree : Octree
        Any octree.
    origins, directions : array_like of float, shape (q, 3)
        A ray each. Directions may have any length but 0.
    max_distance : array_like of float, shape () or (q,)
        Where the rays end, in scene units, inclusive. A segment from a to b has direction b - a
        and the length of that for its end.

    Returns
    -------
    RayHits
        Triangles are hit from both sides, boxes, spheres and regions where the ray enters them. A
        ray between triangles that share an edge hits one of them. A triangle in whose plane the
        ray lies, or that has no area, is not hit.

    Raises
    ------
    ValueError
        If shapes do not match, an origin or direction is not finite, a direction is 0, or a
        `max_distance` is negative or NaN.

    Notes
    -----
    O(cells on the way to the hit + items in them). Cells are met front to back, and none that a
    ray enters beyond its closest hit is looked at.
    """
    rays = _checked(tree, origins, directions, max_distance)
    items, distances = np.full(len(rays), -1), np.full(len(rays), np.inf)
    for some in blocks(len(rays), _TOGETHER):
        items[some], distances[some] = _closest(tree, rays[some])
    return _described(tree, rays, items, distances)


def ray_test(
    tree: Octree,
    origins: ArrayLike,
    directions: ArrayLike,
    /,
    *,
    max_distance: ArrayLike = np.inf,
) -> Flags:
    """Tell which rays meet any item; each stops at the first that it finds.

    Parameters
    ----------
    tree : Octree
        Any octree.
    origins, directions : array_like of float, shape (q, 3)
        A ray each. Directions may have any length but 0.
    max_distance : array_like of float, shape () or (q,)
        Where the rays end, in scene units, inclusive.

    Returns
    -------
    ndarray of bool, shape (q,)
        One flag for each ray.

    Raises
    ------
    ValueError
        As with `ray_cast`.
    """
    rays = _checked(tree, origins, directions, max_distance)
    flags = np.zeros(len(rays), bool)
    for some in blocks(len(rays), _TOGETHER):
        part = rays[some]
        limits = part.limits.copy()
        for numbers, _, _ in ray_hits(tree, part, limits):
            limits[numbers] = -1.0
        flags[some] = limits < 0
    return flags


def ray_cast_all(
    tree: Octree,
    origins: ArrayLike,
    directions: ArrayLike,
    /,
    *,
    max_distance: ArrayLike = np.inf,
) -> RayCrossings:
    """Find all items that each ray meets.

    Parameters
    ----------
    tree : Octree
        Any octree.
    origins, directions : array_like of float, shape (q, 3)
        A ray each. Directions may have any length but 0.
    max_distance : array_like of float, shape () or (q,)
        Where the rays end, in scene units, inclusive.

    Returns
    -------
    RayCrossings
        Each item once, where the ray first meets it; what counts as a hit is told by `ray_cast`.

    Raises
    ------
    ValueError
        As with `ray_cast`.
    """
    rays = _checked(tree, origins, directions, max_distance)
    pairs, distances = [np.empty((2, 0), np.intp)], [np.empty(0)]
    for some in blocks(len(rays), _TOGETHER):
        part = rays[some]
        for numbers, items, found in ray_hits(tree, part, part.limits):
            pairs.append(np.stack((numbers + some.start, items)))
            distances.append(found)
    all_pairs, all_distances = np.concatenate(pairs, axis=1), np.concatenate(distances)
    order = np.lexsort((all_pairs[1], all_distances, all_pairs[0]))
    return RayCrossings(all_pairs[:, order], all_distances[order])


def _checked(
    tree: Octree, origins: ArrayLike, directions: ArrayLike, max_distance: ArrayLike
) -> Rays:
    checks.kind("tree", tree, (Octree,))
    starts, towards = (
        checks.floats("origins", origins, 3),
        checks.floats("directions", directions, 3),
    )
    checks.same_length("origins and directions", starts, towards)
    checks.every_row("origins", "be finite", np.isfinite(starts).all(axis=1), starts)
    checks.every_row("directions", "be finite", np.isfinite(towards).all(axis=1), towards)
    checks.every_row("directions", "not be zero", towards.any(axis=1), towards)
    if np.ndim(max_distance) == 0:
        max_distance = np.full(len(starts), max_distance)
    limits = checks.floats("max_distance", max_distance)
    checks.same_length("max_distance and origins", limits, starts)
    checks.every_row("max_distance", "not be negative or NaN", limits >= 0, limits)
    return Rays.of(np.ascontiguousarray(starts.T), np.ascontiguousarray(towards.T), limits)


def cells_on_ray(
    tree: Octree, origin: ArrayLike, direction: ArrayLike, max_distance: float
) -> States:
    """Return what `ray_cast` takes each cell for: the part of `trace` that is about one ray.

    A cell that the ray would enter beyond its hit is OUTSIDE.
    """
    rays = _checked(tree, np.atleast_2d(origin), np.atleast_2d(direction), max_distance)
    states = np.full(len(tree.node_depth), UNVISITED)
    _closest(tree, rays, states)
    return states


def _closest(tree: Octree, rays: Rays, states: States | None = None) -> tuple[Ids, Floats]:
    """Return the closest item of each ray, or -1, and its distance, or infinity."""
    items, limits = np.full(len(rays), -1), rays.limits.copy()
    for numbers, found, distances in ray_hits(tree, rays, limits, states):
        order = np.lexsort((found, distances, numbers))
        first = order[np.flatnonzero(np.diff(numbers, prepend=-1))]
        asked, nearest, new = numbers[first], distances[first], found[first]
        old = items[asked]
        closer = np.flatnonzero((nearest < limits[asked]) | (old < 0) | (new < old))
        items[asked[closer]] = new[closer]
        limits[asked[closer]] = nearest[closer]
    return items, np.where(items < 0, np.inf, limits)


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
    return RayHits(items, distances, positions.T, directions.T, weights.T)
