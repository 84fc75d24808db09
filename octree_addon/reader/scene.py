"""Scene reads: every mesh and its placements in a depsgraph; meshes again where they changed."""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import NamedTuple
from weakref import WeakValueDictionary

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core import Triangles
from ..arrays import Floats, Ids
from ..ui import run
from .boxes import layer_ids
from .meshes import (
    MeshArrays,
    bulk,
    digest_steps,
    evaluated_mesh,
    has_polygons_of,
    mesh_arrays,
    triangle_count,
)
from .source import UNUSED, counts_as_scene

ReadMatrices = NDArray[np.float32]
# What is read in a step, at least: vertices, and objects that show meshes; object instances that
# are walked through, and how often that is begun again because the scene has changed meanwhile.
_VERTICES, _OBJECTS, _WALKED, _PATIENCE = 250_000, 10_000, 8_192, 3
# Columns of keys: the owner's session id, whether it is an instance, the persistent id, and a
# number for what has all of these in common.
_OWNER, _INSTANCE, _PERSISTENT, _REPEATED = 0, 1, slice(2, 10), 10
_COLUMNS = 11


@dataclass(eq=False)
class SceneMesh:
    """The triangles of an evaluated mesh; equal ones are the same object.

    Attributes
    ----------
    triangles : Triangles
        In the mesh's own space.
    polygons : ndarray of int32, shape (t,)
        The polygon that each is a part of.
    digest : bytes
        The same for equal ones, in any session.
    """

    triangles: Triangles
    polygons: NDArray[np.int32]
    digest: bytes

    @cached_property
    def finite_count(self) -> int:
        """How many triangles can be found."""
        return int(self.finite.sum())

    @cached_property
    def finite(self) -> NDArray[np.bool_]:
        """Which triangles have finite coordinates and can be found, (t,)."""
        finite = np.isfinite(self.triangles.vertices).all(axis=1)
        flags: NDArray[np.bool_] = finite[self.triangles.faces].all(axis=1)
        return flags


@dataclass(frozen=True, eq=False)
class ScenePlacements:
    """n placements of meshes that have triangles, as one walk through the depsgraph met them.

    Attributes
    ----------
    keys : ndarray of int32, shape (n, 11)
        What identifies each: the session id of the object, or of the instancer; 1 for an instance,
        else 0; the eight numbers of its persistent id; and 0, or for the next ones of the same
        numbers 1, 2 and so on.
    meshes : tuple of SceneMesh
        The mesh of each.
    face_meshes : ndarray of int64, shape (n,)
        Session id of the original mesh that has the same polygons, -1 if there is none.
    origins : ndarray of int64, shape (n,)
        Session id of the original mesh of the object that is shown, also of an instanced or a
        linked one; -1 if it has none.
    intact : ndarray of bool, shape (n,)
        Whether the polygons are those of that mesh.
    entries : ndarray of intp, shape (n,)
        Where each stands among the object instances of the depsgraph.
    matrices : ndarray of float32, shape (n, 16)
        As Blender stores them, column after column.
    entry_count : int
        How many object instances there are in all.
    visibility : bytes
        What `visibility_of` said of the view layer.
    """

    keys: NDArray[np.int32]
    meshes: tuple[SceneMesh, ...]
    face_meshes: NDArray[np.int64]
    origins: NDArray[np.int64]
    intact: NDArray[np.bool_]
    entries: Ids
    matrices: ReadMatrices
    entry_count: int
    visibility: bytes

    @classmethod
    def none(cls) -> "ScenePlacements":
        """Return no placements."""
        return cls(
            keys=np.empty((0, _COLUMNS), np.int32),
            meshes=(),
            face_meshes=np.empty(0, np.int64),
            origins=np.empty(0, np.int64),
            intact=np.empty(0, np.bool_),
            entries=np.empty(0, np.intp),
            matrices=np.empty((0, 16), np.float32),
            entry_count=0,
            visibility=b"",
        )

    def ordered(self, rows: Ids) -> "ScenePlacements":
        """Return these rows, in this order."""
        return replace(
            self,
            keys=self.keys[rows],
            meshes=tuple(self.meshes[row] for row in rows.tolist()),
            face_meshes=self.face_meshes[rows],
            origins=self.origins[rows],
            intact=self.intact[rows],
            entries=self.entries[rows],
            matrices=self.matrices[rows],
        )

    def moved(self, matrices: ReadMatrices) -> "ScenePlacements":
        """Return the same placements elsewhere."""
        return replace(self, matrices=matrices)

    def polygons_of(self, rows: Ids, triangles: Ids) -> Ids:
        """Return the polygons, (k,), that triangles of the meshes in some rows, (k,), are of."""
        polygons = np.empty(len(rows), np.intp)
        numbers = {mesh: number for number, mesh in enumerate(dict.fromkeys(self.meshes))}
        of_rows = np.array([numbers[mesh] for mesh in self.meshes], np.intp)[rows]
        for mesh, number in numbers.items():
            there = np.flatnonzero(of_rows == number)
            polygons[there] = mesh.polygons[triangles[there]]
        return polygons

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def owners(self) -> NDArray[np.int32]:
        """Session ids of the objects, or of the instancers, (n,)."""
        return self.keys[:, _OWNER]

    @property
    def is_instance(self) -> NDArray[np.bool_]:
        """Which are instances, (n,)."""
        return self.keys[:, _INSTANCE] != 0

    @property
    def persistent_ids(self) -> NDArray[np.int32]:
        """The persistent ids, (n, 8), as Blender has them."""
        return self.keys[:, _PERSISTENT]


