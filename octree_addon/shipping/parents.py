"""Levels of detail: the cells that chunks are joined into, and the hashes of their contents."""

from collections.abc import Mapping, Sequence
from hashlib import sha1
from typing import Any, NamedTuple

import numpy as np

from ...core import joined_chunks
from .. import tuning
from ..arrays import Ids
from ..chunks import SceneCut, cell_names
from .manifest import side_neighbors

# Version of joining and reduction: increased when the result for equal chunks changes.
_WAY = 1


class ParentCell(NamedTuple):
    """A cell of a coarser level, joined from chunks or from smaller cells.

    Attributes
    ----------
    name : str
        Id of the cell.
    code : int
        Morton code of the cell, with a leading one.
    height : int
        Number of divisions from the cell down to its smallest chunk.
    leaves : ndarray of intp
        Rows of the chunks in it, in Morton order.
    children : tuple of int
        Codes of the chunks or cells that it is joined from.
    members : dict of str to Any
        Members of the manifest that do not depend on the contents.
    """

    name: str
    code: int
    height: int
    leaves: Ids
    children: tuple[int, ...]
    members: dict[str, Any]


def parent_cells(cut: SceneCut, levels: int, bits: int) -> list[ParentCell]:
    """Return the cells of all levels above the finest, each after its children.

    Parameters
    ----------
    cut : SceneCut
        The chunks.
    levels : int
        Number of levels, that of the chunks included: for 1 the result is empty.
    bits : int
        Number of bits by which the code of a child is longer: 3, or 2 in a quadtree.
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
    """Return the hash of each cell, by code; `hashes` are those of the chunks, by code."""
    known = dict(hashes)
    for each in parents:
        tuned = tuning.current
        said = repr((_WAY, tuned.level_share, tuned.level_triangles, each.name))
        sums = sha1(said.encode(), usedforsecurity=False)
        for child in each.children:
            sums.update(known[child].encode())
        known[each.code] = sums.hexdigest()
    return {each.code: known[each.code] for each in parents}
