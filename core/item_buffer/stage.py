"""Vertex stage: placed meshes -> corners on the screen, clipped at the near plane.

Vertices and faces come from the triangle pool. Placements are transformed in batches of some
thousand triangles, from many small placements or a single large one. Triangles are numbered over
all drawn placements: the triangles of the first placement in the mesh's order, then the triangles
of the next placement.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, Rows, concatenated_ranges, starts_of_runs
from ..compiled import painter
from ..scene.moment import Moment
from ..scene.pool import Pool
from ..shapes import Frusta

# Triangles, or vertices, of small placements in one batch.
_TOGETHER = 65_536


@dataclass(frozen=True)
class OnScreen:
    """Triangles on the screen: corners x, y and nearness (3, v), faces (3, n), and their owners.

    `numbers` count triangles over all drawn placements; `owners` are indices of the drawn rows.
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
        """Return the triangle pool with the meshes of placements; their trees may be missing."""
        return self.moment.meshes.entered(self.moment.placements.meshes[rows])

    def every_face(self) -> tuple[Ids, Ids]:
        """Return the faces (3, t) of all meshes of the pool, and the start index of each mesh.

        The faces of a mesh are in its own order; faces that are not finite have no area. The last
        start is t. Faces refer to vertices of the pool.
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
        """Return the rows of placements whose boxes touch a view (4, 4), ascending."""
        parts = [np.empty(0, np.intp)]
        for pairs in self.moment.volume_pairs(Frusta.from_matrices(view_projection[None])):
            parts.append(pairs.rows)
        return np.sort(np.concatenate(parts))

    def sizes(self, rows: Ids) -> Ids:
        """Return the numbers of triangles of placements, including non-finite triangles."""
        return self.moment.meshes.table.lengths[self.moment.placements.meshes[rows]]

    def drawn(self, rows: Ids, screen: Floats) -> Iterator[OnScreen]:
        """Yield the triangles of placements; `screen_matrix` returns `screen`, (4, 4)."""
        pool, meshes = self.pool(rows), self.moment.placements.meshes[rows]
        firsts = np.cumsum(self.sizes(rows)) - self.sizes(rows)
        # Small placements share a batch. A large placement has its own batch, even if only few of
        # its vertices belong to faces.
        weights = np.maximum(self.moment.meshes.sizes[meshes], pool.corner_counts[meshes])
        ends = np.cumsum(weights)
        parts = starts_of_runs(
            ((ends - weights) // _TOGETHER) * (len(ends) + 1) + ends // _TOGETHER
        )
        for some in np.split(np.arange(len(rows)), parts[1:]):
            if len(some):
                yield self._drawn(pool, rows[some], some, firsts[some], screen)

    def _drawn(self, pool: Pool, rows: Ids, owners: Ids, firsts: Ids, screen: Floats) -> OnScreen:
        """Return the triangles of placements in rows, numbered from their `firsts` on."""
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
    """Return concatenated ranges; for a single range a slice, which copies nothing."""
    if len(starts) == 1:
        return slice(int(starts[0]), int(starts[0] + counts[0]))
    return concatenated_ranges(starts, counts)


def _each(values: Rows, counts: Ids) -> Rows:
    """Return values (..., k), repeated by `counts`; a single value remains for broadcasting."""
    return values if len(counts) == 1 else np.repeat(values, counts, axis=-1)


def screen_matrix(view_projection: Floats, size: tuple[int, int]) -> Floats:
    """Return the matrix (4, 4) to homogeneous x and y in pixels, nearness, and w."""
    width, height = size
    x, y, z, w = view_projection
    return np.stack(((x + w) * (width / 2), (y + w) * (height / 2), (w - z) / 2, w))


def combined(screen: Floats, matrices: Floats) -> Floats:
    """Return the products (4, 4, k) of a matrix with affine matrices (12, k)."""
    grid = matrices.reshape(3, 4, -1)
    products = np.einsum("ij,jkn->ikn", screen[:, :3], grid)
    products[:, 3] += screen[:, 3, None]
    return products


def transformed(matrices: Floats, vertices: Floats) -> Floats:
    """Return vertices (3, v) transformed by matrices (4, 4, v) or (4, 4, 1), as (4, v)."""
    x, y, z = vertices
    clip = np.empty((4, len(x)))
    with np.errstate(all="ignore"):
        for row, (by_x, by_y, by_z, shift) in zip(clip, matrices, strict=True):
            row[:] = by_x * x + by_y * y + by_z * z + shift
    return clip


def near_clipped(clip: Floats, faces: Ids) -> tuple[Floats, Ids, Ids | None]:
    """Clip faces at the near plane, and return corners, faces, and the source face of each.

    Source faces are None if all corners are in front. A triangle that the plane cuts leaves one
    or two triangles. A new corner is computed identically for both triangles that share its edge.
    Sutherland and Hodgman, "Reentrant Polygon Clipping", 1974.
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
    """Rotate the corners of faces so that the only flagged corner comes first."""
    turns = (np.argmax(flags, axis=0) + np.arange(3)[:, None]) % 3
    return np.take_along_axis(faces, turns, axis=0)


def _crossing(clip: Floats, depths: Floats, front: Ids, back: Ids) -> Floats:
    """Return the clip coordinates where edges cross the near plane, (4, k)."""
    ones, others = clip[:, front], clip[:, back]
    parts = depths[front] / (depths[front] - depths[back])
    points: Floats = ones + (others - ones) * parts
    points[2] = points[3]
    return points
