"""Distances of pairs of triangles, and of points from triangles, in C."""

import numpy as np

from ..arrays import Floats, address
from ..shapes import Triangles
from .door import found
from .touches import batch_of, has_rows, row_step


def measured_pairs(items: Triangles, margin: float) -> Floats | None:
    """Return the distances of triangles i and i + h, of 2 h triangles, (h,).

    A distance is infinite if it surely exceeds the margin, NaN if it is left to NumPy. Returns
    None without the compiled kernel, or if the kernel cannot take the arrays.
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
    """Return the distances of points (3, h) from triangles (9, h), pair by pair, (h,).

    A distance is NaN if it is left to NumPy. Returns None without the compiled kernel.
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
