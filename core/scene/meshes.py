"""Meshes by number, their octrees, each built when a question first needs it, and the forest."""

from copy import copy
from dataclasses import dataclass, fields, replace

import numpy as np

from .. import checks
from ..arrays import Floats, Ids, concatenated_ranges, starts_of_runs
from ..construction import build_octree
from ..octree import Octree
from ..options import Options
from ..shapes import Triangles
from .forest import Forest, forest_of

# Meshes of at least _WORTH triangles get a box around each of up to _PARTS**3 parts.
_WORTH, _PARTS = 8, 4
# What a mesh without a finite triangle has for bounds.
_NO_BOUNDS = np.repeat([np.inf, -np.inf], 3)


@dataclass(frozen=True)
class Mesh:
    """A mesh: its triangles, those of them that are finite, and their bounds, (6,).

    `parts` are boxes that hold all vertices together, (6, b), tighter than the bounds.
    """

    triangles: Triangles
    valid: Ids
    bounds: Floats
    parts: Floats

    @classmethod
    def of(cls, triangles: Triangles) -> "Mesh":
        """Return what is known of triangles without an octree."""
        lower, upper = triangles.limits()
        (valid,) = (np.isfinite(lower) & np.isfinite(upper)).all(axis=0).nonzero()
        if len(valid) == 0:
            return cls(triangles, valid, _NO_BOUNDS, np.zeros((6, 1)))
        low, high = lower[:, valid].min(axis=1), upper[:, valid].max(axis=1)
        bounds = np.concatenate((low, high))
        return cls(triangles, valid, bounds, _parts(triangles, valid, bounds))


def _parts(triangles: Triangles, valid: Ids, bounds: Floats) -> Floats:
    """Return the bounds of the vertices in each cell of a coarse grid, (6, b)."""
    if len(valid) < _WORTH:
        return bounds[:, None]
    used = np.zeros(len(triangles.vertices), bool)
    used[triangles.faces[valid]] = True
    points = triangles.vertices[used].T
    size = (bounds[3:] - bounds[:3])[:, None]
    scale = np.divide(_PARTS, size, out=np.zeros((3, 1)), where=size > 0)
    cells = np.minimum((points - bounds[:3, None]) * scale, _PARTS - 1).astype(np.intp)
    keys = (cells[0] * _PARTS + cells[1]) * _PARTS + cells[2]
    order = np.argsort(keys, kind="stable")
    starts, points = starts_of_runs(keys[order]), points[:, order]
    lower = np.minimum.reduceat(points, starts, axis=1)
    return np.concatenate((lower, np.maximum.reduceat(points, starts, axis=1)))


@dataclass(frozen=True)
class Table:
    """What placements have to know of meshes, by number; of one that is gone, nothing.

    Mesh i has bounds in column i of `bounds`, and `counts[i]` of the `parts` from `starts[i]` on.
    """

    bounds: Floats
    parts: Floats
    starts: Ids
    counts: Ids

    @classmethod
    def of(cls, meshes: dict[int, Mesh], born: int) -> "Table":
        """Return what there is to know of these meshes."""
        numbers = list(meshes)
        bounds, counts = np.tile(_NO_BOUNDS[:, None], (1, born)), np.zeros(born, np.intp)
        parts = [mesh.parts for mesh in meshes.values()]
        if numbers:
            bounds[:, numbers] = np.stack([mesh.bounds for mesh in meshes.values()], axis=1)
            counts[numbers] = [part.shape[1] for part in parts]
        return cls(
            bounds,
            np.concatenate([np.empty((6, 0)), *parts], axis=1),
            np.cumsum(counts) - counts,
            counts,
        )


@dataclass(frozen=True)
class Planted:
    """The forest of some meshes, and of each: its root, or -1, its slack and first entry."""

    forest: Forest
    roots: Ids
    slacks: Floats
    firsts: Ids


