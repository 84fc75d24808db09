"""The store of meshes: triangles by mesh number, and tables of properties of all meshes."""

from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks, compiled
from ..arrays import (
    Flags,
    Floats,
    Ids,
    column_major,
    concatenated_ranges,
    flagged,
    gather,
    starts_of_runs,
)
from ..boxes import bounds_of_points, bounds_of_runs
from ..shapes import Triangles

# Meshes of at least _WORTH triangles get a box around each of up to _PARTS**3 parts.
_WORTH, _PARTS = 8, 4
# Above _MANY vertices, parts are made of blocks of _BLOCK consecutive vertices: sorting vertices
# into cells would take too long.
_MANY, _BLOCK = 1 << 18, 1 << 12
# The bounds of a mesh without finite triangles.
_NO_BOUNDS = np.repeat([np.inf, -np.inf], 3)


@dataclass(frozen=True, eq=False)
class Mesh:
    """A mesh: its triangles, the numbers `valid` of the finite ones, and their bounds, (6,).

    `parts` are boxes, (6, b), whose union contains all vertices of finite triangles and is often
    tighter than the bounds. Replacing a mesh makes a new object, so caches compare identities.
    """

    triangles: Triangles
    valid: Ids
    bounds: Floats
    parts: Floats

    @classmethod
    def of(cls, triangles: Triangles) -> "Mesh":
        """Return a mesh of triangles, with bounds and parts, without an index."""
        vertices, kernel = triangles.vertices.T, compiled.arranger()
        if kernel is not None and vertices.shape[1] <= _MANY:
            valid, _, bounds, parts = kernel.outline(triangles)
        else:
            valid, used = kernel.finite(triangles) if kernel is not None else _finite(triangles)
            bounds, parts = _outlined(vertices, used)
        if len(valid) == 0:
            return cls(triangles, valid, _NO_BOUNDS, np.zeros((6, 1)))
        return cls(triangles, valid, bounds, parts if len(valid) >= _WORTH else bounds[:, None])


def _outlined(vertices: Floats, used: Flags) -> tuple[Floats, Floats]:
    """Return the bounds (6,) and the parts (6, b) of the vertices (3, v) that `used` flags."""
    if not used.any():
        return _NO_BOUNDS, _NO_BOUNDS[:, None]
    if len(used) > _MANY and used.all():
        parts = _merged(bounds_of_runs(vertices, vertices, np.arange(0, len(used), _BLOCK)))
        return _merged(parts, 1)[:, 0], parts
    points = vertices if used.all() else vertices[:, used]
    bounds = bounds_of_points(points, axis=1)
    return bounds, _parts(points, bounds)


def _finite(triangles: Triangles) -> tuple[Ids, Flags]:
    """Return the numbers of triangles with finite corners, and flags of their vertices."""
    finite, faces = np.isfinite(triangles.vertices).all(axis=1), triangles.faces.T
    good = np.ones(len(triangles), bool) if finite.all() else finite[faces].all(axis=0)
    (valid,) = good.nonzero()
    used = np.zeros(len(finite), bool)
    for row in faces:
        used[row if len(valid) == len(good) else row[valid]] = True
    return valid, used


