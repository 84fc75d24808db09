"""The bottom level (BLAS): the octrees of all meshes in one set of flat arrays, a root for each.

One walk takes every question down the tree of the mesh that it is about.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, fields
from typing import Any, cast

import numpy as np

from ..arrays import Floats, Ids
from ..octree import Octree
from ..options import Options
from ..shapes import Triangles


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Forest(Octree):
    """Many octrees over triangles: entry e is triangle `order[e]` of its mesh.

    Attributes
    ----------
    roots : ndarray of intp, shape (q,)
        Where each question of a batch begins.
    slacks : ndarray of float64, shape (q,)
        How much larger cells are taken for it.
    """

    arranged: Triangles
    roots: Ids
    slacks: Floats
    _trees: Sequence[Octree]
    _contents: dict[str, Floats] = field(default_factory=dict)

    def _roots_for(self, questions: int) -> tuple[Ids, Floats]:
        """Return where the questions of this batch begin, and the slack of each, (q,)."""
        return self.roots, self.slacks

    def asked(self, roots: Ids, slacks: Floats) -> "Forest":
        """Return the same forest for a batch of questions."""
        forest = copy(self)
        vars(forest).update(roots=roots, slacks=slacks)
        return forest

    @property
    def content_rows(self) -> Floats:
        """Bounds of the items of each cell and of all below it, made once, (6, m)."""
        if "rows" not in self._contents:
            rows = np.concatenate([tree.content_rows.T for tree in self._trees])
            self._contents["rows"] = rows.T
        return self._contents["rows"]


@dataclass(frozen=True)
class _Offsets:
    """How many cells, references and entries stand before each tree's own."""

    cells: Ids
    references: Ids
    entries: Ids


def forest_of(trees: Sequence[Octree], options: Options) -> tuple[Forest, Ids, Ids]:
    """Return the forest of these trees over triangles, the root and the first entry of each."""
    offsets = _Offsets(
        _before([len(tree.first_child) for tree in trees]),
        _before([len(tree.references) for tree in trees]),
        _before([len(tree.order) for tree in trees]),
    )
    arrays: dict[str, Any] = {name: _joined(trees, name, offsets) for name in _KINDS}
    loose = (
        arrays["cell_rows"] if options.enlargement == 1 else _joined(trees, "loose_rows", offsets)
    )
    arranged = joined_triangles([cast(Triangles, tree.arranged) for tree in trees])
    forest = Forest(
        **{each.name: getattr(options, each.name) for each in fields(Options)},
        **arrays,
        loose_rows=loose,
        items=arranged,
        arranged=arranged,
        invalid_items=offsets.cells[:0],
        outside=0,
        slack=0.0,
        ids=None,
        groups=None,
        roots=offsets.cells[:0],
        slacks=np.empty(0),
        _trees=trees,
    )
    return forest, offsets.cells[:-1], offsets.entries[:-1]


# Arrays of a tree, and what their numbers count.
_KINDS = {
    "cell_rows": None,
    "middle_rows": None,
    "node_depth": None,
    "node_parent": "cells",
    "first_child": "cells",
    "begin": "references",
    "own_end": "references",
    "end": "references",
    "child_masks": None,
    "order": None,
    "references": "entries",
    "copied": None,
    "strays": "entries",
}


def _before(counts: list[int]) -> Ids:
    return np.cumsum([0, *counts], dtype=np.intp)


def _joined(trees: Sequence[Octree], name: str, offsets: _Offsets) -> Floats:
    """Return one array of all trees, its numbers moved behind those of the trees before."""
    parts = [getattr(tree, name) for tree in trees]
    joined = np.concatenate(parts, axis=-1)
    counted = _KINDS.get(name)
    if counted is not None:
        shifts = np.repeat(getattr(offsets, counted)[:-1], [part.shape[-1] for part in parts])
        joined += np.where(joined >= 0, shifts, 0)
    return joined


def joined_triangles(parts: Sequence[Triangles]) -> Triangles:
    """Return the triangles of several batches, one after the other."""
    if len(parts) == 1:
        return parts[0]
    before = _before([len(part.vertices) for part in parts])
    faces = [part.faces + start for part, start in zip(parts, before, strict=False)]
    return Triangles(
        np.concatenate([part.vertices for part in parts] or [np.empty((0, 3))]),
        np.concatenate(faces or [np.empty((0, 3), np.intp)]),
    )
