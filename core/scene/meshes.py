"""Meshes and what is made of them once a question needs it: octrees in a forest, and sheets."""

from dataclasses import fields, replace
from typing import Any, Self

import numpy as np

from .. import tuning
from ..arrays import Flags, Ids
from ..construction import build_octree, build_steps
from ..octree import Octree
from ..options import Options
from ..shapes import Triangles
from ..steps import Steps, between, run
from .forest import Forest, Grove
from .sheets import GrowingSheets, Sheets
from .store import Mesh, MeshStore

# What a mesh costs beside its triangles, counted in these.
_COST = 256
# So few triangles need no octree to be packed for the kernel.
_FEW = 64
# Meshes of which too many copies would be made are tried again at this depth less one, and so on.
_DEEP = 8


class Meshes(MeshStore):
    """Meshes with octrees, each built when it is needed, and laid out without, likewise."""

    def __init__(self, options: Options) -> None:
        super().__init__()
        self._options = options
        self._grove, self._sheets = Grove(options), GrowingSheets()
        self._leaf: Octree | None = None
        # The version of the grove, if that is another's.
        self._borrowed: int | None = None

    def copy(self) -> Self:
        """Return the same meshes and octrees; what is added to either is not in the other."""
        other = super().copy()
        other._borrowed, other._sheets = self._grove.version, GrowingSheets()
        return other

    def trees(self, numbers: Ids) -> list[Octree]:
        """Return an octree of each of these meshes; so few triangles stay in one cell."""
        is_small = self.sizes[numbers] <= _FEW
        run(self.prepare(numbers[~is_small]))
        return [
            self._single(self[number]) if few else self._grove.tree(number)
            for number, few in zip(numbers.tolist(), is_small.tolist(), strict=True)
        ]

    def _forget(self, number: int) -> None:
        super()._forget(number)
        self._own_grove(changing=True)
        self._grove.fell(number)
        self._sheets.forget(number)

    def _own_grove(self, *, changing: bool = False) -> None:
        """Do without a grove of another that has changed since, or is to be changed."""
        if self._borrowed is not None and (changing or self._borrowed != self._grove.version):
            self._grove, self._borrowed = Grove(self._options), None

    def check(self, placed: Ids) -> None:
        """Assert that placed meshes are there, and that what is known of meshes is true."""
        super().check(placed)
        self._own_grove()
        for number in self._grove.numbers:
            assert number in self._meshes, "a mesh that is gone has an octree"
            _check_tree(self._grove.tree(number), self._meshes[number])

    def forest(self, needed: Ids) -> Forest:
        """Return the forest with the octrees of all needed meshes, built if they were not."""
        self._own_grove()
        if not self._grove or (self._grove.forest(self.born).tree_roots[needed] < 0).any():
            run(self.prepare(needed))
        return self._grove.forest(self.born)

    @property
    def unsorted(self) -> Flags:
        """Which meshes have no octree, and more triangles than one cell holds, (born,)."""
        self._own_grove()
        flags: Flags = self.sizes > self._options.capacity
        if self._grove:
            flags &= self._grove.forest(self.born).tree_roots[: self.born] < 0
        return flags

    def is_sooner_compared(self, number: int, times: int) -> bool:
        """Tell whether an unsorted mesh is sooner compared so many times than sorted."""
        vertices = self[number].blocks
        return vertices.is_finite and vertices.work + times <= tuning.current.comparisons

    def prepare(self, needed: Ids) -> Steps[None]:
        """Build the octrees of meshes that have none yet, and yield the fraction done.

        Those that are gone or replaced in the meantime are left out.
        """
        self._own_grove()
        missing = [number for number in needed.tolist() if number not in self._grove]
        if not missing:
            return
        if self._borrowed is not None:
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
            if stop - done > tuning.current.trees_together / sizes[-1]:
                yield from self._plant(waiting, stop)
                done = stop
        yield from self._plant(waiting, 1.0)

    def sheets(self, needed: Ids) -> Steps[Sheets]:
        """Return meshes laid out without octrees, made if they were not; yields the while."""
        missing = {
            number: mesh
            for number in needed.tolist()
            if number not in self._sheets and len((mesh := self._meshes[number]).valid)
        }

        def is_wanted(number: int) -> bool:
            return self.holds(number, missing[number]) and number not in self._sheets

        done = 0
        for _ in self._sheets.add(missing, is_wanted):
            done += 1
            yield done / (done + 8)
        return self._sheets.sheets(self.born)

    def _plant(self, waiting: dict[int, tuple[Mesh, Octree]], done: float) -> Steps[None]:
        """Plant the octrees of these meshes, as far as they are still wanted."""

        def is_wanted(number: int) -> bool:
            return self.holds(number, waiting[number][0]) and number not in self._grove

        trees = {number: tree for number, (_, tree) in waiting.items()}
        for _ in self._grove.plant(trees, is_wanted):
            yield done
        waiting.clear()

    def _built(self, mesh: Mesh) -> Steps[Octree]:
        options = {each.name: getattr(self._options, each.name) for each in fields(Options)}
        if len(mesh.valid) > self._options.capacity:
            return (yield from _divided(mesh.triangles, options))
        return self._single(mesh)

    def _single(self, mesh: Mesh) -> Octree:
        """Return the octree of few triangles without building it."""
        if self._leaf is None:
            options = {each.name: getattr(self._options, each.name) for each in fields(Options)}
            self._leaf = build_octree(Triangles([], []), **options)
        return _single(self._leaf, mesh)


def _divided(triangles: Triangles, options: dict[str, Any]) -> Steps[Octree]:
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
