"""Axis-aligned boxes (AABB) of objects of any type and of instances: (6, n), lower then upper."""

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core import Boxes
from ..arrays import UNUSED, Flags, Floats, Ids
from .layers import layer_boxes, layer_ids, layer_places, read_layer_matrices
from .objects import counts_as_scene, dependencies, may_instance, seen_objects
from .placements import (
    PlacedItems,
    ReadMatrices,
    matrices_of,
    placement_keys,
    read_matrices,
    visibility_of,
)

_SHAPED = frozenset({
    "CURVE", "CURVES", "FONT", "GPENCIL", "GREASEPENCIL", "MESH", "META", "POINTCLOUD", "SURFACE",
    "VOLUME",
})  # fmt: skip
_READ = _SHAPED | {"LIGHT", "CAMERA", "EMPTY"}
# The depsgraph lists these twice, the second time as an instance of type MESH with the right box.
_BECOME_MESHES = {"CURVE", "FONT", "META", "SURFACE"}
_CUBE = np.array([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0])


def taken_types(kinds: Collection[str]) -> frozenset[str]:
    """Return the types of objects that become items: all types with a shape, and `kinds`."""
    return _SHAPED.union(kinds)


def own_box(item: bpy.types.Object) -> Floats:
    """Return the box of one evaluated object in local space, (6,)."""
    corners = item.bound_box
    return np.array((*corners[0], *corners[6]))


def world_boxes(boxes: Floats, matrices: Floats) -> Floats:
    """Transform boxes (6, n) by affine matrices (n, 4, 4) to world-space boxes, (6, n).

    The corners are bounded without being computed: Arvo, "Transforming Axis-Aligned Bounding
    Boxes", Graphics Gems, 1990.
    """
    linear = np.ascontiguousarray(matrices[:, :3, :3].transpose(1, 2, 0))
    with np.errstate(invalid="ignore", over="ignore"):  # callers check for NaN and infinity
        one, other = linear * boxes[:3], linear * boxes[3:]
        origin = matrices[:, :3, 3].T
        lower = origin + np.minimum(one, other).sum(axis=1)
        upper = origin + np.maximum(one, other).sum(axis=1)
    return np.concatenate((lower, upper))


def object_bounds(depsgraph: bpy.types.Depsgraph, item: bpy.types.Object) -> Boxes:
    """Return the world-space box of an object, evaluated; an empty has its display size."""
    matrix = item.evaluated_get(depsgraph).matrix_world
    box = world_boxes(_drawn_box(item)[:, None], np.array(matrix)[None])
    return Boxes(box[:3].T, box[3:].T)


