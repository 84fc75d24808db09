"""Meshes, and the triangle pool of those that a question has needed."""

from typing import Self

from ..arrays import Ids, distinct
from ..steps import Steps
from .pool import GrowingPool, Pool
from .store import MeshStore


class Meshes(MeshStore):
    """Meshes, each indexed when it is needed.

    A copy asks its lender for what both have: what either needs first, both have then. That ends
    once either of them has changed a mesh.
    """

    def __init__(self) -> None:
        super().__init__()
        self._changes = 0
        self._stand_alone()

    def _stand_alone(self) -> None:
        self._pool = GrowingPool()
        self._lender: Self | None = None
        # How many meshes the lender has, too, and its changes when it lent them.
        self._lent = self._lent_at = 0

    def copy(self) -> Self:
        """Return the same meshes; what is added to either is not in the other."""
        other = super().copy()
        lender = self._holder()
        other._stand_alone()
        other._lender, other._lent_at = lender, lender._changes
        other._lent = self.born if lender is self else self._lent
        return other

    def _holder(self, needed: Ids | None = None) -> Self:
        """Return who has the needed meshes indexed, by the same numbers."""
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
        """Assert that placed meshes are there, and that what is known of meshes is true."""
        super().check(placed)
        self._pool.check({number: self._meshes.get(number) for number in self._pool.numbers})

    def pool(self, needed: Ids) -> Steps[Pool]:
        """Return the pool with all needed meshes, indexed if they were not; yields fractions."""
        yield from self.prepare(needed)
        holder = self._holder(needed)
        return holder._pool.pool(holder.born)

    def entered(self, needed: Ids) -> Pool:
        """Return the pool with the triangles of all needed meshes, indexed or not."""
        holder = self._holder(needed)
        pool = holder._pool.pool(holder.born)
        missing = needed[(pool.firsts[needed] < 0) & (holder.sizes[needed] > 0)]
        if len(missing):
            meshes = {number: holder._meshes[number] for number in distinct(missing).tolist()}
            holder._pool.enter(meshes)
        return holder._pool.pool(holder.born)

    def prepare(self, needed: Ids) -> Steps[None]:
        """Index meshes that are not yet, and yield the fraction done.

        Those that are gone or replaced in the meantime are left out.
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