class _Known(NamedTuple):
    """What was read of the mesh that an object shows."""

    mesh: SceneMesh
    face_mesh: int
    origin: int
    is_intact: bool


# The session id of an object, the address of its evaluated mesh, and whether it is instanced. The
# address holds as long as the object has not been evaluated again.
_Address = tuple[int, int, bool]


class _Entry(NamedTuple):
    """One mesh in one place: where it stands, whose it is, and what leads to it."""

    number: int
    owner: int
    address: _Address


class SceneReader:
    """Reads the placements of a scene, and of its meshes those that it does not know."""

    def __init__(self) -> None:
        self._known: dict[_Address, _Known] = {}
        self._large: tuple[_Address, MeshArrays, tuple[int, int, bool]] | None = None
        self._by_content: WeakValueDictionary[bytes, SceneMesh] = WeakValueDictionary()

    def forget(self, changed: set[int] | None) -> None:
        """Doubt the meshes of objects with these session ids; None is all of them."""
        if changed is None:
            self._known.clear()
        else:
            self._known = {key: each for key, each in self._known.items() if key[0] not in changed}

    def steps(
        self, depsgraph_of: Callable[[], bpy.types.Depsgraph], has_changed: Callable[[], bool]
    ) -> Generator[float, None, ScenePlacements]:
        """Read step by step; yield the fraction of the unknown meshes that is read.

        The depsgraph is asked for again after each step: between two of them Blender may evaluate
        the scene, or end. `has_changed` tells whether it has done so since the first step.
        """
        read = walks = 0
        while True:
            walks += 1
            is_patient = walks <= _PATIENCE
            entries = yield from _walk_steps(depsgraph_of, has_changed if is_patient else None)
            while entries is not None:
                depsgraph = depsgraph_of()
                if is_patient and has_changed():
                    break
                missing = self._missing(entries)
                done = self._read(depsgraph, missing)
                for _ in self._take_large():
                    if is_patient:
                        yield read / (read + len(missing))
                if done == len(missing):
                    depsgraph = depsgraph_of() if is_patient else depsgraph
                    if is_patient and has_changed():
                        break
                    return self._placements(depsgraph, entries)
                read += done
                yield read / (read + len(missing) - done)
                if not is_patient:
                    break

    def _missing(self, entries: list[_Entry]) -> dict[int, _Address]:
        """Return what is to be read, by the number of the object instance; forget all else."""
        there = {entry.address: self._known.get(entry.address) for entry in entries}
        self._known = {address: known for address, known in there.items() if known}
        numbers = {entry.address: entry.number for entry in entries if not there[entry.address]}
        return {number: address for address, number in numbers.items()}

    def unread_triangles(self, depsgraph: bpy.types.Depsgraph) -> int:
        """Count the triangles of the meshes that are not known; O(placements)."""
        known = {address[1] for address in self._known}
        unread = {
            entry.number: entry.address[1]
            for entry in _mesh_entries(depsgraph)
            if entry.address[1] not in known
        }
        first = {address: number for number, address in reversed(unread.items())}
        wanted, count = set(first.values()), 0
        if not wanted:
            return 0
        for number, instance in enumerate(depsgraph.object_instances):
            if number in wanted:
                with evaluated_mesh(instance.object) as mesh:
                    count += triangle_count(mesh)
        return count

    def _read(self, depsgraph: bpy.types.Depsgraph, missing: dict[int, _Address]) -> int:
        """Read the meshes of some object instances, by number; at some point stop, and count."""
        meshes = {address[1]: known.mesh for address, known in self._known.items()}
        done = vertices = 0
        if not missing:
            return 0
        for number, instance in enumerate(depsgraph.object_instances):
            address = missing.get(number)
            if address is None:
                continue
            if address[1] not in meshes:
                if vertices > _VERTICES:
                    break
                arrays = self._arrays_of(instance.object)
                vertices += len(arrays.positions)
                if len(arrays.positions) > _VERTICES:
                    self._large = address, arrays, _face_meshes_of(instance)
                    return done + 1
                meshes[address[1]] = run(self._mesh_steps(arrays))
            self._known[address] = _Known(meshes[address[1]], *_face_meshes_of(instance))
            done += 1
            if done > _OBJECTS:
                break
        return done

    def _take_large(self) -> Generator[float, None, None]:
        """Take over the large mesh that was just read, if one was, in steps of its own."""
        if self._large is not None:
            (address, arrays, face_meshes), self._large = self._large, None
            mesh = yield from self._mesh_steps(arrays)
            self._known[address] = _Known(mesh, *face_meshes)

    def _arrays_of(self, evaluated: bpy.types.Object) -> MeshArrays:
        with evaluated_mesh(evaluated) as mesh:
            return mesh_arrays(mesh)

    def _mesh_steps(self, arrays: MeshArrays) -> Generator[float, None, SceneMesh]:
        """Return the mesh with these triangles, the same one for the same triangles."""
        yield 0.0
        digest = yield from digest_steps(arrays)
        known = self._by_content.get(digest)
        if known is None:
            triangles = yield from Triangles.steps(arrays.positions, arrays.triangles)
            known = self._by_content[digest] = SceneMesh(triangles, arrays.polygons, digest)
        return known

    def _placements(
        self, depsgraph: bpy.types.Depsgraph, entries: list[_Entry]
    ) -> ScenePlacements:
        known = [self._known[entry.address] for entry in entries]
        filled = [number for number, each in enumerate(known) if len(each.mesh.triangles)]
        placed = [entries[number] for number in filled]
        numbers = np.array([entry.number for entry in placed], np.intp)
        matrices = read_matrices(depsgraph)
        return ScenePlacements(
            keys=_keys(depsgraph, placed, numbers),
            meshes=tuple(known[number].mesh for number in filled),
            face_meshes=np.array([known[number].face_mesh for number in filled], np.int64),
            origins=np.array([known[number].origin for number in filled], np.int64),
            intact=np.array([known[number].is_intact for number in filled], np.bool_),
            entries=numbers,
            matrices=matrices[numbers],
            entry_count=len(matrices),
            visibility=visibility_of(depsgraph.view_layer),
        )


