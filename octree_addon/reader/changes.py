"""Change detection by content: whether what a tree was read from is still the same.

An update of the scene names data-blocks that may have changed; that costs next to nothing and is
often wrong: so does a change of mode, or an undo. They are in doubt from then on. Matrices, boxes
and digests of meshes are compared when someone needs to know, only those in doubt.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Set
from itertools import islice
from time import perf_counter
from typing import Any, NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

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

# With more updates than this they are not looked at one by one: everything is in doubt.
_MOST_UPDATES = 256
# Objects looked at closely at a time.
_MOST_AT_ONCE = 1024


class Changes(NamedTuple):
    """What an update of the scene may have changed.

    Attributes
    ----------
    moved, reshaped : frozenset of int, optional
        Session ids of the data-blocks; None is all of them.
    regrouped : bool
        Whether collections may have gained or lost objects.
    reshown : bool
        Whether objects may have been shown or hidden.
    """

    moved: frozenset[int] | None
    reshaped: frozenset[int] | None
    regrouped: bool
    reshown: bool


EVERYTHING = Changes(None, None, True, True)


def changes_of(depsgraph: bpy.types.Depsgraph) -> Changes:
    """Return what the last update of a depsgraph names; cheap, whatever it was."""
    updates = list(islice(depsgraph.updates, _MOST_UPDATES + 1))
    if len(updates) > _MOST_UPDATES:
        moved, reshaped = (
            None if update_flags(depsgraph, f"is_updated_{kind}").any() else frozenset[int]()
            for kind in ("transform", "geometry")
        )
        return Changes(moved, reshaped, True, True)
    return Changes(
        frozenset(_id_of(each) for each in updates if each.is_updated_transform),
        frozenset(_id_of(each) for each in updates if each.is_updated_geometry),
        any(_is_flagged(each) and isinstance(each.id, bpy.types.Collection) for each in updates),
        any(isinstance(each.id, bpy.types.Scene) for each in updates[:1]),
    )


def _id_of(update: bpy.types.DepsgraphUpdate) -> int:
    return update.id.original.session_uid


def _is_flagged(update: bpy.types.DepsgraphUpdate) -> bool:
    return update.is_updated_transform or update.is_updated_geometry


def update_flags(depsgraph: bpy.types.Depsgraph, name: str) -> NDArray[np.bool_]:
    """Return one flag of all updates."""
    updates: Any = depsgraph.updates
    flags = np.empty(len(updates), np.bool_)
    updates.foreach_get(name, flags)
    return flags


class Comparison:
    """What of a source is in doubt, and what of it is known to differ from the scene.

    Objects that are hidden now count as unchanged until they are seen again.

    Attributes
    ----------
    differs : bool
        What was found when all was settled last.
    is_total : bool
        Whether everything is in doubt.
    doubted_at : float
        When anything was put in doubt last, by `perf_counter`.
    """

    def __init__(self) -> None:
        self.differs = self.is_total = False
        self.doubted_at = -math.inf
        # In doubt: session ids of objects; parts of the whole; and the meshes of instances.
        self._moved: set[int] = set()
        self._reshaped: set[int] = set()
        self._closer: set[int] = set()  # items whose boxes are not what the last look expected
        self._parts: set[str] = set()
        self._instance_shapes = False
        # Known to differ, seen or hidden; hidden, and not looked at.
        self._displaced: set[int] = set()
        self._deformed: set[int] = set()
        self._different: set[str] = set()
        self._unseen: set[int] = set()
        # Of meshes by their addresses, which hold until the next update.
        self._digests: dict[int, bytes] = {}

    @property
    def is_settled(self) -> bool:
        """Whether it is known if the source differs."""
        in_doubt = self._moved or self._reshaped or self._closer or self._parts
        return not in_doubt or bool(self._different - self._parts)

    def copy(self) -> "Comparison":
        """Return another one that knows and doubts the same."""
        other = Comparison()
        for name, value in vars(self).items():
            setattr(other, name, value.copy() if isinstance(value, set | dict) else value)
        return other

    def decree(self, differs: bool) -> None:
        """Know, without a look, that the source differs or that it does not."""
        self.__init__()  # type: ignore[misc]
        self.differs = differs
        self._different = {"DECREE"} if differs else set()

    def doubt(self, source: Source, changes: Changes) -> None:
        """Note what an update may have changed of a source."""
        self.doubted_at = perf_counter()
        self._digests = {}
        if self.is_total:
            return
        self.is_total = changes is EVERYTHING
        moved, reshaped = (_common(source.wanted, ids) for ids in changes[:2])
        self._moved |= moved
        self._reshaped |= reshaped
        if changes.reshown:
            self._reshaped |= self._unseen
            self._unseen = set()
        if (changes.reshown or moved or reshaped) and (self._displaced or self._deformed):
            self._parts.add("OBJECTS")
        if changes.regrouped:
            self._parts.add("PRESENCE")
        self._doubt_instances(source, changes)
        if source.bounds_object and any(_common({source.bounds_object[0]}, changes.moved)):
            self._parts.add("BOUNDS")

    def _doubt_instances(self, source: Source, changes: Changes) -> None:
        reshaped = _common(source.watched, changes.reshaped)
        if reshaped or (source.watched and changes.regrouped):
            self._instance_shapes = True
            self._parts.add("INSTANCES")
        elif _common(source.watched, changes.moved):
            self._parts.add("INSTANCES")

    def settle(
        self,
        source: Source,
        boxes: Floats,
        layer: bpy.types.ViewLayer,
        deadline: float,
    ) -> bool:
        """Compare what is in doubt until the time is up; tell whether all is settled.

        `boxes`, (6, n), are those of the items if they are objects.
        """
        scene = _SceneNow(source, boxes, layer)
        while not self.is_settled:
            self._settle_part(scene, deadline)
            if perf_counter() > deadline:
                break
        if self.is_settled:
            self.differs = bool(self._different)
        return self.is_settled

    def _settle_part(self, scene: "_SceneNow", deadline: float) -> None:
        """Settle one part, the cheapest first."""
        self.is_total = False
        simple = [part for part in ("PRESENCE", "BOUNDS") if part in self._parts]
        if simple:
            self._settle_whole(simple[0], scene)
        elif self._moved:
            self._settle_moved(scene)
        elif "OBJECTS" in self._parts:
            self._settle_whole("OBJECTS", scene)
        elif self._reshaped or self._closer:
            self._settle_reshaped(scene, deadline)
        else:
            self._settle_whole("INSTANCES", scene)
            self._instance_shapes = False

    def _settle_whole(self, part: str, scene: "_SceneNow") -> None:
        tests: dict[str, Callable[[], bool]] = {
            "PRESENCE": scene.has_lost_objects,
            "BOUNDS": scene.has_other_bounds,
            "OBJECTS": lambda: scene.shows_any(self._known_to_differ),
            "INSTANCES": lambda: scene.has_other_instances(self._instance_shapes),
        }
        differs = tests[part]()
        self._parts.discard(part)
        self._different.discard(part)
        if differs:
            self._different.add(part)

    @property
    def _known_to_differ(self) -> set[int]:
        return self._displaced | self._deformed - self._reshaped - self._closer

    def _settle_moved(self, scene: "_SceneNow") -> None:
        moved, self._moved = self._moved, set()
        displaced = scene.displaced(moved)
        if scene.holds_objects:  # another box of its own may make up for another matrix
            self._closer = self._closer - moved | displaced | self._deformed & moved
        else:
            self._displaced = self._displaced - moved | displaced
            self._parts.add("OBJECTS")

    def _settle_reshaped(self, scene: "_SceneNow", deadline: float) -> None:
        """Settle as many as there is time for, at least one."""
        ids, had_any = self._reshaped | self._closer, bool(self._deformed)
        settled, deformed = scene.deformed(ids, self._digests, deadline)
        self._reshaped -= settled
        self._closer -= settled
        self._unseen |= scene.unseen
        self._deformed = self._deformed - settled | deformed
        if self._deformed or had_any:
            self._parts.add("OBJECTS")
        if scene.has_new_instancers:
            self._instance_shapes = True
            self._parts.add("INSTANCES")


def _common(ids: Set[int], changed: Set[int] | None) -> Set[int]:
    return ids if changed is None else ids & changed


class _SceneNow:
    """A source beside the scene as it is now; valid while that is not evaluated again."""

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
