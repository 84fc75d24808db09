"""Answers about rays, from the pairs that meet."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ids, blocks, radix_argsort, starts_of_runs
from ..classify import States
from ..octree import Octree
from ..shapes import Triangles
from .crossings import Rays, barycentric, normals
from .hits import ray_hits
from .mailboxes import Mailboxes

# Rays, items and distances of no crossings.
_NOTHING = (np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0))


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
class RayCrossings:
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


def closest(
    tree: Octree, rays: Rays, mailboxes: Mailboxes, states: States | None = None
) -> tuple[Ids, Floats]:
    """Return the closest item of each ray, or -1, and its distance, or infinity."""
    items, limits = np.full(len(rays), -1), rays.limits.copy()
    for numbers, found, distances in ray_hits(tree, rays, limits, mailboxes, states=states):
        order = np.lexsort((found, distances, numbers))
        first = order[starts_of_runs(numbers)]
        asked, nearest, new = numbers[first], distances[first], found[first]
        old = items[asked]
        (closer,) = ((nearest < limits[asked]) | (old < 0) | (new < old)).nonzero()
        items[asked[closer]] = new[closer]
        limits[asked[closer]] = nearest[closer]
    return items, np.where(items < 0, np.inf, limits)


def crossings_of(
    tree: Octree, rays: Rays, group: Ids, mailboxes: Mailboxes
) -> tuple[Ids, Ids, Floats]:
    """Return all crossings of a group of rays: rays, items and distances.

    Those of a ray stand together, sorted.
    """
    part = rays[group]
    found = [_NOTHING, *ray_hits(tree, part, part.limits, mailboxes)]
    numbers, items, distances = (np.concatenate(rows) for rows in zip(*found, strict=True))
    order = np.lexsort((items, distances, numbers))
    return group[numbers[order]], tree.named(items[order]), distances[order]


def joined(found: list[tuple[Ids, Ids, Floats]], rays: int) -> RayCrossings:
    """Return the crossings of all groups, sorted by ray."""
    numbers, items, distances = (
        np.concatenate(rows) for rows in zip(_NOTHING, *found, strict=True)
    )
    order = radix_argsort(numbers, rays.bit_length())
    return RayCrossings(np.stack((numbers[order], items[order])), distances[order])


def described(tree: Octree, rays: Rays, items: Ids, distances: Floats) -> RayHits:
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