def _merged(boxes: Floats, count: int = _PARTS**3) -> Floats:
    """Return the bounds of runs of neighboring boxes, (6, b), merged to at most `count`."""
    starts = np.unique(np.arange(count) * boxes.shape[1] // count)
    return bounds_of_runs(boxes[:3], boxes[3:], starts)


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
    return bounds_of_runs(points, points, starts)


class Table:
    """Properties of all meshes by number, computed lazily.

    Numbers are below `born`; removed meshes have no triangles. The keys of `meshes` ascend.
    """

    def __init__(self, meshes: dict[int, Mesh], born: int) -> None:
        self._numbers, self._meshes, self._born = list(meshes), list(meshes.values()), born

    @cached_property
    def bounds(self) -> Floats:
        """The bounds of the mesh of each number, (6, born)."""
        bounds = np.tile(_NO_BOUNDS[:, None], (1, self._born))
        if self._numbers:
            bounds[:, self._numbers] = np.stack([mesh.bounds for mesh in self._meshes], axis=1)
        return bounds

    @cached_property
    def sizes(self) -> Ids:
        """The numbers of finite triangles, (born,)."""
        return self._counted([len(mesh.valid) for mesh in self._meshes])

    @cached_property
    def lengths(self) -> Ids:
        """The numbers of triangles, finite or not, (born,)."""
        return self._counted([len(mesh.triangles) for mesh in self._meshes])

    @cached_property
    def part_counts(self) -> Ids:
        """The numbers of parts, (born,)."""
        return self._counted([mesh.parts.shape[1] for mesh in self._meshes])

    @cached_property
    def part_starts(self) -> Ids:
        """The first column in `parts` of each mesh, (born,)."""
        return np.cumsum(self.part_counts) - self.part_counts

    @cached_property
    def parts(self) -> Floats:
        """The parts of all meshes, (6, b), in column-major order."""
        parts = [np.empty((6, 0)), *(mesh.parts for mesh in self._meshes)]
        return column_major(np.concatenate(parts, axis=1))

    def valid_triangles(self, numbers: Ids, counts: Ids) -> Ids:
        """Return the first `counts` finite triangles of each of these meshes, mesh after mesh."""
        ranks = concatenated_ranges(0 * counts, counts)
        is_holed, starts, valid = self._holed
        holes = np.repeat(is_holed[numbers], counts)
        if holes.any():
            ranks[holes] = valid[(ranks + np.repeat(starts[numbers], counts))[holes]]
        return ranks

    @cached_property
    def _holed(self) -> tuple[Flags, Ids, Ids]:
        """Flags of meshes with triangles that are not finite, and a list of their finite ones.

        The second of the three arrays has the first place of each mesh in the list.
        """
        holed = {
            number: mesh.valid
            for number, mesh in zip(self._numbers, self._meshes, strict=True)
            if len(mesh.valid) < len(mesh.triangles)
        }
        flags, starts = flagged(self._born, np.array(list(holed), np.intp)), 0 * self.sizes
        starts[list(holed)] = np.cumsum([0, *map(len, holed.values())])[:-1]
        return flags, starts, np.concatenate([np.empty(0, np.intp), *holed.values()])

    def _counted(self, counts: list[int]) -> Ids:
        found = np.zeros(self._born, np.intp)
        found[self._numbers] = counts
        return found


class MeshStore:
    """A mutable collection of meshes by number. Numbers are never reused."""

    def __init__(self) -> None:
        self._meshes: dict[int, Mesh] = {}
        self._table: Table | None = None
        self.born = 0
        # Filtered copies, without the triangles that overflow where they are placed: the number of
        # each copy and of its mesh. Callers never see the numbers of copies.
        self._stand_ins: dict[int, int] = {}

    def copy(self) -> Self:
        """Return a copy; changes of either leave the other as it is."""
        other = copy(self)
        other._meshes, other._stand_ins = dict(self._meshes), dict(self._stand_ins)
        return other

    def without_overflow(self, number: int, corners: Floats) -> int:
        """Add a filtered copy of a mesh, without triangles that overflow, and return its number.

        `corners` (3, v) are the placed vertices. Triangles with a placed vertex that is not finite
        get a NaN corner in the copy, so the others keep their numbers.
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
        """Return the numbers by which callers know these meshes: the originals of copies."""
        if not self._stand_ins:
            return numbers
        called = np.arange(self.born)
        called[list(self._stand_ins)] = list(self._stand_ins.values())
        return called[numbers]

    def keep_stand_ins(self, placed: Ids) -> None:
        """Remove the filtered copies that are not among the placed meshes."""
        for number in set(self._stand_ins) - set(placed.tolist() if self._stand_ins else ()):
            del self._stand_ins[number]
            self.remove(number)

    def add(self, triangles: Triangles) -> int:
        """Add a mesh and return its number."""
        self._meshes[self.born], self._table = Mesh.of(triangles), None
        self.born += 1
        return self.born - 1

    def replace(self, number: int, triangles: Triangles) -> None:
        """Replace the triangles of a mesh."""
        mesh = Mesh.of(triangles)
        self._forget(number)
        self._meshes[number] = mesh

    def remove(self, number: int) -> None:
        """Remove a mesh."""
        self._forget(number)
        del self._meshes[number]

    def _forget(self, number: int) -> None:
        """Drop the data derived from a mesh."""
        self._table = None

    def __getitem__(self, number: int) -> Mesh:
        return self._meshes[number]

    def __len__(self) -> int:
        return len(self._meshes) - len(self._stand_ins)

    def holds(self, number: int, mesh: Mesh) -> bool:
        """Return whether `mesh` is still the mesh of this number."""
        return self._meshes.get(number) is mesh

    @property
    def table(self) -> Table:
        """The table of the current meshes."""
        if self._table is None:
            self._table = Table(self._meshes, self.born)
        return self._table

    @property
    def sizes(self) -> Ids:
        """The numbers of finite triangles, (born,); 0 for a removed mesh."""
        return self.table.sizes

    @property
    def largest(self) -> int:
        """The largest number of triangles of a mesh."""
        return max((len(mesh.triangles) for mesh in self._meshes.values()), default=0)

    def numbers(self, name: str, given: ArrayLike) -> Ids:
        """Return checked numbers of existing meshes, (n,), or raise a ValueError."""
        numbers = checks.numbers(name, given, self.born, "meshes")
        there = flagged(self.born, np.array(list(self._meshes), np.intp))
        there[list(self._stand_ins)] = False
        checks.every_row(name, "be meshes of the scene", there[numbers], numbers)
        return numbers

    def check(self, placed: Ids) -> None:
        """Assert that placed meshes exist, and that derived data match the triangles."""
        assert set(placed.tolist()) <= set(self._meshes), "a placed mesh is gone"
        assert set(self._stand_ins) <= set(placed.tolist()), "a mesh stands in for nothing"
        for number, mesh in self._meshes.items():
            fresh = Mesh.of(mesh.triangles)
            assert np.array_equal(fresh.bounds, self.table.bounds[:, number]), "bounds of a mesh"
            assert np.array_equal(fresh.valid, mesh.valid), "finite triangles of a mesh"
