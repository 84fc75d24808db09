"""Index of a scene: all placed meshes, their objects, and a `SceneOctree` over them.

The index is updated before each query. The cost depends on the change: moved objects cost a bulk
copy of all matrices; added, removed, shown or hidden objects cost a walk through all placements;
a mesh is read again only if its geometry may have changed. The octree is updated lazily.
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
# Fixed cost of a digest, in rows of a mesh.
_DIGESTED = 256


class Placement(NamedTuple):
    """One mesh in one place.

    Attributes
    ----------
    id : int
        Id of the placement in results of the octree.
    name : str
        Name of the object, or of the instancer of an instance; empty if that object is gone.
    session_uid : int
        Session id of that object.
    persistent_id : tuple of int
        Blender's id that distinguishes the instances of one object; empty for an object itself.
    mesh : int
        Id of the mesh in the octree, the same for equal meshes.
    """

    id: int
    name: str
    session_uid: int
    persistent_id: tuple[int, ...]
    mesh: int


class SceneIndex:
    """All placed meshes of a view layer, and the Blender objects they belong to.

    The index holds numbers and copies, no references to Blender data. Its placements are the
    visible objects that have faces, modifiers applied, and all visible instances: linked data,
    collections, geometry nodes, particles.

    Parameters
    ----------
    depsgraph_of : callable
        Returns the evaluated depsgraph to read.
    of_original : bool, optional
        Read original meshes, without modifiers and without the instances that modifiers make.

    Attributes
    ----------
    shown : ScenePlacements
        The placements found by the last update, in depsgraph order. The value is immutable;
        `changed` compares two of them.
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
        # The meshes at the last fingerprint, and a checksum (CRC) of their digests.
        self._mesh_code: tuple[tuple[SceneMesh, ...], int] | None = None
        # The number of active readers, and the number of the reader that may continue.
        self._readers = self._turn = 0

    def __repr__(self) -> str:
        return f"SceneIndex(placements={len(self)}, meshes={len(set(self.shown.meshes))})"

    def __len__(self) -> int:
        return len(self.shown)

    @property
    def octree(self) -> SceneOctree:
        """The octree of the shown placements, for all queries of the core."""
        return self._followed().octree

    @property
    def placements(self) -> ScenePlacements:
        """The placements of the octree, in the order of `octree.ids`."""
        return self._followed().placements

    @property
    def revision(self) -> int:
        """Counter that grows with each change of the octree."""
        return self._followed().revision

    def is_placed_at(self, revision: int) -> bool:
        """Return whether the octree has this revision and is up to date with `shown`; O(1)."""
        return self._placed.revision == revision and self._placed.has_followed(self.shown)

    @cached_property
    def _placed(self) -> PlacedOctree:
        return PlacedOctree()

    def _followed(self) -> PlacedOctree:
        run(self._placed.follow_steps(self.shown))
        return self._placed

    def note(self, changes: SceneChanges | None) -> None:
        """Record the possible changes of a scene update; None stands for changes of anything."""
        self.pending.note(changes)
        self.boxes.pending.note(changes)

    def update(self) -> None:
        """Update the index and its octree from the scene."""
        run(self.update_steps())
        self._followed()

    def update_steps(self) -> IndexSteps:
        """Update the index step by step; yield the fraction done.

        If the steps are dropped halfway, the next update reuses the meshes read so far. The
        octree is updated by `place_steps`, or on its first use.
        """
        depsgraph = self._depsgraph_of()
        # If another reader is halfway through the scene, read the scene from the beginning.
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
        """Update the octree step by step; yield the fraction done.

        Meshes are indexed by `octree.prepare_steps`, or by the first query that needs them.
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
        """Return whether the set of visible objects may have changed since the last read."""
        if self.shown.is_instance.any():  # Blender has no list of the visible instances
            return True
        return self.shown.visibility != visibility_of(depsgraph.view_layer)

    def end(self) -> None:
        """Refuse all further updates, because changes are no longer recorded."""

        def ended() -> bpy.types.Depsgraph:
            raise ValueError("This index has ended, with its view layer, its file or the add-on")

        self._depsgraph_of, self.pending = ended, Pending(all=True)
        self.boxes = SceneBoxes(ended)

    def unread_triangles(self) -> int:
        """Count the triangles of meshes that the next update has to read; O(placements)."""
        pending = self.pending
        if not pending.needs_reading:
            if not (pending.reshown and self._shows_others(self._depsgraph_of())):
                return 0
        self._reader.doubt(None if self.pending.all else self.pending.reshaped)
        return self._reader.unread_triangles(self._depsgraph_of())

    def count_triangles(self, owners: Set[int]) -> int:
        """Count the triangles shown by the objects with these session ids; O(placements)."""
        return self._reader.count_triangles(self._depsgraph_of(), owners)

    @property
    def is_read(self) -> bool:
        """True if the next update can skip reading meshes."""
        return not self.pending.needs_reading

    @property
    def is_being_read(self) -> bool:
        """True if an update is in progress, which another reader would abort."""
        return self._readers > 0

    def fingerprint_steps(self) -> Steps[str]:
        """Return the fingerprint of the visible scene, stable across undo and reload.

        The fingerprint depends on the matrices of objects and instances and on the triangles of
        evaluated meshes, as of the last update; not on names, selection or materials. It costs
        O(placements), and O(triangles) of new meshes. Yields the fraction done. Raises a
        `ValueError` if the scene has changed meanwhile.
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
        """True if `fingerprint_steps` is cheap: no mesh to read, and few rows to digest."""
        rows = sum(_DIGESTED + len(mesh.triangles) for mesh in self._undigested())
        return self.is_read and rows <= tuning.current.rows_digested

    def _undigested(self) -> list[SceneMesh]:
        return [mesh for mesh in dict.fromkeys(self.shown.meshes) if not mesh.is_digested]

    def polygons_of(self, placements: ArrayLike, triangles: ArrayLike) -> Ids:
        """Return the polygon of the evaluated mesh that contains each triangle.

        Parameters
        ----------
        placements, triangles : array_like of int, shape (k,)
            Ids of placements and triangle numbers within their meshes, as in results of the
            octree.

        Returns
        -------
        ndarray of intp, shape (k,)
            Indices into `object.evaluated_get(depsgraph).data.polygons`. They are also valid for
            the original mesh if no modifier changes its faces.

        Raises
        ------
        ValueError
            If a placement is unknown, if the shapes differ, or if a triangle number is out of
            range.
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
        """Return the positions of placements in `octree.ids`.

        Raises a `ValueError` if a placement is unknown.
        """
        self.octree.meshes_of(placements)  # raises for unknown placements
        return np.searchsorted(self.octree.ids, np.asarray(placements, np.intp))

    def objects_of(self, placements: ArrayLike) -> list[bpy.types.Object | None]:
        """Return the object of each placement; for an instance its instancer.

        The entry of a deleted object is None. Do not store the objects: an undo replaces them.
        """
        objects = {item.session_uid: item for item in self._depsgraph_of().scene.objects}
        uids = self.placements.owners[self.rows_of(placements)].tolist()
        originals = {uid: item.original for uid, item in objects.items()}
        return [originals.get(uid) for uid in uids]

    def table(self, placements: ArrayLike | None = None) -> list[Placement]:
        """Return one `Placement` for each id, by default for all placements in order of id."""
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
        """Read the matrices of the known placements.

        If the number of instances differs, request a new read of the placements instead.
        """
        if self._layer_places is not None:
            rows = read_layer_matrices(depsgraph.view_layer)[self._layer_places]
        elif entry_count(depsgraph) != self.shown.entry_count:
            self.pending.regrouped = True
            return
        else:
            rows = read_matrices(depsgraph)[self.shown.entries]
        # Compare bits, so that an unchanged NaN counts as equal.
        if rows.tobytes() != self.shown.matrices.tobytes():
            self.shown = self.shown.moved(rows)

    def _read_again(self, pending: Pending) -> IndexSteps:
        """Read all placements, and the meshes that may have changed."""
        self._reader.doubt(None if pending.all else pending.reshaped)
        self.shown = yield from self._reader.steps(self._depsgraph_of, lambda: bool(self.pending))
        layer = self._depsgraph_of().view_layer
        self._layer_places = _places_in_layer(layer, self.shown)
        yield 1.0


def _places_in_layer(layer: bpy.types.ViewLayer, placements: ScenePlacements) -> Ids | None:
    """Return the index of each placement's object in `layer.objects`, (n,).

    Returns None if there are instances, or if an object is not in the layer.
    """
    if placements.is_instance.any():
        return None
    ids = layer_ids(layer)
    if not len(ids):  # the last objects were deleted during the read
        return None
    order = np.argsort(ids)
    places = order[np.minimum(np.searchsorted(ids[order], placements.owners), len(ids) - 1)]
    is_there: Flags = ids[places] == placements.owners
    return places if is_there.all() else None
