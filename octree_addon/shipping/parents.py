"""Levels of detail: which cells chunks are joined into, and how far from the finest each is."""

from collections.abc import Mapping, Sequence
from hashlib import sha1
from typing import Any, NamedTuple

import numpy as np

from ...core import joined_chunks
from .. import tuning
from ..arrays import Ids
from ..chunks import SceneCut, cell_names
from .manifest import side_neighbors

# Raised whenever the same chunks are joined or reduced in another way.
_WAY = 1


class ParentCell(NamedTuple):
    """A cell that chunks, or smaller such cells, are joined into.

    Attributes
    ----------
    name : str
        Its id.
    code : int
        Its Morton code behind a leading one.
    height : int
        How many divisions lead down to the smallest chunk in it.
    leaves : ndarray of intp
        The chunks in it, in Morton order.
    children : tuple of int
        The codes of those that it is made of, chunks or such cells.
    members : dict of str to Any
        What the manifest says of it without looking at what it has.
    """

    name: str
    code: int
    height: int
    leaves: Ids
    children: tuple[int, ...]
    members: dict[str, Any]


def parent_cells(cut: SceneCut, levels: int, bits: int) -> list[ParentCell]:
    """Return the cells of all levels above the finest, each after those that it is made of.

    Parameters
    ----------
    cut : SceneCut
        The chunks.
    levels : int
        How many levels there are; of one there are no such cells.
    bits : int
        By how many bits a code is longer than that of its parent: 3, or 2 of a quadtree.
    """
    names = dict(zip(cut.found.codes.tolist(), cut.names, strict=True))
    found: list[ParentCell] = []
    for height in range(1, levels):
        joined = joined_chunks(cut.found, height=height)
        cells, labels = joined.chunks, cell_names(joined.chunks)
        near = side_neighbors(cells, labels)
        below: dict[int, list[int]] = {}
        for code in names:
            below.setdefault(code >> bits, []).append(code)
        (higher,) = np.nonzero(joined.heights == height)
        for cell in higher.tolist():
            code = int(cells.codes[cell])
            children = tuple(sorted(below[code]))
            members = {
                "id": labels[cell],
                "code": code,
                "parent": code >> bits,
                "level": int(cells.levels[cell]),
                "lower": cells.lower[cell].tolist(),
                "upper": cells.upper[cell].tolist(),
                "over": bool(cells.is_over[cell]),
                "neighbors": near[cell],
                "children": [names[child] for child in children],
                "height": height,
            }
            leaves = np.flatnonzero(joined.parents == cell)
            found.append(ParentCell(labels[cell], code, height, leaves, children, members))
        names |= {each.code: each.name for each in found}
    return sorted(found, key=lambda each: (int(each.leaves[-1]), each.height))


def parent_hashes(parents: Sequence[ParentCell], hashes: Mapping[int, str]) -> dict[int, str]:
    """Return the hash of each cell by its code, known those of chunks."""
    known = dict(hashes)
    for each in parents:
        tuned = tuning.current
        said = repr((_WAY, tuned.level_share, tuned.level_triangles, each.name))
        sums = sha1(said.encode(), usedforsecurity=False)
        for child in each.children:
            sums.update(known[child].encode())
        known[each.code] = sums.hexdigest()
    return {each.code: known[each.code] for each in parents}
