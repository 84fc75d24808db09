"""Scene reads: every mesh and its placements in a depsgraph; meshes again where they changed."""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple
from weakref import WeakValueDictionary

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core import Triangles
from ..arrays import Floats, Ids
from .boxes import layer_ids
from .meshes import (
    bulk,
    evaluated_mesh,
    has_polygons_of,
    mesh_arrays,
    mesh_digest,
    triangle_count,
)
from .source import UNUSED, counts_as_scene

ReadMatrices = NDArray[np.float32]
# What is read in a step, at least: vertices, and objects that show meshes.
_VERTICES, _OBJECTS = 1_000_000, 10_000
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
    """

    triangles: Triangles
    polygons: NDArray[np.int32]

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
    """

    keys: NDArray[np.int32]
    meshes: tuple[SceneMesh, ...]
    face_meshes: NDArray[np.int64]
    origins: NDArray[np.int64]
    intact: NDArray[np.bool_]
    entries: Ids
    matrices: ReadMatrices
    entry_count: int

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
        self._by_content: WeakValueDictionary[bytes, SceneMesh] = WeakValueDictionary()

    def forget(self, changed: set[int] | None) -> None:
        """Doubt the meshes of objects with these session ids; None is all of them."""
        if changed is None:
            self._known.clear()
        else:
            self._known = {key: each for key, each in self._known.items() if key[0] not in changed}

    def steps(
        self, depsgraph_of: Callable[[], bpy.types.Depsgraph]
    ) -> Generator[float, None, ScenePlacements]:
        """Read step by step; yield the fraction of the unknown meshes that is read.

        The depsgraph is asked for again after each step: between two of them Blender may evaluate
        the scene, or end.
        """
        read = 0
        while True:
            depsgraph = depsgraph_of()
            entries = list(_mesh_entries(depsgraph))
            there = {entry.address: self._known.get(entry.address) for entry in entries}
            self._known = {address: known for address, known in there.items() if known}
            missing = {
                entry.address: entry.number for entry in entries if not there[entry.address]
            }
            done = self._read(depsgraph, {n: address for address, n in missing.items()})
            if done == len(missing):
                return self._placements(depsgraph, entries)
            read += done
            yield read / (read + len(missing) - done)

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
                meshes[address[1]] = self._mesh_of(instance.object)
                vertices += len(meshes[address[1]].triangles.vertices)
            self._known[address] = _Known(meshes[address[1]], *_face_meshes_of(instance))
            done += 1
            if done > _OBJECTS:
                break
        return done

    def _mesh_of(self, evaluated: bpy.types.Object) -> SceneMesh:
        with evaluated_mesh(evaluated) as mesh:
            arrays = mesh_arrays(mesh)
        digest = mesh_digest(arrays)
        known = self._by_content.get(digest)
        if known is None:
            triangles = Triangles(arrays.positions, arrays.triangles)
            known = self._by_content[digest] = SceneMesh(triangles, arrays.polygons)
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


def _mesh_entries(depsgraph: bpy.types.Depsgraph) -> Iterator[_Entry]:
    """Yield what visible objects of the view layer show; not what a background scene does."""
    layer = depsgraph.view_layer
    visible = dict.fromkeys(layer_ids(layer).tolist(), None)
    for number, instance in enumerate(depsgraph.object_instances):
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
