"""What a tree was built of: items (triangles or objects), placements, and their objects."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..arrays import Flags, Floats, Ids

# The session id of an object; of an instance, that of its instancer and its persistent id.
Key = tuple[int, ...]


@dataclass(frozen=True)
class SourceObject:
    """An object that can be selected: it was read itself, or it has instances.

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


@dataclass(frozen=True, eq=False, kw_only=True)
class Source:
    """What a tree was built of, with the way back to Blender; holds no reference into Blender.

    A placement is one mesh, or other object, in one place: an object's own, or one instance.
    Its items follow each other.

    Attributes
    ----------
    placement_start : ndarray of intp, shape (p + 1,)
        Where the items of each placement begin, and last the number of items.
    object_of_placement : ndarray of intp, shape (p,)
        Index into `objects`.
    is_instance : ndarray of bool, shape (p,)
        Whether the placement is an instance.
    objects : tuple of SourceObject
        Each with at least one item.
    skipped : Mapping of str to int
        How many objects gave no item, by reason.
    ids : frozenset of int
        Session ids of everything that the items depend on.
    """

    noun: ClassVar[str]

    placement_start: Ids
    object_of_placement: Ids
    is_instance: Flags
    objects: tuple[SourceObject, ...]
    skipped: Mapping[str, int]
    ids: frozenset[int]

    @property
    def item_count(self) -> int:
        """How many items there are."""
        return int(self.placement_start[-1])

    @property
    def object_of_item(self) -> Ids:
        """Index into `objects`, one for each item."""
        return np.repeat(self.object_of_placement, np.diff(self.placement_start))


@dataclass(frozen=True, eq=False, kw_only=True)
class TriangleSource(Source):
    """Evaluated triangles.

    Attributes
    ----------
    vertices : ndarray of float64, shape (v, 3)
        World space.
    faces : ndarray of intp, shape (t, 3)
        The vertices of each triangle.
    polygon_of_triangle : ndarray of intp, shape (t,)
        Polygon of the original mesh, -1 where there is no way back.
    """

    noun = "triangle"

    vertices: Floats
    faces: Ids
    polygon_of_triangle: Ids


@dataclass(frozen=True, eq=False, kw_only=True)
class ObjectSource(Source):
    """Whole objects and instances: each placement is one item, held by the box around it.

    Attributes
    ----------
    keys : tuple of Key
        What identifies each item for as long as it exists.
    """

    noun = "object"

    keys: tuple[Key, ...]

    def arranged(self, order: Ids) -> "ObjectSource":
        """Return the items with these numbers, in this order."""
        return replace(
            self,
            placement_start=np.arange(len(order) + 1),
            keys=tuple(self.keys[number] for number in order),
            object_of_placement=self.object_of_placement[order],
            is_instance=self.is_instance[order],
        )
