"""Octrees over triangles, boxes, spheres and regions, in NumPy.

Read on in the order of the files' imports: shapes, octree, construction, descend, query; then
rays, nearest and pairs; then dynamic (items that move), scene (placed meshes), audit (clashes),
clip and chunks (triangles cut at walls), and item_buffer (pixels). The public names are those of
this file.

A bad argument is an error that names it: a `ValueError`, which is a `TypeError`, too, where its
type is wrong.
"""

from .apart import islands
from .atomic_files import atomic_file
from .cell_statistics import Statistics, statistics
from .checksumming import SUMMED_TOGETHER, checksums
from .chunking import (
    ChunkPolygons,
    Chunks,
    Density,
    JoinedChunks,
    chunk_polygons,
    chunks,
    chunks_steps,
    density,
    density_steps,
    interpolated,
    interpolated_normals,
    joined_chunks,
)
from .clash import (
    FINDING_CLASSES,
    FINDING_MEASURES,
    Audit,
    ContactIntervals,
    ContactTracker,
    Supports,
    audit,
    audit_again,
    audit_again_steps,
    audit_steps,
    connected_components,
    supports,
    supports_steps,
)
from .clipping import Pieces, assign, clip, clip_steps
from .compiled import kernel, kernel_state, split_quads, use_kernel, use_threads
from .construction import BuildCancelled, build_octree, build_steps
from .descend import CROSSING, INSIDE, OUTSIDE, UNVISITED
from .dynamic import ChangeCounts, DynamicOctree
from .item_buffer import (
    OCCLUDED,
    OUT_OF_VIEW,
    SEEN,
    TOO_SMALL,
    Evidence,
    FaceSamples,
    ItemBuffers,
    ItemRenderer,
    PixelRays,
    Visibility,
    ZBuffer,
    face_samples,
    face_samples_steps,
    item_buffers,
    sphere_directions,
    views_around,
    views_inside,
    visibility,
    visibility_steps,
)
from .nearby import Nearest, nearest
from .octree import Octree
from .pairs import (
    overlapping_pairs,
    overlapping_pairs_steps,
    pairs_inside,
    pairs_touching,
    pairs_within,
)
from .place.fitting import fits, fits_steps, obstacles, obstacles_steps
from .place.neighbors import nearest_objects, nearest_objects_steps
from .place.separating import Separation, separate, separate_steps
from .place.sliding import Slides, slide, slide_steps
from .place.surface_distances import Distances, distances, distances_steps
from .rays import RayCrossings, RayHits, ray_cast, ray_cast_all, ray_test
from .scene import (
    SceneOctree,
    baked_triangles,
    baked_triangles_steps,
    objects_touching,
    objects_touching_steps,
    overlapping_objects,
    overlapping_objects_steps,
)
from .shapes import Boxes, Capsules, Frusta, HalfSpaces, OrientedBoxes, Regions, Spheres, Triangles
from .steps import Running, Steps, between, run
from .storage import load, save
from .tracing import cells_along_ray, trace
from .volumes import query, query_any, query_count
from .wireframe import cell_segments

__all__ = [
    "CROSSING",
    "FINDING_CLASSES",
    "FINDING_MEASURES",
    "INSIDE",
    "OCCLUDED",
    "OUTSIDE",
    "OUT_OF_VIEW",
    "SEEN",
    "SUMMED_TOGETHER",
    "TOO_SMALL",
    "UNVISITED",
    "Audit",
    "Boxes",
    "BuildCancelled",
    "Capsules",
    "ChangeCounts",
    "ChunkPolygons",
    "Chunks",
    "ContactIntervals",
    "ContactTracker",
    "Density",
    "Distances",
    "DynamicOctree",
    "Evidence",
    "FaceSamples",
    "Frusta",
    "HalfSpaces",
    "ItemBuffers",
    "ItemRenderer",
    "JoinedChunks",
    "Nearest",
    "Octree",
    "OrientedBoxes",
    "Pieces",
    "PixelRays",
    "RayCrossings",
    "RayHits",
    "Regions",
    "Running",
    "SceneOctree",
    "Separation",
    "Slides",
    "Spheres",
    "Statistics",
    "Steps",
    "Supports",
    "Triangles",
    "Visibility",
    "ZBuffer",
    "assign",
    "atomic_file",
    "audit",
    "audit_again",
    "audit_again_steps",
    "audit_steps",
    "baked_triangles",
    "baked_triangles_steps",
    "between",
    "build_octree",
    "build_steps",
    "cell_segments",
    "cells_along_ray",
    "checksums",
    "chunk_polygons",
    "chunks",
    "chunks_steps",
    "clip",
    "clip_steps",
    "connected_components",
    "density",
    "density_steps",
    "distances",
    "distances_steps",
    "face_samples",
    "face_samples_steps",
    "fits",
    "fits_steps",
    "interpolated",
    "interpolated_normals",
    "islands",
    "item_buffers",
    "joined_chunks",
    "kernel",
    "kernel_state",
    "load",
    "nearest",
    "nearest_objects",
    "nearest_objects_steps",
    "objects_touching",
    "objects_touching_steps",
    "obstacles",
    "obstacles_steps",
    "overlapping_objects",
    "overlapping_objects_steps",
    "overlapping_pairs",
    "overlapping_pairs_steps",
    "pairs_inside",
    "pairs_touching",
    "pairs_within",
    "query",
    "query_any",
    "query_count",
    "ray_cast",
    "ray_cast_all",
    "ray_test",
    "run",
    "save",
    "separate",
    "separate_steps",
    "slide",
    "slide_steps",
    "sphere_directions",
    "split_quads",
    "statistics",
    "supports",
    "supports_steps",
    "trace",
    "use_kernel",
    "use_threads",
    "views_around",
    "views_inside",
    "visibility",
    "visibility_steps",
]
