"""Objects and instances as axis-aligned boxes (AABB): (6, n), lower then upper; any object."""

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
# These come twice, the second time as an instance of type MESH, which has the right box.
_BECOME_MESHES = {"CURVE", "FONT", "META", "SURFACE"}
_CUBE = np.array([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0])


def taken_types(kinds: Collection[str]) -> frozenset[str]:
    """Return the types of objects that become items: all that have a shape, and these kinds."""
    return _SHAPED.union(kinds)


def own_box(item: bpy.types.Object) -> Floats:
    """Return the evaluated box of one object in its own space, (6,)."""
    corners = item.bound_box
    return np.array((*corners[0], *corners[6]))


def world_boxes(boxes: Floats, matrices: Floats) -> Floats:
    """Return the world-space boxes, (6, n), around boxes (6, n) that are placed by matrices.

    The matrices are affine, (n, 4, 4). The eight corners of each box are bounded, not made: Arvo,
    "Transforming Axis-Aligned Bounding Boxes", Graphics Gems, 1990.
    """
    linear = np.ascontiguousarray(matrices[:, :3, :3].transpose(1, 2, 0))
    with np.errstate(invalid="ignore", over="ignore"):  # callers check for what is not finite
        one, other = linear * boxes[:3], linear * boxes[3:]
        origin = matrices[:, :3, 3].T
        lower = origin + np.minimum(one, other).sum(axis=1)
        upper = origin + np.maximum(one, other).sum(axis=1)
    return np.concatenate((lower, upper))


def object_bounds(depsgraph: bpy.types.Depsgraph, item: bpy.types.Object) -> Boxes:
    """Return the world-space box around an object, as evaluated; an empty is as large as drawn."""
    matrix = item.evaluated_get(depsgraph).matrix_world
    box = world_boxes(_drawn_box(item)[:, None], np.array(matrix)[None])
    return Boxes(box[:3].T, box[3:].T)


def evaluated_box(item: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Floats:
    """Return the evaluated box of an original object in its own space, (6,); NaN if hollow."""
    if _is_hollow(item, depsgraph):
        return np.full(6, np.nan)
    # In edit mode the original keeps the box that it had before.
    return _drawn_box(item.evaluated_get(depsgraph) if item.mode == "EDIT" else item)


def _drawn_box(item: bpy.types.Object) -> Floats:
    return item.empty_display_size * _CUBE if item.type == "EMPTY" else own_box(item)


def _is_hollow(item: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Tell whether nothing is left of a shape; its box would be that of the unmodified shape."""
    if item.type == "MESH" and item.mode != "EDIT":
        mesh = item.evaluated_get(depsgraph).data
        return isinstance(mesh, bpy.types.Mesh) and not mesh.vertices
    return item.type in _SHAPED and not own_box(item).any()


@dataclass(frozen=True, eq=False)
class BoxPlacements(PlacedItems):
    """n objects and instances, each one item, held by the box around it.

    Attributes
    ----------
    types : ndarray of str, shape (n,)
        The type of the object that is shown.
    boxes : ndarray of float64, shape (6, n)
        The box around each in the world; not finite where there is none.
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
        """The boxes as a batch; all have to be finite."""
        return Boxes(self.boxes[:3].T, self.boxes[3:].T)

    def ordered(self, rows: Ids) -> "BoxPlacements":
        return BoxPlacements(self.keys[rows], self.types[rows], self.boxes[:, rows])


@dataclass(frozen=True, eq=False)
class ReadBoxes(BoxPlacements):
    """The boxes of a view layer with what tells where they are, and which others there may be.

    Attributes
    ----------
    own : ndarray of float64, shape (6, n)
        The box around each in its own space.
    matrices : ndarray of float32, shape (n, 16)
        As Blender stores them, column after column.
    places : ndarray of intp, shape (n,)
        Where each stands in the view layer; of instances, among those of the depsgraph.
    watched : frozenset of int
        Session ids of the objects that may have instances, and of all that these depend on.
    layer_ids : ndarray of int32, shape (l,)
        Session ids of all objects of the view layer.
    entry_count : int
        How many object instances the depsgraph has, if there is anything to watch.
    visibility : bytes
        What `visibility_of` said of the view layer.
    """

    own: Floats
    matrices: ReadMatrices
    places: Ids
    watched: frozenset[int]
    layer_ids: NDArray[np.int32]
    entry_count: int
    visibility: bytes

    def rows_of(self, owners: Collection[int], types: Collection[str]) -> Ids:
        """Return the rows of those of these owners and types that have a finite box."""
        flags: Flags = np.isfinite(self.boxes).all(axis=0)
        flags &= np.isin(self.owners, np.fromiter(owners, np.int32, len(owners)))
        return np.flatnonzero(flags & np.isin(self.types, list(types)))

    def moved(self, matrices: ReadMatrices, own: Floats) -> "ReadBoxes":
        """Return the same placements elsewhere, or of other shapes; itself if none is another."""
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
    """Boxes gathered during the walk: by the data that is shown; columns of each instance."""

    shown: set[int] = field(default_factory=set)
    ids: set[int] = field(default_factory=set)
    own: dict[int, Floats] = field(default_factory=dict)
    boxes: list[Floats] = field(default_factory=list)
    entries: list[int] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    types: list[str] = field(default_factory=list)


def read_boxes(depsgraph: bpy.types.Depsgraph) -> ReadBoxes:
    """Read the boxes of all visible objects of a view layer, and of what they instance.

    Lights and cameras are points, an empty is as large as it is drawn. The objects come first, in
    the order of the layer, then the instances in that of the graph. O(all instances).
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
    """Walk through the object instances of a depsgraph, those of the wanted objects."""
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
    """Tell a true instance from the mesh of a curve, text, surface or metaball itself."""
    if instance.object.type not in _READ - _BECOME_MESHES:
        return False
    itself = instance.object.original == instance.parent.original
    return not itself or instance.persistent_id[1] != UNUSED


def _gather(
    number: int, instance: bpy.types.DepsgraphObjectInstance, owner: int, found: _Instances
) -> None:
    """Note one instance, and its own box if it is the first of its kind."""
    item = instance.object
    # Not by the object: those of geometry nodes are one object with changing data.
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
    """Return the boxes of objects at these places of the layer in their own space, (6, k)."""
    layer = depsgraph.view_layer
    own = layer_boxes(layer)[:, places]
    # Modifiers may leave no shape, and what has no size may never have had one.
    doubtful = np.array([bool(item.modifiers) for item in items], bool) | ~own.any(axis=0)
    active = layer.objects.active
    if active is not None and active.mode == "EDIT":
        doubtful |= np.array([item.mode == "EDIT" for item in items], bool)
    for number in np.flatnonzero(doubtful).tolist():
        own[:, number] = evaluated_box(items[number], depsgraph)
    return own
