"""The walk through the dependency graph: objects, placements, and instances as boxes."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Set
from dataclasses import dataclass, field
from itertools import compress

import bpy
import numpy as np

from ..arrays import Floats
from .boxes import own_box, world_boxes
from .source import Key

UNUSED = 2**31 - 1  # what fills up a persistent id


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


# These come twice, the second time as an instance of type MESH, which has the right box.
_BECOME_MESHES = {"CURVE", "FONT", "META", "SURFACE"}


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
    """

    shown: frozenset[int]
    keys: tuple[Key, ...]
    boxes: Floats
    ids: frozenset[int]


NO_INSTANCES = Instances(frozenset(), (), np.empty((6, 0)), frozenset())


@dataclass(eq=False)
class _Met:
    """What is gathered during the walk."""

    shown: set[int] = field(default_factory=set)
    ids: set[int] = field(default_factory=set)
    own: dict[int, Floats] = field(default_factory=dict)
    placed: dict[Key, tuple[Floats, list[tuple[float, ...]]]] = field(default_factory=dict)


def may_instance(item: bpy.types.Object) -> bool:
    """Tell whether an object can have instances."""
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
        In the order of the graph. O(all instances in the scene).
    """
    met = _Met()
    for instance, owner in placements(depsgraph, wanted):
        if not instance.is_instance:
            met.shown.add(owner.session_uid)
        elif is_true_instance(instance) and instance.object.type in kinds - _BECOME_MESHES:
            _gather(instance, owner.session_uid, met)
    own = np.array([box for box, _ in met.placed.values()]).reshape(-1, 6).T
    matrices = np.array([matrix for _, matrix in met.placed.values()]).reshape(-1, 4, 4)
    boxes = world_boxes(own, matrices)
    finite = np.isfinite(boxes).all(axis=0)
    keys = tuple(compress(met.placed, finite))
    return Instances(frozenset(met.shown), keys, boxes[:, finite], frozenset(met.ids))


def _gather(instance: bpy.types.DepsgraphObjectInstance, owner_id: int, met: _Met) -> None:
    """Note one instance, and its own box if it is the first of its kind."""
    item = instance.object
    # Not by the object: those of geometry nodes are one object with changing data.
    kind = (item.data or item.original).as_pointer()
    if kind not in met.own:
        met.own[kind] = _box_of(item)
        met.ids.update(dependencies([item.original]))
    key = owner_id, *(number for number in instance.persistent_id if number != UNUSED)
    # Row by row: NumPy is several times slower on a Matrix.
    matrix = instance.matrix_world
    met.placed[key] = met.own[kind], [matrix[row][:] for row in range(4)]


def _box_of(item: bpy.types.Object) -> Floats:
    """Return the box of what is instanced in its own space; NaN if it is an empty mesh."""
    is_hollow = isinstance(item.data, bpy.types.Mesh) and not item.data.vertices
    return np.full(6, np.nan) if is_hollow else own_box(item)
