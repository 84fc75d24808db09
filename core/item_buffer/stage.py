"""Vertex stage: placed meshes -> corners on the screen, clipped at the near plane.

The meshes stand in one set of flat arrays; placements are drawn by their matrices, some thousand
triangles at a time, of many placements or of one. Triangles are numbered over all placements that
are drawn, in the order of their ids.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Flags, Floats, Ids, concatenated_ranges, starts_of_runs
from ..compiled import painter
from ..records import Frozen
from ..scene.moment import Moment
from ..scene.store import Mesh
from ..shapes import Frusta
from .triangle_runs import TriangleRuns

# Triangles, or vertices, of small placements that are drawn together.
_TOGETHER = 65_536


@dataclass(frozen=True)
class OnScreen:
    """Triangles on the screen: corners x, y and nearness (3, v), faces (3, n), and their owners.

    `owners` are numbers of rows that were asked for, `triangles` numbers in their meshes.
    """

    places: Floats
    faces: Ids
    numbers: Ids
    owners: Ids


@dataclass(frozen=True)
class MeshArrays(Frozen):
    """Meshes in one set of flat arrays: vertices (3, v), faces (3, t), and where each begins.

    Mesh i has `vertex_counts[i]` vertices from `vertex_starts[i]` on, faces likewise; faces name
    vertices of their mesh.
    """

    meshes: dict[int, Mesh]
    vertices: Floats
    faces: Ids
    vertex_starts: Ids
    vertex_counts: Ids
    face_starts: Ids
    face_counts: Ids

    @classmethod
    def of(cls, meshes: dict[int, Mesh], born: int) -> "MeshArrays":
        """Return meshes by number, ascending, of which `born` have been given."""
        counts = np.zeros((2, born), np.intp)
        vertices, faces = [np.empty((3, 0))], [np.empty((3, 0), np.intp)]
        for number, mesh in meshes.items():
            corners, triples = mesh.triangles.vertices.T, mesh.triangles.faces.T
            if len(mesh.valid) < triples.shape[1]:
                corners, triples = _made_finite(corners, triples, mesh.valid)
            vertices.append(corners)
            faces.append(triples)
            counts[:, number] = corners.shape[1], triples.shape[1]
        starts = np.cumsum(counts, axis=1) - counts
        arrays = np.concatenate(vertices, axis=1), np.concatenate(faces, axis=1)
        return cls(meshes, *arrays, starts[0], counts[0], starts[1], counts[1])

    @cached_property
    def runs(self) -> TriangleRuns:
        """The triangles by runs of neighbors."""
        shifts = np.repeat(self.vertex_starts, self.face_counts)
        return TriangleRuns.of(self.vertices, self.faces, shifts, self.face_counts)

    def hold(self, meshes: dict[int, Mesh]) -> bool:
        """Tell whether these are the very same meshes."""
        same = self.meshes.keys() == meshes.keys()
        return same and all(self.meshes[number] is mesh for number, mesh in meshes.items())


@dataclass(frozen=True)
class Stage:
    """All placements of a scene, and their meshes."""

    moment: Moment
    arrays: MeshArrays

    @classmethod
    def of(cls, moment: Moment, before: "Stage | None" = None) -> "Stage":
        """Return the placements of a scene, ready to be drawn.

        O(placements) if the meshes are those of an earlier stage, else O(vertices) as well.
        """
        placed = moment.placements.meshes
        numbers = np.union1d(placed, moment.meshes.known_as(placed)).tolist()
        meshes = {number: moment.meshes[number] for number in numbers}
        if before is not None and before.arrays.hold(meshes):
            return cls(moment, before.arrays)
        return cls(moment, MeshArrays.of(meshes, moment.meshes.born))

    def rows_in(self, view_projection: Floats) -> Ids:
        """Return the placements whose boxes touch what a matrix (4, 4) shows, ascending."""
        parts = [np.empty(0, np.intp)]
        for pairs in self.moment.reached(Frusta.from_matrices(view_projection[None])):
            parts.append(pairs.rows)
        return np.sort(np.concatenate(parts))

    def sizes(self, rows: Ids) -> Ids:
        """Return how many triangles these placements have."""
        return self.arrays.face_counts[self.moment.placements.meshes[rows]]

    def drawn(self, rows: Ids, screen: Floats) -> Iterator[OnScreen]:
        """Yield the triangles of some placements; `screen` (4, 4) is that of `screen_matrix`."""
        sizes = self.sizes(rows)
        starts = np.cumsum(sizes) - sizes
        # Small ones side by side; a large one has a part of its own, also if few of its vertices
        # have faces.
        counts = self.arrays.vertex_counts[self.moment.placements.meshes[rows]]
        weights = np.maximum(sizes, counts)
        ends = np.cumsum(weights)
        parts = starts_of_runs(
            ((ends - weights) // _TOGETHER) * (len(ends) + 1) + ends // _TOGETHER
        )
        for some in np.split(np.arange(len(rows)), parts[1:]):
            if len(some):
                yield self._drawn(rows[some], some, int(starts[some[0]]), screen)

    def _drawn(self, rows: Ids, owners: Ids, first: int, screen: Floats) -> OnScreen:
        meshes, sizes = self.moment.placements.meshes[rows], self.sizes(rows)
        matrices = combined(screen, self.moment.placements.matrices[:, rows])
        counts = self.arrays.vertex_counts[meshes]
        starts, is_in_front = self.arrays.vertex_starts[meshes], False
        if (kernel := painter()) is not None:
            vertices = self.arrays.vertices
            clip, is_in_front = kernel.projected(vertices, matrices, starts, counts)
        elif len(rows) == 1:
            start = starts[0]
            clip = transformed(matrices, self.arrays.vertices[:, start : start + counts[0]])
        else:
            ids = concatenated_ranges(starts, counts)
            clip = transformed(np.repeat(matrices, counts, axis=2), self.arrays.vertices[:, ids])
        firsts = self.arrays.face_starts[meshes]
        if len(rows) == 1:
            faces = self.arrays.faces[:, firsts[0] : firsts[0] + sizes[0]]
        else:
            faces = self.arrays.faces[:, concatenated_ranges(firsts, sizes)]
            faces += np.repeat(np.cumsum(counts) - counts, sizes)
        owners = np.repeat(owners, sizes)
        clip, faces, kept = (clip, faces, None) if is_in_front else near_clipped(clip, faces)
        if kept is None:
            numbers = np.arange(first, first + len(owners))
        else:
            numbers, owners = kept + first, owners[kept]
        with np.errstate(all="ignore"):
            places = np.divide(clip[:3], clip[3], out=clip[:3])
        return OnScreen(places, faces, numbers, owners)


def screen_matrix(view_projection: Floats, size: tuple[int, int]) -> Floats:
    """Return the matrix (4, 4) to x and y in pixels, and nearness, all times w, and w."""
    width, height = size
    x, y, z, w = view_projection
    return np.stack(((x + w) * (width / 2), (y + w) * (height / 2), (w - z) / 2, w))


def combined(screen: Floats, matrices: Floats) -> Floats:
    """Return the products with affine matrices (12, k), (4, 4, k)."""
    grid = matrices.reshape(3, 4, -1)
    products = np.einsum("ij,jkn->ikn", screen[:, :3], grid)
    products[:, 3] += screen[:, 3, None]
    return products


def transformed(matrices: Floats, vertices: Floats) -> Floats:
    """Return vertices (3, v) times matrices (4, 4, v) or (4, 4, 1), (4, v)."""
    x, y, z = vertices
    clip = np.empty((4, len(x)))
    with np.errstate(all="ignore"):
        for row, (by_x, by_y, by_z, shift) in zip(clip, matrices, strict=True):
            row[:] = by_x * x + by_y * y + by_z * z + shift
    return clip


def near_clipped(clip: Floats, faces: Ids) -> tuple[Floats, Ids, Ids | None]:
    """Clip faces at the near plane; return corners, faces, and the face that each is a part of.

    None if all faces are in front. Of a triangle that the plane cuts one or two remain; a new
    corner is computed in the same way from both triangles that share its edge. Sutherland and
    Hodgman, "Reentrant Polygon Clipping", 1974.
    """
    depths = clip[3] - clip[2]
    front: Flags = (depths >= 0) & (clip[3] > 0)
    if front.all():
        return clip, faces, None
    flags = front[faces]
    counts = flags.sum(axis=0)
    (whole,), (one,), (two,) = ((counts == count).nonzero() for count in (3, 1, 2))
    turned = [_odd_first(faces[:, one], flags[:, one]), _odd_first(faces[:, two], ~flags[:, two])]
    (tip, left, right), (back, near, far) = turned
    ends = [(tip, left), (tip, right), (near, back), (far, back)]
    cut = [_crossing(clip, depths, a, b) for a, b in ends]
    starts = clip.shape[1] + np.cumsum([0, len(one), len(one), len(two)])
    ones, others = np.arange(len(one)), np.arange(len(two))
    parts = [
        faces[:, whole],
        np.stack((tip, starts[0] + ones, starts[1] + ones)),
        np.stack((near, far, starts[3] + others)),
        np.stack((near, starts[3] + others, starts[2] + others)),
    ]
    kept = np.concatenate((whole, one, two, two))
    return np.concatenate((clip, *cut), axis=1), np.concatenate(parts, axis=1), kept


def _odd_first(faces: Ids, flags: Flags) -> Ids:
    """Turn faces so that the only corner with a flag stands first."""
    turns = (np.argmax(flags, axis=0) + np.arange(3)[:, None]) % 3
    return np.take_along_axis(faces, turns, axis=0)


def _crossing(clip: Floats, depths: Floats, front: Ids, back: Ids) -> Floats:
    """Return where edges cross the near plane, (4, k)."""
    ones, others = clip[:, front], clip[:, back]
    parts = depths[front] / (depths[front] - depths[back])
    points: Floats = ones + (others - ones) * parts
    points[2] = points[3]
    return points


def _made_finite(vertices: Floats, faces: Ids, valid: Ids) -> tuple[Floats, Ids]:
    """Return the same triangles, those that are not finite as points, under the same numbers."""
    bad = np.ones(faces.shape[1], bool)
    bad[valid] = False
    return np.nan_to_num(vertices, posinf=0.0, neginf=0.0), np.where(bad, faces[:1], faces)
