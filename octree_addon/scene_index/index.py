"""The index of a scene: a `SceneOctree` over all placed meshes, and whose they are.

It is brought up to date before it is asked, at the cost of what has changed: matrices in bulk,
placements again where objects came, went or were shown, meshes again where their geometry changed.
"""

import math
import zlib
from collections.abc import Callable, Generator, Set
from itertools import count
from time import perf_counter
from typing import NamedTuple

import bpy
import numpy as np
from numpy.typing import ArrayLike

from ...core import SceneOctree, between, run
from ..arrays import Flags, Ids
from ..reader import (
    SceneChanges,
    SceneMesh,
    ScenePlacements,
    SceneReader,
    entry_count,
    layer_ids,
    matrices_of,
    read_layer_matrices,
    read_matrices,
    row_bytes,
    visibility_of,
)
from .boxes import SceneBoxes
from .pending import Pending
from .revision import rows_before

IndexSteps = Generator[float, None, None]
# At most this many are placed in a step.
_PLACED = 8192
# The share of catching up that is reading; the rest is placing what was read.
_READING = 0.8
_NOTES = count()


class Placement(NamedTuple):
    """One mesh in one place.

    Attributes
    ----------
    id : int
        What answers of the octree call it.
    name : str
        Of the object or, of an instance, of the object that instances it; empty if it is gone.
    session_uid : int
        Blender's number of that object.
    persistent_id : tuple of int
        What tells instances of one object apart; empty for an object itself.
    mesh : int
        What the octree calls its mesh: the same for equal meshes.
    """

    id: int
    name: str
    session_uid: int
    persistent_id: tuple[int, ...]
    mesh: int