class Meshes:
    """Meshes that come, change and go. Numbers are never given again."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._meshes: dict[int, Mesh] = {}
        self._trees: dict[int, Octree] = {}
        self._planted: Planted | None = None
        self._leaf: Octree | None = None
        self._sizes: Ids | None = None
        self._table: Table | None = None
        self.born = 0

    def copy(self) -> "Meshes":
        """Return the same meshes and octrees; what is added to either is not in the other."""
        other = copy(self)
        other._meshes, other._trees = dict(self._meshes), dict(self._trees)
        return other

    def add(self, triangles: Triangles) -> int:
        """Take a mesh and return its number."""
        mesh = Mesh.of(triangles)
        number = self.born
        self._meshes[number], self.born = mesh, number + 1
        self._sizes = self._table = None
        return number

    def replace(self, number: int, triangles: Triangles) -> None:
        """Take other triangles for a mesh."""
        mesh = Mesh.of(triangles)
        self._forget(number)
        self._meshes[number] = mesh

    def remove(self, number: int) -> None:
        """Do without a mesh."""
        self._forget(number)
        del self._meshes[number]

    def _forget(self, number: int) -> None:
        self._sizes = self._table = None
        if self._trees.pop(number, None) is not None:
            self._planted = None

    def __getitem__(self, number: int) -> Mesh:
        return self._meshes[number]

    def __len__(self) -> int:
        return len(self._meshes)

    @property
    def table(self) -> Table:
        """What placements have to know of all meshes."""
        if self._table is None:
            self._table = Table.of(self._meshes, self.born)
        return self._table

    def check(self, placed: Ids) -> None:
        """Assert that placed meshes are there, and that what is known of meshes is true."""
        assert set(placed.tolist()) <= set(self._meshes), "a placed mesh is gone"
        assert set(self._trees) <= set(self._meshes), "a mesh that is gone has an octree"
        for number, mesh in self._meshes.items():
            fresh = Mesh.of(mesh.triangles)
            assert np.array_equal(fresh.bounds, self.table.bounds[:, number]), "bounds of a mesh"
            assert np.array_equal(fresh.valid, mesh.valid), "finite triangles of a mesh"
            if number in self._trees:
                assert self._trees[number].items is mesh.triangles, "octree of another mesh"
                self._trees[number].check()
        if self._planted is not None:
            self._check_forest(self._planted)

    def _check_forest(self, planted: Planted) -> None:
        """Assert that the forest is the octrees, one behind the other."""
        forest = planted.forest
        for number, tree in self._trees.items():
            root, references = planted.roots[number], len(tree.references)
            assert root >= 0 and planted.slacks[number] == tree.slack
            cells = slice(root, root + len(tree.first_child))
            assert np.array_equal(forest.cell_rows[:, cells], tree.cell_rows)
            begin = forest.begin[root]
            entries = forest.references[begin : begin + references]
            assert np.array_equal(forest.order[entries], tree.order[tree.references])

    def require(self, name: str, numbers: Ids) -> None:
        """Raise a ValueError unless these are numbers of meshes that are there."""
        there = np.zeros(self.born, bool)
        there[list(self._meshes)] = True
        checks.every_row(name, "be meshes of the scene", there[numbers], numbers)

    @property
    def sizes(self) -> Ids:
        """How many finite triangles the mesh of each number has; 0 for one that is gone."""
        if self._sizes is None:
            self._sizes = np.zeros(self.born, np.intp)
            self._sizes[list(self._meshes)] = [len(mesh.valid) for mesh in self._meshes.values()]
        return self._sizes

    @property
    def largest(self) -> int:
        """The number of triangles that no mesh has more than."""
        return max((len(mesh.triangles) for mesh in self._meshes.values()), default=0)

    def valid_triangles(self, numbers: Ids) -> Ids:
        """Return the numbers of the finite triangles of these meshes, one after the other."""
        counts = self.sizes[numbers]
        ranks = concatenated_ranges(0 * counts, counts)
        holed = [n for n, mesh in self._meshes.items() if len(mesh.valid) < len(mesh.triangles)]
        if holed and np.isin(numbers, holed).any():
            starts = np.zeros(self.born, np.intp)
            starts[list(self._meshes)] = np.cumsum([0, *self.sizes[list(self._meshes)][:-1]])
            every = np.concatenate([mesh.valid for mesh in self._meshes.values()])
            ranks = every[ranks + np.repeat(starts[numbers], counts)]
        return ranks

    def planted(self, needed: Ids) -> Planted:
        """Return the forest with the octrees of all needed meshes, built if they were not."""
        missing = [number for number in needed.tolist() if number not in self._trees]
        for number in missing:
            self._trees[number] = self._built(self._meshes[number])
        if missing or self._planted is None:
            forest, cells, entries = forest_of(list(self._trees.values()), self._options)
            roots, firsts = np.full((2, self.born), -1)
            slacks = np.zeros(self.born)
            roots[list(self._trees)], firsts[list(self._trees)] = cells, entries
            slacks[list(self._trees)] = [tree.slack for tree in self._trees.values()]
            self._planted = Planted(forest, roots, slacks, firsts)
        return self._planted

    def _built(self, mesh: Mesh) -> Octree:
        options = {each.name: getattr(self._options, each.name) for each in fields(Options)}
        if len(mesh.valid) > self._options.capacity:
            return build_octree(mesh.triangles, **options)
        if self._leaf is None:
            self._leaf = build_octree(Triangles([], []), **options)
        return _single(self._leaf, mesh)


def _single(leaf: Octree, mesh: Mesh) -> Octree:
    """Return the octree of few triangles without building it: one cell, like `leaf`."""
    everyone = np.arange(len(mesh.valid))
    cell = np.where(np.isfinite(mesh.bounds), mesh.bounds, 0.0)[:, None]
    return replace(
        leaf,
        items=mesh.triangles,
        invalid_items=np.setdiff1d(np.arange(len(mesh.triangles)), mesh.valid),
        cell_rows=cell,
        loose_rows=cell,
        own_end=np.full(1, len(everyone)),
        end=np.full(1, len(everyone)),
        order=mesh.valid,
        arranged=mesh.triangles[mesh.valid],
        references=everyone,
        copied=np.zeros(len(everyone), bool),
    )
