"""Ray queries: the closest item on a ray or segment, any item, or all items.

The shapes of rays are checked at once, their values by the kernel or by NumPy.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, compiled, lone
from ..arrays import Flags, Floats, Ids
from ..checks import ALL_GROUPS
from ..descend import UNVISITED, States
from ..octree import Octree, as_octree
from ..records import Record
from ..snapshot import IndexSnapshot, TreeSnapshot, snapshot_of
from ..touch.rays import Rays
from ..walkable import AnyOctree
from .walked import Crossings, all_crossings, any_hits, closest_hits, sorted_crossings


@dataclass(frozen=True)
class AskedRays:
    """Rays, and the snapshot of the index that they query.

    The compiled kernel checks the values of each ray during its walk. In NumPy, `rays` checks all
    of them.
    """

    snapshot: IndexSnapshot
    questions: compiled.Questions

    @classmethod
    def of(
        cls,
        tree: AnyOctree,
        origins: ArrayLike,
        directions: ArrayLike,
        max_distance: ArrayLike,
        groups: SupportsIndex,
        threads: SupportsIndex | None,
    ) -> "AskedRays":
        """Return rays with checked shapes, and a snapshot of the index."""
        snapshot = snapshot_of(tree, groups)
        return cls(snapshot, questions_of(origins, directions, max_distance, threads))

    @property
    def fast_path(self) -> compiled.Few | None:
        """The kernel's entry for few rays; None if the batch path has to answer."""
        return (
            self.snapshot.fast_path(len(self.questions)) if self.snapshot.has_triangles else None
        )

    @property
    def packed(self) -> compiled.Walked | None:
        """The packed index for the compiled kernel; None if NumPy has to answer."""
        return self.snapshot.packed(len(self.questions)) if self.snapshot.has_triangles else None

    def __getitem__(self, numbers: Ids) -> "AskedRays":
        return AskedRays(self.snapshot, self.questions[numbers])

    def rays(self) -> Rays:
        """Return the rays with checked values."""
        return rays_of(self.questions)


def questions_of(
    origins: ArrayLike,
    directions: ArrayLike,
    max_distance: ArrayLike,
    threads: SupportsIndex | None = 1,
) -> compiled.Questions:
    """Return rays with checked shapes; their values may be invalid."""
    starts, towards = checks.batches(
        ("origins", origins, (3,)), ("directions", directions, (3,)), copied=False
    )
    if type(max_distance) is float and max_distance >= 0:
        limits = np.array([max_distance])
    else:
        limits = checks.number_or_floats("max_distance", max_distance, len(starts))
        checks.same_length("max_distance and origins", limits, starts)
    return compiled.Questions(starts, towards, limits, compiled.threads_of(threads))


def rays_of(given: compiled.Questions) -> Rays:
    """Return rays with checked values, or raise a ValueError that names the invalid argument."""
    limits = np.broadcast_to(given.limits, len(given.origins))
    return checked_rays(given.origins, given.directions, limits)


def checked_rays(origins: ArrayLike, directions: ArrayLike, max_distance: ArrayLike) -> Rays:
    """Return rays from arguments, or raise a ValueError that names the invalid argument."""
    starts, towards = checks.batches(("origins", origins, (3,)), ("directions", directions, (3,)))
    checks.every_row("origins", "be finite", np.isfinite(starts).all(axis=1), starts)
    checks.every_row("directions", "be finite", np.isfinite(towards).all(axis=1), towards)
    checks.every_row("directions", "not be zero", towards.any(axis=1), towards)
    limits = checks.number_or_floats("max_distance", max_distance, len(starts))
    checks.same_length("max_distance and origins", limits, starts)
    return Rays.of(np.ascontiguousarray(starts.T), np.ascontiguousarray(towards.T), limits)


