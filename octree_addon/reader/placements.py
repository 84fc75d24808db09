"""Placements of a scene as arrays: their keys, meshes and matrices."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core import Steps, Triangles, run
from ..arrays import UNUSED, Flags, Floats, Ids
from .layers import layer_ids, outside_views
from .meshes import DIGEST_BYTES, ReadMesh, bulk, digest_steps

ReadMatrices = NDArray[np.float32]
# Columns of keys: session id of the owner, instance flag, persistent id, and a counter that
# distinguishes placements with equal values in the other columns.
_OWNER, _INSTANCE, _PERSISTENT, _REPEATED = 0, 1, slice(2, 10), 10
_COLUMNS = 11


@dataclass(eq=False)
class SceneMesh:
    """The triangles of an evaluated mesh; equal meshes are the same Python object.

    Attributes
    ----------
    triangles : Triangles
        Triangles in local space.
    polygons : ndarray of int32, shape (t,)
        The polygon that contains each triangle.
    """

    triangles: Triangles
    polygons: NDArray[np.int32]

    @cached_property
    def digest(self) -> bytes:
        """A digest that is equal for equal meshes, also across sessions."""
        return run(digest_steps(self.triangles.vertices, self.triangles.faces, self.polygons))

    @property
    def is_digested(self) -> bool:
        """True if the digest is already computed."""
        return "digest" in vars(self)

    def digesting_steps(self) -> Steps[None]:
        """Compute the digest step by step; yield the fraction done."""
        rows = self.triangles.vertices, self.triangles.faces, self.polygons
        self.digest = yield from digest_steps(*rows)

    def is_made_of(self, arrays: ReadMesh) -> bool:
        """Return whether the mesh equals newly read arrays, bit by bit."""
        positions = self.triangles.vertices.astype(np.float32, "C")
        return (
            np.array_equal(positions.view(np.int32), arrays.positions.view(np.int32))
            and np.array_equal(self.triangles.faces, arrays.triangles)
            and np.array_equal(self.polygons, arrays.polygons)
        )

    @cached_property
    def finite_count(self) -> int:
        """The number of triangles with finite coordinates."""
        return int(self.finite.sum())

    @cached_property
    def reach(self) -> float:
        """The largest absolute coordinate of the triangles; infinity if any is NaN or infinite."""
        used = np.zeros(len(self.triangles.vertices), np.bool_)
        used[self.triangles.faces] = True
        most = np.abs(self.triangles.vertices[used]).max(initial=0.0)
        return float(most) if np.isfinite(most) else float("inf")

    @cached_property
    def box(self) -> Floats:
        """The lower and upper corner of the box of the finite triangles, (2, 3); NaN if none."""
        corners = self.triangles[self.finite].rows.reshape(3, 3, -1)
        if not self.finite_count:
            return np.full((2, 3), np.nan)
        return np.stack((corners.min(axis=(0, 2)), corners.max(axis=(0, 2))))

    @cached_property
    def finite(self) -> NDArray[np.bool_]:
        """Flags of the triangles with finite coordinates, which queries can find, (t,)."""
        finite = np.isfinite(self.triangles.vertices).all(axis=1)
        flags: NDArray[np.bool_] = finite[self.triangles.faces].all(axis=1)
        return flags


class Snapshot(NamedTuple):
    """Keys and states of n placements, to be compared by bits.

    Attributes
    ----------
    keys, states : ndarray of void, shape (n,)
        A key identifies a placement. The state is equal as long as the placement is unchanged.
    """

    keys: NDArray[np.void]
    states: NDArray[np.void]


@dataclass(frozen=True, eq=False)
class PlacedItems:
    """n placements from one walk through the depsgraph; base class.

    Attributes
    ----------
    keys : ndarray of int32, shape (n, 11)
        Key of each placement: session id of the object or of the instancer; 1 for an instance,
        else 0; the eight integers of its persistent id; and a counter 0, 1, 2, ... for placements
        with equal other columns.
    """

    noun: ClassVar[str]

    keys: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def owners(self) -> NDArray[np.int32]:
        """Session ids of the objects, or of the instancers, (n,)."""
        return self.keys[:, _OWNER]

    @property
    def is_instance(self) -> NDArray[np.bool_]:
        """Flags of the placements that are instances, (n,)."""
        return self.keys[:, _INSTANCE] != 0

    @property
    def persistent_ids(self) -> NDArray[np.int32]:
        """The persistent ids of instances, (n, 8), as in Blender."""
        return self.keys[:, _PERSISTENT]

    @property
    def starts(self) -> Ids:
        """The first item of each placement, then the number of all items, (n + 1,)."""
        raise NotImplementedError

    @property
    def has_faces(self) -> NDArray[np.bool_]:
        """Flags of the placements with selectable faces, of the object's own mesh, (n,)."""
        raise NotImplementedError

    @property
    def states(self) -> NDArray[np.int32]:
        """The state of each placement, (n, k), as bits, so that a NaN equals itself."""
        raise NotImplementedError

    def ordered(self, rows: Ids) -> Self:
        """Return the placements in these rows, in this order."""
        raise NotImplementedError

    def snapshot(self, *more: NDArray[Any]) -> Snapshot:
        """Return a snapshot for comparisons; `more`, (n,) each, adds columns to the states."""
        columns = [
            each.view(np.int32).reshape(len(self), each.dtype.itemsize // 4) for each in more
        ]
        states = np.concatenate((self.states, *columns), axis=1)
        return Snapshot(row_bytes(self.keys), row_bytes(states))


@dataclass(frozen=True, eq=False)
class ScenePlacements(PlacedItems):
    """n placements of meshes that have triangles.

    Attributes
    ----------
    meshes : tuple of SceneMesh
        The mesh of each placement.
    face_meshes : ndarray of int64, shape (n,)
        Session id of the local original mesh with the same polygons, for selecting faces; -1 for
        instances and where there is no such mesh.
    origins : ndarray of int64, shape (n,)
        Session id of the original mesh of the shown object, instanced and linked ones included;
        -1 if the object has no original mesh.
    shown : ndarray of int64, shape (n,)
        Session id of the shown object: for an instance the instanced object.
    intact : ndarray of bool, shape (n,)
        True if the mesh has the same polygons as its original in `origins`.
    entries : ndarray of intp, shape (n,)
        Index of each placement in the object instances of the depsgraph.
    matrices : ndarray of float32, shape (n, 16)
        World matrices in column-major order, as in Blender.
    entry_count : int
        Number of all object instances of the depsgraph.
    visibility : bytes
        Result of `visibility_of` for the view layer.
    """

    noun = "triangle"

    meshes: tuple[SceneMesh, ...]
    face_meshes: NDArray[np.int64]
    origins: NDArray[np.int64]
    shown: NDArray[np.int64]
    intact: NDArray[np.bool_]
    entries: Ids
    matrices: ReadMatrices
    entry_count: int
    visibility: bytes

    @classmethod
    def none(cls) -> "ScenePlacements":
        """Return an empty instance."""
        return cls(
            keys=np.empty((0, _COLUMNS), np.int32),
            meshes=(),
            face_meshes=np.empty(0, np.int64),
            origins=np.empty(0, np.int64),
            shown=np.empty(0, np.int64),
            intact=np.empty(0, np.bool_),
            entries=np.empty(0, np.intp),
            matrices=np.empty((0, 16), np.float32),
            entry_count=0,
            visibility=b"",
        )

    def ordered(self, rows: Ids) -> "ScenePlacements":
        """Return the placements in these rows, in this order."""
        return replace(
            self,
            keys=self.keys[rows],
            meshes=tuple(self.meshes[row] for row in rows.tolist()),
            face_meshes=self.face_meshes[rows],
            origins=self.origins[rows],
            shown=self.shown[rows],
            intact=self.intact[rows],
            entries=self.entries[rows],
            matrices=self.matrices[rows],
        )

    def moved(self, matrices: ReadMatrices) -> "ScenePlacements":
        """Return the same placements with other matrices."""
        return replace(self, matrices=matrices)

    def polygons_of(self, rows: Ids, triangles: Ids) -> Ids:
        """Return the polygon of each triangle, (k,), of the mesh in the same entry of `rows`."""
        polygons = np.empty(len(rows), np.intp)
        numbers = {mesh: number for number, mesh in enumerate(dict.fromkeys(self.meshes))}
        of_rows = np.array([numbers[mesh] for mesh in self.meshes], np.intp)[rows]
        for mesh, number in numbers.items():
            there = np.flatnonzero(of_rows == number)
            polygons[there] = mesh.polygons[triangles[there]]
        return polygons

    @cached_property
    def starts(self) -> Ids:
        return np.cumsum([0, *(len(mesh.triangles) for mesh in self.meshes)])

    @property
    def has_faces(self) -> NDArray[np.bool_]:
        return self.face_meshes >= 0

    @property
    def states(self) -> NDArray[np.int32]:
        digests = np.array([mesh.digest for mesh in self.meshes], f"S{DIGEST_BYTES}")
        codes = digests.view(np.int32).reshape(len(self), DIGEST_BYTES // 4)
        return np.concatenate((self.matrices.view(np.int32), codes), axis=1)


def entry_count(depsgraph: bpy.types.Depsgraph) -> int:
    """Count all object instances of a depsgraph."""
    return len(depsgraph.object_instances)


def read_matrices(depsgraph: bpy.types.Depsgraph) -> ReadMatrices:
    """Return the world matrices of all object instances, (e, 16), in column-major order."""
    instances = depsgraph.object_instances
    return bulk(instances, "matrix_world", 16 * len(instances), np.float32).reshape(-1, 16)


def matrices_of(rows: ReadMatrices) -> Floats:
    """Convert rows of `read_matrices` to matrices, (n, 4, 4), with an exact last row."""
    matrices = rows.astype(np.float64).reshape(-1, 4, 4).swapaxes(1, 2).copy()
    matrices[:, 3] = 0.0, 0.0, 0.0, 1.0
    return matrices


def visibility_of(layer: bpy.types.ViewLayer) -> bytes:
    """Return bytes that encode the objects of a view layer and the visibility of each."""
    with outside_views():
        flags = bytes(item.visible_get(view_layer=layer) for item in layer.objects if item)
    return layer_ids(layer).tobytes() + flags


def placement_keys(
    depsgraph: bpy.types.Depsgraph, entries: Ids, owners: Ids, shown: Ids, instanced: Flags
) -> NDArray[np.int32]:
    """Return the keys of n placements, (n, 11).

    `entries` are their indices in the object instances of the depsgraph, `owners` and `shown` the
    session ids of their owners and of the shown objects, and `instanced` the flags of instances.
    """
    keys = np.zeros((len(entries), _COLUMNS), np.int32)
    keys[:, _OWNER] = owners
    keys[:, _PERSISTENT] = UNUSED
    if instanced.any():
        instances = depsgraph.object_instances
        persistent = bulk(instances, "persistent_id", 8 * len(instances), np.int32)
        keys[instanced, _PERSISTENT] = persistent.reshape(-1, 8)[entries[instanced]]
        # Blender lists the mesh of a curve, text, surface or metaball as an instance of itself.
        itself = owners == shown
        keys[:, _INSTANCE] = instanced & ~(itself & (keys[:, _PERSISTENT][:, 1] == UNUSED))
    _, same = np.unique(row_bytes(keys), return_inverse=True)
    order = np.argsort(same, kind="stable")
    starts = np.flatnonzero(np.diff(same[order], prepend=-1))
    if len(starts) < len(keys):
        counts = np.diff(np.append(starts, len(keys)))
        keys[order, _REPEATED] = np.arange(len(keys)) - np.repeat(starts, counts)
    return keys


def row_bytes(rows: NDArray[np.int32]) -> NDArray[np.void]:
    """Return each row of integers as one value that can be compared and sorted, (n,)."""
    return np.ascontiguousarray(rows).view(f"V{4 * rows.shape[1]}")[:, 0]
