"""Meshes by number, their octrees, each built when a question first needs it, and the forest."""

from collections.abc import Generator
from copy import copy
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..arrays import Flags, Floats, Ids, concatenated_ranges, flagged, gather, starts_of_runs
from ..construction import build_octree, build_steps
from ..octree import Octree
from ..options import Options
from ..shapes import Triangles
from ..steps import between, run
from .forest import Forest, Grove
from .sheets import GrowingSheets, Sheet, Sheets

# Meshes of at least _WORTH triangles get a box around each of up to _PARTS**3 parts.
_WORTH, _PARTS = 8, 4
# What a mesh costs beside its triangles, counted in these; for how many octrees are planted.
_COST, _TOGETHER = 256, 65_536
# Meshes of which too many copies would be made are tried again at this depth less one, and so on.
_DEEP = 8
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
        vertices, faces = triangles.vertices.T, triangles.faces.T
        finite = np.isfinite(vertices).all(axis=0)
        good = np.ones(len(triangles), bool) if finite.all() else finite[faces].all(axis=0)
        (valid,) = good.nonzero()
        if len(valid) == 0:
            return cls(triangles, valid, _NO_BOUNDS, np.zeros((6, 1)))
        used = np.zeros(len(finite), bool)
        for row in faces:
            used[row if len(valid) == len(good) else row[valid]] = True
        points = vertices if used.all() else vertices[:, used]
        bounds = np.concatenate((points.min(axis=1), points.max(axis=1)))
        is_worth = len(valid) >= _WORTH
        return cls(
            triangles, valid, bounds, _parts(points, bounds) if is_worth else bounds[:, None]
        )


def _parts(points: Floats, bounds: Floats) -> Floats:
    """Return the bounds of the points in each cell of a coarse grid, (6, b)."""
    size = bounds[3:] - bounds[:3]
    scale = np.divide(_PARTS, size, out=np.zeros(3), where=size > 0)
    keys: NDArray[Any] = np.zeros(points.shape[1], np.uint8)
    for row, low, factor in zip(points, bounds, scale, strict=False):
        cells = np.minimum((row - low) * factor, _PARTS - 1).astype(np.uint8)
        keys = keys * np.uint8(_PARTS) + cells
    order = np.argsort(keys, kind="stable")
    starts, points = starts_of_runs(keys[order]), gather(points, order)
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
class _Holed:
    """The meshes with triangles that are not finite: which, and the others of each in a row."""

    flags: Flags
    starts: Ids
    valid: Ids

    @classmethod
    def of(cls, meshes: dict[int, Mesh], born: int) -> "_Holed":
        """Return what there is to know of these meshes."""
        holed = [n for n, mesh in meshes.items() if len(mesh.valid) < len(mesh.triangles)]
        flags, starts = flagged(born, np.array(holed, np.intp)), np.zeros(born, np.intp)
        parts = [meshes[number].valid for number in holed]
        starts[holed] = np.cumsum([0, *map(len, parts)])[:-1]
        return cls(flags, starts, np.concatenate([np.empty(0, np.intp), *parts]))


@dataclass(frozen=True)
class Planted:
    """The forest of some meshes, and of each: its root, or -1, its slack and first entry."""

    forest: Forest
    roots: Ids
    slacks: Floats
    firsts: Ids

    @classmethod
    def of(cls, grove: Grove, born: int) -> "Planted":
        """Return what has been planted."""
        roots, firsts, slacks = np.full(born, -1), np.full(born, -1), np.zeros(born)
        for number in grove.numbers:
            roots[number], firsts[number], slacks[number] = grove.span(number)
        return cls(grove.forest, roots, slacks, firsts)


