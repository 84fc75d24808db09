"""The floor for a frustum: every triangle against the six planes, no tree, chunk by chunk.

Float64, axis first, in chunks that stay in the second-level cache: once with the sums written out,
as one writes them, once as matrix products, as the processor likes them best.
"""

from collections.abc import Callable

import numpy as np

CHUNK = 16_384

Heights = Callable[[np.ndarray, np.ndarray], np.ndarray]


def corners_of(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Lay the triangles out as the scan wants them, shape (3 corners, 3 axes, n)."""
    return np.ascontiguousarray(vertices[faces].transpose(1, 2, 0))


def by_sums(planes: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Heights of points (3, n) over planes (6, 4) through the origin: (6, n), row by row."""
    x, y, z = points
    heights = np.empty((len(planes), len(x)))
    for (a, b, c, _), row in zip(planes.tolist(), heights, strict=True):
        np.multiply(x, a, out=row)
        np.add(row, b * y, out=row)
        np.add(row, c * z, out=row)
    return heights


def by_products(planes: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return the same as one small matrix product."""
    return planes[:, :3] @ points


def touching(
    corners: np.ndarray, planes: np.ndarray, heights_of: Heights = by_products
) -> np.ndarray:
    """Ids of the triangles that no plane has wholly outside.

    The test is conservative: some of these triangles pass beside a corner of the frustum.
    """
    return _scan(corners, planes, np.maximum, heights_of)


def inside(corners: np.ndarray, planes: np.ndarray) -> np.ndarray:
    """Ids of the triangles that lie wholly inside, exactly."""
    return _scan(corners, planes, np.minimum, by_products)


def _scan(
    corners: np.ndarray, planes: np.ndarray, extreme: Callable, heights_of: Heights
) -> np.ndarray:
    """Ids of the triangles whose `extreme` corner is inside each of the planes (6, 4)."""
    first, second, third = corners
    found = []
    for start in range(0, first.shape[1], CHUNK):
        part = slice(start, start + CHUNK)
        heights = heights_of(planes, first[:, part])
        extreme(heights, heights_of(planes, second[:, part]), out=heights)
        extreme(heights, heights_of(planes, third[:, part]), out=heights)
        found.append(np.flatnonzero((heights >= -planes[:, 3:]).all(axis=0)) + start)
    return np.concatenate(found)
