"""Instances as boxes, by one walk through the dependency graph: `read_instances`."""

from collections.abc import Set
from dataclasses import dataclass, field
from itertools import compress

import bpy
import numpy as np

from .boxes import Floats, own_box, world_boxes
from .source import Key
from .walk import UNUSED, is_copy, lineage, placements

# These come a second time, as an instance of type MESH, whose box is that of what is shown.
_BECOME_MESHES = {"CURVE", "FONT", "META", "SURFACE"}


@dataclass(frozen=True, eq=False)
class Instances:
    """What a walk has met: c instances.

    Attributes
    ----------
    shown : frozenset of int
        Session ids of the objects that are shown themselves.
    keys : tuple of Key
        What tells the instances from each other.
    boxes : ndarray of float64, shape (6, c)
        The world-space box around each, finite.
    ids : frozenset of int
        Session ids of all that the instances depend on.
    """

    shown: frozenset[int]
    keys: tuple[Key, ...]
    boxes: Floats
    ids: frozenset[int]


NO_INSTANCES = Instances(frozenset(), (), np.empty((6, 0)), frozenset())


@dataclass(eq=False)
class _Met:
    """What is gathered while the instances come by."""

    shown: set[int] = field(default_factory=set)
    ids: set[int] = field(default_factory=set)
    own: dict[int, Floats] = field(default_factory=dict)
    placed: dict[Key, tuple[Floats, list[tuple[float, ...]]]] = field(default_factory=dict)


def may_instance(item: bpy.types.Object) -> bool:
    """Tell whether an object can bring instances."""
    makers = {"NODES", "PARTICLE_SYSTEM"}
    return item.instance_type != "NONE" or any(each.type in makers for each in item.modifiers)


def read_instances(depsgraph: bpy.types.Depsgraph, wanted: Set[int], kinds: Set[str]) -> Instances:
    """Read the boxes of what objects instance.

    Parameters
    ----------
    depsgraph : bpy.types.Depsgraph
        The evaluated state of the view layer.
    wanted : set of int
        Session ids of the objects.
    kinds : set of str
        The types of objects that are taken.

    Returns
    -------
    Instances
        In the order of the graph. O(instances in the scene), whosever they are.
    """
    met = _Met()
    for instance, owner in placements(depsgraph, wanted):
        if not instance.is_instance:
            met.shown.add(owner.session_uid)
        elif is_copy(instance) and instance.object.type in kinds - _BECOME_MESHES:
            _gather(instance, owner.session_uid, met)
    own = np.array([box for box, _ in met.placed.values()]).reshape(-1, 6).T
    matrices = np.array([matrix for _, matrix in met.placed.values()]).reshape(-1, 4, 4)
    boxes = world_boxes(own, matrices)
    finite = np.isfinite(boxes).all(axis=0)
    keys = tuple(compress(met.placed, finite))
    return Instances(frozenset(met.shown), keys, boxes[:, finite], frozenset(met.ids))


def _gather(instance: bpy.types.DepsgraphObjectInstance, owner_id: int, met: _Met) -> None:
    """Note one instance, and its own box when it is the first of its kind."""
    item = instance.object
    # Not by the object: those of geometry nodes are one object that changes its data.
    kind = (item.data or item.original).as_pointer()
    if kind not in met.own:
        met.own[kind] = _box_of(item)
        met.ids.update(lineage([item.original]))
    key = owner_id, *(number for number in instance.persistent_id if number != UNUSED)
    # Row by row: NumPy takes several times as long over a Matrix.
    matrix = instance.matrix_world
    met.placed[key] = met.own[kind], [matrix[row][:] for row in range(4)]


def _box_of(item: bpy.types.Object) -> Floats:
    """Return the box of what is instanced in its own space; NaN if it is a mesh of nothing."""
    is_hollow = isinstance(item.data, bpy.types.Mesh) and not item.data.vertices
    return np.full(6, np.nan) if is_hollow else own_box(item)
