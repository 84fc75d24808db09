"""Tests and distances of triangles and triangles or points, pair by pair, in C."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Floats, Ids, address
from ..shapes import Triangles
from .door import found

# The flag of pairs that the kernel leaves to NumPy.
_LEFT = 2


@dataclass(frozen=True)
class Batch:
    """Triangles as a structure of the kernel, `value`, and the arrays that it points to."""

    value: Any
    kept: list[NDArray[Any]]


def touching_triangles(
    ones: Triangles, ids: Ids, others: Triangles, numbers: Ids
) -> tuple[Flags, Ids] | None:
    """Flag the pairs of triangles that share a point, (h,), and list the pairs left to NumPy.

    Pair i is triangle `ids[i]` of `ones` and `numbers[i]` of `others`. Returns None without the
    compiled kernel, or if the kernel cannot take the arrays.
    """
    library, package, _ = found()
    batches = batch_of(ones), batch_of(others)
    if package is None or batches[0] is None or batches[1] is None:
        return None
    asked = [np.ascontiguousarray(each, np.intp) for each in (ids, numbers)]
    flags = np.empty(len(ids), np.uint8)
    library.octree_kernel_touching(
        package.byref(batches[0].value), address(asked[0]), package.byref(batches[1].value),
        address(asked[1]), len(flags), address(flags),
    )  # fmt: skip
    (left,) = (flags == _LEFT).nonzero()
    return flags == 1, left


def batch_of(items: Triangles) -> Batch | None:
    """Return triangles for the kernel; None without it, or if it cannot take the arrays."""
    package = found()[1]
    if package is None:
        return None
    triangles, entries, places, matrices = items.placing
    vertices, faces = triangles.vertices.T, triangles.faces.T
    if not (has_rows(vertices) and has_rows(faces)):
        return None
    kept = [vertices, faces, *(np.ascontiguousarray(each) for each in (entries, places, matrices))]
    is_placed = items is not triangles
    value = package.Batch(
        *map(address, kept[:2]),
        *(address(each) if is_placed else None for each in kept[2:]),
        vertex_step=row_step(vertices), vertex_count=vertices.shape[1],
        face_step=row_step(faces), face_count=faces.shape[1], count=len(items),
        place_count=matrices.shape[1],
    )  # fmt: skip
    return Batch(value, kept)


def has_rows(array: NDArray[Any]) -> bool:
    """Return whether the rows of an array are contiguous, with numbers of eight bytes."""
    return array.itemsize == 8 and (array.strides[1] == 8 or array.shape[1] < 2)


def row_step(array: NDArray[Any]) -> int:
    """Return the distance from one row to the next, in numbers of eight bytes."""
    return array.strides[0] // 8


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
