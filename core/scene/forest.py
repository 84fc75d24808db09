"""The bottom level (BLAS): the octrees of all meshes in one set of flat arrays, a root for each.

Each question of a batch starts at the root of its mesh, and all descend together. Trees are
appended in place, so that a new mesh costs its own size.
"""

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, fields
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ids
from ..octree import Octree
from ..options import Options
from ..shapes import Triangles
from ..walkable import Walkable
from .growing import Growing, GrownTriangles


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Forest(Walkable):
    """Many octrees over triangles: entry e is triangle `order[e]` of its mesh.

    The octree of mesh i has cell `tree_roots[i]` for its root, -1 if there is none, and takes
    `tree_slacks[i]`. Question q of a batch begins at cell `_starts[0][q]`, and takes
    `_starts[1][q]`.
    """

    arranged: GrownTriangles
    tree_roots: Ids
    tree_slacks: Floats
    _starts: tuple[Ids, Floats]
    _grove: "Grove"

    @property
    def roots(self) -> Ids:
        """The root of the tree that each question of a batch is about, (q,)."""
        return self._starts[0]

    @property
    def slacks(self) -> Floats:
        """How far outside its cells an item may lie, for each question, (q,)."""
        return self._starts[1]

    @property
    def content_rows(self) -> Floats:
        """Bounds of the items of each cell and of all below it, made once, (6, m)."""
        return self._grove.content_rows[:, : len(self.first_child)]

    def asked(self, meshes: Ids, slacks: Floats) -> "Forest":
        """Return the same forest for questions about these meshes, with additional slack."""
        forest = copy(self)
        starts = self.tree_roots[meshes], self.tree_slacks[meshes] + slacks
        vars(forest).update(_starts=starts)
        return forest


# Arrays of a tree, and what their numbers count.
_KINDS = {
    "cell_rows": None,
    "loose_rows": None,
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
    "vertices": None,
    "faces": "vertices",
}
# What these arrays are as long as; all others as the cells.
_LENGTHS = {
    "order": "entries",
    "references": "references",
    "copied": "entries",
    "strays": "strays",
    "vertices": "vertices",
    "faces": "entries",
}
_COUNTED = {
    "cells": "first_child",
    "references": "references",
    "entries": "order",
    "vertices": "vertices",
    "strays": "strays",
}


def _array(tree: Octree, name: str) -> NDArray[Any]:
    """Return an array of a tree by its name in `_KINDS`."""
    if name in ("vertices", "faces"):
        array: NDArray[Any] = getattr(cast(Triangles, tree.arranged), name).T
        return array
    return cast(NDArray[Any], getattr(tree, name))


@dataclass(frozen=True)
class _Span:
    """Where the arrays of a tree begin and end, by kind of length; and its slack."""

    places: dict[str, slice]
    slack: float

    def __getitem__(self, kind: str) -> slice:
        return self.places[kind]


