"""Sources: what items are of, with the way back to Blender; the depsgraph's instances."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import bpy
import numpy as np

from ..arrays import Flags, Floats, Ids

# The session id of an object; of an instance, that of its instancer and its persistent id.
Key = tuple[int, ...]
UNUSED = 2**31 - 1  # what fills up a persistent id


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
        How many objects gave no item, by reason or type.
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


def seen_objects(
    depsgraph: bpy.types.Depsgraph,
    objects: Iterable[bpy.types.Object],
    viewport: bpy.types.SpaceView3D | None,
) -> tuple[dict[int, bpy.types.Object], Counter[str]]:
    """Return the visible objects by session id, and the number of the others by reason."""
    layer, local = depsgraph.view_layer, viewport is not None and viewport.local_view
    in_layer = {item.session_uid for item in layer.objects}
    seen: dict[int, bpy.types.Object] = {}
    unseen: Counter[str] = Counter()
    for item in dict.fromkeys(objects):
        if item.session_uid not in in_layer:
            unseen["in another view layer"] += 1
        elif not item.visible_get(view_layer=layer, viewport=viewport):
            unseen["outside the local view" if local else "hidden"] += 1
        else:
            seen[item.session_uid] = item
    return seen, unseen


def placements(
    depsgraph: bpy.types.Depsgraph, wanted: Container[int]
) -> Iterator[tuple[bpy.types.DepsgraphObjectInstance, bpy.types.Object]]:
    """Yield entries of the wanted objects and of their instances, each with the object.

    Curves, texts, surfaces and metaballs come twice, as themselves and as an instance of type
    MESH; only entries of that type have triangles. An entry is valid until the next step only.
    """
    for instance in depsgraph.object_instances:
        owner = (instance.parent if instance.is_instance else instance.object).original
        if instance.show_self and owner.session_uid in wanted:
            yield instance, owner


def is_true_instance(instance: bpy.types.DepsgraphObjectInstance) -> bool:
    """Tell a true instance from the mesh of a curve, text, surface or metaball itself."""
    if not instance.is_instance:
        return False
    itself = instance.object.original == instance.parent.original
    return not itself or instance.persistent_id[1] != UNUSED


def dependencies(objects: Iterable[bpy.types.Object]) -> Iterator[int]:
    """Yield the session ids of the objects, their parents, data and instanced collections."""
    for item in objects:
        ancestor: bpy.types.Object | None = item
        while ancestor is not None:
            yield ancestor.session_uid
            ancestor = ancestor.parent
        for part in (item.data, item.instance_collection):
            if part is not None:
                yield part.session_uid
