"""Samples of each face over many views, to find hidden faces, and the views' saturation."""

from dataclasses import dataclass
from typing import SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import (
    Floats,
    Ids,
    blocks,
    concatenated_ranges,
    distinct,
    power_of_two_scale,
    ranks_of,
)
from ..checks import ALL_GROUPS
from ..records import Record
from ..scene.meshes import Meshes
from ..steps import Steps, at_once
from .renderers import ItemRenderer, Size, asked_of, checked_views


@dataclass(frozen=True, eq=False)
class FaceSamples(Record):
    """Sample counts of each triangle of each placed mesh, summed over its placements.

    A face that no sample saw may still be visible: see `added_by_last`.

    Attributes
    ----------
    meshes : ndarray of intp, shape (m,)
        Numbers of the meshes, ascending.
    starts : ndarray of intp, shape (m + 1,)
        Triangles of mesh `meshes[i]` have the indices `starts[i]` to `starts[i + 1] - 1` in the
        following arrays.
    counts : ndarray of intp, shape (t,)
        Number of samples that show the triangle.
    first_views : ndarray of intp, shape (t,)
        The first view that shows the triangle, or -1.
    areas : ndarray of float64, shape (t,)
        Area of the triangle in local space.
    views : int
        Number of views.
    """

    meshes: Ids
    starts: Ids
    counts: Ids
    first_views: Ids
    areas: Floats
    views: int

    def of_mesh(self, mesh: int) -> Ids:
        """Return the number of samples that show each triangle of a mesh.

        Parameters
        ----------
        mesh : int
            Number of the mesh.

        Returns
        -------
        ndarray of intp, shape (n,)
            One count for each triangle of the mesh.

        Raises
        ------
        ValueError
            If no placement has that mesh.
        """
        number = checks.whole_number("mesh", mesh, 0)
        place = int(np.searchsorted(self.meshes, number))
        if place == len(self.meshes) or self.meshes[place] != number:
            raise ValueError(f"mesh must be placed, got {number}")
        return self.counts[self.starts[place] : self.starts[place + 1]].copy()

    def added_by_last(self, part: SupportsFloat = 0.1) -> tuple[float, float]:
        """Return the share of visible faces that only the last views added (saturation).

        Parameters
        ----------
        part : float, default 0.1
            The part of the views that counts as last; at least one view.

        Returns
        -------
        faces, area : float
            Shares of the visible faces, and of their area in local space, that no earlier view
            shows; near 0 if more views would hardly find more faces.

        Raises
        ------
        ValueError
            If the part is no number of at least 0.
        """
        last = max(1, round(checks.number("part", part, 0.0) * self.views))
        seen = self.first_views >= 0
        late = self.first_views >= max(self.views - last, 0)
        added = self.areas[seen & late].sum(), max(self.areas[seen].sum(), np.finfo(float).tiny)
        return float((seen & late).sum() / max(seen.sum(), 1)), float(added[0] / added[1])


def face_samples_steps(
    renderer: ItemRenderer,
    view_projection: ArrayLike,
    /,
    *,
    size: Size = (1024, 1024),
    groups: SupportsIndex = ALL_GROUPS,
) -> Steps[FaceSamples]:
    """Count the samples that show each face, over all views, in steps.

    Parameters
    ----------
    renderer : ItemRenderer
        The renderer with its scene: `ZBuffer(scene)` or `PixelRays(scene)`.
    view_projection : array_like of float, shape (v, 4, 4)
        As for `item_buffers`, for example from `views_around` or `views_inside`.
    size : tuple of int, default (1024, 1024)
        Width and height in pixels.
    groups : int
        A 32-bit mask; placements whose own mask shares no bit with it are ignored.

    Returns
    -------
    generator of FaceSamples
        Counts for all placed meshes; memory does not grow with the views.

    Raises
    ------
    ValueError
        On a wrong shape or size, a matrix that is not finite or has no inverse, or if `groups` is
        no mask.
    """
    renderer = asked_of(renderer, groups)
    steps = _steps(renderer, *checked_views(view_projection, size))
    return renderer.stage.moment.as_long_as_current(steps)


face_samples = at_once(face_samples_steps)


def _steps(renderer: ItemRenderer, matrices: Floats, size: Size) -> Steps[FaceSamples]:
    moment = renderer.stage.moment
    meshes_of = moment.meshes.known_as(moment.placements.meshes)
    meshes = distinct(meshes_of[moment.in_groups])
    ranks = ranks_of(moment.meshes.born, meshes)
    starts = np.append(0, np.cumsum(moment.meshes.table.lengths[meshes]))
    counts, first_views = np.zeros(starts[-1], np.intp), np.full(starts[-1], -1)
    for view, matrix in enumerate(matrices):
        yield view / len(matrices)
        image = renderer.image(matrix, size)
        (seen,) = (image.rows >= 0).nonzero()
        faces = starts[ranks[meshes_of[image.rows[seen]]]] + image.triangles[seen]
        counts += np.bincount(faces, minlength=len(counts))
        first_views[(first_views < 0) & (counts > 0)] = view
    yield 1.0
    areas = _areas(moment.meshes, meshes, starts)
    return FaceSamples(meshes, starts, counts, first_views, areas, len(matrices))


def _areas(meshes: Meshes, numbers: Ids, starts: Ids) -> Floats:
    """Return the areas of all triangles of meshes in local space, (t,).

    The areas of each mesh begin at its `starts`; triangles that are not finite have area 0.
    """
    pool, sizes, areas = meshes.entered(numbers), meshes.sizes[numbers], np.zeros(starts[-1])
    entries = concatenated_ranges(pool.firsts[numbers], sizes)
    faces = np.repeat(starts[:-1], sizes) + pool.order[entries]
    for some in blocks(len(entries)):
        corners = pool.arranged.take_rows(entries[some]).reshape(3, 3, -1)
        normals = np.cross(corners[1] - corners[0], corners[2] - corners[0], axis=0)
        scale = power_of_two_scale(normals)
        areas[faces[some]] = np.linalg.norm(normals * scale, axis=0) / (2 * scale)
    return areas
