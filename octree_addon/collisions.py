"""Which objects of a tree touch each other: pairs of items, then pairs of their owners."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core import Octree, Triangles, overlapping_pairs
from ..core.pairs.meetings import meetings
from ..core.touch import touching
from ..core.touch.triangle_pairs import triangles_near_triangles
from .trees import BuiltTree

Ids = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Collisions:
    """Items of different owners that touch, or come near.

    Attributes
    ----------
    pairs : ndarray of intp, shape (2, h)
        Items, as answers call them, the smaller first; sorted, each pair once.
    owners : ndarray of intp, shape (2, p)
        Which owners they are of, the smaller first; sorted, each pair once.
    counts : ndarray of intp, shape (p,)
        How many of the pairs of items each pair of owners has.
    """

    pairs: Ids
    owners: Ids
    counts: Ids


CollisionSteps = Generator[float, None, Collisions]


def collision_steps(built: BuiltTree, owners: Ids, margin: float) -> CollisionSteps:
    """Find all pairs of items that touch and have different owners.

    Parameters
    ----------
    built : BuiltTree
        Of triangles, which are tested exactly, or of objects, whose boxes are.
    owners : ndarray of intp, shape (n,)
        Whose each item is, such as `built.source.object_of_item`.
    margin : float
        Items no farther apart than this count, too.

    Yields
    ------
    float
        Roughly the fraction done: the share of items that were compared with another.

    Returns
    -------
    Collisions
        What was found.

    Notes
    -----
    What a mesh has with itself, which is most, is dropped before it is tested: so memory follows
    the answer, however far the margin reaches.
    """
    octree = built.octree
    if isinstance(octree.arranged, Triangles):
        pairs = yield from _pairs_of(octree.arranged, octree, owners, margin)
    else:
        pairs = built.places_of(overlapping_pairs(octree, margin=margin))
        pairs = pairs[:, owners[pairs[0]] != owners[pairs[1]]]
    pairs = np.sort(pairs, axis=0)
    pairs = pairs[:, np.lexsort(pairs[::-1])]
    found, counts = np.unique(np.sort(owners[pairs], axis=0), axis=1, return_counts=True)
    return Collisions(octree.named(pairs), found.astype(np.intp), counts)


def _pairs_of(
    triangles: Triangles, octree: Octree, owners: Ids, margin: float
) -> Generator[float, None, Ids]:
    """Return the triangles of different owners that are no farther apart than the margin."""
    found = [np.empty((2, 0), np.intp)]
    compared = np.zeros(len(triangles), np.bool_)
    for ones, others in _between_owners(octree, owners[octree.order], margin, compared):
        near = np.flatnonzero(triangles_near(triangles, ones, others, margin))
        found.append(octree.order[np.stack((ones[near], others[near]))])
        yield float(compared.mean())
    return np.concatenate(found, axis=1)


def _between_owners(
    octree: Octree, owners: Ids, margin: float, compared: NDArray[np.bool_]
) -> Iterator[tuple[Ids, Ids]]:
    """Yield entries that may be near each other and have different owners."""
    for ones, others in meetings(octree, None, margin):
        compared[ones] = True
        strange = np.flatnonzero(owners[ones] != owners[others])
        yield ones[strange], others[strange]


def triangles_near(
    triangles: Triangles, ones: Ids, others: Ids, margin: float
) -> NDArray[np.bool_]:
    """Return which of these triangles are no farther apart than the margin, pair by pair."""
    if margin > 0:
        return triangles_near_triangles(triangles, ones, triangles, others, margin)
    return touching(triangles, ones, triangles, others)