class Meshes:
    """Meshes that come, change and go. Numbers are never given again."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._meshes: dict[int, Mesh] = {}
        self._grove, self._sheets = Grove(options), GrowingSheets()
        self._planted: Planted | None = None
        self._leaf: Octree | None = None
        self._sizes: Ids | None = None
        self._table: Table | None = None
        self._holed: _Holed | None = None
        # The version of the grove, if that is another's.
        self._borrowed: int | None = None
        self.born = 0
        # Meshes without the triangles that overflow where they are placed, and whose place they
        # take: nobody else knows of them.
        self._stand_ins: dict[int, int] = {}
        # What others found out about meshes as they are laid out; gone once one of these is.
        self.notes: dict[str, Any] = {}

    def copy(self) -> "Meshes":
        """Return the same meshes and octrees; what is added to either is not in the other."""
        other = copy(self)
        other._meshes, other._borrowed = dict(self._meshes), self._grove.version
        other._sheets, other.notes = GrowingSheets(), {}
        other._stand_ins = dict(self._stand_ins)
        return other

    def without_overflow(self, number: int, corners: Floats) -> int:
        """Take a mesh that stands in for another one, and return its number.

        It does without the triangles of which a placed vertex, (3, v), is not finite.
        """
        triangles = self._meshes[number].triangles
        faces, nowhere = triangles.faces.copy(), len(triangles.vertices)
        bad = ~np.isfinite(corners).all(axis=0)
        faces[bad[faces].any(axis=1)] = nowhere
        vertices = np.concatenate((triangles.vertices, np.full((1, 3), np.nan)))
        stand_in = self.add(Triangles(vertices, faces))
        self._stand_ins[stand_in] = number
        return stand_in

    def known_as(self, numbers: Ids) -> Ids:
        """Return the numbers by which callers know these meshes."""
        if not self._stand_ins:
            return numbers
        called = np.arange(self.born)
        called[list(self._stand_ins)] = list(self._stand_ins.values())
        return called[numbers]

    def keep_stand_ins(self, placed: Ids) -> None:
        """Do without meshes that stand in where nothing is placed any more."""
        for number in set(self._stand_ins) - set(placed.tolist() if self._stand_ins else ()):
            del self._stand_ins[number]
            self.remove(number)

    def _own_grove(self, *, changing: bool = False) -> None:
        """Do without a grove of another that has changed since, or is to be changed."""
        if self._borrowed is not None and (changing or self._borrowed != self._grove.version):
            self._grove, self._planted, self._borrowed = Grove(self._options), None, None

    def add(self, triangles: Triangles) -> int:
        """Take a mesh and return its number."""
        mesh = Mesh.of(triangles)
        number = self.born
        self._meshes[number], self.born = mesh, number + 1
        self._sizes = self._table = self._planted = self._holed = None
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
        self._sizes = self._table = self._planted = self._holed = None
        self._own_grove(changing=True)
        self._grove.fell(number)
        self._sheets.forget(number)
        self.notes = {}

    def __getitem__(self, number: int) -> Mesh:
        return self._meshes[number]

    def __len__(self) -> int:
        return len(self._meshes) - len(self._stand_ins)

    @property
    def table(self) -> Table:
        """What placements have to know of all meshes."""
        if self._table is None:
            self._table = Table.of(self._meshes, self.born)
        return self._table

    def check(self, placed: Ids) -> None:
        """Assert that placed meshes are there, and that what is known of meshes is true."""
        self._own_grove()
        assert set(placed.tolist()) <= set(self._meshes), "a placed mesh is gone"
        assert set(self._stand_ins) <= set(placed.tolist()), "a mesh stands in for nothing"
        assert set(self._grove.numbers) <= set(self._meshes), "a mesh that is gone has an octree"
        for number, mesh in self._meshes.items():
            fresh = Mesh.of(mesh.triangles)
            assert np.array_equal(fresh.bounds, self.table.bounds[:, number]), "bounds of a mesh"
            assert np.array_equal(fresh.valid, mesh.valid), "finite triangles of a mesh"
            if number in self._grove:
                _check_tree(self._grove.tree(number), mesh)

    def require(self, name: str, numbers: Ids) -> None:
        """Raise a ValueError unless these are numbers of meshes that are there."""
        there = np.zeros(self.born, bool)
        there[list(self._meshes)] = True
        there[list(self._stand_ins)] = False
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

    def valid_triangles(self, numbers: Ids, counts: Ids) -> Ids:
        """Return the first so many finite triangles of these meshes, one after the other."""
        ranks = concatenated_ranges(0 * counts, counts)
        if self._holed is None:
            self._holed = _Holed.of(self._meshes, self.born)
        holes = np.repeat(self._holed.flags[numbers], counts)
        if holes.any():
            starts = np.repeat(self._holed.starts[numbers], counts)
            ranks[holes] = self._holed.valid[(ranks + starts)[holes]]
        return ranks

    def planted(self, needed: Ids) -> Planted:
        """Return the forest with the octrees of all needed meshes, built if they were not."""
        self._own_grove()
        planted = self._planted
        if planted is None or (planted.roots[needed] < 0).any():
            run(self.prepare(needed))
            planted = self._planted = Planted.of(self._grove, self.born)
        return planted

    def prepare(self, needed: Ids) -> Generator[float, None, None]:
        """Build the octrees of meshes that have none yet, and yield the fraction done.

        Those that are gone or replaced in the meantime are left out.
        """
        self._own_grove()
        missing = [number for number in needed.tolist() if number not in self._grove]
        if missing and self._borrowed is not None:
            self._own_grove(changing=True)
            missing = needed.tolist()
        sizes = np.cumsum([0, *(_COST + len(self._meshes[number].valid) for number in missing)])
        shares = (sizes / max(int(sizes[-1]), 1)).tolist()
        waiting: dict[int, tuple[Mesh, Octree]] = {}
        done = 0.0
        for number, start, stop in zip(missing, shares, shares[1:], strict=False):
            mesh = self._meshes.get(number)
            if mesh is None or number in self._grove:
                continue
            tree = yield from between(start, stop, self._built(mesh))
            waiting[number] = mesh, tree
            if stop - done > _TOGETHER / sizes[-1]:
                yield from self._plant(waiting, stop)
                done = stop
        yield from self._plant(waiting, 1.0)

    def sheets(self, needed: Ids) -> Generator[float, None, Sheets]:
        """Return meshes laid out without octrees, made if they were not; yields the while."""
        missing = {
            number: mesh
            for number in needed.tolist()
            if number not in self._sheets and len((mesh := self._meshes[number]).valid)
        }
        sheets = {
            number: Sheet(mesh.triangles, mesh.valid, mesh.bounds)
            for number, mesh in missing.items()
        }

        def is_wanted(number: int) -> bool:
            return self._meshes.get(number) is missing[number] and number not in self._sheets

        done = 0
        for _ in self._sheets.add(sheets, is_wanted):
            done += 1
            yield done / (done + 8)
        return self._sheets.sheets(self.born)

    def _plant(
        self, waiting: dict[int, tuple[Mesh, Octree]], done: float
    ) -> Generator[float, None, None]:
        """Plant the octrees of these meshes, as far as they are still wanted."""

        def is_wanted(number: int) -> bool:
            return self._meshes.get(number) is waiting[number][0] and number not in self._grove

        trees = {number: tree for number, (_, tree) in waiting.items()}
        for _ in self._grove.plant(trees, is_wanted):
            yield done
        waiting.clear()

    def _built(self, mesh: Mesh) -> Generator[float, None, Octree]:
        options = {each.name: getattr(self._options, each.name) for each in fields(Options)}
        if len(mesh.valid) > self._options.capacity:
            return (yield from _divided(mesh.triangles, options))
        if self._leaf is None:
            self._leaf = build_octree(Triangles([], []), **options)
        return _single(self._leaf, mesh)


def _divided(triangles: Triangles, options: dict[str, Any]) -> Generator[float, None, Octree]:
    """Return an octree that is as deep as it can be without copies beyond all use."""
    while True:
        try:
            return (yield from build_steps(triangles, **options))
        except ValueError:
            if options["max_depth"] == 0:
                raise
            options = {**options, "max_depth": min(options["max_depth"], _DEEP) - 1}


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


def _check_tree(tree: Octree, mesh: Mesh) -> None:
    """Assert that this is an octree of a mesh."""
    items = mesh.triangles
    assert np.array_equal(np.sort(tree.order), mesh.valid), "octree of another mesh"
    assert np.array_equal(tree.arranged.rows, items[tree.order].rows), "octree of another mesh"
    gone = np.setdiff1d(np.arange(len(items)), mesh.valid)
    replace(tree, items=items, invalid_items=gone).check()
