"""Questions of rays and segments: the closest item, any item, all items on the way."""

from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Flags
from ..classify import UNVISITED, States
from ..groups import ALL_GROUPS, in_groups
from ..octree import Octree
from ..two_levels import TwoLevels
from .answers import RayCrossings, RayHits, closest, crossings_of, described, joined
from .crossings import Rays
from .hits import ray_hits
from .mailboxes import Mailboxes
from .packets import ray_packets


def ray_cast(
    tree: Octree | TwoLevels,
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
        A mask of 32 bits: items whose own mask has none of these are not there. Those without a
        mask, as all of `build_octree`, are in every group.

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
    ray enters beyond its closest hit is looked at.
    """
    if isinstance(tree, TwoLevels):
        answer: RayHits = tree._answer(
            "ray_cast", origins, directions, max_distance=max_distance, groups=groups
        )
        return answer
    rays = _checked(tree, origins, directions, max_distance)
    tree = in_groups(tree, groups)
    items, distances = np.full(len(rays), -1), np.full(len(rays), np.inf)
    mailboxes = Mailboxes(len(tree.order))
    for group in ray_packets(tree, rays, mailboxes):
        items[group], distances[group] = closest(tree, rays[group], mailboxes)
    return described(tree, rays, items, distances)


def ray_test(
    tree: Octree | TwoLevels,
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
    origins, directions : array_like of float, shape (q, 3)
        A ray each. Directions may have any length but 0.
    max_distance : array_like of float, shape () or (q,)
        Where the rays end, in scene units, inclusive.
    groups : int
        A mask of 32 bits: items whose own mask has none of these are not there. Those without a
        mask, as all of `build_octree`, are in every group.

    Returns
    -------
    ndarray of bool, shape (q,)
        One flag for each ray.

    Raises
    ------
    ValueError
        As with `ray_cast`.
    """
    if isinstance(tree, TwoLevels):
        answer: Flags = tree._answer(
            "ray_test", origins, directions, max_distance=max_distance, groups=groups
        )
        return answer
    rays = _checked(tree, origins, directions, max_distance)
    tree = in_groups(tree, groups)
    flags = np.zeros(len(rays), bool)
    mailboxes = Mailboxes(len(tree.order))
    for group in ray_packets(tree, rays, mailboxes):
        limits = rays.limits[group]
        for numbers, _, _ in ray_hits(tree, rays[group], limits, mailboxes, any_hit=True):
            limits[numbers] = -1.0
        flags[group] = limits < 0
    return flags


def ray_cast_all(
    tree: Octree | TwoLevels,
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
    origins, directions : array_like of float, shape (q, 3)
        A ray each. Directions may have any length but 0.
    max_distance : array_like of float, shape () or (q,)
        Where the rays end, in scene units, inclusive.
    groups : int
        A mask of 32 bits: items whose own mask has none of these are not there. Those without a
        mask, as all of `build_octree`, are in every group.

    Returns
    -------
    RayCrossings
        Each item once, where the ray first meets it; what counts as a hit is told by `ray_cast`.

    Raises
    ------
    ValueError
        As with `ray_cast`.
    """
    if isinstance(tree, TwoLevels):
        answer: RayCrossings = tree._answer(
            "ray_cast_all", origins, directions, max_distance=max_distance, groups=groups
        )
        return answer
    rays = _checked(tree, origins, directions, max_distance)
    tree = in_groups(tree, groups)
    mailboxes = Mailboxes(len(tree.order))
    parts = ray_packets(tree, rays, mailboxes)
    return joined([crossings_of(tree, rays, part, mailboxes) for part in parts], len(rays))


def _checked(
    tree: Octree, origins: ArrayLike, directions: ArrayLike, max_distance: ArrayLike
) -> Rays:
    checks.kind("tree", tree, (Octree,))
    tree.require_current()
    return checked_rays(origins, directions, max_distance)


def checked_rays(origins: ArrayLike, directions: ArrayLike, max_distance: ArrayLike) -> Rays:
    """Return rays, or raise a ValueError that names what is wrong with them."""
    starts, towards = (
        checks.floats("origins", origins, 3),
        checks.floats("directions", directions, 3),
    )
    checks.same_length("origins and directions", starts, towards)
    checks.every_row("origins", "be finite", np.isfinite(starts).all(axis=1), starts)
    checks.every_row("directions", "be finite", np.isfinite(towards).all(axis=1), towards)
    checks.every_row("directions", "not be zero", towards.any(axis=1), towards)
    if np.ndim(max_distance) == 0:
        most = checks.number("max_distance", max_distance, 0.0, finite=False)
        max_distance = np.full(len(starts), most)
    limits = checks.floats("max_distance", max_distance)
    checks.same_length("max_distance and origins", limits, starts)
    checks.every_row("max_distance", "not be negative or NaN", limits >= 0, limits)
    return Rays.of(np.ascontiguousarray(starts.T), np.ascontiguousarray(towards.T), limits)


def cells_on_ray(
    tree: Octree, origin: ArrayLike, direction: ArrayLike, max_distance: float
) -> States:
    """Return what `ray_cast` takes each cell for: the part of `trace` that is about one ray.

    Cells that it had not come to when it found its hit stay UNVISITED, like those that are empty.
    """
    rays = _checked(tree, np.atleast_2d(origin), np.atleast_2d(direction), max_distance)
    states = np.full(len(tree.node_depth), UNVISITED)
    closest(tree, rays, Mailboxes(len(tree.order)), states)
    return states