class Grove:
    """The octrees of meshes, by number, as a forest that grows and is thinned out."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._clear()

    def _clear(self) -> None:
        self._turn = object()
        self._arrays = {name: Growing() for name in self._names}
        self._tables = {"bounding_spheres": Growing(), "planes": Growing()}
        self._contents = Growing()
        # All trees in the order of their cells, and by number those that count.
        self._spans: list[_Span] = []
        self._living: dict[int, _Span] = {}
        self._forest: Forest | None = None

    @property
    def _names(self) -> list[str]:
        is_tight = self._options.enlargement == 1
        return [name for name in _KINDS if not (is_tight and name == "loose_rows")]

    def __contains__(self, number: int) -> bool:
        return number in self._living

    def __len__(self) -> int:
        return len(self._living)

    @property
    def numbers(self) -> list[int]:
        """The numbers of the meshes that have a tree."""
        return list(self._living)

    def _lengths(self) -> dict[str, int]:
        """Return how many of each kind are kept."""
        return {kind: len(self._arrays[name]) for kind, name in _COUNTED.items()}

    def plant(self, trees: dict[int, Octree], is_wanted: Callable[[int], bool]) -> Iterator[None]:
        """Append trees in steps, as long as they are wanted: not gone, and not here yet.

        They are there after the last step, or not at all.
        """
        trees = {number: tree for number, tree in trees.items() if is_wanted(number)}
        # Behind the ends of the arrays there is room for one: it is the last comer's.
        turn = self._turn = object()
        for _ in self._put(trees):
            yield
            if turn is not self._turn or not all(map(is_wanted, trees)):
                break
        else:
            self._keep(trees)
            return
        # Others came in between, or meshes went. Not to be overtaken again, what is left comes at
        # once.
        self.plant_at_once({number: tree for number, tree in trees.items() if is_wanted(number)})

    def plant_at_once(self, trees: dict[int, Octree]) -> None:
        """Append trees."""
        self._turn = object()
        for _ in self._put(trees):
            pass
        self._keep(trees)

    def _put(self, trees: dict[int, Octree]) -> Iterator[None]:
        """Put trees behind the ends of the arrays, one array after the other."""
        if trees:
            spans = _spans(trees, self._lengths())
            for name in self._names:
                self._arrays[name].put(_array_of_all(list(trees.values()), name, spans))
                yield

    def _keep(self, trees: dict[int, Octree]) -> None:
        """Let trees that were put behind the ends belong to the others."""
        if not trees:
            return
        spans = dict(zip(trees, _spans(trees, self._lengths()), strict=True))
        stops = list(spans.values())[-1]
        for name, array in self._arrays.items():
            array.keep(stops[_LENGTHS.get(name, "cells")].stop - len(array))
        self._spans += spans.values()
        self._living.update(spans)
        self._forest = None

    def fell(self, number: int) -> None:
        """Remove a tree. Once half of all is gone, its room is given back."""
        if self._living.pop(number, None) is None:
            return
        self._forest = None
        used = sum(_size(span) for span in self._living.values())
        if 2 * used < len(self._arrays["references"]) + len(self._arrays["first_child"]):
            trees = {other: self.tree(other) for other in self._living}
            self._clear()
            self.plant_at_once(trees)

    def forest(self, born: int) -> Forest:
        """Return all trees, at least one, by the number of the mesh; `born` numbers in all."""
        if self._forest is None or len(self._forest.tree_roots) < born:
            self._forest = self._grown(born)
        return self._forest

    def _grown(self, born: int) -> Forest:
        roots, slacks = np.full(born, -1), np.zeros(born)
        for number, span in self._living.items():
            roots[number], slacks[number] = span["cells"].start, span.slack
        arrays: dict[str, Any] = {name: array.rows for name, array in self._arrays.items()}
        arrays.setdefault("loose_rows", arrays["cell_rows"])
        arranged = GrownTriangles(arrays.pop("vertices"), arrays.pop("faces"), self._tables)
        return Forest(
            **{name: rows for name, rows in arrays.items() if not name.startswith("node_")},
            straddlers=self._options.straddlers,
            arranged=arranged,
            outside=0,
            tree_roots=roots,
            tree_slacks=slacks,
            _starts=(roots[:0], slacks[:0]),
            _grove=self,
        )

    @property
    def content_rows(self) -> Floats:
        """Bounds of the items of all cells, (6, m); each tree's are made once."""
        for span in self._spans:
            if span["cells"].stop > len(self._contents):
                rows = self._tree(span).content_rows
                self._contents.put(rows)
                self._contents.keep(rows.shape[1])
        return self._contents.rows

    def tree(self, number: int) -> Octree:
        """Return the octree of a mesh as it was before it was planted, over its arrangement."""
        return self._tree(self._living[number])

    def _tree(self, span: _Span) -> Octree:
        arrays: dict[str, Any] = {name: self._cut(name, span) for name in self._names}
        arrays.setdefault("loose_rows", arrays["cell_rows"])
        arranged = GrownTriangles(
            arrays.pop("vertices"), arrays.pop("faces"), {name: Growing() for name in self._tables}
        )
        return Octree(
            **{each.name: getattr(self._options, each.name) for each in fields(Options)},
            **arrays,
            items=arranged,
            arranged=arranged,
            invalid_items=arrays["order"][:0],
            outside=0,
            slack=span.slack,
            ids=None,
            groups=None,
        )

    def _cut(self, name: str, span: _Span) -> NDArray[Any]:
        """Return a tree's part of an array, numbered from 0."""
        part = self._arrays[name].rows[..., span[_LENGTHS.get(name, "cells")]]
        counted = _KINDS[name]
        return part.copy() if counted is None else part - (part >= 0) * span[counted].start


def _size(span: _Span) -> int:
    """Return how many references and cells a tree has."""
    return sum(span[kind].stop - span[kind].start for kind in ("references", "cells"))


def _spans(trees: dict[int, Octree], starts: dict[str, int]) -> list[_Span]:
    """Return where the arrays of trees will be, one behind the other."""
    spans, ends = [], dict(starts)
    for tree in trees.values():
        places = {}
        for kind, name in _COUNTED.items():
            start = ends[kind]
            ends[kind] = start + _array(tree, name).shape[-1]
            places[kind] = slice(start, ends[kind])
        spans.append(_Span(places, tree.slack))
    return spans


def _array_of_all(trees: Sequence[Octree], name: str, spans: Sequence[_Span]) -> NDArray[Any]:
    """Return one array of all trees, its numbers moved behind those of the trees before."""
    parts = [_array(tree, name) for tree in trees]
    counted = _KINDS[name]
    if counted is not None:
        parts = [
            part if span[counted].start == 0 else part + (part >= 0) * span[counted].start
            for part, span in zip(parts, spans, strict=True)
        ]
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=-1)
