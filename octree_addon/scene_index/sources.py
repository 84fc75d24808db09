"""Sources of built octrees: placements of the index, and the Blender objects they belong to."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import bpy
import numpy as np

from ...core import Steps, Triangles, baked_triangles_steps, between
from ..arrays import Floats, Ids
from ..reader import (
    BoxPlacements,
    PlacedItems,
    ScenePlacements,
    matrices_of,
    object_bounds,
    outside_views,
    seen_objects,
    taken_types,
)
from .index import SceneIndex
from .revision import changed
from .session import index_of, index_of_layer, view_layer_named

_HAVE_FACES = {"MESH", "CURVE", "SURFACE", "FONT", "META"}


@dataclass(frozen=True)
class SourceObject:
    """A selectable object that has items of its own or items of its instances.

    Attributes
    ----------
    session_uid : int
        Blender's number of the object, unique in a session.
    name : str
        Name of the object when it was read.
    instances : int
        Number of its placements that are instances.
    editable : bool
        True if the object's own triangles can be mapped to polygons of the original mesh.
    """

    session_uid: int
    name: str
    instances: int
    editable: bool


@dataclass(frozen=True, eq=False)
class Source:
    """A snapshot of placements of the index, without references to Blender data.

    A placement is one mesh, or an object without a mesh, at one transform: an object itself, or
    one of its instances. The items of a placement are consecutive.

    Attributes
    ----------
    placements : ScenePlacements or BoxPlacements
        Placements in the order of the items.
    names : Mapping of int to str
        Names of the visible objects that were read, with items or without, by session id.
    skipped : Mapping of str to int
        Number of objects without an item, by reason or type.
    layer : (int, str)
        The session id of the scene and the name of its view layer.
    kinds : tuple of str
        For box items only: the shapeless object types (such as "LIGHT") that count as items.
    bounds_object : (int, ndarray of float64), optional
        Session id of the object whose box is the root of the octree, and that box, (6, 1).
    """

    placements: PlacedItems
    names: Mapping[int, str]
    skipped: Mapping[str, int]
    layer: tuple[int, str]
    kinds: tuple[str, ...] = ()
    bounds_object: tuple[int, Floats] | None = None

    @property
    def noun(self) -> str:
        """The noun for an item, such as "triangle"."""
        return self.placements.noun

    @property
    def holds_objects(self) -> bool:
        """True if items are whole objects."""
        return isinstance(self.placements, BoxPlacements)

    @property
    def item_count(self) -> int:
        """The number of items."""
        return int(self.placements.starts[-1])

    @cached_property
    def _owners(self) -> tuple[Ids, Ids]:
        """The sorted session ids of the objects, and for each placement an index into them."""
        uids, numbers = np.unique(self.placements.owners, return_inverse=True)
        return uids, numbers.astype(np.intp)

    @property
    def object_of_placement(self) -> Ids:
        """The index in `objects` of each placement's object."""
        return self._owners[1]

    @property
    def object_of_item(self) -> Ids:
        """The index in `objects` of each item's object."""
        return np.repeat(self.object_of_placement, np.diff(self.placements.starts))

    @cached_property
    def objects(self) -> tuple[SourceObject, ...]:
        """The objects that have items, sorted by session id."""
        uids, numbers = self._owners
        instances, editable = (
            np.bincount(numbers[flags], minlength=len(uids)).tolist()
            for flags in (self.placements.is_instance, self.placements.has_faces)
        )
        return tuple(
            SourceObject(uid, self.names[uid], count, bool(faces))
            for uid, count, faces in zip(uids.tolist(), instances, editable, strict=True)
        )

    @property
    def boxes(self) -> BoxPlacements:
        """The placements as boxes; only valid if `holds_objects`."""
        assert isinstance(self.placements, BoxPlacements)
        return self.placements

    def bounded_by(self, uid: int, box: Floats) -> "Source":
        """Return a copy that also depends on the object whose box is the root of the octree."""
        return replace(self, bounds_object=(uid, box))


@dataclass(frozen=True, eq=False)
class _Wanted:
    """Objects to read.

    `names` has their names by session id, `reasons` the reason to report for each object that
    turns out to have no item, and `skipped` the number of other objects by reason.
    """

    names: dict[int, str]
    reasons: dict[int, str]
    skipped: Counter[str]

    def source(
        self, placements: PlacedItems, layer: tuple[int, str], kinds: tuple[str, ...] = ()
    ) -> Source:
        """Return a source of these placements; count the objects without a placement."""
        found = set(np.unique(placements.owners).tolist())
        self.skipped.update(why for uid, why in self.reasons.items() if uid not in found)
        return Source(placements, self.names, self.skipped, layer, kinds)