@dataclass(frozen=True, eq=False)
class RayHits(Record):
    """The closest hit of each ray; a miss has item -1, distance infinity, and NaN otherwise.

    Attributes
    ----------
    items : ndarray of intp, shape (q,)
        Item numbers; the smallest of several items at the same distance.
    distances : ndarray of float64, shape (q,)
        Distances in scene units; 0 for a ray that starts in an item.
    positions : ndarray of float64, shape (q, 3)
        Hit points.
    normals : ndarray of float64, shape (q, 3)
        Unit normals at the hit points: by its winding for a triangle, outward for a box, sphere
        or region; NaN for a ray that starts inside.
    barycentric : ndarray of float64, shape (q, 3)
        Weights of the triangle's vertices in their order, with sum 1; NaN for other items.
    placements : ndarray of intp, shape (q,), or None
        For a `SceneOctree`, the placements of the triangles `items`, -1 for a miss.
    """

    items: Ids
    distances: Floats
    positions: Floats
    normals: Floats
    barycentric: Floats
    placements: Ids | None = None


@dataclass(frozen=True, eq=False)
class RayCrossings(Record):
    """All items that rays hit.

    Attributes
    ----------
    pairs : ndarray of intp, shape (2, h)
        [0] ray numbers, [1] item numbers, each pair once, sorted by ray, then by distance, then
        by item. For a `SceneOctree`, shape (3, h): rays, placements, triangles.
    distances : ndarray of float64, shape (h,)
        Distances in scene units; 0 for a ray that starts in an item.
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
    """Find the closest item that each ray hits.

    Parameters
    ----------
    tree : Octree or SceneOctree
        The octree to query.
    origins, directions : array_like of float, shape (q, 3) or (3,)
        One origin and one direction for each ray; a single origin or direction is shared by all
        rays. Directions may have any length except 0.
    max_distance : array_like of float, shape () or (q,)
        The inclusive length of the rays, in scene units. A segment from a to b has direction b - a
        and the norm of b - a as its length.
    groups : int
        A mask of 32 bits: items whose masks have no bit in common with it are ignored.
    threads : int or None
        The number of threads that the compiled kernel may use; None for the number set by
        `use_threads`. The result is the same, bit by bit, for any number.

    Returns
    -------
    RayHits
        Triangles are hit from both sides; boxes, spheres and regions are hit where the ray enters
        them. A ray through a shared edge hits one of its triangles. Triangles without area, and
        triangles coplanar with the ray, are not hit.

    Raises
    ------
    ValueError
        If shapes do not match, an origin or direction is not finite, a direction is 0, a
        `max_distance` is negative or NaN, `groups` is not a mask, or `threads` is less than 1.

    Notes
    -----
    O(cells up to the hit + items in them). Cells are visited front to back; cells that a ray
    enters beyond its closest hit are skipped.
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
    """Return the closest hits of checked rays, computed by NumPy."""
    return _named(asked, closest_hits(asked.snapshot, asked.rays()))


def _named(asked: AskedRays, hits: compiled.Arrays) -> RayHits:
    """Return a record of items, rows and the other fields of hits, with the ids of the index."""
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
    """Flag the rays that hit any item; each ray ends its search with its first hit.

    Parameters
    ----------
    tree : Octree or SceneOctree
        The octree to query.
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
    """Find all items that each ray hits.

    Parameters
    ----------
    tree : Octree or SceneOctree
        The octree to query.
    origins, directions, max_distance, groups, threads : array_like
        As for `ray_cast`.

    Returns
    -------
    RayCrossings
        Each item once, at the first point where the ray hits it; hits are defined as in
        `ray_cast`.

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
    """Return the state of each cell in a `ray_cast` of one ray, for `trace`.

    Cells that the ray does not come to before its hit are UNVISITED, like empty cells.
    """
    snapshot = TreeSnapshot(as_octree("tree", tree))
    asked = questions_of(np.atleast_2d(origin), np.atleast_2d(direction), max_distance)
    states = np.full(len(tree.node_depth), UNVISITED)
    closest_hits(snapshot, rays_of(asked), states)
    return states
