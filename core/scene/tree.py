"""SceneOctree: a two-level acceleration structure (TLAS over BLAS) of many placed meshes."""

from collections.abc import Mapping
from copy import copy
from types import MappingProxyType
from typing import Any, Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Floats, Ids
from ..dynamic import DynamicOctree
from ..octree import Freshness
from ..shapes import Boxes, Triangles
from ..snapshot import PlacedIndex, in_groups
from ..steps import Steps, run
from .baking import baking_steps
from .meshes import Meshes
from .moment import Moment
from .pairs import overlapping
from .placed import LAST_ROW, matrix_rows, placed
from .placements import Placements

# Number of masks whose snapshots are cached.
_MASKS = 4


class SceneOctree(PlacedIndex):
    """An index of many placed meshes, in two levels.

    Each mesh is indexed once in its own space, however often it is placed: by an octree along a
    Morton curve with tight boxes. A dynamic octree indexes the boxes of the placements. Memory
    grows with the distinct meshes, and the cost of a change with the part that changes.

    Every query takes a scene in place of an octree. The answer is the same as for one octree over
    all placed triangles, but a triangle has two numbers: its placement, and its number in the
    mesh.

    Notes
    -----
    The two levels correspond to the shape octree over triangle octrees of M. Kamburelis, "Castle
    Game Engine: Documentation", chapter on octrees. In ray tracing, they are called top-level and
    bottom-level acceleration structures (TLAS and BLAS).

    Copies by `copy.copy` and by `copy.deepcopy` change independently of the original; `copy.copy`
    shares the indices of meshes.
    """

    # Cached snapshots of the current state, by mask; the mapping is never changed in place.
    _moments: Mapping[int, Moment] = MappingProxyType({})

    def __init__(self) -> None:
        self._meshes = Meshes()
        self._placements = Placements.of(
            0, np.empty(0, np.intp), np.empty((12, 0)), self._meshes.table
        )
        self._top = DynamicOctree()
        self._freshness = Freshness()

    def __copy__(self) -> Self:
        other = type(self).__new__(type(self))
        vars(other).update(self.__getstate__(), _freshness=Freshness())
        other._meshes, other._top = self._meshes.copy(), copy(self._top)
        return other

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to copy or pickle, without cached snapshots."""
        return {name: value for name, value in vars(self).items() if name != "_moments"}

    def __len__(self) -> int:
        return len(self._placements)

    def __repr__(self) -> str:
        return f"SceneOctree(placements={len(self)}, meshes={len(self._meshes)})"

    @property
    def ids(self) -> Ids:
        """The ids of the placements, ascending, (n,)."""
        return self._placements.ids

    @property
    def invalid_ids(self) -> Ids:
        """The ids of placements whose matrices are not finite, ascending; no query finds them."""
        finite = np.isfinite(self._placements.matrices).all(axis=0)
        return self.ids[~finite]

    def add_mesh(self, triangles: Triangles, /) -> int:
        """Add a mesh, without placing it.

        Parameters
        ----------
        triangles : Triangles
            Triangles in the mesh's own space; the batch may be empty. Triangles with a coordinate
            that is not finite are never found.

        Returns
        -------
        int
            The number of the mesh. Numbers ascend from 0 and are never reused; some are skipped
            because of triangles that overflow, see `place`. The mesh is indexed when a query first
            needs it.

        Raises
        ------
        ValueError
            If `triangles` is not a Triangles.
        """
        checks.kind("triangles", triangles, (Triangles,))
        return self._meshes.add(triangles)

    def replace_mesh(self, mesh: SupportsIndex, triangles: Triangles, /) -> None:
        """Replace the triangles of a mesh; all its placements follow.

        Parameters
        ----------
        mesh : int
            The number of the mesh.
        triangles : Triangles
            The new triangles.

        Raises
        ------
        ValueError
            If the mesh does not exist, or `triangles` is not a Triangles. The scene is unchanged.

        Notes
        -----
        O(triangles + placements of the mesh). The mesh is indexed again when a query needs it.
        """
        number = self._mesh(mesh)
        checks.kind("triangles", triangles, (Triangles,))
        self._meshes.replace(number, triangles)
        self._changed()
        (rows,) = (self._numbers == number).nonzero()
        if len(rows):
            self._move(rows, self._placements.matrices[:, rows])

    def remove_mesh(self, mesh: SupportsIndex, /) -> None:
        """Remove a mesh without placements.

        Parameters
        ----------
        mesh : int
            The number of the mesh.

        Raises
        ------
        ValueError
            If the mesh does not exist, or is still placed. The scene is unchanged.
        """
        number = self._mesh(mesh)
        placed_still = self.ids[self._numbers == number]
        if len(placed_still):
            raise ValueError(f"mesh {number} must not be placed, got placement {placed_still[0]}")
        self._meshes.remove(number)
        self._changed()

    def place(
        self, meshes: ArrayLike, matrices: ArrayLike, /, *, groups: ArrayLike | None = None
    ) -> Ids:
        """Place meshes.

        Parameters
        ----------
        meshes : array_like of int, shape (n,)
            Numbers of meshes.
        matrices : array_like of float, shape (n, 4, 4)
            Transforms from the space of each mesh to the scene, for column vectors; the last row
            is 0, 0, 0, 1. Matrices may mirror, shear, stretch unevenly and flatten. A placement
            with a matrix that is not finite is never found: see `invalid_ids`.
        groups : array_like of int, shape () or (n,), optional
            Masks of 32 bits, one for all placements or one for each. By default, placements are in
            every group.

        Returns
        -------
        ndarray of intp, shape (n,)
            Ids of the placements. Ids ascend from 0 and are never reused.

        Raises
        ------
        ValueError
            If a mesh is unknown, the lengths of the arguments differ, a last row is not 0, 0, 0,
            1, or a mask is not a whole number of 32 bits. The scene is unchanged.

        Notes
        -----
        A corner x, y, z of a triangle is placed by `x*m00 + y*m01 + z*m02 + m03` and so on, in
        this order, in double precision. If a coordinate overflows, the triangle is never found;
        the other triangles of the placement are.
        """
        numbers = self._meshes.numbers("meshes", meshes)
        rows = matrix_rows(matrices)
        checks.same_length("meshes and matrices", numbers, rows.T)
        masks = None if groups is None else checks.masks("groups", groups, len(numbers))
        new = self._placements_of(self._placements.born, numbers, rows)
        self._top.insert(self._boxes(new), groups=masks)
        self._placements = Placements.joined((self._placements, new))
        self._changed()
        return new.ids.copy()

    def move(self, ids: ArrayLike, matrices: ArrayLike, /) -> None:
        """Replace the matrices of placements, all at once.

        Parameters
        ----------
        ids : array_like of int, shape (k,)
            Placements, without repetition.
        matrices : array_like of float, shape (k, 4, 4)
            New matrices, as for `place`.

        Raises
        ------
        ValueError
            If an id is unknown, removed or repeated, the lengths of the arguments differ, or a
            last row is not 0, 0, 0, 1. The scene is unchanged.

        Notes
        -----
        Placements whose matrices stay the same are not touched, so a caller may pass all of them.
        A placement whose matrix is not finite keeps its id, and `invalid_ids` lists it. No query
        finds the placement until it gets a finite matrix.
        """
        rows, there = self._placements.rows_of(ids, once=True), matrix_rows(matrices)
        checks.same_length("ids and matrices", rows, there.T)
        (changed,) = (~self._placements.stand_at(rows, there)).nonzero()
        if len(changed):
            self._move(rows[changed], there[:, changed])

    def remove(self, ids: ArrayLike, /) -> None:
        """Remove placements; their meshes stay.

        Parameters
        ----------
        ids : array_like of int, shape (k,)
            Placements, without repetition.

        Raises
        ------
        ValueError
            If an id is unknown, removed or repeated. The scene is unchanged.
        """
        rows = self._placements.rows_of(ids, once=True)
        self._top.remove(self.ids[rows])
        stays = np.ones(len(self), bool)
        stays[rows] = False
        self._placements = self._placements[stays]
        self._changed()
        self._meshes.keep_stand_ins(self._placements.meshes)

    def prepare_steps(self, meshes: ArrayLike | None = None, /) -> Steps[None]:
        """Index meshes in steps, to show progress or to stay responsive.

        Parameters
        ----------
        meshes : array_like of int, shape (m,), optional
            Numbers of meshes; by default all placed meshes.

        Returns
        -------
        generator
            Yields the fraction done, ascending from 0 to 1, as often as `build_steps` does. Later
            queries do not index these meshes, unless the meshes are replaced. Meshes that are
            indexed already cost nothing. The scene may be changed and queried between steps.
            Dropping the generator cancels the rest.

        Raises
        ------
        ValueError
            At the call, if a mesh is unknown.
        """
        if meshes is None:
            (numbers,) = np.bincount(self._placements.meshes).nonzero()
        else:
            numbers = np.unique(self._meshes.numbers("meshes", meshes))
            asked = np.isin(self._numbers, numbers)
            numbers = np.union1d(numbers, self._placements.meshes[asked])
        return self._meshes.prepare(numbers)

    def only(self, ids: ArrayLike) -> "SceneOctree":
        """Return a copy of the scene with only these placements, under the same ids.

        Later changes of either scene leave the other as it is. Both share the indices of meshes.

        Parameters
        ----------
        ids : array_like of int, shape (k,)
            Placements, without repetition.

        Returns
        -------
        SceneOctree
            O(placements); no octree is built.

        Raises
        ------
        ValueError
            If an id is unknown, removed or repeated.
        """
        rows = np.sort(self._placements.rows_of(ids, once=True))
        other = copy(self)
        other._top.remove(np.delete(self.ids, rows))
        other._placements = self._placements[rows]
        other._meshes.keep_stand_ins(other._placements.meshes)
        return other

    def meshes_of(self, ids: ArrayLike) -> Ids:
        """Return the meshes of placements.

        Parameters
        ----------
        ids : array_like of int, shape (k,)
            Placements.

        Returns
        -------
        ndarray of intp, shape (k,)
            The mesh number of each placement.

        Raises
        ------
        ValueError
            If an id is unknown or removed.
        """
        return self._numbers[self._placements.rows_of(ids)]

    def matrices_of(self, ids: ArrayLike) -> Floats:
        """Return the matrices of placements.

        Parameters
        ----------
        ids : array_like of int, shape (k,)
            Placements.

        Returns
        -------
        ndarray of float64, shape (k, 4, 4)
            The matrix of each placement.

        Raises
        ------
        ValueError
            If an id is unknown or removed.
        """
        rows = self._placements.matrices[:, self._placements.rows_of(ids)]
        matrices = np.empty((rows.shape[1], 4, 4))
        matrices[:, :3] = rows.T.reshape(-1, 3, 4)
        matrices[:, 3] = LAST_ROW
        return matrices

    def bounds_of(self, ids: ArrayLike) -> Boxes:
        """Return the bounding boxes of placed meshes.

        Parameters
        ----------
        ids : array_like of int, shape (k,)
            Placements.

        Returns
        -------
        Boxes
            Bounds of placed boxes around parts of the mesh, so in general a little larger than the
            tight bounds. NaN for a placement that no query finds.

        Raises
        ------
        ValueError
            If an id is unknown or removed.
        """
        rows = self._placements.rows_of(ids)
        there = self._placements.is_there[rows]
        return Boxes.from_rows(np.where(there, self._placements.boxes[:, rows], np.nan))

    def triangles_of(self, ids: ArrayLike) -> Triangles:
        """Return the triangles of placements, with the coordinates that all queries use.

        Parameters
        ----------
        ids : array_like of int, shape (k,)
            Placements.

        Returns
        -------
        Triangles
            All triangles of the first placement, then of the next. O(placed vertices).

        Raises
        ------
        ValueError
            If an id is unknown or removed.
        """
        return run(self.triangles_steps(ids))

    def triangles_steps(self, ids: ArrayLike) -> Steps[Triangles]:
        """Return the same as `triangles_of` in steps, to stay responsive.

        Parameters
        ----------
        ids : array_like of int, shape (k,)
            Placements.

        Returns
        -------
        generator
            Yields the fraction done, or nothing for few triangles. Its StopIteration carries the
            Triangles as `value`. Changes of the scene after the call do not affect them.

        Raises
        ------
        ValueError
            At the call, if an id is unknown or removed.
        """
        rows = self._placements.rows_of(ids)
        numbers, which = np.unique(self._numbers[rows], return_inverse=True)
        meshes = [self._meshes[number].triangles for number in numbers.tolist()]
        return baking_steps(meshes, which, self._placements.matrices[:, rows])

    def check(self) -> None:
        """Assert every invariant of the structure.

        Raises
        ------
        AssertionError
            If the levels contradict each other or themselves.
        """
        self._top.check()
        placements = self._placements
        assert np.array_equal(self._top.ids, self.ids), "both levels name the same placements"
        assert np.array_equal(self._top.octree.items.rows, self._boxes(placements).rows)
        fresh = Placements.of(0, placements.meshes, placements.matrices, self._meshes.table)
        for name in ("inverses", "most", "least", "slacks", "is_there"):
            assert np.array_equal(getattr(fresh, name), getattr(placements, name), equal_nan=True)
        self._meshes.check(placements.meshes)

    def _mesh(self, mesh: SupportsIndex) -> int:
        number = checks.whole_number("mesh", mesh, 0)
        return int(self._meshes.numbers("mesh", [number])[0])

    def _move(self, rows: Ids, matrices: Floats) -> None:
        """Replace the matrices of the placements in these rows, and all derived data."""
        new = self._placements_of(0, self._numbers[rows], matrices)
        self._top.move(self.ids[rows], self._boxes(new))
        self._placements = self._placements.moved(rows, new)
        self._changed()
        self._meshes.keep_stand_ins(self._placements.meshes)

    @property
    def _numbers(self) -> Ids:
        """The mesh numbers of all placements, as callers know them, (n,)."""
        return self._meshes.known_as(self._placements.meshes)

    def _placements_of(self, first: int, numbers: Ids, matrices: Floats) -> Placements:
        """Return new placements; if triangles overflow, of a filtered copy of their mesh."""
        new = Placements.of(first, numbers, matrices, self._meshes.table)
        finite = np.isfinite(matrices).all(axis=0) & (self._meshes.sizes[numbers] > 0)
        (overflowing,) = (finite & ~new.is_there).nonzero()
        if len(overflowing) == 0:
            return new
        numbers = numbers.copy()
        for row in overflowing.tolist():
            vertices = self._meshes[int(numbers[row])].triangles.vertices.T
            with np.errstate(all="ignore"):
                corners = placed(vertices, matrices[:, [row]])
            numbers[row] = self._meshes.without_overflow(int(numbers[row]), corners)
        return Placements.of(first, numbers, matrices, self._meshes.table)

    def _boxes(self, placements: Placements) -> Boxes:
        """Return the items of the top level: a box for each placement, or a point if invalid."""
        return Boxes.from_rows(placements.boxes)

    def _snapshot(self, groups: SupportsIndex) -> Moment:
        """Return the snapshot for queries with this mask, cached until the scene changes."""
        mask = checks.mask("groups", groups)
        moment = self._moments.get(mask)
        if moment is None:
            top, placements = in_groups(self._top.octree, mask), self._placements
            if len(top.items) < len(placements):
                assert top.ids is not None
                placements = placements.there_only(top.ids)
            moment = Moment(placements, top, self._meshes, self._freshness)
            few = self._moments if len(self._moments) < _MASKS else {}
            self._moments = {**few, mask: moment}
        return moment

    def _pair_steps(
        self,
        margin: float,
        skip_neighbours: bool,
        within: bool,
        owners: ArrayLike | None,
        groups: SupportsIndex,
    ) -> Steps[Ids]:
        """Check the arguments of `overlapping_pairs_steps`, and return its steps."""
        margin = checks.length("margin", margin)
        if within and owners is not None:
            raise ValueError("within pairs triangles of one owner: owners must be None")
        moment = self._snapshot(groups)
        numbers = moment.checked_owners(owners)
        steps = overlapping(moment, margin, numbers, within, skip_neighbours)
        return moment.as_long_as_current(steps)

    def _changed(self) -> None:
        """Drop cached snapshots; queries that still run in steps fail at their next step."""
        self._freshness.is_current = False
        self._freshness, self._moments = Freshness(), {}