def entry_count(depsgraph: bpy.types.Depsgraph) -> int:
    """Count all object instances of a depsgraph."""
    return len(depsgraph.object_instances)


def read_matrices(depsgraph: bpy.types.Depsgraph) -> ReadMatrices:
    """Return the matrices of all object instances, (e, 16), column after column."""
    instances = depsgraph.object_instances
    return bulk(instances, "matrix_world", 16 * len(instances), np.float32).reshape(-1, 16)


def matrices_of(rows: ReadMatrices) -> Floats:
    """Return matrices (n, 4, 4) of what `read_matrices` has returned; the last row is exact."""
    matrices = rows.astype(np.float64).reshape(-1, 4, 4).swapaxes(1, 2).copy()
    matrices[:, 3] = 0.0, 0.0, 0.0, 1.0
    return matrices


def visibility_of(layer: bpy.types.ViewLayer) -> bytes:
    """Return what tells which objects a view layer has, and which of them are visible."""
    flags = bytes(item.visible_get(view_layer=layer) for item in layer.objects)
    return layer_ids(layer).tobytes() + flags


def _walk_steps(
    depsgraph_of: Callable[[], bpy.types.Depsgraph], has_changed: Callable[[], bool] | None
) -> Generator[float, None, list[_Entry] | None]:
    """Return what visible objects show; None if that changed between two steps.

    Without `has_changed` there is one step.
    """
    depsgraph = depsgraph_of()
    if has_changed is None:
        return list(_mesh_entries(depsgraph))
    entries: list[_Entry] = []
    for start in range(0, len(depsgraph.object_instances), _WALKED):
        if start:
            yield 0.0
            depsgraph = depsgraph_of()
            if has_changed():
                return None
        entries += _mesh_entries(depsgraph, start, start + _WALKED)
    return entries


