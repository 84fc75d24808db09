"""Rows of cells for Results, with those over budget first; cells as outlines and colored boxes."""

import io
from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from zipfile import BadZipFile

import bpy
import numpy as np
from numpy.typing import NDArray

from ..answers.rows import Column, Rows
from ..arrays import UNUSED, Ids
from ..result_list import ColoredCells, Contact, ResultKind
from ..ui import at_forgetting
from .world import CellTable, WorldTriangles

# Pairs of corner numbers that differ in one bit: the edges of a box.
_EDGES = [(k, k | 1 << axis) for k in range(8) for axis in range(3) if not k >> axis & 1]
_BITS = np.arange(8)[:, None] >> np.arange(3) & 1


def cell_rows(table: CellTable, world: WorldTriangles, columns: Sequence[Column]) -> Rows:
    """Return a row for each cell: the object with the most triangles in it, and the columns."""
    placements = world.placements
    instances = placements.persistent_ids[table.culprits].copy()
    instances[~placements.is_instance[table.culprits]] = UNUSED
    objects = placements.owners[table.culprits].astype(np.intp)
    return Rows(objects[None], instances[None], tuple(columns))


def pack_cells(table: CellTable, values: NDArray[Any]) -> bytes:
    """Return the bounds of cells and the values for their colors as bytes of a result."""
    file = io.BytesIO()
    np.savez_compressed(
        file,
        lower=table.lower,
        upper=table.upper,
        values=np.asarray(values, np.float64),
        over=table.is_over,
    )
    return file.getvalue()


@lru_cache(maxsize=4)
def _unpacked(data: bytes) -> ColoredCells | None:
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return ColoredCells(*(arrays[name] for name in ColoredCells._fields))
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return None


at_forgetting(_unpacked.cache_clear)


def cells_in(result: Any) -> ColoredCells | None:
    """Return the cells stored in a result; None if they cannot be read."""
    cells = _unpacked(bytes(result.details))
    return cells if cells is not None and len(cells.lower) == result.count else None


class CellKind(ResultKind):
    """Results with a cell in each row: colored boxes; a click on a row frames its cell."""

    def contact(self, scene: bpy.types.Scene, result: Any, row: int) -> Contact | None:
        """Return the edges of the cell of a row."""
        cells = cells_in(result)
        if cells is None:
            return None
        corners = np.where(_BITS == 1, cells.upper[row], cells.lower[row])
        faces = (np.empty(0, np.intp),)
        return Contact(corners, corners[_EDGES], faces, (result.number, row))

    def cells(self, scene: bpy.types.Scene, result: Any) -> ColoredCells | None:
        """Return the cells stored in the result."""
        return cells_in(result)

    def colors_objects(self, scene: bpy.types.Scene, result: Any, rows: Rows) -> bool:
        """Return whether the result has no cells, so that its rows are objects."""
        return not result.details


def worst_first(table: CellTable, values: NDArray[Any]) -> Ids:
    """Return the order of cells: those over budget first, then by falling value."""
    return np.lexsort((-np.asarray(values), ~table.is_over))
