"""What a camera sees: points by Blender's own projection, triangles by cutting, one at a time."""

import itertools
from collections.abc import Sequence

import bpy
import numpy as np
from bpy_extras.object_utils import world_to_camera_view
from mathutils import Vector

WHOLE = ((0.0, 1.0), (0.0, 1.0))


def points_about(camera: bpy.types.Object, count: int = 60) -> np.ndarray:
    """Return points in and around the view, as far as the clip range and somewhat beyond."""
    random = np.random.default_rng(7)
    frame = np.array([tuple(v) for v in camera.data.view_frame(scene=bpy.context.scene)])
    if camera.data.type == "PERSP":
        frame /= -frame[:, 2:]
    low, high = frame[:, :2].min(axis=0), frame[:, :2].max(axis=0)
    depth = random.uniform(0.1, 1.2 * camera.data.clip_end, (count, 1))
    middle, half = (low + high) / 2, (high - low) / 2
    across = middle + 1.5 * half * random.uniform(-1, 1, (count, 2))
    local = np.hstack((across * (depth if camera.data.type == "PERSP" else 1), -depth))
    matrix = np.array(camera.matrix_world.normalized())
    return local @ matrix[:3, :3].T + matrix[:3, 3]


def seen_points(
    camera: bpy.types.Object,
    points: np.ndarray,
    frame: Sequence[tuple[float, float]] = WHOLE,
) -> tuple[np.ndarray, np.ndarray]:
    """Tell which points are seen, and which are too near a side to tell in float32."""
    scene, lens = bpy.context.scene, camera.data
    seen = np.array([world_to_camera_view(scene, camera, Vector(point)) for point in points])
    low, high = np.array([*frame, (lens.clip_start, lens.clip_end)]).T
    slack = 1e-3 * (high - low)
    unsure = (np.minimum(np.abs(seen - low), np.abs(seen - high)) < slack).any(axis=1)
    return ((seen >= low) & (seen <= high)).all(axis=1), unsure


def clip_planes(item: bpy.types.Object) -> np.ndarray:
    """Return six inward planes of a view, from the corners that Blender frames the image with."""
    lens = item.data
    frame = np.array([tuple(v) for v in lens.view_frame(scene=bpy.context.scene)])
    planes = [[0, 0, -1, -lens.clip_start], [0, 0, 1, lens.clip_end]]
    for corner, following in zip(frame, np.roll(frame, -1, axis=0), strict=True):
        along = corner if lens.type == "PERSP" else [0, 0, -1]
        normal = np.cross(following - corner, along)
        normal *= np.sign(normal @ (frame.mean(axis=0) - corner - [0, 0, 1])) or 1
        planes.append([*normal, -normal @ corner])
    return np.array(planes) @ np.linalg.inv(np.array(item.matrix_world.normalized()))


def touches(planes: np.ndarray, triangle: np.ndarray) -> bool:
    """Tell whether anything is left of a triangle after cutting it with each plane."""
    polygon = list(triangle)
    for plane in planes:
        heights = [plane[:3] @ point + plane[3] for point in polygon]
        kept = []
        for (point, height), (after, height_after) in itertools.pairwise(
            [*zip(polygon, heights, strict=True), (polygon[0], heights[0])]
        ):
            if height >= 0:
                kept.append(point)
            if (height >= 0) != (height_after >= 0):
                kept.append(point + (after - point) * height / (height - height_after))
        polygon = kept
        if not polygon:
            return False
    return True


def inside(planes: np.ndarray, triangle: np.ndarray) -> bool:
    """Tell whether all of a triangle is in view."""
    return bool((triangle @ planes[:, :3].T + planes[:, 3] >= 0).all())


def in_view(planes: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Tell which triangles of (n, 3, 3) are in view, at least in part."""
    heights = triangles @ planes[:, :3].T + planes[:, 3]
    possible = ~(heights < 0).all(axis=1).any(axis=1)
    return np.array(
        [maybe and touches(planes, each) for maybe, each in zip(possible, triangles, strict=True)]
    )
