"""Vertex stage: placed meshes -> corners on the screen, clipped at the near plane.

Vertices and faces are those of the triangle pool, indexed or not. Placements are drawn by their
matrices, some thousand triangles at a time, of many placements or of one. Triangles are numbered
over all placements that are drawn: those of the first id in the mesh's order, then those of the
next one.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, Rows, concatenated_ranges, starts_of_runs
from ..compiled import painter
from ..scene.moment import Moment
from ..scene.pool import Pool
from ..shapes import Frusta

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
class Stage:
    """All placements of a scene, ready to be drawn."""

    moment: Moment

    def pool(self, rows: Ids | slice = slice(None)) -> Pool:
        """Return the triangle pool with the meshes of placements, indexed or not."""
        return self.moment.meshes.entered(self.moment.placements.meshes[rows])

    def every_face(self) -> tuple[Ids, Ids]:
        """Return the faces (3, t) of all meshes of the pool, and where those of each begin.

        Each mesh has them in its own order, without area where they are not finite; `starts` end
        with t. Corners are vertices of the pool.
        """
        pool, meshes = self.pool(), self.moment.meshes
        (there,) = (pool.firsts >= 0).nonzero()
        firsts, lengths = pool.firsts[there], meshes.table.lengths[there]
        starts = np.append(0, np.cumsum(np.where(pool.firsts < 0, 0, meshes.table.lengths)))
        entries = concatenated_ranges(firsts, meshes.sizes[there])
        given = pool.arranged.faces.T
        faces = np.tile(np.repeat(given[0, firsts], lengths), (3, 1))
        numbers = np.repeat(starts[there], meshes.sizes[there]) + pool.order[entries]
        faces[:, numbers] = given[:, entries]
        return faces, starts

    def rows_in(self, view_projection: Floats) -> Ids:
        """Return the placements whose boxes touch what a matrix (4, 4) shows, ascending."""
        parts = [np.empty(0, np.intp)]
        for pairs in self.moment.volume_pairs(Frusta.from_matrices(view_projection[None])):
            parts.append(pairs.rows)
        return np.sort(np.concatenate(parts))

    def sizes(self, rows: Ids) -> Ids:
        """Return how many triangles these placements have, also those that are not finite."""
        return self.moment.meshes.table.lengths[self.moment.placements.meshes[rows]]

    def drawn(self, rows: Ids, screen: Floats) -> Iterator[OnScreen]:
        """Yield the triangles of some placements; `screen` (4, 4) is that of `screen_matrix`."""
        pool, meshes = self.pool(rows), self.moment.placements.meshes[rows]
        firsts = np.cumsum(self.sizes(rows)) - self.sizes(rows)
        # Small ones side by side; a large one has a part of its own, also if few of its vertices
        # have faces.
        weights = np.maximum(self.moment.meshes.sizes[meshes], pool.corner_counts[meshes])
        ends = np.cumsum(weights)
        parts = starts_of_runs(
            ((ends - weights) // _TOGETHER) * (len(ends) + 1) + ends // _TOGETHER
        )
        for some in np.split(np.arange(len(rows)), parts[1:]):
            if len(some):
                yield self._drawn(pool, rows[some], some, firsts[some], screen)

    def _drawn(self, pool: Pool, rows: Ids, owners: Ids, firsts: Ids, screen: Floats) -> OnScreen:
        """Return the triangles of placements in rows, each numbered from its `firsts` on."""
        meshes = self.moment.placements.meshes[rows]
        corners, counts = pool.corners[meshes], pool.corner_counts[meshes]
        sizes, vertices = self.moment.meshes.sizes[meshes], pool.arranged.vertices.T
        matrices = combined(screen, self.moment.placements.matrices[:, rows])
        if (kernel := painter()) is not None:
            clip, is_in_front = kernel.projected(vertices, matrices, corners, counts)
        else:
            points = vertices[:, _ranges(corners, counts)]
            clip, is_in_front = transformed(_each(matrices, counts), points), False
        entries = _ranges(pool.firsts[meshes], sizes)
        faces = pool.arranged.faces.T[:, entries]
        faces = faces + _each(np.cumsum(counts) - counts - corners, sizes)
        numbers = pool.order[entries] + _each(firsts, sizes)
        owners = np.repeat(owners, sizes)
        if not is_in_front:
            clip, faces, kept = near_clipped(clip, faces)
            if kept is not None:
                numbers, owners = numbers[kept], owners[kept]
        with np.errstate(all="ignore"):
            places = np.divide(clip[:3], clip[3], out=clip[:3])
        return OnScreen(places, faces, numbers, owners)


def _ranges(starts: Ids, counts: Ids) -> Ids | slice:
    """Return ranges one after the other, of a single one a slice, which copies nothing."""
    if len(starts) == 1:
        return slice(int(starts[0]), int(starts[0] + counts[0]))
    return concatenated_ranges(starts, counts)


def _each(values: Rows, counts: Ids) -> Rows:
    """Return values (..., k), each so many times, a single one once: it stands for all."""
    return values if len(counts) == 1 else np.repeat(values, counts, axis=-1)


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