def triangle_source_steps(
    depsgraph: bpy.types.Depsgraph,
    objects: Iterable[bpy.types.Object],
    *,
    viewport: bpy.types.SpaceView3D | None = None,
) -> Steps[tuple[Source, Triangles]]:
    """Read the evaluated triangles of objects and of their instances in world space.

    The objects are original ones, and duplicates count once. If `viewport` is in local view,
    objects outside the local view count as hidden. Updates the index first. Yields the fraction
    done.
    """
    seen, skipped = seen_objects(depsgraph, objects, viewport)
    wanted = _Wanted(
        {uid: item.name for uid, item in seen.items()},
        {uid: _without_faces(item) for uid, item in seen.items()},
        skipped,
    )
    layer, index = layer_of(depsgraph), index_of(depsgraph)
    del seen
    yield 0.0
    yield from between(0.0, 0.7, index.update_steps())
    placements = _of_owners(index, wanted.names)
    meshes = {mesh: number for number, mesh in enumerate(dict.fromkeys(placements.meshes))}
    baking = baked_triangles_steps(
        [mesh.triangles for mesh in meshes],
        [meshes[mesh] for mesh in placements.meshes],
        matrices_of(placements.matrices),
    )
    triangles = yield from between(0.7, 1.0, baking)
    return wanted.source(placements, layer), triangles


def _of_owners(index: SceneIndex, owners: Iterable[int]) -> ScenePlacements:
    """Return the placements of the objects with these session ids, in depsgraph order."""
    shown = index.shown
    return shown.ordered(np.flatnonzero(np.isin(shown.owners, list(owners))))


def box_source(
    depsgraph: bpy.types.Depsgraph,
    objects: Iterable[bpy.types.Object],
    *,
    kinds: Collection[str] = (),
) -> Source:
    """Read the evaluated boxes of objects and of their instances in world space.

    The objects are original ones, and duplicates count once. `kinds` adds types of objects
    without a shape: "LIGHT" and "CAMERA" as points, "EMPTY" with its display size.
    """
    seen, skipped = seen_objects(depsgraph, objects, None)
    taken = taken_types(kinds)
    wanted = _Wanted(
        {uid: item.name for uid, item in seen.items()},
        {
            uid: "without geometry" if item.type in taken else item.type
            for uid, item in seen.items()
        },
        skipped,
    )
    boxes = index_of(depsgraph).boxes.update(depsgraph)
    placements = boxes.ordered(boxes.rows_of(wanted.names, taken))
    return wanted.source(placements, layer_of(depsgraph), tuple(kinds))


def layer_of(depsgraph: bpy.types.Depsgraph) -> tuple[int, str]:
    """Return the session id of a depsgraph's scene and the name of its view layer."""
    return depsgraph.scene.original.session_uid, depsgraph.view_layer.name


def count_triangles(
    depsgraph: bpy.types.Depsgraph,
    objects: Iterable[bpy.types.Object],
    *,
    viewport: bpy.types.SpaceView3D | None = None,
) -> int:
    """Count the triangles that `triangle_source_steps` has to process, for an estimate.

    The count is the larger of two: the triangles of the objects, and the triangles that the
    update of the index reads first. O(placements), independent of the size of the meshes.
    """
    seen, _ = seen_objects(depsgraph, objects, viewport)
    index = index_of(depsgraph)
    return max(index.count_triangles(seen.keys()), index.unread_triangles())


def comparison_steps(source: Source, layer: bpy.types.ViewLayer) -> Steps[bool]:
    """Return whether the current content of a view layer differs from a source.

    Objects that are hidden now count as unchanged. Yields the fraction read.
    """
    shown = layer.id_data.session_uid, layer.name
    index = index_of_layer(*shown)
    now: PlacedItems
    if source.holds_objects:
        boxes = index.boxes.update()
        now = boxes.ordered(boxes.rows_of(source.names.keys(), taken_types(source.kinds)))
    else:
        yield from index.update_steps()
        now = _of_owners(index, source.names)
        layer = view_layer_named(*shown)
    gone, came = changed(source.placements.snapshot(), now.snapshot())
    return (
        bool(len(came))
        or _misses(layer, source.placements.owners[gone])
        or _has_other_bounds(layer, source)
    )


def _misses(layer: bpy.types.ViewLayer, owners: Ids) -> bool:
    """Return whether any object of `owners` is still visible or was removed from the scene."""
    uids = set(owners.tolist())
    if not uids:
        return False
    there = {item.session_uid: item for item in layer.id_data.objects}
    if not uids <= there.keys():
        return True
    present = [there[uid] for uid in uids]
    in_layer = set(layer.objects)
    with outside_views():
        return any(each in in_layer and each.visible_get(view_layer=layer) for each in present)


def _has_other_bounds(layer: bpy.types.ViewLayer, source: Source) -> bool:
    """Return whether the box of the object that defines the root of the octree has changed."""
    if source.bounds_object is None:
        return False
    uid, box = source.bounds_object
    return any(
        not np.array_equal(object_bounds(layer.depsgraph, item).rows, box)
        for item in layer.objects
        if item.session_uid == uid
    )


def _without_faces(item: bpy.types.Object) -> str:
    """Return the reason why a visible object has no triangles.

    The reason is its type if objects of that type never have faces.
    """
    has_faces = item.type in _HAVE_FACES or item.instance_type != "NONE"
    return "without faces" if has_faces else item.type
