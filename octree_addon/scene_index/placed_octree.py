"""Octree of an index, updated incrementally from placements (delta update)."""

import numpy as np
from numpy.typing import NDArray

from ...core import SceneOctree, Steps
from .. import tuning
from ..arrays import Flags, Ids
from ..reader import SceneMesh, ScenePlacements, matrices_of, row_bytes
from ..ui import ChangedMeanwhileError
from .revision import rows_before


class PlacedOctree:
    """A `SceneOctree` of placements, updated on demand.

    Attributes
    ----------
    octree : SceneOctree
        Octree of the placements.
    placements : ScenePlacements
        The placements in the order of `octree.ids`.
    revision : int
        Counter that grows with each change of the octree.
    """

    def __init__(self) -> None:
        self.octree = SceneOctree()
        self.placements = ScenePlacements.none()
        self.revision = 0
        self._numbers: dict[SceneMesh, int] = {}
        self._mesh_of: Ids = np.empty(0, np.intp)
        # The placements that the octree holds, None while an update is incomplete; and the row
        # in them of each placement of the octree.
        self._found: ScenePlacements | None = self.placements
        self._order: Ids = np.empty(0, np.intp)
        self._turn = 0

    def has_followed(self, found: ScenePlacements) -> bool:
        """Return whether the octree holds exactly the placements `found`."""
        return found is self._found

    def follow_steps(self, found: ScenePlacements) -> Steps[None]:
        """Update the octree to the placements `found`; yield the fraction done.

        If the steps are dropped halfway, the next update continues from the state reached. Raises
        a `ValueError` if another update has started meanwhile.
        """
        if self.has_followed(found):
            return
        self._turn += 1
        turn = self._turn
        if self._found is not None and found.meshes is self._found.meshes:
            self._move(np.arange(len(found)), found.matrices[self._order])
        else:
            self._found = None
            for fraction in self._take_steps(found):
                yield fraction
                if turn != self._turn:
                    raise ChangedMeanwhileError
        self._found = found

    def _take_steps(self, found: ScenePlacements) -> Steps[None]:
        self._replace_meshes(found)
        new_meshes = [mesh for mesh in dict.fromkeys(found.meshes) if mesh not in self._numbers]
        most = tuning.current.meshes_placed
        for start in range(0, len(new_meshes), most):
            if start:
                yield 0.0
            for mesh in new_meshes[start : start + most]:
                self._numbers[mesh] = self.octree.add_mesh(mesh.triangles)
        numbers = np.array([self._numbers[mesh] for mesh in found.meshes], np.intp)
        before = self._rows_before(found)
        stays = before >= 0
        stays[stays] = self._mesh_of[before[stays]] == numbers[stays]
        kept, new = np.flatnonzero(stays), np.flatnonzero(~stays)
        kept = kept[np.argsort(before[kept])]
        self._move(before[kept], found.matrices[kept])
        self._remove_all_but(before[kept])
        order = np.concatenate((kept, new))
        # `placements` is valid at each step, so an update that is dropped here can be continued.
        most = tuning.current.instances_placed
        for stop in range(len(kept), len(order) + most, most):
            there = order[:stop]
            some = there[len(self.octree) :]
            self.octree.place(numbers[some], matrices_of(found.matrices[some]))
            self.placements, self._mesh_of = found.ordered(there), numbers[there]
            self._order = there
            self.revision += bool(len(some))
            yield len(there) / max(len(order), 1)
        self._remove_unused_meshes()

    def _move(self, rows: Ids, matrices: NDArray[np.float32]) -> None:
        """Set the matrices of the placements in these rows."""
        all_matrices = self.placements.matrices.copy()
        # Compare bits, so that an unchanged NaN counts as equal.
        same = matrices.view(np.int32) == all_matrices[rows].view(np.int32)
        moved = np.flatnonzero(~same.all(axis=1))
        if len(moved):
            self.octree.move(self.octree.ids[rows[moved]], matrices_of(matrices[moved]))
            all_matrices[rows] = matrices
            self.placements = self.placements.moved(all_matrices)
            self.revision += 1

    def _remove_all_but(self, rows: Ids) -> None:
        gone: Flags = np.ones(len(self.placements), np.bool_)
        gone[rows] = False
        if gone.any():
            self.octree.remove(self.octree.ids[gone])
            self.revision += 1

    def _rows_before(self, found: ScenePlacements) -> Ids:
        """Return the present row of each placement of `found`; -1 if the placement is new."""
        return rows_before(row_bytes(self.placements.keys), row_bytes(found.keys))

    def _replace_meshes(self, found: ScenePlacements) -> None:
        """Replace meshes that changed in all of their placements, and keep these placements.

        A mesh is replaced only if exactly one new mesh takes its place.
        """
        known = set(found.meshes)
        gone = {number: mesh for mesh, number in self._numbers.items() if mesh not in known}
        if not gone:
            return
        self.revision += 1
        before = self._rows_before(found)
        successors: dict[int, set[SceneMesh]] = {number: set() for number in gone}
        for row, mesh in zip(before.tolist(), found.meshes, strict=True):
            number = int(self._mesh_of[row]) if row >= 0 else -1
            if number in successors:
                successors[number].add(mesh)
        for number, meshes in successors.items():
            if len(meshes) == 1 and not self._numbers.keys() & meshes:
                (mesh,) = meshes
                self.octree.replace_mesh(number, mesh.triangles)
                del self._numbers[gone[number]]
                self._numbers[mesh] = number

    def _remove_unused_meshes(self) -> None:
        used = set(self._mesh_of.tolist())
        for mesh, number in list(self._numbers.items()):
            if number not in used:
                self.octree.remove_mesh(number)
                del self._numbers[mesh]
