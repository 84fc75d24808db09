"""Scene reads: every mesh and its placements in a depsgraph; meshes again where they changed."""

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

# How often a walk is begun again because the scene has changed meanwhile.
_PATIENCE = 3


class _Known(NamedTuple):
    """The mesh that an object shows, as it was read."""

    mesh: SceneMesh
    face_mesh: int
    origin: int
    is_intact: bool


# The session id of an object, the address of its evaluated mesh, and whether it is instanced. The
# address holds as long as the object has not been evaluated again.
_Address = tuple[int, int, bool]


class _Entry(NamedTuple):
    """One mesh in one place: its number, its owner, and the way back to it."""

    number: int
    owner: int
    address: _Address


class SceneReader:
    """Reads the placements of a scene, and of its meshes those that it does not know."""

    def __init__(self, *, of_original: bool = False) -> None:
        """Read evaluated meshes, as they are shown, or the original ones without modifiers."""
        self._of_original = of_original
        self._known: dict[_Address, _Known] = {}
        self._large: tuple[_Address, ReadMesh, tuple[int, int, bool]] | None = None
        self._by_content: WeakValueDictionary[bytes, SceneMesh] = WeakValueDictionary()

    def doubt(self, changed: set[int] | None) -> None:
        """Doubt the meshes of objects with these session ids; None is all of them."""
        if changed is None:
            self._known.clear()
        else:
            self._known = {key: each for key, each in self._known.items() if key[0] not in changed}

    def steps(
        self, depsgraph_of: Callable[[], bpy.types.Depsgraph], has_changed: Callable[[], bool]
    ) -> Steps[ScenePlacements]:
        """Read step by step; yield the fraction of the unknown meshes that is read.

        The depsgraph is asked for again after each step: between two of them Blender may evaluate
        the scene, or end. `has_changed` tells whether it has done so since the first step.
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
        """Return what is to be read, by the number of the object instance; forget all else."""
        there = {entry.address: self._known.get(entry.address) for entry in entries}
        self._known = {address: known for address, known in there.items() if known}
        numbers = {entry.address: entry.number for entry in entries if not there[entry.address]}
        return {number: address for address, number in numbers.items()}

    def _left(self, missing: dict[int, _Address]) -> dict[int, _Address]:
        """Return what is still to be read of what was missing."""
        known = self._known
        return {number: address for number, address in missing.items() if address not in known}

    def unread_triangles(self, depsgraph: bpy.types.Depsgraph) -> int:
        """Count the triangles of the meshes that are not known; O(placements)."""
        known = {address[1] for address in self._known}
        unread = {
            entry.number: entry.address[1]
            for entry in self._mesh_entries(depsgraph)
            if entry.address[1] not in known
        }
        first = {address: number for number, address in reversed(unread.items())}
        return self._count(depsgraph, first.values()) if first else 0

    def count_triangles(self, depsgraph: bpy.types.Depsgraph, owners: Set[int]) -> int:
        """Count the triangles that these objects show, known or not; O(placements)."""
        entries = self._mesh_entries(depsgraph)
        return self._count(depsgraph, [each.number for each in entries if each.owner in owners])

    def _count(self, depsgraph: bpy.types.Depsgraph, numbers: Collection[int]) -> int:
        """Count the triangles of some object instances, by their numbers."""
        wanted, count = set(numbers), 0
        for number, instance in enumerate(depsgraph.object_instances):
            if number in wanted:
                with self._mesh_of(instance.object) as mesh:
                    count += triangle_count(mesh)
        return count

    def _read(self, depsgraph: bpy.types.Depsgraph, missing: dict[int, _Address]) -> int:
        """Read the meshes of some object instances, by number; at some point stop, and count."""
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
        """Take over the large mesh that was just read, if one was, in steps of its own."""
        if self._large is not None:
            (address, arrays, face_meshes), self._large = self._large, None
            mesh = yield from self._mesh_steps(arrays)
            self._known[address] = _Known(mesh, *face_meshes)

    def _arrays_of(self, evaluated: bpy.types.Object) -> ReadMesh:
        with self._mesh_of(evaluated) as mesh:
            return mesh_arrays(mesh)

    def _mesh_of(self, evaluated: bpy.types.Object) -> AbstractContextManager[bpy.types.Mesh]:
        """Lend the mesh of an object that is shown, of the kind that is read."""
        return original_mesh(evaluated) if self._of_original else evaluated_mesh(evaluated)

    def _mesh_steps(self, arrays: ReadMesh) -> Steps[SceneMesh]:
        """Return the mesh with these triangles, the same one for the same triangles."""
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
        """Return what visible objects show; None if that changed between two steps.

        Without `has_changed` there is one step.
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
        """Yield what visible objects of the view layer show; not what a background scene does."""
        layer = depsgraph.view_layer
        visible = dict.fromkeys(layer_ids(layer).tolist(), None)
        instances = islice(depsgraph.object_instances, start, stop)
        for number, instance in enumerate(instances, start):
            item = instance.object
            # Every attribute counts here: there may be tens of thousands of instances.
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
                    # The depsgraph shows what the eye of a collection hides.
                    visible[uid] = counts_as_scene(owner) and owner.visible_get(view_layer=layer)
                if visible.get(uid):
                    shown = original_of(item) if self._of_original else item.data
                    address = original.session_uid, shown.as_pointer(), is_instanced
                    yield _Entry(number, uid, address)

    def _face_meshes_of(
        self, instance: bpy.types.DepsgraphObjectInstance
    ) -> tuple[int, int, bool]:
        """Return the mesh with faces to select, the mesh shown, and whether it is intact."""
        original = instance.object.original
        if not isinstance(original.data, bpy.types.Mesh):
            return -1, -1, False
        uid, is_intact = original.data.session_uid, True
        # Anything but a modifier only moves vertices.
        if original.modifiers and not self._of_original:
            with evaluated_mesh(instance.object) as mesh:
                is_intact = has_polygons_of(mesh, original.data)
        is_own = is_intact and not instance.is_instance and original.data.library is None
        return (uid if is_own else -1), uid, is_intact
