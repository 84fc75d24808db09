"""Which objects cameras see, frame by frame: boxes decide what they can, triangles the rest."""

from collections.abc import Iterator

import numpy as np

from ...core import Frusta, query, query_any
from ..arrays import Flags, Floats, Ids
from .box_culling import boxes_in_view, in_box_space, in_mesh_space, judge_vertices, sides
from .placements import LocalMesh, Placements, Question, joined
from .scene_reader import Views

# Questions that may wait for their mesh to be asked more of at once; 200 bytes each.
_PATIENCE = 1 << 14
# Triangles of a mesh whose vertices are sooner compared than sorted into a tree.
_FEW = 2000


class ObjectJudge:
    """Finds which objects are in view, in frames that come one after the other.

    Parameters
    ----------
    exact : bool
        Whether an object counts by its triangles; else its box is enough.
    """

    def __init__(self, *, exact: bool = True) -> None:
        self._exact = exact
        self._hits: list[Ids] = [np.empty((3, 0), np.intp)]
        self._waiting: dict[LocalMesh, int] = {}
        self._boxes: list[Question] = []

    @property
    def hits(self) -> Ids:
        """What was seen so far: numbers of the object, the camera and the frame, (3, h)."""
        return np.concatenate(self._hits, axis=1)

    def look(self, placements: Placements, views: Views, cameras: list[int], frame: int) -> None:
        """Judge what boxes can decide; the rest waits for `settle`.

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
            outside, inside = sides(placements, views.planes[view])
            self._take(placements, np.flatnonzero(inside), target)
            doubtful = np.flatnonzero(self._doubtful(placements, outside, inside))
            ask = self._ask_meshes if self._exact else self._ask_boxes
            ask(placements, doubtful, views.corners[view], target)

    def settle(self, placements: Placements | None = None) -> Iterator[float]:
        """Ask the meshes that are gone from the scene, or all and boxes if many questions wait.

        Parameters
        ----------
        placements : Placements, optional
            What there is in this frame; without it, all are asked.

        Yields
        ------
        float
            Now and then, for whoever has to stay awake.
        """
        kept: set[LocalMesh] = set()
        waiting = sum(self._waiting.values()) + sum(len(corners) for corners, _ in self._boxes)
        if placements and waiting < _PATIENCE:
            kept.update(placements.meshes)
        elif self._boxes:
            corners, targets = joined(self._boxes)
            self._hits.append(targets[:, boxes_in_view(corners)])
            self._boxes.clear()
        for mesh in [mesh for mesh in self._waiting if mesh not in kept]:
            corners, targets = joined(mesh.questions)
            mesh.questions.clear()
            yield from self._answer(mesh, Frusta(corners), targets)
            del self._waiting[mesh]
            yield 0.0

    def _take(self, placements: Placements, whole: Ids, target: Ids) -> None:
        """Note that placements are in view for certain."""
        subjects = np.unique(placements.subject_of[whole])
        self._hits.append(np.concatenate((subjects[None], target[1:] + 0 * subjects)))

    def _doubtful(self, placements: Placements, outside: Flags, inside: Flags) -> Flags:
        """Return the placements that may show an object not yet known to be in view."""
        known = np.zeros(placements.subject_of.max(initial=-1) + 1, np.bool_)
        known[placements.subject_of[inside]] = True
        doubtful: Flags = ~outside & ~known[placements.subject_of]
        return doubtful

    def _ask_boxes(
        self, placements: Placements, chosen: Ids, corners: Floats, target: Ids
    ) -> None:
        """Have the question wait whether a frustum touches the boxes of placements."""
        local = in_box_space(placements, chosen, corners)
        self._boxes.append((local, self._targets(placements, chosen, target)))

    def _ask_meshes(
        self, placements: Placements, chosen: Ids, corners: Floats, target: Ids
    ) -> None:
        """Have meshes wait for the question whether a frustum touches their triangles."""
        local = in_mesh_space(placements, chosen, corners)
        targets = self._targets(placements, chosen, target)
        order = np.argsort(placements.mesh_of[chosen], kind="stable")
        numbers, starts = np.unique(placements.mesh_of[chosen][order], return_index=True)
        for number, part in zip(numbers, np.split(order, starts[1:]), strict=False):
            mesh = placements.meshes[number]
            mesh.questions.append((local[part], targets[:, part]))
            self._waiting[mesh] = self._waiting.get(mesh, 0) + len(part)

    def _targets(self, placements: Placements, chosen: Ids, target: Ids) -> Ids:
        return np.concatenate((placements.subject_of[None, chosen], target[1:] + 0 * chosen))

    def _answer(self, mesh: LocalMesh, frusta: Frusta, targets: Ids) -> Iterator[float]:
        """Find which frusta touch a triangle, and note it."""
        seen, unsure = np.zeros(len(frusta), np.bool_), np.ones(len(frusta), np.bool_)
        if len(mesh.arrays.triangles) <= _FEW:
            seen, misses = judge_vertices(mesh.corners, frusta)
            unsure = ~seen & ~misses
        if unsure.any():
            yield from mesh.build()
            seen[unsure] = query_any(mesh.octree, frusta[np.flatnonzero(unsure)])
        self._hits.append(targets[:, seen])


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
