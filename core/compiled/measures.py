"""Distances of triangles, pair by pair, and of points from triangles, in C."""

import numpy as np

from ..arrays import Floats, address
from ..shapes import Triangles
from .door import found
from .touches import batch_of, has_rows, row_step


def measured_pairs(items: Triangles, margin: float) -> Floats | None:
    """Return how far items i and i + h of 2 h triangles are apart, (h,); None without a kernel.

    Infinite where they surely are beyond the margin, NaN of those that are left to NumPy.
    """
    library, package, _ = found()
    batch = batch_of(items)
    if batch is None:
        return None
    lengths = np.empty(len(items) // 2)
    library.octree_kernel_measure(
        package.byref(batch.value), len(lengths), margin, address(lengths)
    )
    return lengths


def point_distances(points: Floats, triangles: Floats) -> Floats | None:
    """Return how far points (3, h) are from triangles (9, h), (h,); None without a kernel.

    NaN of those that are left to NumPy.
    """
    library = found()[0]
    if library is None:
        return None
    points, triangles = (
        each if has_rows(each) else np.ascontiguousarray(each) for each in (points, triangles)
    )
    lengths = np.empty(points.shape[1])
    library.octree_kernel_heights(
        address(points), row_step(points), address(triangles), row_step(triangles),
        len(lengths), address(lengths),
    )  # fmt: skip
    return lengths
