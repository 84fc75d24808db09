"""Frustum culling of objects and faces over frames: by boxes, then vertices, then octrees.

What boxes leave undecided is deferred until its mesh has many frusta to answer for; the vertices
of a large mesh are compared at once, as they may be all that has to be read of it.
"""

import itertools
from collections.abc import Iterator

import numpy as np

from ...core import Boxes, Frusta, build_octree, query_any
from ..arrays import Flags, Floats, Ids
from .local_mesh import Deferred, LocalMesh, concatenated
from .placements import FramePlacements
from .vertices import ROUNDING

# At most this many frusta are deferred; 200 bytes each.
_MOST_PENDING = 1 << 14
# Heights computed at once: 8 MiB.
_BLOCK = 1 << 20
# No edge of a box counts as shorter than this part of its longest.
_THIN = 2.0**-20
_CUBE = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))


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

    def cull(
        self, placements: FramePlacements, frusta: Frusta, cameras: list[int], frame: int
    ) -> None:
        """Decide what boxes can; the rest is deferred to `compare` and `resolve`.

        `frusta` are the views of this frame, `cameras` the numbers of their cameras.
        """
        planes, corners = frusta.plane_rows.transpose(2, 0, 1), frusta.corners
        for view, camera in enumerate(cameras):
            target = np.array([[0], [camera], [frame]])
            outside, inside = cull_by_planes(placements, planes[view])
            self._add_seen(placements, np.flatnonzero(inside), target)
            undecided = np.flatnonzero(self._undecided(placements, outside, inside))
            defer = self._defer_to_meshes if self._exact else self._defer_to_boxes
            defer(placements, undecided, corners[view], target)

    def compare(self) -> Iterator[float]:
        """Decide what the vertices of large meshes can; see `unread` for what they cannot."""
        for mesh in [mesh for mesh in self._pending if mesh.new]:
            corners, targets = concatenated(mesh.new)
            mesh.new.clear()
            seen, misses = yield from mesh.compare(Frusta(corners))
            undecided = self._note_decided(targets, seen, misses)
            if undecided.any():
                mesh.deferred.append((corners[undecided], targets[:, undecided]))
            self._count_pending(mesh)
            yield 0.0

    @property
    def unread(self) -> list[LocalMesh]:
        """The meshes whose triangles are needed, while they are in the scene."""
        return [mesh for mesh in self._pending if not mesh.faces.is_read]

    def resolve(self, placements: FramePlacements | None = None) -> Iterator[float]:
        """Answer for meshes that have left the scene; for all, and boxes, if many are pending.

        Without the placements of this frame, all are answered. Yields after each mesh, so that
        Blender stays awake.
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

    def _add_seen(self, placements: FramePlacements, whole: Ids, target: Ids) -> None:
        """Note placements that are certainly in view."""
        objects = np.unique(placements.object_of[whole])
        self._hits.append(np.concatenate((objects[None], target[1:] + 0 * objects)))

    def _undecided(self, placements: FramePlacements, outside: Flags, inside: Flags) -> Flags:
        """Return the placements that may show an object not yet known to be in view."""
        known = np.zeros(placements.object_of.max(initial=-1) + 1, np.bool_)
        known[placements.object_of[inside]] = True
        undecided: Flags = ~outside & ~known[placements.object_of]
        return undecided

    def _defer_to_boxes(
        self, placements: FramePlacements, chosen: Ids, corners: Floats, target: Ids
    ) -> None:
        """Defer whether a frustum touches the boxes of placements."""
        local = to_box_space(placements, chosen, corners)
        self._boxes.append((local, self._targets(placements, chosen, target)))

    def _defer_to_meshes(
        self, placements: FramePlacements, chosen: Ids, corners: Floats, target: Ids
    ) -> None:
        """Defer whether a frustum touches the triangles of meshes."""
        local = to_mesh_space(placements, chosen, corners)
        targets = self._targets(placements, chosen, target)
        order = np.argsort(placements.mesh_of[chosen], kind="stable")
        numbers, starts = np.unique(placements.mesh_of[chosen][order], return_index=True)
        for number, part in zip(numbers, np.split(order, starts[1:]), strict=False):
            mesh = placements.meshes[number]
            batches = mesh.new if mesh.is_large else mesh.deferred
            batches.append((local[part], targets[:, part]))
            self._pending[mesh] = self._pending.get(mesh, 0) + len(part)

    def _targets(self, placements: FramePlacements, chosen: Ids, target: Ids) -> Ids:
        return np.concatenate((placements.object_of[None, chosen], target[1:] + 0 * chosen))

    def _note_decided(self, targets: Ids, seen: Flags, misses: Flags) -> Flags:
        """Note what vertices have decided, and return what they have not."""
        self._hits.append(targets[:, seen])
        undecided: Flags = ~seen & ~misses
        return undecided

    def _count_pending(self, mesh: LocalMesh) -> None:
        self._pending[mesh] = sum(len(corners) for corners, _ in mesh.deferred)
        if not self._pending[mesh]:
            del self._pending[mesh]

    def _resolve_mesh(self, mesh: LocalMesh, frusta: Frusta, targets: Ids) -> Iterator[float]:
        """Find which frusta touch a triangle, and note it."""
        seen, undecided = np.zeros(len(frusta), np.bool_), np.ones(len(frusta), np.bool_)
        if mesh.is_small:
            seen, misses = cull_by_vertices(mesh.corners, frusta)
            undecided = ~seen & ~misses
        if undecided.any():
            seen[undecided] = yield from mesh.touched(frusta[np.flatnonzero(undecided)])
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

    def cull(
        self, placements: FramePlacements, frusta: Frusta, cameras: list[int], frame: int
    ) -> None:
        """Decide what boxes can, and note the meshes that there are."""
        for uid, place in zip(*np.unique(placements.face_mesh_of, return_index=True), strict=True):
            if uid >= 0 and uid not in self.counts:
                mesh = placements.meshes[placements.mesh_of[place]]
                self.counts[int(uid)] = np.zeros(mesh.faces.polygon_count, np.intp)
        super().cull(placements, frusta, cameras, frame)

    def resolve(self, placements: FramePlacements | None = None) -> Iterator[float]:
        """Answer for every mesh at once: only then is it known what this frame shows."""
        yield from super().resolve()
        for uid, flags in self._in_view.items():
            self.counts[uid] += flags
        self._in_view.clear()

    def _add_seen(self, placements: FramePlacements, whole: Ids, target: Ids) -> None:
        super()._add_seen(placements, whole, target)
        for place in whole:
            mesh = placements.meshes[placements.mesh_of[place]]
            self._add_faces(placements.face_mesh_of[place], mesh, slice(None))

    def _undecided(self, placements: FramePlacements, outside: Flags, inside: Flags) -> Flags:
        return ~outside & ~inside  # another placement in view says nothing of faces

    def _note_decided(self, targets: Ids, seen: Flags, misses: Flags) -> Flags:
        undecided: Flags = ~misses  # what is in view in part has yet to be asked for its faces
        return undecided

    def _targets(self, placements: FramePlacements, chosen: Ids, target: Ids) -> Ids:
        targets = super()._targets(placements, chosen, target)
        return np.concatenate((targets, placements.face_mesh_of[None, chosen]))

    def _resolve_mesh(self, mesh: LocalMesh, frusta: Frusta, targets: Ids) -> Iterator[float]:
        numbers, triangles = yield from mesh.in_view(frusta)
        self._hits.append(targets[:3, np.unique(numbers)])
        for uid in np.unique(targets[3]):
            here = targets[3, numbers] == uid
            self._add_faces(uid, mesh, mesh.polygons_of(triangles[here]))

    def _add_faces(self, uid: int, mesh: LocalMesh, polygons: Ids | slice) -> None:
        """Note polygons of a mesh; -1 is a mesh without a way back."""
        if uid >= 0:
            none = np.zeros(mesh.faces.polygon_count, np.bool_)
            self._in_view.setdefault(int(uid), none)[polygons] = True


def cull_by_vertices(vertices: Floats, frusta: Frusta) -> tuple[Flags, Flags]:
    """Tell which frusta certainly hold a vertex, and which certainly have all beyond one plane.

    Neither where only what lies between the vertices, (n, 3), can decide. O(frusta x n).
    """
    planes = frusta.plane_rows.transpose(2, 0, 1)
    holds, misses = np.zeros((2, len(planes)), np.bool_)
    step = max(1, _BLOCK // (6 * len(vertices)))
    for start in range(0, len(planes), step):
        part = slice(start, start + step)
        normals, offsets = planes[part, :, :3], planes[part, :, 3:]
        heights = normals @ vertices.T + offsets
        sizes = np.abs(normals) @ np.abs(vertices).max(axis=0)[:, None] + np.abs(offsets)
        holds[part] = (heights > ROUNDING * sizes).all(axis=1).any(axis=1)
        misses[part] = (heights < -ROUNDING * sizes).all(axis=2).any(axis=1)
    return holds, misses


def cull_by_planes(placements: FramePlacements, planes: Floats) -> tuple[Flags, Flags]:
    """Tell which boxes are certainly outside one of six planes, (6, 4), and which inside all.

    Neither where that is not certain. The radius of a box along a normal is the sum of the
    projections of its half edges: Gottschalk et al., "OBBTree", 1996.
    """
    normals, offsets = planes[:, :3], planes[:, 3]
    heights = placements.centers @ normals.T + offsets
    radii = np.abs(normals @ placements.half_edges).sum(axis=2)
    sizes = np.abs(placements.centers) @ np.abs(normals).T + np.abs(offsets) + radii
    slack = ROUNDING * sizes
    nowhere = np.isnan(placements.centers).any(axis=1)
    outside: Flags = nowhere | (heights + radii < -slack).any(axis=1)
    inside: Flags = (heights - radii > slack).all(axis=1)
    return outside, inside


def boxes_in_view(corners: Floats) -> Flags:
    """Tell exactly which frusta, corners of (q, 8, 3) in the space of a box, touch that box."""
    touched, misses = cull_by_vertices(_CUBE, Frusta(corners))
    undecided = np.flatnonzero(~touched & ~misses)
    cube = build_octree(Boxes(_CUBE[:1], _CUBE[-1:]))
    touched[undecided] = query_any(cube, Frusta(corners[undecided]))
    return touched


def to_box_space(placements: FramePlacements, chosen: Ids, corners: Floats) -> Floats:
    """Bring a frustum, corners of (8, 3), into the space of chosen boxes, where each is `_CUBE`.

    A box thinner than a millionth of its size counts as that thick. Returns (c, 8, 3).
    """
    inverse = np.linalg.inv(_thickened(placements, chosen))
    local: Floats = (corners - placements.centers[chosen, None]) @ inverse.swapaxes(1, 2)
    return local


def to_mesh_space(placements: FramePlacements, chosen: Ids, corners: Floats) -> Floats:
    """Bring a frustum, corners of (8, 3), into the space of chosen meshes: (c, 8, 3).

    The matrix of each placement has an inverse.
    """
    matrices = placements.matrices[chosen]
    inverse = np.linalg.inv(matrices[:, :, :3])
    local: Floats = (corners - matrices[:, None, :, 3]) @ inverse.swapaxes(1, 2)
    return local


def _thickened(placements: FramePlacements, chosen: Ids) -> Floats:
    """Return half of the edges of boxes, (c, 3, 3), none shorter than a part of the longest."""
    linear = placements.matrices[chosen, :, :3]
    lengths = np.linalg.norm(linear, axis=1)
    halves = np.array([mesh.half for mesh in placements.meshes])[placements.mesh_of[chosen]]
    least = _THIN * (halves * lengths).max(axis=1, keepdims=True)
    # A mesh that is a single point has no size, but it has a place.
    least[least == 0] = _THIN
    edges: Floats = linear * np.maximum(halves, least / lengths)[:, None]
    return edges
