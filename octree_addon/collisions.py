"""Which objects of a tree touch each other: pairs of items, then pairs of their owners."""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core import overlapping_pairs_steps
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
        Roughly the fraction done.

    Returns
    -------
    Collisions
        What was found.

    Notes
    -----
    What a mesh has with itself, which is most, is not looked at: memory follows the answer,
    however far the margin reaches.
    """
    octree = built.octree
    steps = overlapping_pairs_steps(octree, margin=margin, owners=owners)
    pairs = built.places_of((yield from steps))
    found, counts = np.unique(np.sort(owners[pairs], axis=0), axis=1, return_counts=True)
    return Collisions(octree.named(pairs), found.astype(np.intp), counts)
