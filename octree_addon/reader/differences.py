"""Differences between a source and the scene: matrices, boxes, digests of meshes compared."""

from collections.abc import Iterable, Iterator, Set
from itertools import islice
from time import perf_counter

import bpy
import numpy as np

from ..arrays import Flags, Floats
from .boxes import (
    layer_boxes,
    layer_ids,
    layer_matrices,
    may_instance,
    read_instances,
    world_boxes,
)
from .meshes import evaluated_mesh, mesh_arrays, mesh_digest
from .objects import object_bounds, plain_boxes
from .source import (
    Key,
    ObjectSource,
    Source,
    TriangleSource,
    key_of,
    numbered_placements,
    placement_matrices,
)

# Objects looked at closely at a time.
_MOST_AT_ONCE = 1024


class SceneNow:
    """A source beside the scene as it is now; valid while that is not evaluated again.

    Parameters
    ----------
    source : Source
        What was read.
    boxes : ndarray of float64, shape (6, n)
        Of its items, if they are objects.
    layer : bpy.types.ViewLayer
        What is compared with it.

    Attributes
    ----------
    unseen : set of int
        Session ids of the objects that could not be compared, as they are hidden.
    has_new_instancers : bool
        Whether objects were met that may have instances, and had none.
    """

    def __init__(self, source: Source, boxes: Floats, layer: bpy.types.ViewLayer) -> None:
        self.source, self._layer, self._depsgraph = source, layer, layer.depsgraph
        # A last column for what is no item.
        self._boxes = np.pad(boxes, ((0, 0), (0, 1)), constant_values=np.nan)
        self.unseen: set[int] = set()
        self.has_new_instancers = False

    @property
    def holds_objects(self) -> bool:
        """Whether items are whole objects."""
        return isinstance(self.source, ObjectSource)

    def shows_any(self, ids: Set[int]) -> bool:
        """Tell whether any of these objects is visible."""
        return any(self._shows(item) for item in self._objects(ids))

    def has_lost_objects(self) -> bool:
        """Tell whether an object with an item has left the scene."""
        missing = self.source.object_ids.difference(layer_ids(self._layer).tolist())
        scene = self._layer.id_data
        return bool(missing) and not missing.issubset(each.session_uid for each in scene.objects)

    def has_other_bounds(self) -> bool:
        """Tell whether the object that gave the box of the root has another one."""
        assert self.source.bounds_object is not None
        uid, box = self.source.bounds_object
        return any(
            not np.array_equal(object_bounds(self._depsgraph, item).rows, box)
            for item in self._objects({uid})
        )

    def displaced(self, ids: Set[int]) -> set[int]:
        """Return which of these objects have another matrix or, as items, seem to."""
        layer = self._layer
        uids = layer_ids(layer)
        known, rows = self.source.own_rows
        places = np.flatnonzero(np.isin(uids, np.fromiter(ids, np.intc, len(ids))))
        spots = np.searchsorted(known, uids[places])
        is_own = spots < len(known)
        is_own[is_own] = known[spots[is_own]] == uids[places[is_own]]
        places, rows = places[is_own], rows[spots[is_own]]
        matrices = layer_matrices(layer)[places]
        if isinstance(self.source, TriangleSource):
            same = _same(matrices, self.source.record.matrices[rows]).all(axis=(1, 2))
        else:
            boxes = world_boxes(layer_boxes(layer)[:, places], matrices)
            same = (boxes == self._boxes[:, rows]).all(axis=0)
        return set(uids[places[~same]].tolist())

    def deformed(
        self, ids: Set[int], digests: dict[int, bytes], deadline: float
    ) -> tuple[set[int], set[int]]:
        """Return which of these objects there was time for, and which have another shape.

        Of some that is not known because they are hidden: they are `unseen`.
        """
        items = list(islice(self._objects(ids), _MOST_AT_ONCE))
        shown = self._visible(items)
        if isinstance(self.source, ObjectSource):
            late: list[bpy.types.Object] = []
            deformed = self._with_other_boxes(self.source, shown)
        else:
            late, deformed = self._with_other_meshes(shown, digests, deadline)
        is_last = len(items) < _MOST_AT_ONCE  # then the others have left the view layer
        settled = set(ids) if is_last else {item.session_uid for item in items}
        return settled.difference(item.session_uid for item in late), deformed

    def _visible(self, items: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
        """Return the visible ones; note the others, and new instancers."""
        shown = []
        for item in items:
            uid = item.session_uid
            self.has_new_instancers |= uid not in self.source.watched and may_instance(item)
            if self._shows(item):
                shown.append(item)
            else:
                self.unseen.add(uid)
        return shown

    def _with_other_meshes(
        self, items: list[bpy.types.Object], digests: dict[int, bytes], deadline: float
    ) -> tuple[list[bpy.types.Object], set[int]]:
        """Return which there was no time for, and which of the others have other triangles."""
        deformed = set()
        for number, item in enumerate(items):
            known = len(digests)
            if self._has_other_mesh(item, digests):
                deformed.add(item.session_uid)
            if len(digests) > known and perf_counter() > deadline:
                return items[number + 1 :], deformed
        return [], deformed

    def _with_other_boxes(self, source: ObjectSource, items: list[bpy.types.Object]) -> set[int]:
        """Return which of these objects, as items, have other boxes, or are items no more."""
        items = [item for item in items if item.type in source.taken]
        rows = [source.rows.get((item.session_uid,), -1) for item in items]
        same = _same(self._boxes_now(items), self._boxes[:, rows]).all(axis=0)
        # What only makes instances shows no box of its own; that is settled with them.
        return {
            items[number].session_uid
            for number in np.flatnonzero(~same)
            if rows[number] >= 0 or not may_instance(items[number])
        }

    def _has_other_mesh(self, item: bpy.types.Object, digests: dict[int, bytes]) -> bool:
        assert isinstance(self.source, TriangleSource)
        record = self.source.record
        row = record.rows.get((item.session_uid,))
        if row is None or item.type != "MESH":  # settled with what is instanced
            return False
        return _digest_of(item.evaluated_get(self._depsgraph), digests) != record.digests[row]

    def _boxes_now(self, items: list[bpy.types.Object]) -> Floats:
        """Return the boxes of objects in the world, (6, k); NaN of what cannot be an item."""
        _, boxes = plain_boxes(self._depsgraph, items)
        boxes[:, ~np.isfinite(boxes).all(axis=0)] = np.nan
        return boxes

    def has_other_instances(self, with_shapes: bool) -> bool:
        """Tell whether what is instanced has changed; the meshes themselves if wanted."""
        if isinstance(self.source, ObjectSource):
            return self._has_other_instance_boxes(self.source)
        assert isinstance(self.source, TriangleSource)
        record, found = self.source.record, self._instances(with_shapes)
        if self._are_other_keys(record.rows, found.keys()):
            return True
        rows = [record.rows[key] for key in found]
        numbers = [number for number, _ in found.values()]
        matrices = placement_matrices(self._depsgraph)[numbers]
        if not _same(matrices, record.matrices[rows]).all():
            return True
        digests = [digest for _, digest in found.values()]
        return with_shapes and digests != [record.digests[row] for row in rows]

    def _instances(self, with_shapes: bool) -> dict[Key, tuple[int, bytes]]:
        """Return the numbers and digests of what is instanced, and of what instances."""
        found: dict[Key, tuple[int, bytes]] = {}
        digests: dict[int, bytes] = {}
        watched, wanted = self.source.watched, self.source.wanted
        for number, instance, owner in numbered_placements(self._depsgraph, wanted):
            uid, evaluated = owner.session_uid, instance.object
            if evaluated.type == "MESH" and (instance.is_instance or uid in watched):
                digest = _digest_of(evaluated, digests) if with_shapes else b""
                found[key_of(instance, uid)] = number, digest
        return found

    def _has_other_instance_boxes(self, source: ObjectSource) -> bool:
        found = read_instances(self._depsgraph, source.wanted, source.taken)
        shown = source.watched & found.shown
        items = [item for item in self._objects(shown) if item.type in source.taken]
        is_item = ~np.isnan(self._boxes_now(items)).any(axis=0)
        own = [(item.session_uid,) for item, flag in zip(items, is_item, strict=True) if flag]
        rows = source.rows
        if self._are_other_keys(rows.keys(), {*own, *found.keys}):
            return True
        known = self._boxes[:, [rows[key] for key in found.keys]]
        return not np.array_equal(found.boxes, known)

    def _are_other_keys(self, before: Iterable[Key], now: Set[Key]) -> bool:
        """Tell whether instances came or went; not those of an object that is hidden now."""
        watched = self.source.watched
        expected = {key for key in before if len(key) > 1 or key[0] in watched}
        if not now <= expected:
            return True
        owners = {key[0] for key in expected - now}
        return any(self._shows(item) for item in self._objects(owners))

    def _objects(self, ids: Set[int]) -> Iterator[bpy.types.Object]:
        if ids:
            yield from (item for item in self._layer.objects if item.session_uid in ids)

    def _shows(self, item: bpy.types.Object) -> bool:
        return item.visible_get(view_layer=self._layer)


def _same(ones: Floats, others: Floats) -> Flags:
    """Tell which numbers are equal, NaN to NaN."""
    same: Flags = (ones == others) | (np.isnan(ones) & np.isnan(others))
    return same


def _address_of(evaluated: bpy.types.Object) -> int:
    assert evaluated.data is not None
    return evaluated.data.as_pointer()


def _digest_of(evaluated: bpy.types.Object, known: dict[int, bytes]) -> bytes:
    """Return the digest of an evaluated mesh, read once while the addresses hold."""
    address = _address_of(evaluated)
    if address not in known:
        with evaluated_mesh(evaluated) as mesh:
            known[address] = mesh_digest(mesh_arrays(mesh))
    return known[address]