def evaluated_box(item: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Floats:
    """Return the evaluated box of an original object in local space, (6,).

    The box is NaN if modifiers have left no geometry.
    """
    if _is_hollow(item, depsgraph):
        return np.full(6, np.nan)
    # In edit mode the box of the original is outdated.
    return _drawn_box(item.evaluated_get(depsgraph) if item.mode == "EDIT" else item)


def _drawn_box(item: bpy.types.Object) -> Floats:
    return item.empty_display_size * _CUBE if item.type == "EMPTY" else own_box(item)


def _is_hollow(item: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Return whether modifiers have left no geometry.

    In this case Blender reports the box of the unmodified shape.
    """
    if item.type == "MESH" and item.mode != "EDIT":
        mesh = item.evaluated_get(depsgraph).data
        return isinstance(mesh, bpy.types.Mesh) and not mesh.vertices
    return item.type in _SHAPED and not own_box(item).any()


@dataclass(frozen=True, eq=False)
class BoxPlacements(PlacedItems):
    """n objects and instances, each one item, represented by its bounding box.

    Attributes
    ----------
    types : ndarray of str, shape (n,)
        The type of the shown object: for an instance the instanced object.
    boxes : ndarray of float64, shape (6, n)
        World-space boxes; NaN or infinite where there is no geometry.
    """

    noun = "object"

    types: NDArray[np.str_]
    boxes: Floats

    @property
    def starts(self) -> Ids:
        return np.arange(len(self) + 1)

    @property
    def has_faces(self) -> Flags:
        return np.zeros(len(self), np.bool_)

    @property
    def states(self) -> NDArray[np.int32]:
        return np.ascontiguousarray(self.boxes.T).view(np.int32).reshape(len(self), 12)

    @property
    def items(self) -> Boxes:
        """The boxes as a batch; only valid if all boxes are finite."""
        return Boxes(self.boxes[:3].T, self.boxes[3:].T)

    def ordered(self, rows: Ids) -> "BoxPlacements":
        return BoxPlacements(self.keys[rows], self.types[rows], self.boxes[:, rows])


@dataclass(frozen=True, eq=False)
class ReadBoxes(BoxPlacements):
    """The boxes of a view layer, with the data for incremental updates.

    Attributes
    ----------
    own : ndarray of float64, shape (6, n)
        Local-space boxes.
    matrices : ndarray of float32, shape (n, 16)
        World matrices in column-major order, as in Blender.
    places : ndarray of intp, shape (n,)
        Index of each object in the view layer, and of each instance in the depsgraph's instances.
    watched : frozenset of int
        Session ids of the objects that may have instances, and of data that instances depend on.
    layer_ids : ndarray of int32, shape (l,)
        Session ids of all objects of the view layer.
    entry_count : int
        Number of object instances of the depsgraph; 0 if `watched` is empty.
    visibility : bytes
        Result of `visibility_of` for the view layer.
    """

    own: Floats
    matrices: ReadMatrices
    places: Ids
    watched: frozenset[int]
    layer_ids: NDArray[np.int32]
    entry_count: int
    visibility: bytes

    def rows_of(self, owners: Collection[int], types: Collection[str]) -> Ids:
        """Return the rows of finite boxes with these owners and types."""
        flags: Flags = np.isfinite(self.boxes).all(axis=0)
        flags &= np.isin(self.owners, np.fromiter(owners, np.int32, len(owners)))
        return np.flatnonzero(flags & np.isin(self.types, list(types)))

    def moved(self, matrices: ReadMatrices, own: Floats) -> "ReadBoxes":
        """Return the placements with new matrices and local boxes; self if nothing differs."""
        is_other = (matrices.view(np.int32) != self.matrices.view(np.int32)).any(axis=1)
        if own is not self.own:
            is_other |= (own.view(np.int64) != self.own.view(np.int64)).any(axis=0)
        rows = np.flatnonzero(is_other)
        if not len(rows):
            return self
        boxes = self.boxes.copy()
        boxes[:, rows] = world_boxes(own[:, rows], matrices_of(matrices[rows]))
        return replace(self, matrices=matrices, own=own, boxes=boxes)


@dataclass(eq=False)
class _Instances:
    """Data collected by a walk through the object instances.

    `shown` has the session ids of shown objects, `ids` those of data that instances depend on, and
    `own` the local box by address of the shown data. The lists have an entry for each instance.
    """

    shown: set[int] = field(default_factory=set)
    ids: set[int] = field(default_factory=set)
    own: dict[int, Floats] = field(default_factory=dict)
    boxes: list[Floats] = field(default_factory=list)
    entries: list[int] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    types: list[str] = field(default_factory=list)


def read_boxes(depsgraph: bpy.types.Depsgraph) -> ReadBoxes:
    """Read the boxes of all visible objects of a view layer and of their instances.

    Lights and cameras are points, an empty has its display size. The objects come first, in the
    order of the layer; the instances follow in depsgraph order. O(all instances).
    """
    layer = depsgraph.view_layer
    seen, _ = seen_objects(depsgraph, layer.objects, None)
    instancers = frozenset(uid for uid, item in seen.items() if may_instance(item))
    found = _read_instances(depsgraph, seen.keys()) if instancers else _Instances()
    items = _shown(seen, found.shown if instancers else seen.keys())
    uids = [item.session_uid for item in items]
    places, entries = layer_places(layer, uids), np.array(found.entries, np.intp)
    everything = read_matrices(depsgraph) if instancers else np.empty((0, 16), np.float32)
    matrices = np.concatenate((read_layer_matrices(layer)[places], everything[entries]))
    instanced = np.array(found.boxes).reshape(-1, 6).T
    own = np.concatenate((_own_boxes(depsgraph, items, places), instanced), axis=1)
    all_places = np.concatenate((places, entries))
    is_instance = np.arange(len(all_places)) >= len(items)
    return ReadBoxes(
        keys=placement_keys(
            depsgraph,
            all_places,
            owners=np.array([*uids, *found.owners], np.intp),
            shown=np.full(len(all_places), -1),
            instanced=is_instance,
        ),
        types=np.array([*(item.type for item in items), *found.types], np.str_),
        own=own,
        boxes=world_boxes(own, matrices_of(matrices)),
        matrices=matrices,
        places=all_places,
        watched=instancers.union(found.ids),
        layer_ids=layer_ids(layer),
        entry_count=len(everything),
        visibility=visibility_of(layer),
    )


def _shown(seen: Mapping[int, bpy.types.Object], shown: Collection[int]) -> list[bpy.types.Object]:
    return [item for uid, item in seen.items() if uid in shown and item.type in _READ]


def _read_instances(depsgraph: bpy.types.Depsgraph, wanted: Set[int]) -> _Instances:
    """Collect the object instances of the wanted objects in a depsgraph."""
    found = _Instances()
    for number, instance in enumerate(depsgraph.object_instances):
        is_instance = instance.is_instance
        owner = (instance.parent if is_instance else instance.object).original
        if owner.session_uid not in wanted or not instance.show_self:
            continue
        if not is_instance:
            found.shown.add(owner.session_uid)
        elif counts_as_scene(instance.object) and _is_true_instance(instance):
            _gather(number, instance, owner.session_uid, found)
    return found


def _is_true_instance(instance: bpy.types.DepsgraphObjectInstance) -> bool:
    """Return whether an instance is real, not the mesh of a curve, text, surface or metaball."""
    if instance.object.type not in _READ - _BECOME_MESHES:
        return False
    itself = instance.object.original == instance.parent.original
    return not itself or instance.persistent_id[1] != UNUSED


def _gather(
    number: int, instance: bpy.types.DepsgraphObjectInstance, owner: int, found: _Instances
) -> None:
    """Add one instance to `found`, and the local box of its data if that is new."""
    item = instance.object
    # Keyed by data: instances of geometry nodes are one object with changing data.
    kind = (item.data or item.original).as_pointer()
    if kind not in found.own:
        is_hollow = isinstance(item.data, bpy.types.Mesh) and not item.data.vertices
        found.own[kind] = np.full(6, np.nan) if is_hollow else own_box(item)
        found.ids.update(dependencies([item.original]))
    found.boxes.append(found.own[kind])
    found.entries.append(number)
    found.owners.append(owner)
    found.types.append(item.type)


def _own_boxes(
    depsgraph: bpy.types.Depsgraph, items: Sequence[bpy.types.Object], places: Ids
) -> Floats:
    """Return the local boxes, (6, k), of objects with these indices in the layer."""
    layer = depsgraph.view_layer
    own = layer_boxes(layer)[:, places]
    # Modifiers may leave no geometry, and a box of size 0 may stand for no geometry.
    doubtful = np.array([bool(item.modifiers) for item in items], bool) | ~own.any(axis=0)
    active = layer.objects.active
    if active is not None and active.mode == "EDIT":
        doubtful |= np.array([item.mode == "EDIT" for item in items], bool)
    for number in np.flatnonzero(doubtful).tolist():
        own[:, number] = evaluated_box(items[number], depsgraph)
    return own
