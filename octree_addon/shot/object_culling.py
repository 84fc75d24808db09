"""Frustum culling of objects and faces over frames: by boxes, then vertices, then octrees.

What boxes leave undecided is deferred until its mesh has many frusta to answer for.
"""

from collections.abc import Iterator

import numpy as np

from ...core import Frusta, query, query_any
from ..arrays import Flags, Floats, Ids
from .box_culling import (
    boxes_in_view,
    cull_by_planes,
    cull_by_vertices,
    to_box_space,
    to_mesh_space,
)
from .placements import Deferred, LocalMesh, Placements, concatenated
from .scene_reader import Views

# At most this many frusta are deferred; 200 bytes each.
_MOST_PENDING = 1 << 14
# A mesh of at most this many triangles is sooner compared by its vertices than sorted into a tree.
_FEW_TRIANGLES = 2000


class ObjectCulling:
    """Finds which objects are in view, in frames that come one after the other.

    Parameters
    ----------
    exact : bool
        Whether an object counts by its triangles; else its box is enough.
    """

    def __init__(self, *, exact: bool = True) -> None:
        self._exact = exact
        self._hits: list[Ids] = [np.empty((3, 0), np.intp)]
        self._pending: dict[LocalMesh, int] = {}
        self._boxes: list[Deferred] = []

    @property
    def hits(self) -> Ids:
        """What was seen so far: numbers of the object, the camera and the frame, (3, h)."""
        return np.concatenate(self._hits, axis=1)

    def cull(self, placements: Placements, views: Views, cameras: list[int], frame: int) -> None:
        """Decide what boxes can; the rest is deferred to `resolve`.

        Parameters
        ----------
        placements : Placements
            What there is in this frame.
        views : Views
            The cameras of this frame.
        cameras : list of int
            Their numbers.
        frame : int
            Number of the frame.
        """
        for view, camera in enumerate(cameras):
            target = np.array([[0], [camera], [frame]])
            outside, inside = cull_by_planes(placements, views.planes[view])
            self._add_seen(placements, np.flatnonzero(inside), target)
            undecided = np.flatnonzero(self._undecided(placements, outside, inside))
            defer = self._defer_to_meshes if self._exact else self._defer_to_boxes
            defer(placements, undecided, views.corners[view], target)

    def resolve(self, placements: Placements | None = None) -> Iterator[float]:
        """Answer for meshes that have left the scene; for all, and boxes, if many are pending.

        Parameters
        ----------
        placements : Placements, optional
            What there is in this frame; without it, all are answered.

        Yields
        ------
        float
            After each mesh, so that Blender stays awake.
        """
        kept: set[LocalMesh] = set()
        pending = sum(self._pending.values()) + sum(len(corners) for corners, _ in self._boxes)
        if placements and pending < _MOST_PENDING:
            kept.update(placements.meshes)
        elif self._boxes:
            corners, targets = concatenated(self._boxes)
            self._hits.append(targets[:, boxes_in_view(corners)])
            self._boxes.clear()
        for mesh in [mesh for mesh in self._pending if mesh not in kept]:
            corners, targets = concatenated(mesh.deferred)
            mesh.deferred.clear()
            yield from self._resolve_mesh(mesh, Frusta(corners), targets)
            del self._pending[mesh]
            yield 0.0

    def _add_seen(self, placements: Placements, whole: Ids, target: Ids) -> None:
        """Note placements that are certainly in view."""
        objects = np.unique(placements.object_of[whole])
        self._hits.append(np.concatenate((objects[None], target[1:] + 0 * objects)))

    def _undecided(self, placements: Placements, outside: Flags, inside: Flags) -> Flags:
        """Return the placements that may show an object not yet known to be in view."""
        known = np.zeros(placements.object_of.max(initial=-1) + 1, np.bool_)
        known[placements.object_of[inside]] = True
        undecided: Flags = ~outside & ~known[placements.object_of]
        return undecided

    def _defer_to_boxes(
        self, placements: Placements, chosen: Ids, corners: Floats, target: Ids
    ) -> None:
        """Defer whether a frustum touches the boxes of placements."""
        local = to_box_space(placements, chosen, corners)
        self._boxes.append((local, self._targets(placements, chosen, target)))

    def _defer_to_meshes(
        self, placements: Placements, chosen: Ids, corners: Floats, target: Ids
    ) -> None:
        """Defer whether a frustum touches the triangles of meshes."""
        local = to_mesh_space(placements, chosen, corners)
        targets = self._targets(placements, chosen, target)
        order = np.argsort(placements.mesh_of[chosen], kind="stable")
        numbers, starts = np.unique(placements.mesh_of[chosen][order], return_index=True)
        for number, part in zip(numbers, np.split(order, starts[1:]), strict=False):
            mesh = placements.meshes[number]
            mesh.deferred.append((local[part], targets[:, part]))
            self._pending[mesh] = self._pending.get(mesh, 0) + len(part)

    def _targets(self, placements: Placements, chosen: Ids, target: Ids) -> Ids:
        return np.concatenate((placements.object_of[None, chosen], target[1:] + 0 * chosen))

    def _resolve_mesh(self, mesh: LocalMesh, frusta: Frusta, targets: Ids) -> Iterator[float]:
        """Find which frusta touch a triangle, and note it."""
        seen, undecided = np.zeros(len(frusta), np.bool_), np.ones(len(frusta), np.bool_)
        if len(mesh.arrays.triangles) <= _FEW_TRIANGLES:
            seen, misses = cull_by_vertices(mesh.corners, frusta)
            undecided = ~seen & ~misses
        if undecided.any():
            yield from mesh.build()
            seen[undecided] = query_any(mesh.octree, frusta[np.flatnonzero(undecided)])
        self._hits.append(targets[:, seen])


