"""Scene reader: all placements in a depsgraph, and those meshes that are new or have changed."""

from collections.abc import Callable, Collection, Iterator, Set
from contextlib import AbstractContextManager
from itertools import islice
from typing import NamedTuple
from weakref import WeakValueDictionary

import bpy
import numpy as np

from ...core import Steps, Triangles, run
from .. import tuning
from .layers import layer_ids, outside_views
from .meshes import (
    ReadMesh,
    digest_steps,
    evaluated_mesh,
    has_polygons_of,
    mesh_arrays,
    sample_of,
    triangle_count,
)
from .objects import counts_as_scene
from .original import is_made_by_modifier, original_mesh, original_of
from .placements import (
    SceneMesh,
    ScenePlacements,
    placement_keys,
    read_matrices,
    visibility_of,
)

# Maximum number of interruptible walks; if the scene changes in all of them, the next walk is done
# in one step.
_PATIENCE = 3


class _Known(NamedTuple):
    """The mesh that an object shows, as it was read.

    `face_mesh`, `origin` and `is_intact` become entries of `face_meshes`, `origins` and `intact`
    in `ScenePlacements`.
    """

    mesh: SceneMesh
    face_mesh: int
    origin: int
    is_intact: bool


# The session id of an object, the memory address of its evaluated mesh, and whether the object is
# instanced. The address is valid until the object is evaluated again.
_Address = tuple[int, int, bool]


class _Entry(NamedTuple):
    """One placed mesh: its index among the object instances, its owner, and its mesh address."""

    number: int
    owner: int
    address: _Address


