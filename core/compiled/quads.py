"""Triangulation in C: polygons of three and four corners, split exactly as by Blender."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..arrays import Ids
from .door import Caller, found, threads_of
from .walks import in_pieces

# Triangles in a piece of work of a thread.
_PIECE = 1 << 17


def split_quads(
    positions: NDArray[np.float32],
    corners: NDArray[np.int32],
    polygons: NDArray[np.int32],
    /,
    *,
    by_corner: bool = False,
) -> Ids | None:
    """Split polygons of three and four corners into triangles, exactly as Blender does.

    A quad is cut from its first corner to the third, unless the two triangles would face away
    from each other: then from the second to the fourth.

    Parameters
    ----------
    positions : ndarray of float32, shape (v, 3)
        Positions of the vertices.
    corners : ndarray of int32, shape (c,)
        Vertex of each corner, polygon after polygon.
    polygons : ndarray of int32, shape (t,)
        Polygon that each triangle is a part of, ascending from 0.
    by_corner : bool, optional
        Return numbers of corners instead of vertices.

    Returns
    -------
    ndarray of intp, shape (3, t), or None
        The vertices of each triangle, read-only. None if Blender has to split the polygons:

        - if any quad is nearly folded, a needle, without area, or far larger or smaller than 1,
          since Blender decides in single precision, with results that differ between machines;
        - if any polygon has more than four corners;
        - without the compiled kernel, since NumPy takes longer than Blender.

    Raises
    ------
    ValueError
        If an array has a wrong type or shape, or is not contiguous.
    IndexError
        If a corner of a polygon, or the vertex of that corner, does not exist.

    Notes
    -----
    O(t). Blender's rule: `is_quad_flip_v3_first_third_fast` in mesh_tessellate.cc, 4.2 to 5.2.
    """
    _require("positions", positions, np.float32, 3)
    _require("corners", corners, np.int32)
    _require("polygons", polygons, np.int32)
    wanted = checks.flag("by_corner", by_corner)
    if found()[0] is None:
        return None
    return _Splitter().split(positions, corners, polygons, is_by_corner=wanted)


def _require(name: str, value: NDArray[Any], kind: type, *shape: int) -> None:
    """Raise a ValueError unless `value` is a contiguous array (n, *shape) of type `kind`."""
    given = checks.array(name, value)
    if given.dtype != kind or given.ndim != 1 + len(shape) or given.shape[1:] != shape:
        wanted = ", ".join(["n", *map(str, shape)])
        told = f"{name} must hold {kind.__name__} in shape ({wanted})"
        raise ValueError(f"{told}, got {given.dtype} in shape {given.shape}")
    if not given.flags.c_contiguous:
        raise ValueError(f"{name} must be contiguous")


class _Splitter(Caller):
    """Kernel function that splits polygons, called in pieces by several threads."""

    def split(
        self,
        positions: NDArray[np.float32],
        corners: NDArray[np.int32],
        polygons: NDArray[np.int32],
        *,
        is_by_corner: bool,
    ) -> Ids | None:
        """Return the triangles (3, t), read-only; None if the kernel is not certain of one."""
        count = len(polygons)
        faces = np.empty((3, count), np.intp)
        given = positions, len(positions), corners, len(corners), polygons, count

        doubts: list[slice] = []

        def piece(some: slice) -> None:
            asked = some.start, some.stop, is_by_corner, faces
            if not doubts and self.call("quads", *given, *asked) < some.stop:
                doubts.append(some)

        in_pieces(count, _PIECE, threads_of(None), piece)
        if doubts:
            return None
        faces.setflags(write=False)
        return faces
