"""The index of a scene: all placed meshes, their objects, and a `SceneOctree` over them.

It is brought up to date before it is asked, at the cost of what has changed: matrices in bulk,
placements again where objects came, went or were shown, meshes again where their geometry changed.
The octree follows when it is first asked for.
"""

import zlib
from collections.abc import Callable, Set
from functools import cached_property
from typing import NamedTuple

import bpy
import numpy as np
from numpy.typing import ArrayLike

from ...core import SceneOctree, Steps, run
from .. import tuning
from ..arrays import Flags, Ids
from ..reader import (
    SceneChanges,
    SceneMesh,
    ScenePlacements,
    SceneReader,
    entry_count,
    layer_ids,
    read_layer_matrices,
    read_matrices,
    visibility_of,
)
from ..ui import ChangedMeanwhileError
from .boxes import SceneBoxes
from .pending import Pending
from .placed_octree import PlacedOctree

IndexSteps = Steps[None]
# Rows of a mesh that take as long as all else about its digest.
_DIGESTED = 256


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
    shown : ScenePlacements
        The placements that the last update has found, in the order of the depsgraph. They are
        frozen, and `changed` tells two of them apart.
    boxes : SceneBoxes
        All visible objects, with faces or without, and all instances, each as a box.
    """

    def __init__(
        self, depsgraph_of: Callable[[], bpy.types.Depsgraph], *, of_original: bool = False
    ) -> None:
        self.shown = ScenePlacements.none()
        self.boxes = SceneBoxes(depsgraph_of)
        self.pending = Pending(all=True)
        self._depsgraph_of = depsgraph_of
        self._reader = SceneReader(of_original=of_original)
        self._layer_places: Ids | None = None
        # The meshes that were read last, and a checksum (CRC) of them.
        self._mesh_code: tuple[tuple[SceneMesh, ...], int] | None = None
        # How many readers there are, and which of them may go on.
        self._readers = self._turn = 0

    def __repr__(self) -> str:
        return f"SceneIndex(placements={len(self)}, meshes={len(set(self.shown.meshes))})"

    def __len__(self) -> int:
        return len(self.shown)

    @property
    def octree(self) -> SceneOctree:
        """The octree of what is shown; it takes every question of the core."""
        return self._followed().octree

    @property
    def placements(self) -> ScenePlacements:
        """Whose the octree's placements are, in the order of `octree.ids`."""
        return self._followed().placements

    @property
    def revision(self) -> int:
        """A number that grows whenever the octree becomes another one."""
        return self._followed().revision

    def is_placed_at(self, revision: int) -> bool:
        """Tell whether the octree of a revision is that of what was read last, at no cost."""
        return self._placed.revision == revision and self._placed.has_followed(self.shown)

    @cached_property
    def _placed(self) -> PlacedOctree:
        return PlacedOctree()

    def _followed(self) -> PlacedOctree:
        run(self._placed.follow_steps(self.shown))
        return self._placed

    def note(self, changes: SceneChanges | None) -> None:
        """Note what an update of the scene may have changed; None is everything."""
        self.pending.note(changes)
        self.boxes.pending.note(changes)

    def update(self) -> None:
        """Bring the index and its octree up to date with the scene."""
        run(self.update_steps())
        self._followed()

    def update_steps(self) -> IndexSteps:
        """Bring the index up to date step by step; yield the fraction done.

        Dropped in the middle, it goes on from there the next time. The octree follows when it is
        first asked for, or by `place_steps`.
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

    def place_steps(self) -> IndexSteps:
        """Let the octree follow step by step; yield the fraction done.

        Meshes are indexed when a question first needs them, or by `octree.prepare_steps`.
        """
        return self._placed.follow_steps(self.shown)

    def _require_turn(self, turn: int) -> None:
        if self._turn != turn:
            raise ChangedMeanwhileError

    def _catch_up(self, pending: Pending, depsgraph: bpy.types.Depsgraph) -> IndexSteps:
        if pending.needs_reading or (pending.reshown and self._shows_others(depsgraph)):
            yield from self._read_again(pending)
        else:
            self._read_matrices(depsgraph)

    def _shows_others(self, depsgraph: bpy.types.Depsgraph) -> bool:
        """Tell whether other objects are visible than those that were read."""
        if self.shown.is_instance.any():  # no list tells which of those are visible
            return True
        return self.shown.visibility != visibility_of(depsgraph.view_layer)

    def end(self) -> None:
        """Refuse to be brought up to date from now on: nobody notes changes any more."""

        def ended() -> bpy.types.Depsgraph:
            raise ValueError("This index has ended, with its view layer, its file or the add-on")

        self._depsgraph_of, self.pending = ended, Pending(all=True)
        self.boxes = SceneBoxes(ended)

    def unread_triangles(self) -> int:
        """Count the triangles of the meshes that the next update has to read; O(placements)."""
        pending = self.pending
        if not pending.needs_reading:
            if not (pending.reshown and self._shows_others(self._depsgraph_of())):
                return 0
        self._reader.doubt(None if self.pending.all else self.pending.reshaped)
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

    def fingerprint_steps(self) -> Steps[str]:
        """Return what is the same for the same visible scene: now, after an undo, after a reload.

        It depends on where objects and instances stand and on the triangles of evaluated meshes,
        as the last update read them; not on names, selection or materials. O(placements), and O(
        triangles) of new meshes. Yields the fraction done; a `ValueError` says that the scene has
        changed meanwhile.
        """
        meshes = self.shown.meshes
        if self._mesh_code is None or self._mesh_code[0] is not meshes:
            new, rows = self._undigested(), 0
            for number, mesh in enumerate(new):
                for _ in mesh.digesting_steps():
                    yield number / len(new)
                rows += _DIGESTED + len(mesh.triangles)
                if rows > tuning.current.rows_digested:
                    rows = 0
                    yield number / len(new)
            if self.shown.meshes is not meshes or self.pending:
                raise ChangedMeanwhileError
            self._mesh_code = meshes, zlib.crc32(b"".join(mesh.digest for mesh in meshes))
        matrices = read_matrices(self._depsgraph_of())
        return f"{zlib.crc32(matrices.tobytes(), self._mesh_code[1]):08x}"

    @property
    def is_soon_told(self) -> bool:
        """Whether `fingerprint_steps` are few, as of a scene that was read."""
        rows = sum(_DIGESTED + len(mesh.triangles) for mesh in self._undigested())
        return self.is_read and rows <= tuning.current.rows_digested

    def _undigested(self) -> list[SceneMesh]:
        return [mesh for mesh in dict.fromkeys(self.shown.meshes) if not mesh.is_digested]

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

        Raises
        ------
        ValueError
            If a placement is unknown, or triangles are not one for each, of its mesh.
        """
        rows, wanted = self.rows_of(placements), np.asarray(triangles)
        if wanted.shape != rows.shape or (len(wanted) and wanted.dtype.kind not in "iu"):
            told = f"got {wanted.dtype} in shape {wanted.shape}"
            raise ValueError(f"triangles must be whole numbers in shape {rows.shape}, {told}")
        counts = np.diff(self.placements.starts)[rows]
        (bad,) = ((wanted < 0) | (wanted >= counts)).nonzero()
        if len(bad):
            told = f"got {wanted[bad[0]]} in row {bad[0]}, of a mesh of {counts[bad[0]]}"
            raise ValueError(f"triangles must be triangles of the placed meshes, {told}")
        return self.placements.polygons_of(rows, wanted.astype(np.intp))

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
        """Read where the same placements as before stand."""
        if self._layer_places is not None:
            rows = read_layer_matrices(depsgraph.view_layer)[self._layer_places]
        elif entry_count(depsgraph) != self.shown.entry_count:
            self.pending.regrouped = True
            return
        else:
            rows = read_matrices(depsgraph)[self.shown.entries]
        # As bits: what is not a number is the same as before, too.
        if rows.tobytes() != self.shown.matrices.tobytes():
            self.shown = self.shown.moved(rows)

    def _read_again(self, pending: Pending) -> IndexSteps:
        """Read the placements, and the meshes that may have changed."""
        self._reader.doubt(None if pending.all else pending.reshaped)
        self.shown = yield from self._reader.steps(self._depsgraph_of, lambda: bool(self.pending))
        layer = self._depsgraph_of().view_layer
        self._layer_places = _places_in_layer(layer, self.shown)
        yield 1.0


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
