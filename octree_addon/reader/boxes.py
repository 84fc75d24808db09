"""Axis-aligned boxes (AABB) of objects and instances: (6, n), lower then upper."""

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from itertools import compress
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ids
from .source import (
    Key,
    dependencies,
    is_true_instance,
    key_of,
    numbered_placements,
    placement_matrices,
)

# These come twice, the second time as an instance of type MESH, which has the right box.
_BECOME_MESHES = {"CURVE", "FONT", "META", "SURFACE"}


def layer_ids(layer: bpy.types.ViewLayer) -> NDArray[np.intc]:
    """Return the session id of every object of a view layer, (l,)."""
    return _bulk(layer, "session_uid", 1, np.intc)[:, 0]


def layer_places(layer: bpy.types.ViewLayer, ids: Sequence[int]) -> Ids:
    """Return the places of objects with these session ids in a view layer, (k,)."""
    places = {uid: place for place, uid in enumerate(layer_ids(layer).tolist())}
    return np.array([places[uid] for uid in ids], np.intp)


def layer_matrices(layer: bpy.types.ViewLayer) -> Floats:
    """Return the world matrices of the objects of a view layer, as last evaluated, (l, 4, 4)."""
    matrices = read_layer_matrices(layer).reshape(-1, 4, 4)
    return matrices.astype(np.float64).swapaxes(1, 2)  # Blender stores column after column


def read_layer_matrices(layer: bpy.types.ViewLayer) -> NDArray[np.float32]:
    """Return the same as Blender stores them, (l, 16), column after column."""
    return _bulk(layer, "matrix_world", 16, np.float32)


def layer_boxes(layer: bpy.types.ViewLayer) -> Floats:
    """Return the boxes of the objects of a view layer in their own space, (6, l)."""
    corners = _bulk(layer, "bound_box", 24, np.float32)
    # The first corner is the lower one on every axis, the seventh the upper one.
    return np.concatenate((corners[:, :3], corners[:, 18:21]), axis=1).T.astype(np.float64)


def _bulk(layer: bpy.types.ViewLayer, name: str, width: int, dtype: type) -> NDArray[Any]:
    values: NDArray[Any] = np.empty((len(layer.objects), width), dtype)
    layer.objects.foreach_get(name, values.ravel())
    return values


def own_box(item: bpy.types.Object) -> Floats:
    """Return the evaluated box of one object in its own space, (6,)."""
    corners = item.bound_box
    return np.array((*corners[0], *corners[6]))


def world_boxes(boxes: Floats, matrices: Floats) -> Floats:
    """Return the world-space boxes, (6, n), around boxes (6, n) that are placed by matrices.

    The matrices are affine, (n, 4, 4) or (n, 3, 4). The eight corners of each box are bounded, not
    made: Arvo, "Transforming Axis-Aligned Bounding Boxes", Graphics Gems, 1990.
    """
    linear = np.ascontiguousarray(matrices[:, :3, :3].transpose(1, 2, 0))
    with np.errstate(invalid="ignore", over="ignore"):  # callers check for what is not finite
        one, other = linear * boxes[:3], linear * boxes[3:]
        origin = matrices[:, :3, 3].T
        lower = origin + np.minimum(one, other).sum(axis=1)
        upper = origin + np.maximum(one, other).sum(axis=1)
    return np.concatenate((lower, upper))


@dataclass(frozen=True, eq=False)
class Instances:
    """The instances of one walk: c of them.

    Attributes
    ----------
    shown : frozenset of int
        Session ids of the objects that are shown themselves.
    keys : tuple of Key
        What identifies each instance.
    boxes : ndarray of float64, shape (6, c)
        The world-space box around each, finite.
    ids : frozenset of int
        Session ids of everything that the instances depend on.
    own : ndarray of float64, shape (6, c)
        The box of each in its own space.
    entries : ndarray of intp, shape (c,)
        The number of each among all entries of the depsgraph.
    entry_count : int
        How many entries the depsgraph had.
    """

    shown: frozenset[int]
    keys: tuple[Key, ...]
    boxes: Floats
    ids: frozenset[int]
    own: Floats
    entries: Ids
    entry_count: int

    def moved_boxes(self, depsgraph: bpy.types.Depsgraph) -> Floats | None:
        """Return the boxes, (6, c), after a change of nothing but matrices.

        None if something else has changed: the number of entries, or which boxes are finite.
        """
        matrices = placement_matrices(depsgraph)
        if len(matrices) != self.entry_count:
            return None
        boxes = world_boxes(self.own, matrices[self.entries])
        return boxes if np.isfinite(boxes).all() else None


NO_INSTANCES = Instances(
    frozenset(), (), np.empty((6, 0)), frozenset(), np.empty((6, 0)), np.empty(0, np.intp), 0
)


@dataclass(eq=False)
class _Met:
    """What is gathered during the walk."""

    shown: set[int] = field(default_factory=set)
    ids: set[int] = field(default_factory=set)
    own: dict[int, Floats] = field(default_factory=dict)
    placed: dict[Key, tuple[Floats, int]] = field(default_factory=dict)


def may_instance(item: bpy.types.Object) -> bool:
    """Tell whether an object can have instances."""
    makers = {"NODES", "PARTICLE_SYSTEM"}
    return item.instance_type != "NONE" or any(each.type in makers for each in item.modifiers)


def read_instances(depsgraph: bpy.types.Depsgraph, wanted: Set[int], kinds: Set[str]) -> Instances:
    """Read the boxes of what the objects with the `wanted` session ids instance.

    Only types in `kinds` are taken, in the order of the graph. O(all instances in the scene).
    """
    met, taken = _Met(), kinds - _BECOME_MESHES
    for number, instance, owner in numbered_placements(depsgraph, wanted):
        if not instance.is_instance:
            met.shown.add(owner.session_uid)
        elif instance.object.type in taken and is_true_instance(instance):
            _gather(number, instance, owner.session_uid, met)
    own = np.array([box for box, _ in met.placed.values()]).reshape(-1, 6).T
    entries = np.array([number for _, number in met.placed.values()], np.intp)
    matrices = placement_matrices(depsgraph)
    boxes = world_boxes(own, matrices[entries])
    finite = np.isfinite(boxes).all(axis=0)
    return Instances(
        shown=frozenset(met.shown),
        keys=tuple(compress(met.placed, finite)),
        boxes=boxes[:, finite],
        ids=frozenset(met.ids),
        own=own[:, finite],
        entries=entries[finite],
        entry_count=len(matrices),
    )


def _gather(
    number: int, instance: bpy.types.DepsgraphObjectInstance, owner_id: int, met: _Met
) -> None:
    """Note one instance, and its own box if it is the first of its kind."""
    item = instance.object
    # Not by the object: those of geometry nodes are one object with changing data.
    kind = (item.data or item.original).as_pointer()
    if kind not in met.own:
        met.own[kind] = _box_of(item)
        met.ids.update(dependencies([item.original]))
    met.placed[key_of(instance, owner_id)] = met.own[kind], number


def _box_of(item: bpy.types.Object) -> Floats:
    """Return the box of what is instanced in its own space; NaN if it is an empty mesh."""
    is_hollow = isinstance(item.data, bpy.types.Mesh) and not item.data.vertices
    return np.full(6, np.nan) if is_hollow else own_box(item)
