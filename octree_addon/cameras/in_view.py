"""View frustum culling of the scene index over frames: objects by triangles or boxes; faces."""

from collections.abc import Collection

import numpy as np

from ...core import Frusta, SceneOctree, Steps, Triangles, objects_touching_steps, query
from .. import tuning
from ..arrays import Flags, Floats, Ids
from ..reader import ScenePlacements
from ..scene_index import SceneIndex
from ..ui import ChangedMeanwhileError
from .seen_items import items_of
from .table import IN_VIEW, SeenTable, Views

# The vertices of the unit cube from 0 to 1, and its triangles.
_CUBE = (np.arange(8)[:, None] >> np.arange(3) & 1).astype(np.float64)
_SIDES = [(0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5)]
_TRIANGLES = [(a, *rest) for a, b, c, d in _SIDES for rest in ((b, c), (c, d))]


class InView:
    """Objects and faces that were in view in the frames so far.

    Parameters
    ----------
    wanted : collection of int, optional
        Session ids of the objects to test; by default all visible objects.
    faces : bool
        True if faces in view are also found.
    exact : bool
        True if objects are tested by their triangles, False if by their boxes.

    Attributes
    ----------
    faces : dict of int to ndarray of intp, shape (polygons,)
        The number of frames in which each polygon was in view, by session id of the mesh.
    """

    def __init__(self, wanted: Collection[int] | None, *, faces: bool, exact: bool) -> None:
        self._wanted = None if wanted is None else np.array(list(wanted), np.intp)
        self._has_faces, self._is_exact = faces, exact
        self._numbers: dict[int, int] = {}
        self._hits: list[Ids] = [np.empty((2, 0), np.intp)]
        self._views = 0
        # One unit cube, placed by the matrix of each box.
        self._cubes = SceneOctree()
        self.faces: dict[int, Ids] = {}

    @property
    def objects(self) -> tuple[int, ...]:
        """Session ids of the objects that had triangles, in the order of first appearance."""
        return tuple(self._numbers)

    def table(self, which: Views) -> SeenTable:
        """Return a table with a row for each view and each object in that view.

        `which` has the views in the order in which they were tested.
        """
        views, objects = np.concatenate(self._hits, axis=1)
        count = max(len(self._numbers), 1)
        views, objects = np.divmod(np.unique(views * count + objects), count)
        states = np.full(len(views), IN_VIEW, np.uint8)
        return SeenTable(items_of([*self._numbers]), which, views, objects, states)

    def look_steps(self, index: SceneIndex, frusta: Frusta) -> Steps[None]:
        """Test the views of cameras in one frame, on an index that is up to date.

        Yields the fraction done. Raises a `ChangedMeanwhileError` if the scene has changed.
        """
        objects = self._objects(index)
        find = self._by_triangles if self._is_exact else self._by_boxes
        try:
            views, rows = yield from find(index, frusta)
        except RuntimeError:
            raise ChangedMeanwhileError from None
        (some,) = (objects[rows] >= 0).nonzero()
        views, rows = views[some], rows[some]
        self._hits.append(np.stack((self._views + views, objects[rows])))
        self._views += len(frusta)
        if self._has_faces:
            yield 1.0
            yield from self._face_steps(
                index, frusta, (objects >= 0).nonzero()[0], np.unique(rows)
            )

    def _by_triangles(self, index: SceneIndex, frusta: Frusta) -> Steps[tuple[Ids, Ids]]:
        """Return pairs of views and rows of the index with a triangle in that view."""
        views, ids = yield from objects_touching_steps(index.octree, frusta)
        return views, index.rows_of(ids)

    def _by_boxes(self, index: SceneIndex, frusta: Frusta) -> Steps[tuple[Ids, Ids]]:
        """Return pairs of views and rows of the index with an oriented box in that view."""
        to_world = index.octree.matrices_of(index.octree.ids) @ _box_matrices(index.placements)
        if len(self._cubes) == len(to_world):
            self._cubes.move(self._cubes.ids, to_world)
        else:
            self._cubes = SceneOctree()
            cube = self._cubes.add_mesh(Triangles(_CUBE, _TRIANGLES))
            self._cubes.place(np.full(len(to_world), cube), to_world)
        touched = np.zeros((len(frusta), len(to_world)), np.bool_)
        touched[tuple((yield from objects_touching_steps(self._cubes, frusta)))] = True
        # A view that touches no face of a box may be inside the box.
        (solid,) = (np.nan_to_num(np.linalg.det(to_world)) != 0).nonzero()
        to_box = np.linalg.inv(to_world[solid])[:, :3]
        eyes = np.concatenate((frusta.corners[:, 0], np.ones((len(frusta), 1))), axis=1)
        places = np.einsum("pij,vj->vpi", to_box, eyes)
        touched[:, solid] |= ((places >= 0) & (places <= 1)).all(axis=2)
        views, rows = touched.nonzero()
        return views, rows

    def _objects(self, index: SceneIndex) -> Ids:
        """Return the object number of each placement, (n,); -1 if it is not tested."""
        placements, octree = index.placements, index.octree
        tested = np.isfinite(octree.bounds_of(octree.ids).rows).all(axis=0)
        if self._wanted is not None:
            tested &= np.isin(placements.owners, self._wanted)
        (rows,) = tested.nonzero()
        rows = rows[np.argsort(placements.entries[rows])]
        owners, first, which = np.unique(
            placements.owners[rows], return_index=True, return_inverse=True
        )
        numbers = np.empty(len(owners), np.intp)
        for place in np.argsort(first).tolist():
            numbers[place] = self._numbers.setdefault(int(owners[place]), len(self._numbers))
        objects = np.full(len(placements), -1)
        objects[rows] = numbers[which]
        return objects

    def _face_steps(
        self, index: SceneIndex, frusta: Frusta, tested: Ids, seen: Ids
    ) -> Steps[None]:
        """Count the polygons in view of the `seen` rows; add zeros for other `tested` rows."""
        placements, octree = index.placements, index.octree
        in_view: dict[int, Flags] = {}
        for row in tested[placements.has_faces[tested]].tolist():
            uid = int(placements.face_meshes[row])
            if uid not in in_view:
                count = int(placements.meshes[row].polygons[-1]) + 1
                in_view[uid] = np.zeros(count, np.bool_)
        rows = seen[placements.has_faces[seen]]
        ids, most = octree.ids[rows], tuning.current.objects_looked_at
        row_of, some = dict(zip(ids.tolist(), rows.tolist(), strict=True)), octree.only(ids)
        for start in range(0, len(ids), most):
            few = some.only(ids[start : start + most]) if len(ids) > most else some
            for view in range(len(frusta)):
                yield 1.0
                _, there, triangles = query(few, frusta[view])
                found, starts = np.unique(there, return_index=True)
                parts = np.split(triangles, starts[1:])
                for number, part in zip(found.tolist(), parts, strict=False):
                    row = row_of[number]
                    polygons = placements.meshes[row].polygons[part]
                    in_view[int(placements.face_meshes[row])][polygons] = True
        for uid, flags in in_view.items():
            self.faces[uid] = self.faces.get(uid, 0) + flags


def _box_matrices(placements: ScenePlacements) -> Floats:
    """Return matrices (n, 4, 4) from the unit cube to the local boxes of meshes; NaN if none."""
    boxes = np.array([mesh.box for mesh in placements.meshes]).reshape(-1, 2, 3)
    matrices = np.tile(np.eye(4), (len(boxes), 1, 1))
    matrices[:, :3, :3] *= (boxes[:, 1] - boxes[:, 0])[:, None]
    matrices[:, :3, 3] = boxes[:, 0]
    return matrices
