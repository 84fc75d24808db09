"""A store of meshes with a triangle pool: a mesh is indexed when a query first needs it."""

from typing import Self

import numpy as np

from ..arrays import Ids, distinct
from ..steps import Steps
from .pool import GrowingPool, Pool
from .store import MeshStore


class Meshes(MeshStore):
    """Meshes, each indexed when a query first needs it.

    Copies share lazily built indices with their source, the lender: a mesh that both have is
    indexed once. The sharing ends when either of them replaces or removes a mesh.
    """

    def __init__(self) -> None:
        super().__init__()
        self._changes = 0
        self._stand_alone()

    def _stand_alone(self) -> None:
        self._pool = GrowingPool()
        self._lender: Self | None = None
        # Meshes below the number `_lent` are shared, as long as the lender's `_changes` are still
        # `_lent_at`.
        self._lent = self._lent_at = 0

    def copy(self) -> Self:
        """Return a copy; meshes added to either are not in the other."""
        other = super().copy()
        lender = self._holder()
        other._stand_alone()
        other._lender, other._lent_at = lender, lender._changes
        other._lent = self.born if lender is self else self._lent
        return other

    def _holder(self, needed: Ids | None = None) -> Self:
        """Return the object whose pool serves the needed meshes: the lender, or this one.

        If the lender cannot serve them, the sharing ends.
        """
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
        self._pool.forget(number)

    def check(self, placed: Ids) -> None:
        """Assert that placed meshes exist, and that derived data match the triangles."""
        super().check(placed)
        self._pool.check({number: self._meshes.get(number) for number in self._pool.numbers})

    def pool(self, needed: Ids) -> Steps[Pool]:
        """Return the pool with all needed meshes indexed; yield the fraction done."""
        yield from self.prepare(needed)
        holder = self._holder(needed)
        return holder._pool.pool(holder.born)

    def entered(self, needed: Ids) -> Pool:
        """Return the pool with the triangles of all needed meshes, without indexing them."""
        holder = self._holder(needed)
        pool = holder._pool.pool(holder.born)
        missing = needed[(pool.firsts[needed] < 0) & (holder.sizes[needed] > 0)]
        if len(missing):
            meshes = {number: holder._meshes[number] for number in distinct(missing).tolist()}
            holder._pool.enter(meshes)
        return holder._pool.pool(holder.born)

    def has_indexed(self, number: int) -> bool:
        """Return whether a mesh is indexed."""
        return self._holder(np.array([number]))._pool.has_indexed(number)

    def prepare(self, needed: Ids) -> Steps[None]:
        """Index the needed meshes that are not indexed yet, and yield the fraction done.

        Meshes that are removed or replaced in the meantime are skipped.
        """
        holder = self._holder(needed)
        if holder is not self:
            yield from holder.prepare(needed)
            if self._holder(needed) is holder:
                return
        missing = {
            number: mesh
            for number in needed.tolist()
            if (mesh := self._meshes.get(number)) is not None
            and not self._pool.has_indexed(number)
            and len(mesh.valid)
        }

        def is_wanted(number: int) -> bool:
            return self.holds(number, missing[number]) and not self._pool.has_indexed(number)

        yield from self._pool.add(missing, is_wanted)
