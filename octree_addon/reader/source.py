"""What a tree was built of: world-space triangles, and whose each of them is."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class SourceObject:
    """An object that can be selected: it was read itself, or it brought instances.

    Attributes
    ----------
    session_uid : int
        Blender's number of the object, unique in a session.
    name : str
        Its name when it was read.
    instances : int
        How many of its placements are instances.
    editable : bool
        Whether its own triangles know their polygon of the original mesh.
    """

    session_uid: int
    name: str
    instances: int
    editable: bool


@dataclass(frozen=True, eq=False)
class Source:
    """Evaluated triangles, with the way back to Blender; holds no reference into Blender.

    A placement is one mesh in one place: an object's own, or one instance. Its triangles
    follow each other.

    Attributes
    ----------
    vertices : ndarray of float64, shape (v, 3)
        World space.
    faces : ndarray of intp, shape (t, 3)
        The vertices of each triangle.
    polygon_of_triangle : ndarray of intp, shape (t,)
        Polygon of the original mesh, -1 where there is no way back.
    placement_start : ndarray of intp, shape (p + 1,)
        Where the triangles of each placement begin, and last the number of triangles.
    object_of_placement : ndarray of intp, shape (p,)
        Index into `objects`.
    is_instance : ndarray of bool, shape (p,)
        Whether the placement is an instance.
    objects : tuple of SourceObject
        Each with at least one triangle.
    skipped : Mapping of str to int
        How many objects gave no triangle, by reason.
    ids : frozenset of int
        Session ids of all that the triangles depend on.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.intp]
    polygon_of_triangle: NDArray[np.intp]
    placement_start: NDArray[np.intp]
    object_of_placement: NDArray[np.intp]
    is_instance: NDArray[np.bool_]
    objects: tuple[SourceObject, ...]
    skipped: Mapping[str, int]
    ids: frozenset[int]

    @property
    def object_of_triangle(self) -> NDArray[np.intp]:
        """Index into `objects`, shape (t,)."""
        return np.repeat(self.object_of_placement, np.diff(self.placement_start))