class FaceCulling(ObjectCulling):
    """Finds which objects are in view, and which faces of their own meshes.

    Attributes
    ----------
    counts : dict of int to ndarray of intp, shape (polygons,)
        By the session id of a mesh: in how many of the resolved frames each polygon was in view.
    """

    def __init__(self) -> None:
        super().__init__()
        self.counts: dict[int, Ids] = {}
        self._in_view: dict[int, Flags] = {}

    def cull(self, placements: Placements, views: Views, cameras: list[int], frame: int) -> None:
        """Decide what boxes can, and note the meshes that there are."""
        for uid, place in zip(*np.unique(placements.face_mesh_of, return_index=True), strict=True):
            if uid >= 0 and uid not in self.counts:
                mesh = placements.meshes[placements.mesh_of[place]]
                self.counts[int(uid)] = np.zeros(mesh.polygon_count, np.intp)
        super().cull(placements, views, cameras, frame)

    def resolve(self, placements: Placements | None = None) -> Iterator[float]:
        """Answer for every mesh at once: only then is it known what this frame shows."""
        yield from super().resolve()
        for uid, flags in self._in_view.items():
            self.counts[uid] += flags
        self._in_view.clear()

    def _add_seen(self, placements: Placements, whole: Ids, target: Ids) -> None:
        super()._add_seen(placements, whole, target)
        for place in whole:
            mesh = placements.meshes[placements.mesh_of[place]]
            self._add_faces(placements.face_mesh_of[place], mesh, slice(None))

    def _undecided(self, placements: Placements, outside: Flags, inside: Flags) -> Flags:
        return ~outside & ~inside  # another placement in view says nothing of faces

    def _targets(self, placements: Placements, chosen: Ids, target: Ids) -> Ids:
        targets = super()._targets(placements, chosen, target)
        return np.concatenate((targets, placements.face_mesh_of[None, chosen]))

    def _resolve_mesh(self, mesh: LocalMesh, frusta: Frusta, targets: Ids) -> Iterator[float]:
        yield from mesh.build()
        numbers, triangles = query(mesh.octree, frusta)
        self._hits.append(targets[:3, np.unique(numbers)])
        for uid in np.unique(targets[3]):
            here = targets[3, numbers] == uid
            self._add_faces(uid, mesh, mesh.arrays.polygons[triangles[here]])

    def _add_faces(self, uid: int, mesh: LocalMesh, polygons: Ids | slice) -> None:
        """Note polygons of a mesh; -1 is a mesh without a way back."""
        if uid >= 0:
            none = np.zeros(mesh.polygon_count, np.bool_)
            self._in_view.setdefault(int(uid), none)[polygons] = True
