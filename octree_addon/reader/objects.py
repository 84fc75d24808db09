"""Objects and instances as axis-aligned boxes, each one item: `read_objects`."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core import Boxes
from ..arrays import Floats
from .boxes import (
    NO_INSTANCES,
    Instances,
    layer_boxes,
    layer_matrices,
    layer_places,
    may_instance,
    own_box,
    read_instances,
    world_boxes,
)
from .source import Key, ObjectSource, SourceObject, dependencies, layer_of, seen_objects

_SHAPED = frozenset({
    "CURVE", "CURVES", "FONT", "GPENCIL", "GREASEPENCIL", "MESH", "META", "POINTCLOUD", "SURFACE",
    "VOLUME",
})  # fmt: skip
_CUBE = np.array([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0])


@dataclass(frozen=True, eq=False)
class ReadObjects:
    """Objects and instances as read: n items, the objects first.

    Attributes
    ----------
    source : ObjectSource
        What the items belong to.
    boxes : ndarray of float64, shape (6, n)
        The world-space box around each item, finite: lower corner, upper corner.
    ids : ndarray of intc, shape (k,)
        Session ids of the objects of a wanted kind. Those without a shape at present, or that
        are not finite, are no items.
    own : ndarray of float64, shape (6, k)
        Their boxes in their own space; NaN without a shape.
    seen : frozenset of int
        Session ids of all wanted objects that are visible.
    instancers : frozenset of int
        Those of them that may have instances.
    watched : frozenset of int
        Session ids of everything that the instances depend on.
    instances : Instances
        The last items, as they were read.
    """

    source: ObjectSource
    boxes: Floats
    ids: NDArray[np.intc]
    own: Floats
    seen: frozenset[int]
    instancers: frozenset[int]
    watched: frozenset[int]
    instances: Instances


def read_objects(
    depsgraph: bpy.types.Depsgraph,
    objects: Iterable[bpy.types.Object],
    *,
    kinds: Iterable[str] = (),
) -> ReadObjects:
    """Read the evaluated boxes of objects, and of what they instance, in world space.

    Parameters
    ----------
    depsgraph : bpy.types.Depsgraph
        The evaluated state of a view layer, and the one that its windows show.
    objects : iterable of bpy.types.Object
        Original objects; repeated ones count once. Instances follow them.
    kinds : iterable of str
        Types of objects without a shape that become items too: "LIGHT" and "CAMERA", as points,
        and "EMPTY", as large as it is drawn.
    """
    wanted, skipped = seen_objects(depsgraph, objects, None)
    taken = taken_types(kinds)
    instancers = frozenset(uid for uid, item in wanted.items() if may_instance(item))
    instances = read_instances(depsgraph, wanted.keys(), taken) if instancers else NO_INSTANCES
    shown = instances.shown if instancers else wanted.keys()
    items = [item for uid, item in wanted.items() if uid in shown and item.type in taken]
    ids = np.array([item.session_uid for item in items], np.intc)
    own, boxes = plain_boxes(depsgraph, items)
    finite = np.isfinite(boxes).all(axis=0)
    keys = (*((uid,) for uid in ids[finite].tolist()), *instances.keys)
    seen, watched = frozenset(wanted), instances.ids | instancers
    source = replace(
        _source_of(keys, wanted, taken, skipped),
        ids=instances.ids.union(dependencies(wanted.values())),
        wanted=seen,
        watched=watched,
        layer=layer_of(depsgraph),
        taken=taken,
    )
    return ReadObjects(
        source=source,
        boxes=np.concatenate((boxes[:, finite], instances.boxes), axis=1),
        ids=ids,
        own=own,
        seen=seen,
        instancers=instancers,
        watched=watched,
        instances=instances,
    )


def taken_types(kinds: Iterable[str]) -> frozenset[str]:
    """Return the types of objects that become items: all that have a shape, and these kinds."""
    return _SHAPED.union(kinds)


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


def plain_boxes(
    depsgraph: bpy.types.Depsgraph, items: Sequence[bpy.types.Object]
) -> tuple[Floats, Floats]:
    """Return the boxes of objects in their own space and in the world, (6, k) each."""
    layer = depsgraph.view_layer
    places = layer_places(layer, [item.session_uid for item in items])
    own = layer_boxes(layer)[:, places]
    # Modifiers may leave no shape, and what has no size may never have had one.
    doubtful = np.array([bool(item.modifiers) for item in items], bool) | ~own.any(axis=0)
    active = layer.objects.active
    if active is not None and active.mode == "EDIT":
        doubtful |= np.array([item.mode == "EDIT" for item in items], bool)
    for number in np.flatnonzero(doubtful):
        own[:, number] = evaluated_box(items[number], depsgraph)
    return own, world_boxes(own, layer_matrices(layer)[places])


def _source_of(
    keys: tuple[Key, ...],
    wanted: Mapping[int, bpy.types.Object],
    taken: Set[str],
    skipped: Counter[str],
) -> ObjectSource:
    """Return what the items belong to, and why some of the wanted objects have none."""
    owners = np.array([key[0] for key in keys], np.intp)
    is_instance = np.array([len(key) > 1 for key in keys], np.bool_)
    found, numbers = np.unique(owners, return_inverse=True)
    instances = np.bincount(numbers[is_instance], minlength=len(found))
    objects = tuple(
        SourceObject(uid, wanted[uid].name, count, editable=False)
        for uid, count in zip(found.tolist(), instances.tolist(), strict=True)
    )
    known = set(found.tolist())
    skipped.update(_reason(item, taken) for uid, item in wanted.items() if uid not in known)
    return ObjectSource(
        keys=keys,
        placement_start=np.arange(len(keys) + 1),
        object_of_placement=numbers.astype(np.intp),
        is_instance=is_instance,
        objects=objects,
        skipped=skipped,
        ids=frozenset(),
    )


def _reason(item: bpy.types.Object, taken: Set[str]) -> str:
    """Say why a visible object is no item: its type if none of that type is."""
    return "without geometry" if item.type in taken else item.type
