"""Distances between a surface and its reduction (one-sided Hausdorff distances, sampled).

Cignoni, Rocchini and Scopigno, "Metro: Measuring Error on Simplified Surfaces", 1998. Both
directions are needed: a reduction that fills a hole is close to every point of its source, but
the filled part is far from the source.
"""

from typing import NamedTuple

import numpy as np

from ...core import Triangles, build_octree, nearest
from ..arrays import Floats, Ids


class Surface(NamedTuple):
    """Triangles: `points` of float64, (v, 3), and `faces`, (f, 3)."""

    points: Floats
    faces: Ids


class LevelError(NamedTuple):
    """Distances between a surface and its reduction, in the unit of their points.

    Attributes
    ----------
    to_source : float
        The largest distance from the reduction's vertices and the centers of its triangles to the
        source.
    from_source : float
        The largest distance from the vertices of the source to the reduction.
    """

    to_source: float = 0.0
    from_source: float = 0.0

    def with_other(self, other: "LevelError") -> "LevelError":
        """Return the larger distance in each direction."""
        return LevelError(*map(max, self, other))


def surface_error(source: Surface, reduced: Surface) -> LevelError:
    """Measure the distances in both directions; 0 if a surface is empty. O(log f) per point."""
    centers = reduced.points[reduced.faces].mean(axis=1)
    samples = np.concatenate((reduced.points[np.unique(reduced.faces)], centers))
    known = source.points[np.unique(source.faces)]
    return LevelError(_farthest(samples, source), _farthest(known, reduced))


def _farthest(points: Floats, surface: Surface) -> float:
    if not len(points) or not len(surface.faces):
        return 0.0
    tree = build_octree(Triangles(surface.points, surface.faces))
    return float(nearest(tree, points).distances.max())


def joined_surface(parts: list[Surface]) -> Surface:
    """Return a surface with the triangles of all parts."""
    starts = np.cumsum([0, *(len(each.points) for each in parts)])
    faces = [each.faces + start for each, start in zip(parts, starts, strict=False)]
    return Surface(np.concatenate([each.points for each in parts]), np.concatenate(faces))
