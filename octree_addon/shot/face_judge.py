"""Which faces cameras see: for each polygon of a mesh, in how many frames it is in view."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...core import Frusta, query
from .local_meshes import LocalMesh
from .object_judge import ObjectJudge
from .placements import Placements
from .views import Views

Flags = NDArray[np.bool_]
Ids = NDArray[np.intp]


class FaceJudge(ObjectJudge):
    """Finds which objects are in view, and which faces of their own meshes.

    Attributes
    ----------
    counts : dict of int to ndarray of intp, shape (polygons,)
        By the session id of a mesh: in how many of the settled frames each polygon was in view.
    """

    def __init__(self) -> None:
        super().__init__()
        self.counts: dict[int, Ids] = {}
        self._in_view: dict[int, Flags] = {}

    def look(self, placements: Placements, views: Views, cameras: list[int], frame: int) -> None:
        """Judge what boxes can decide, and note the meshes that there are."""
        for uid, place in zip(*np.unique(placements.face_mesh_of, return_index=True), strict=True):
            if uid >= 0 and uid not in self.counts:
                mesh = placements.meshes[placements.mesh_of[place]]
                self.counts[int(uid)] = np.zeros(mesh.polygon_count, np.intp)
        super().look(placements, views, cameras, frame)

    def settle(self, placements: Placements | None = None) -> Iterator[float]:
        """Ask every mesh at once: only then is it known what this frame shows."""
        yield from super().settle()
        for uid, flags in self._in_view.items():
            self.counts[uid] += flags
        self._in_view.clear()

    def _take(self, placements: Placements, whole: Ids, target: Ids) -> None:
        super()._take(placements, whole, target)
        for place in whole:
            mesh = placements.meshes[placements.mesh_of[place]]
            self._show(placements.face_mesh_of[place], mesh, slice(None))

    def _doubtful(self, placements: Placements, outside: Flags, inside: Flags) -> Flags:
        return ~outside & ~inside  # that another placement of it is in view says nothing of faces

    def _targets(self, placements: Placements, chosen: Ids, target: Ids) -> Ids:
        targets = super()._targets(placements, chosen, target)
        return np.concatenate((targets, placements.face_mesh_of[None, chosen]))

    def _answer(self, mesh: LocalMesh, frusta: Frusta, targets: Ids) -> Iterator[float]:
        yield from mesh.build()
        questions, triangles = query(mesh.octree, frusta)
        self._hits.append(targets[:3, np.unique(questions)])
        for uid in np.unique(targets[3]):
            here = targets[3, questions] == uid
            self._show(uid, mesh, mesh.arrays.polygons[triangles[here]])

    def _show(self, uid: int, mesh: LocalMesh, polygons: Ids | slice) -> None:
        """Note polygons of a mesh; -1 is a mesh without a way back."""
        if uid >= 0:
            none = np.zeros(mesh.polygon_count, np.bool_)
            self._in_view.setdefault(int(uid), none)[polygons] = True