class SceneReader:
    """Reader of the placements of a scene, with a cache of the meshes read so far."""

    def __init__(self, *, of_original: bool = False) -> None:
        """Create a reader of evaluated meshes, or of original meshes without modifiers."""
        self._of_original = of_original
        self._known: dict[_Address, _Known] = {}
        self._large: tuple[_Address, ReadMesh, tuple[int, int, bool]] | None = None
        self._by_content: WeakValueDictionary[bytes, SceneMesh] = WeakValueDictionary()

    def doubt(self, changed: set[int] | None) -> None:
        """Drop the cached meshes of objects with these session ids; None stands for all."""
        if changed is None:
            self._known.clear()
        else:
            self._known = {key: each for key, each in self._known.items() if key[0] not in changed}

    def steps(
        self, depsgraph_of: Callable[[], bpy.types.Depsgraph], has_changed: Callable[[], bool]
    ) -> Steps[ScenePlacements]:
        """Read the placements step by step; yield the fraction done of the meshes to read.

        `depsgraph_of` is called again after each yield, since Blender may evaluate the scene or
        free it meanwhile. `has_changed` returns whether the scene has changed since the first
        step.
        """
        read = walks = 0
        while True:
            walks += 1
            is_patient = walks <= _PATIENCE
            entries = yield from self._walk_steps(
                depsgraph_of, has_changed if is_patient else None
            )
            missing = {} if entries is None else self._missing(entries)
            while entries is not None:
                depsgraph = depsgraph_of()
                if is_patient and has_changed():
                    break
                if not missing:
                    return self._placements(depsgraph, entries)
                read += self._read(depsgraph, missing)
                for _ in self._take_large():
                    if is_patient:
                        yield read / (read + len(missing))
                missing = self._left(missing)
                if is_patient or missing:
                    yield read / (read + len(missing))
                if missing and not is_patient:
                    break

    def _missing(self, entries: list[_Entry]) -> dict[int, _Address]:
        """Return the addresses of meshes to read, by index of the object instance.

        Cached meshes that no entry refers to are dropped.
        """
        there = {entry.address: self._known.get(entry.address) for entry in entries}
        self._known = {address: known for address, known in there.items() if known}
        numbers = {entry.address: entry.number for entry in entries if not there[entry.address]}
        return {number: address for address, number in numbers.items()}

    def _left(self, missing: dict[int, _Address]) -> dict[int, _Address]:
        """Return the part of `missing` that is still to be read."""
        known = self._known
        return {number: address for number, address in missing.items() if address not in known}

    def unread_triangles(self, depsgraph: bpy.types.Depsgraph) -> int:
        """Count the triangles of meshes that are not in the cache; O(placements)."""
        known = {address[1] for address in self._known}
        unread = {
            entry.number: entry.address[1]
            for entry in self._mesh_entries(depsgraph)
            if entry.address[1] not in known
        }
        first = {address: number for number, address in reversed(unread.items())}
        return self._count(depsgraph, first.values()) if first else 0

    def count_triangles(self, depsgraph: bpy.types.Depsgraph, owners: Set[int]) -> int:
        """Count the triangles of all placements of these owners; O(placements)."""
        entries = self._mesh_entries(depsgraph)
        return self._count(depsgraph, [each.number for each in entries if each.owner in owners])

    def _count(self, depsgraph: bpy.types.Depsgraph, numbers: Collection[int]) -> int:
        """Count the triangles of some object instances, given by index."""
        wanted, count = set(numbers), 0
        for number, instance in enumerate(depsgraph.object_instances):
            if number in wanted:
                with self._mesh_of(instance.object) as mesh:
                    count += triangle_count(mesh)
        return count

    def _read(self, depsgraph: bpy.types.Depsgraph, missing: dict[int, _Address]) -> int:
        """Read meshes of object instances up to the limits of one step.

        Returns the number of entries of `missing` that were read.
        """
        meshes = {address[1]: known.mesh for address, known in self._known.items()}
        done, vertices, few, used = 0, 0, 0, tuning.current
        first = min(missing)
        for number, instance in enumerate(islice(depsgraph.object_instances, first, None), first):
            address = missing.get(number)
            if address is None:
                continue
            if address[1] not in meshes:
                if vertices > used.vertices_read or few >= used.meshes_read:
                    break
                few += 1
                arrays = self._arrays_of(instance.object)
                vertices += len(arrays.positions)
                if len(arrays.positions) > used.vertices_read:
                    self._large = address, arrays, self._face_meshes_of(instance)
                    return done + 1
                meshes[address[1]] = run(self._mesh_steps(arrays))
            self._known[address] = _Known(meshes[address[1]], *self._face_meshes_of(instance))
            done += 1
            if done > used.objects_read:
                break
        return done

    def _take_large(self) -> Steps[None]:
        """Add the large mesh that `_read` has copied, if any, to the cache, in several steps."""
        if self._large is not None:
            (address, arrays, face_meshes), self._large = self._large, None
            mesh = yield from self._mesh_steps(arrays)
            self._known[address] = _Known(mesh, *face_meshes)

    def _arrays_of(self, evaluated: bpy.types.Object) -> ReadMesh:
        with self._mesh_of(evaluated) as mesh:
            return mesh_arrays(mesh)

    def _mesh_of(self, evaluated: bpy.types.Object) -> AbstractContextManager[bpy.types.Mesh]:
        """Provide the evaluated or the original mesh of an object, whichever is read."""
        return original_mesh(evaluated) if self._of_original else evaluated_mesh(evaluated)

    def _mesh_steps(self, arrays: ReadMesh) -> Steps[SceneMesh]:
        """Return the mesh with these triangles, the same instance for equal triangles."""
        yield 0.0
        key = sample_of(arrays)
        known = self._by_content.get(key)
        if known is not None and not known.is_made_of(arrays):
            key = yield from digest_steps(*arrays)
            known = self._by_content.get(key)
        if known is None:
            triangles = yield from Triangles.steps(arrays.positions, arrays.triangles)
            known = self._by_content[key] = SceneMesh(triangles, arrays.polygons)
        return known

    def _placements(
        self, depsgraph: bpy.types.Depsgraph, entries: list[_Entry]
    ) -> ScenePlacements:
        known = [self._known[entry.address] for entry in entries]
        filled = [number for number, each in enumerate(known) if len(each.mesh.triangles)]
        placed = [entries[number] for number in filled]
        numbers = np.array([entry.number for entry in placed], np.intp)
        shown = np.array([entry.address[0] for entry in placed], np.int64)
        matrices = read_matrices(depsgraph)
        return ScenePlacements(
            keys=placement_keys(
                depsgraph,
                numbers,
                owners=np.array([entry.owner for entry in placed], np.intp),
                shown=shown,
                instanced=np.array([entry.address[2] for entry in placed], np.bool_),
            ),
            meshes=tuple(known[number].mesh for number in filled),
            face_meshes=np.array([known[number].face_mesh for number in filled], np.int64),
            origins=np.array([known[number].origin for number in filled], np.int64),
            shown=shown,
            intact=np.array([known[number].is_intact for number in filled], np.bool_),
            entries=numbers,
            matrices=matrices[numbers],
            entry_count=len(matrices),
            visibility=visibility_of(depsgraph.view_layer),
        )

    def _walk_steps(
        self,
        depsgraph_of: Callable[[], bpy.types.Depsgraph],
        has_changed: Callable[[], bool] | None,
    ) -> Steps[list[_Entry] | None]:
        """Return the meshes of visible objects; None if the scene changed between two steps.

        Without `has_changed`, the walk is done in one step.
        """
        depsgraph = depsgraph_of()
        if has_changed is None:
            with outside_views():
                return list(self._mesh_entries(depsgraph))
        entries: list[_Entry] = []
        most = tuning.current.instances_walked
        for start in range(0, len(depsgraph.object_instances), most):
            if start:
                yield 0.0
                depsgraph = depsgraph_of()
                if has_changed():
                    return None
            with outside_views():
                entries += self._mesh_entries(depsgraph, start, start + most)
        return entries

    def _mesh_entries(
        self, depsgraph: bpy.types.Depsgraph, start: int = 0, stop: int | None = None
    ) -> Iterator[_Entry]:
        """Yield the meshes of visible objects of the view layer, without a background scene."""
        layer = depsgraph.view_layer
        visible = dict.fromkeys(layer_ids(layer).tolist(), None)
        instances = islice(depsgraph.object_instances, start, stop)
        for number, instance in enumerate(instances, start):
            item = instance.object
            # Hot loop over possibly tens of thousands of instances: avoid attribute accesses.
            if item.type == "MESH" and instance.show_self:
                owner = original = item.original
                is_instanced = instance.is_instance
                if is_instanced:
                    if not counts_as_scene(original):
                        continue
                    owner = instance.parent.original
                    if self._of_original and is_made_by_modifier(original, owner):
                        continue
                uid = owner.session_uid
                if uid in visible and visible[uid] is None:
                    # The depsgraph includes objects hidden by the eye icon of a collection.
                    visible[uid] = counts_as_scene(owner) and owner.visible_get(view_layer=layer)
                if visible.get(uid):
                    shown = original_of(item) if self._of_original else item.data
                    address = original.session_uid, shown.as_pointer(), is_instanced
                    yield _Entry(number, uid, address)

    def _face_meshes_of(
        self, instance: bpy.types.DepsgraphObjectInstance
    ) -> tuple[int, int, bool]:
        """Return the session ids of the mesh with selectable faces and of the original mesh.

        They are -1 if there is no such mesh. The last value is whether the shown mesh has the
        polygons of the original one.
        """
        original = instance.object.original
        if not isinstance(original.data, bpy.types.Mesh):
            return -1, -1, False
        uid, is_intact = original.data.session_uid, True
        # Only modifiers can change polygons; shape keys and the like only move vertices.
        if original.modifiers and not self._of_original:
            with evaluated_mesh(instance.object) as mesh:
                is_intact = has_polygons_of(mesh, original.data)
        is_own = is_intact and not instance.is_instance and original.data.library is None
        return (uid if is_own else -1), uid, is_intact