class SceneIndex:
    """All placed meshes of a view layer, with the way back to Blender.

    Holds numbers and copies, no reference into Blender. Its placements are the visible objects
    that have faces, modifiers applied, and all visible instances: linked data, collections,
    geometry nodes, particles.

    Parameters
    ----------
    depsgraph_of : callable
        Returns the evaluated depsgraph to read.
    of_original : bool, optional
        Read original meshes, without modifiers and what these instance.

    Attributes
    ----------
    octree : SceneOctree
        Takes every question of the core.
    placements : ScenePlacements
        Whose the octree's placements are, in the order of `octree.ids`.
    revision : int
        A number that grows whenever the placements become other ones: they are frozen, and
        `changed` tells two of them apart.
    boxes : SceneBoxes
        All visible objects, with faces or without, and all instances, each as a box.
    noted : int
        A number of its own for each time that anything was noted that may have changed the scene.
    noted_at : float
        When that was last, by `perf_counter`.
    """

    def __init__(
        self, depsgraph_of: Callable[[], bpy.types.Depsgraph], *, of_original: bool = False
    ) -> None:
        self.octree = SceneOctree()
        self.placements = ScenePlacements.none()
        self.boxes = SceneBoxes(depsgraph_of)
        self.pending = Pending(all=True)
        self.revision = 0
        self.noted = next(_NOTES)
        self.noted_at = -math.inf
        self._depsgraph_of = depsgraph_of
        self._reader = SceneReader(of_original=of_original)
        self._numbers: dict[SceneMesh, int] = {}
        self._mesh_of: Ids = np.empty(0, np.intp)
        self._layer_places: Ids | None = None
        self._entry_count = 0
        # The meshes that were read last, and a checksum (CRC) of them.
        self._mesh_code: tuple[tuple[SceneMesh, ...], int] | None = None
        # How many are reading, of whom only the one whose turn it is may go on.
        self._readers = self._turn = 0

    def __repr__(self) -> str:
        return f"SceneIndex(placements={len(self.octree)}, meshes={len(self._numbers)})"

    def __len__(self) -> int:
        return len(self.octree)

    def note(self, changes: SceneChanges | None) -> None:
        """Note what an update of the scene may have changed; None is everything."""
        self.noted, self.noted_at = next(_NOTES), perf_counter()
        self.pending.note(changes)
        self.boxes.pending.note(changes)

    def update(self) -> None:
        """Bring the index up to date with the scene."""
        run(self.update_steps())

    def update_steps(self) -> IndexSteps:
        """Bring the index up to date step by step; yield the fraction done.

        Dropped in the middle, it goes on from there the next time. Octrees of meshes are built
        when a question first needs them, or by `octree.prepare_steps`.
        """
        depsgraph = self._depsgraph_of()
        # Whoever begins while another has read half of the scene reads it from the beginning.
        self.pending.regrouped |= self._readers > 0
        self._readers += 1
        self._turn += 1
        turn = self._turn
        try:
            while self.pending:
                pending, self.pending = self.pending, Pending()
                try:
                    for fraction in self._catch_up(pending, depsgraph):
                        yield fraction
                        self._require_turn(turn)
                except BaseException:
                    self.pending.regrouped = True
                    raise
                depsgraph = self._depsgraph_of()
        finally:
            self._readers -= 1

    def _require_turn(self, turn: int) -> None:
        if self._turn != turn:
            raise ValueError("Another question has read the scene meanwhile: ask again")

    def _catch_up(self, pending: Pending, depsgraph: bpy.types.Depsgraph) -> IndexSteps:
        if pending.needs_reading or (pending.reshown and self._shows_others(depsgraph)):
            yield from self._read_again(pending)
        else:
            self._read_matrices(depsgraph)

    def _shows_others(self, depsgraph: bpy.types.Depsgraph) -> bool:
        """Tell whether other objects are visible than those that were read."""
        if self.placements.is_instance.any():  # no list tells which of those are visible
            return True
        return self.placements.visibility != visibility_of(depsgraph.view_layer)

    def end(self) -> None:
        """Refuse to be brought up to date from now on: nobody notes changes any more."""

        def ended() -> bpy.types.Depsgraph:
            raise ValueError("This index has ended, with its view layer, its file or the add-on")

        self._depsgraph_of, self.pending = ended, Pending(all=True)
        self.boxes = SceneBoxes(ended)
        self.noted = next(_NOTES)

    def unread_triangles(self) -> int:
        """Count the triangles of the meshes that the next update has to read; O(placements)."""
        pending = self.pending
        if not pending.needs_reading:
            if not (pending.reshown and self._shows_others(self._depsgraph_of())):
                return 0
        self._reader.forget(None if self.pending.all else self.pending.reshaped)
        return self._reader.unread_triangles(self._depsgraph_of())

    def count_triangles(self, owners: Set[int]) -> int:
        """Count the triangles that objects with these session ids show; O(placements)."""
        return self._reader.count_triangles(self._depsgraph_of(), owners)

    @property
    def is_read(self) -> bool:
        """Whether no mesh has to be read for the next update."""
        return not self.pending.needs_reading

    @property
    def is_being_read(self) -> bool:
        """Whether somebody is reading, whom another reader would disturb."""
        return self._readers > 0

    def fingerprint(self) -> str:
        """Return what is the same for the same visible scene: now, after an undo, after a reload.

        It depends on where objects and instances stand and on the triangles of evaluated meshes,
        as the last update read them; not on names, selection or materials. O(placements).
        """
        meshes, entries = self.placements.meshes, self.placements.entries
        if self._mesh_code is None or self._mesh_code[0] is not meshes:
            digests = (meshes[row].digest for row in np.argsort(entries).tolist())
            self._mesh_code = meshes, zlib.crc32(b"".join(digests))
        matrices = read_matrices(self._depsgraph_of())
        return f"{zlib.crc32(matrices.tobytes(), self._mesh_code[1]):08x}"

    def polygons_of(self, placements: ArrayLike, triangles: ArrayLike) -> Ids:
        """Return the polygon of the evaluated mesh that each triangle is a part of.

        Parameters
        ----------
        placements, triangles : array_like of int, shape (k,)
            As answers of the octree name them.

        Returns
        -------
        ndarray of intp, shape (k,)
            Those of `object.evaluated_get(depsgraph).data.polygons`; of the mesh itself if no
            modifier changes its faces.
        """
        rows, wanted = self.rows_of(placements), np.asarray(triangles, np.intp)
        return self.placements.polygons_of(rows, wanted)

    def rows_of(self, placements: ArrayLike) -> Ids:
        """Return where placements stand in `octree.ids`; an unknown one is a `ValueError`."""
        self.octree.meshes_of(placements)  # which refuses what it does not know
        return np.searchsorted(self.octree.ids, np.asarray(placements, np.intp))

    def objects_of(self, placements: ArrayLike) -> list[bpy.types.Object | None]:
        """Return the object of each placement, of an instance the one that instances it.

        None for an object that is gone. Do not keep them: an undo makes others.
        """
        objects = {item.session_uid: item for item in self._depsgraph_of().scene.objects}
        uids = self.placements.owners[self.rows_of(placements)].tolist()
        originals = {uid: item.original for uid, item in objects.items()}
        return [originals.get(uid) for uid in uids]

    def table(self, placements: ArrayLike | None = None) -> list[Placement]:
        """Return what is known of placements, by default of all, in the order of their ids."""
        ids = self.octree.ids if placements is None else np.asarray(placements, np.intp)
        rows, items = self.rows_of(ids), self.objects_of(ids)
        persistent = self.placements.persistent_ids[rows].tolist()
        instanced = self.placements.is_instance[rows].tolist()
        uids, meshes = self.placements.owners[rows].tolist(), self.octree.meshes_of(ids).tolist()
        return [
            Placement(
                number,
                items[place].name if items[place] else "",
                uids[place],
                tuple(persistent[place]) if instanced[place] else (),
                meshes[place],
            )
            for place, number in enumerate(ids.tolist())
        ]

    def _read_matrices(self, depsgraph: bpy.types.Depsgraph) -> None:
        """Move what has moved, of the same placements as before."""
        if self._layer_places is not None:
            rows = read_layer_matrices(depsgraph.view_layer)[self._layer_places]
        elif entry_count(depsgraph) != self._entry_count:
            self.pending.regrouped = True
            return
        else:
            rows = read_matrices(depsgraph)[self.placements.entries]
        # As bits: what is not a number is the same as before, too.
        old = self.placements.matrices.view(np.int32)
        moved = np.flatnonzero((rows.view(np.int32) != old).any(axis=1))
        if len(moved):
            self.octree.move(self.octree.ids[moved], matrices_of(rows[moved]))
            self.placements = self.placements.moved(rows)
            self.revision += 1

    def _read_again(self, pending: Pending) -> IndexSteps:
        """Read the placements, and the meshes that may have changed, and take them over."""
        self._reader.forget(None if pending.all else pending.reshaped)
        reading = self._reader.steps(self._depsgraph_of, lambda: bool(self.pending))
        found: ScenePlacements = yield from between(0.0, _READING, reading)
        yield _READING
        yield from self._take(found)
        depsgraph = self._depsgraph_of()
        self._entry_count = found.entry_count
        self._layer_places = _places_in_layer(depsgraph.view_layer, self.placements)

    def _take(self, found: ScenePlacements) -> IndexSteps:
        """Let the octree hold what was found, at the cost of what is another."""
        self._replace_meshes(found)
        numbers = np.array([self._number_of(mesh) for mesh in found.meshes], np.intp)
        old, before = self.placements, self._rows_before(found)
        stays = before >= 0
        stays[stays] = self._mesh_of[before[stays]] == numbers[stays]
        gone = np.ones(len(old), np.bool_)
        gone[before[stays]] = False
        ids = self.octree.ids
        same = found.matrices[stays].view(np.int32) == old.matrices[before[stays]].view(np.int32)
        moved = np.flatnonzero(stays)[~same.all(axis=1)]
        self.octree.move(ids[before[moved]], matrices_of(found.matrices[moved]))
        self.octree.remove(ids[gone])
        kept, new = np.flatnonzero(stays), np.flatnonzero(~stays)
        is_other = bool(len(moved) or len(new) or gone.any())
        order = np.concatenate((kept[np.argsort(before[kept])], new))
        # What is placed is known at each step: whoever drops them goes on from there.
        for stop in range(len(kept), len(order) + _PLACED, _PLACED):
            there = order[: min(stop, len(order))]
            some = there[len(self.octree) :]
            self.octree.place(numbers[some], matrices_of(found.matrices[some]))
            self.placements, self._mesh_of = found.ordered(there), numbers[there]
            self.revision += is_other
            yield _READING + (1 - _READING) * len(there) / max(len(order), 1)
        self._remove_unused_meshes()

    def _rows_before(self, found: ScenePlacements) -> Ids:
        """Return which of the present rows each of the placements found is, or -1."""
        return rows_before(row_bytes(self.placements.keys), row_bytes(found.keys))

    def _replace_meshes(self, found: ScenePlacements) -> None:
        """Let meshes that changed wherever they stand be other ones: their placements stay."""
        known = set(found.meshes)
        gone = {number: mesh for mesh, number in self._numbers.items() if mesh not in known}
        if not gone:
            return
        self.revision += 1
        before = self._rows_before(found)
        successors: dict[int, set[SceneMesh]] = {number: set() for number in gone}
        for row, mesh in zip(before.tolist(), found.meshes, strict=True):
            number = int(self._mesh_of[row]) if row >= 0 else -1
            if number in successors:
                successors[number].add(mesh)
        for number, meshes in successors.items():
            if len(meshes) == 1 and not self._numbers.keys() & meshes:
                (mesh,) = meshes
                self.octree.replace_mesh(number, mesh.triangles)
                del self._numbers[gone[number]]
                self._numbers[mesh] = number

    def _number_of(self, mesh: SceneMesh) -> int:
        if mesh not in self._numbers:
            self._numbers[mesh] = self.octree.add_mesh(mesh.triangles)
        return self._numbers[mesh]

    def _remove_unused_meshes(self) -> None:
        used = set(self._mesh_of.tolist())
        for mesh, number in list(self._numbers.items()):
            if number not in used:
                self.octree.remove_mesh(number)
                del self._numbers[mesh]


def _places_in_layer(layer: bpy.types.ViewLayer, placements: ScenePlacements) -> Ids | None:
    """Return where the objects stand in the layer; None unless all are themselves in it."""
    if placements.is_instance.any():
        return None
    ids = layer_ids(layer)
    if not len(ids):  # the last ones were deleted while they were read
        return None
    order = np.argsort(ids)
    places = order[np.minimum(np.searchsorted(ids[order], placements.owners), len(ids) - 1)]
    is_there: Flags = ids[places] == placements.owners
    return places if is_there.all() else None
