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
# Meshes of which too many copies would be made are tried again at this depth less one, and so on.
_DEEP = 8


class Meshes(MeshStore):
    """Meshes with octrees, each built when it is needed, and laid out without, likewise.

    A copy asks its lender for what both have: what either needs first, both have then. That ends
    once either of them has changed a mesh.
    """

    def __init__(self, options: Options) -> None:
        super().__init__()
        self._options = options
        self._leaf: Octree | None = None
        self._changes = 0
        self._stand_alone()

    def _stand_alone(self) -> None:
        self._grove, self._sheets = Grove(self._options), GrowingSheets()
        self._lender: Self | None = None
        # How many meshes the lender has, too, and its changes when it lent them.
        self._lent = self._lent_at = 0

    def copy(self) -> Self:
        """Return the same meshes and octrees; what is added to either is not in the other."""
        other = super().copy()
        lender = self._holder()
        other._stand_alone()
        other._lender, other._lent_at = lender, lender._changes
        other._lent = self.born if lender is self else self._lent
        return other

    def _holder(self, needed: Ids | None = None) -> Self:
        """Return who has octrees and sheets of the needed meshes, by the same numbers."""
        lender = self._lender
        if lender is None:
            return self
        are_lent = needed is None or not len(needed) or int(needed.max()) < self._lent
        if lender._changes == self._lent_at and are_lent:
            return lender
        self._stand_alone()
        return self

    def _forget(self, number: int) -> None:
        super()._forget(number)
        self._changes += 1
        if self._lender is not None:
            self._stand_alone()
        self._grove.fell(number)
        self._sheets.forget(number)

    def check(self, placed: Ids) -> None:
        """Assert that placed meshes are there, and that what is known of meshes is true."""
        super().check(placed)
        for number in self._grove.numbers:
            assert number in self._meshes, "a mesh that is gone has an octree"
            _check_tree(self._grove.tree(number), self._meshes[number])

    def forest(self, needed: Ids) -> Forest:
        """Return the forest with the octrees of all needed meshes, built if they were not."""
        grove = self._holder(needed)._grove
        if not grove or (grove.forest(self.born).tree_roots[needed] < 0).any():
            run(self.prepare(needed))
            grove = self._holder(needed)._grove
        return grove.forest(self.born)

    @property
    def unsorted(self) -> Flags:
        """Which meshes have no octree, and more triangles than one cell holds, (born,)."""
        grove = self._holder()._grove
        return self._without(grove.forest(self.born).tree_roots if grove else None)

    @property
    def not_laid_out(self) -> Flags:
        """Which meshes are in no sheets, and have more triangles than one cell holds, (born,)."""
        holder = self._holder()
        return self._without(holder._sheets.sheets(holder.born).firsts if holder._sheets else None)

    def _without(self, starts: Ids | None) -> Flags:
        """Return which meshes have no start, and more triangles than one cell holds, (born,)."""
        flags: Flags = self.sizes > self._options.capacity
        if starts is not None:
            shared = slice(self.born if self._holder() is self else self._lent)
            flags[shared] &= starts[shared] < 0
        return flags

    def is_sooner_compared(self, number: int, times: int) -> bool:
        """Tell whether an unsorted mesh is sooner compared so many times than sorted."""
        vertices = self[number].blocks
        return vertices.is_finite and vertices.work + times <= tuning.current.comparisons

    def prepare(self, needed: Ids) -> Steps[None]:
        """Build the octrees of meshes that have none yet, and yield the fraction done.

        Those that are gone or replaced in the meantime are left out.
        """
        holder = self._holder(needed)
        if holder is not self:
            yield from holder.prepare(needed)
            if self._holder(needed) is holder:
                return
        missing = [number for number in needed.tolist() if number not in self._grove]
        if not missing:
            return
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
        yield from self.lay_out(needed)
        holder = self._holder(needed)
        return holder._sheets.sheets(holder.born)

    def lay_out(self, needed: Ids) -> Steps[None]:
        """Lay meshes out that were not yet, and yield the fraction done.

        Those that are gone or replaced in the meantime are left out.
        """
        holder = self._holder(needed)
        if holder is not self:
            yield from holder.lay_out(needed)
            if self._holder(needed) is holder:
                return
        missing = {
            number: mesh
            for number in needed.tolist()
            if (mesh := self._meshes.get(number)) is not None
            and number not in self._sheets
            and len(mesh.valid)
        }

        def is_wanted(number: int) -> bool:
            return self.holds(number, missing[number]) and number not in self._sheets

        done = 0
        for _ in self._sheets.add(missing, is_wanted):
            done += 1
            yield done / (done + 8)

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
