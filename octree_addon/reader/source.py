"""Sources: what items are of, with the way back to Blender; the depsgraph's instances."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import bpy
import numpy as np

from ..arrays import Flags, Floats, Ids
from .meshes import bulk

# The session id of an object; of an instance, that of its instancer and its persistent id.
Key = tuple[int, ...]
UNUSED = 2**31 - 1  # what fills up a persistent id
# The custom property of objects that are no part of the scene: what *Make Real* makes.
NOT_SCENE = "octree_cells"


def counts_as_scene(item: Any) -> bool:
    """Tell whether an object, original or evaluated, is read at all: not if it is cells made real.

    Its mark is a custom property, which is saved, copied and appended with it; who deletes that
    makes it count.
    """
    return NOT_SCENE not in item


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
    wanted : frozenset of int
        Session ids of the objects that were read, visible ones, with an item or without.
    watched : frozenset of int
        Session ids of everything that the items depend on which are not objects' own.
    bounds_object : (int, ndarray of float64), optional
        Session id of the object whose box is the root, and that box, (6, 1).
    layer : (int, str)
        The session id of the scene and the name of its view layer.
    """

    noun: ClassVar[str]

    placement_start: Ids
    object_of_placement: Ids
    is_instance: Flags
    objects: tuple[SourceObject, ...]
    skipped: Mapping[str, int]
    ids: frozenset[int]
    wanted: frozenset[int] = frozenset()
    watched: frozenset[int] = frozenset()
    bounds_object: tuple[int, Floats] | None = None
    layer: tuple[int, str] = (0, "")

    @property
    def own_rows(self) -> tuple[Ids, Ids]:
        """The session ids of objects that are read themselves, sorted, and a row for each."""
        raise NotImplementedError

    @property
    def item_count(self) -> int:
        """How many items there are."""
        return int(self.placement_start[-1])

    @cached_property
    def object_ids(self) -> frozenset[int]:
        """The session ids of the objects."""
        return frozenset(each.session_uid for each in self.objects)

    @property
    def object_of_item(self) -> Ids:
        """Index into `objects`, one for each item."""
        return np.repeat(self.object_of_placement, np.diff(self.placement_start))


@dataclass(frozen=True, eq=False)
class MeshRecord:
    """Every mesh in every place, empty ones too, by content: e of them.

    Attributes
    ----------
    rows : Mapping of Key to int
        The row of each; the key of an object's own mesh has length 1.
    matrices : ndarray of float64, shape (e, 4, 4)
        From its own space to world space.
    digests : tuple of bytes, length e
        Of its arrays.
    """

    rows: Mapping[Key, int]
    matrices: Floats
    digests: tuple[bytes, ...]


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
    record : MeshRecord
        What they were read from.
    """

    noun = "triangle"

    vertices: Floats
    faces: Ids
    polygon_of_triangle: Ids
    record: MeshRecord

    @cached_property
    def own_rows(self) -> tuple[Ids, Ids]:
        """The session ids of objects with meshes of their own, sorted, and their rows."""
        return own_rows(self.record.rows)


def own_rows(rows: Mapping[Key, int]) -> tuple[Ids, Ids]:
    """Return the session ids of what is no instance, sorted, and their rows."""
    pairs = sorted((key[0], row) for key, row in rows.items() if len(key) == 1)
    ids, numbers = np.array(pairs, np.intp).reshape(-1, 2).T
    return ids, numbers


@dataclass(frozen=True, eq=False, kw_only=True)
class ObjectSource(Source):
    """Whole objects and instances: each placement is one item, held by the box around it.

    Attributes
    ----------
    keys : tuple of Key
        What identifies each item for as long as it exists.
    taken : frozenset of str
        Types of objects that become items.
    """

    noun = "object"

    keys: tuple[Key, ...]
    taken: frozenset[str] = frozenset()

    @cached_property
    def rows(self) -> dict[Key, int]:
        """The number of each item by its key."""
        return {key: row for row, key in enumerate(self.keys)}

    @cached_property
    def own_rows(self) -> tuple[Ids, Ids]:
        """The session ids of objects that are items themselves, sorted, and their numbers."""
        return own_rows(self.rows)

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
        elif not counts_as_scene(item):
            unseen["made of cells"] += 1
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
    for _, instance, owner in numbered_placements(depsgraph, wanted):
        yield instance, owner


def numbered_placements(
    depsgraph: bpy.types.Depsgraph, wanted: Container[int]
) -> Iterator[tuple[int, bpy.types.DepsgraphObjectInstance, bpy.types.Object]]:
    """Yield the same, each with its number among all entries, as `placement_matrices` has them."""
    for number, instance in enumerate(depsgraph.object_instances):
        is_instance = instance.is_instance
        owner = (instance.parent if is_instance else instance.object).original
        if owner.session_uid not in wanted or not instance.show_self:
            continue
        if not is_instance or counts_as_scene(instance.object):
            yield number, instance, owner


def placement_matrices(depsgraph: bpy.types.Depsgraph) -> Floats:
    """Return the world matrices of all entries of the depsgraph, (e, 4, 4)."""
    entries = depsgraph.object_instances
    # All at once: NumPy is ten times slower on a Matrix.
    rows = bulk(entries, "matrix_world", 16 * len(entries), np.float32)
    return rows.reshape(-1, 4, 4).swapaxes(1, 2).astype(np.float64)


def key_of(instance: bpy.types.DepsgraphObjectInstance, owner_id: int) -> Key:
    """Return what identifies an entry of an object with this session id."""
    if not instance.is_instance:
        return (owner_id,)
    return (owner_id, *(number for number in instance.persistent_id[:] if number != UNUSED))


def layer_of(depsgraph: bpy.types.Depsgraph) -> tuple[int, str]:
    """Return the session id of the scene and the name of the view layer."""
    return depsgraph.scene.original.session_uid, depsgraph.view_layer.name


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
