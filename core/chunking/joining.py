"""Chunks joined into their ancestors, by Morton codes, as a base for levels of detail."""

from dataclasses import dataclass, replace
from typing import SupportsIndex

import numpy as np

from .. import checks
from ..arrays import Ids, starts_of_runs
from ..records import Record
from ..steps import run
from .api import Chunks
from .lattice import Lattice, LatticeCells


@dataclass(frozen=True, eq=False)
class JoinedChunks(Record):
    """Chunks joined into j larger ones that hold the same triangles.

    Attributes
    ----------
    chunks : Chunks
        The larger chunks, in Morton order. `is_over` is set if any joined chunk is over.
    parents : ndarray of intp, shape (c,)
        The larger chunk that contains or equals each of the c chunks.
    heights : ndarray of intp, shape (j,)
        Divisions from each larger chunk to the smallest chunk in it; 0 if a chunk stays.
    """

    chunks: Chunks
    parents: Ids
    heights: Ids


def joined_chunks(chunks: Chunks, /, *, height: SupportsIndex = 1) -> JoinedChunks:
    """Join chunks into the largest cells with at most `height` divisions below them.

    Parameters
    ----------
    chunks : Chunks
        c chunks.
    height : int
        Largest number of divisions from a cell to the smallest chunk in it; 0 joins nothing.

    Returns
    -------
    JoinedChunks
        The larger cells; no chunks give no cells. Pieces are not merged: a triangle made whole
        again would lack vertices that its neighbors have. O(n), and O(c) for each depth.

    Raises
    ------
    ValueError
        If `height` is no whole number, or negative.
    """
    checks.kind("chunks", chunks, (Chunks,))
    most = checks.whole_number("height", height, 0)
    lattice, axes = _lattice_of(chunks)
    depths = _depths_of_parents(chunks, len(axes), most)
    down = chunks.depths - depths
    codes = chunks.codes >> len(axes) * down
    # Chunks in one cell follow each other in Morton order.
    first = starts_of_runs(codes)
    parents = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(codes))))
    halves = (lattice.corner[:, None] << chunks.depths) >> 1
    numbers = np.where(chunks.depths > 0, chunks.coordinates.T - halves, 0)
    numbers[list(axes)] >>= down
    cells = LatticeCells(depths[first], numbers[:, first], lattice, axes)
    heights = np.zeros(len(first), np.intp)
    np.maximum.at(heights, parents, down)
    return JoinedChunks(_with_parents(chunks, cells, parents, first), parents, heights)


def _lattice_of(chunks: Chunks) -> tuple[Lattice, tuple[int, ...]]:
    """Return the lattice of the chunks, and the axes along which cells are divided."""
    doublings = int(np.round(np.log2(chunks.root_size / chunks.cell)))
    corner = np.round(chunks.root_lower / (chunks.root_size / 2)).astype(np.int64)
    deep = chunks.depths.argmax() if len(chunks.depths) else 0
    is_quadtree = len(chunks.depths) > 0 and chunks.codes[deep] >> 2 * chunks.depths[deep] == 1
    return Lattice(chunks.cell, doublings, corner), (0, 1) if is_quadtree else (0, 1, 2)


def _depths_of_parents(chunks: Chunks, bits: int, height: int) -> Ids:
    """Return the depth of the cell into which each chunk is joined, (c,)."""
    depths = chunks.depths.copy()
    for depth in range(int(depths.max(initial=0)) - 1, -1, -1):
        (below,) = (chunks.depths >= depth).nonzero()
        starts = starts_of_runs(chunks.codes[below] >> bits * (chunks.depths[below] - depth))
        deepest = np.maximum.reduceat(chunks.depths[below], starts)
        sizes = np.diff(np.append(starts, len(below)))
        depths[below[np.repeat(deepest - depth <= height, sizes)]] = depth
    return depths


def _with_parents(chunks: Chunks, cells: LatticeCells, parents: Ids, first: Ids) -> Chunks:
    lower, upper = cells.bounds
    pieces = chunks.pieces
    ranks = np.append(parents, -1)
    counts, totals = np.zeros(len(first), np.intp), np.zeros(len(first))
    is_over = np.zeros(len(first), bool)
    np.add.at(counts, parents, chunks.counts)
    np.add.at(totals, parents, chunks.totals)
    np.logical_or.at(is_over, parents, chunks.is_over)
    return replace(
        chunks,
        lower=lower.T,
        upper=upper.T,
        depths=cells.depths,
        codes=cells.codes,
        levels=cells.levels,
        coordinates=cells.coordinates.T,
        counts=counts,
        totals=totals,
        is_over=is_over,
        neighbors=run(cells.neighbor_steps()),
        cells=ranks[chunks.cells],
        pieces=replace(pieces, cells=ranks[pieces.cells]),
    )
