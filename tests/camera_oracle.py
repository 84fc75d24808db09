"""What a camera sees by cutting triangles with the sides of its view, one at a time."""

import itertools

import bpy
import numpy as np


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