def _mesh_entries(
    depsgraph: bpy.types.Depsgraph, start: int = 0, stop: int | None = None
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
            uid = owner.session_uid
            if uid in visible and visible[uid] is None:
                # The depsgraph shows what the eye of a collection hides.
                visible[uid] = counts_as_scene(owner) and owner.visible_get(view_layer=layer)
            if visible.get(uid):
                address = original.session_uid, item.data.as_pointer(), is_instanced
                yield _Entry(number, uid, address)


def _face_meshes_of(instance: bpy.types.DepsgraphObjectInstance) -> tuple[int, int, bool]:
    """Return the mesh whose faces can be selected here, the one shown, and if it is intact."""
    original = instance.object.original
    if not isinstance(original.data, bpy.types.Mesh):
        return -1, -1, False
    uid, is_intact = original.data.session_uid, True
    if original.modifiers:  # anything else that acts on a mesh only moves vertices
        with evaluated_mesh(instance.object) as mesh:
            is_intact = has_polygons_of(mesh, original.data)
    is_own = is_intact and not instance.is_instance and original.data.library is None
    return (uid if is_own else -1), uid, is_intact


def _keys(depsgraph: bpy.types.Depsgraph, placed: list[_Entry], numbers: Ids) -> NDArray[np.int32]:
    keys = np.zeros((len(placed), _COLUMNS), np.int32)
    keys[:, _OWNER] = [entry.owner for entry in placed]
    keys[:, _PERSISTENT] = UNUSED
    instanced = np.array([entry.address[2] for entry in placed], np.bool_)
    if instanced.any():
        instances = depsgraph.object_instances
        persistent = bulk(instances, "persistent_id", 8 * len(instances), np.int32)
        keys[instanced, _PERSISTENT] = persistent.reshape(-1, 8)[numbers[instanced]]
        # The mesh of a curve, text, surface or metaball is no true instance.
        itself = keys[:, _OWNER] == [entry.address[0] for entry in placed]
        keys[:, _INSTANCE] = instanced & ~(itself & (keys[:, _PERSISTENT][:, 1] == UNUSED))
    _, same = np.unique(row_bytes(keys), return_inverse=True)
    order = np.argsort(same, kind="stable")
    starts = np.flatnonzero(np.diff(same[order], prepend=-1))
    if len(starts) < len(keys):
        counts = np.diff(np.append(starts, len(keys)))
        keys[order, _REPEATED] = np.arange(len(keys)) - np.repeat(starts, counts)
    return keys


def row_bytes(rows: NDArray[np.int32]) -> NDArray[np.void]:
    """Return each row of numbers as one value that can be compared and sorted, (n,)."""
    return np.ascontiguousarray(rows).view(f"V{4 * rows.shape[1]}")[:, 0]
