"""Octrees over triangles, boxes, spheres and regions, in NumPy.

Read on in the order of the files' imports: shapes, octree, build, descend, query.
"""

from .build import BuildCancelled, build_octree, build_steps
from .octree import Octree
from .query import query, query_any, query_count
from .shapes import (
    Boxes,
    Capsules,
    Frusta,
    HalfSpaces,
    OrientedBoxes,
    Regions,
    Spheres,
    Triangles,
)
from .statistics import Statistics, statistics
from .wireframe import cell_segments

__all__ = [
    "Boxes",
    "BuildCancelled",
    "Capsules",
    "Frusta",
    "HalfSpaces",
    "Octree",
    "OrientedBoxes",
    "Regions",
    "Spheres",
    "Statistics",
    "Triangles",
    "build_octree",
    "build_steps",
    "cell_segments",
    "query",
    "query_any",
    "query_count",
    "statistics",
]
