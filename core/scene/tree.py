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
from ..groups import in_groups
from ..octree import Freshness
from ..shapes import Boxes, Triangles
from ..snapshot import PlacedIndex
from ..steps import Steps, run
from .baking import baking_steps
from .meshes import Meshes
from .moment import Moment
from .pairs import overlapping
from .placed import LAST_ROW, matrix_rows, placed
from .placements import Placements

# Moments are kept for this many masks.
_MASKS = 4


class SceneOctree(PlacedIndex):
    """An index of many placed meshes, in two levels.

    Each mesh is indexed once in its own space, however often it is placed: by an octree along a
    Morton curve with tight boxes. The boxes of the placements stand in a dynamic octree. Memory
    follows the distinct meshes, a change costs what changed. Every question takes a scene in
    place of an octree, and answers as one octree over all placed triangles would; triangles go by
    two numbers, placement and triangle of its mesh.

    Notes
    -----
    The shape octree over triangle octrees of M. Kamburelis, "Castle Game Engine: Documentation",
    chapter on octrees; in ray tracing, a top and a bottom level of acceleration structures (TLAS
    and BLAS). A copy changes apart from its original, by `copy.copy`, which shares what meshes
    are indexed by, as by `copy.deepcopy`.
    """

    # Of this state, by the masks of their questions; replaced as a whole.
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
        """Return what a copy or a file holds: not what questions have left here."""
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
        """The placements whose matrices are not finite, ascending; no question finds them."""
        finite = np.isfinite(self._placements.matrices).all(axis=0)
        return self.ids[~finite]

    def add_mesh(self, triangles: Triangles, /) -> int:
        """Add a mesh, which is nowhere yet.

        Parameters
        ----------
        triangles : Triangles
            In the mesh's own space; there may be none. Those with a coordinate that is not finite
            are never found.

        Returns
        -------
        int
            Its number: 0, 1, 2 and so on, never given again; some are left out for triangles that
            overflow, see `place`. It is indexed when a question first needs it.

        Raises
        ------
        ValueError
            If these are no triangles.
        """
        checks.kind("triangles", triangles, (Triangles,))
        return self._meshes.add(triangles)

    def replace_mesh(self, mesh: SupportsIndex, triangles: Triangles, /) -> None:
        """Let a mesh be another; all its placements follow.

        Parameters
        ----------
        mesh : int
            Its number.
        triangles : Triangles
            What it is now.

        Raises
        ------
        ValueError
            If there is no such mesh, or these are no triangles. Nothing is changed then.

        Notes
        -----
        O(triangles + placements of the mesh), and it is indexed anew when it is needed.
        """
        number = self._mesh(mesh)
        checks.kind("triangles", triangles, (Triangles,))
        self._meshes.replace(number, triangles)
        self._changed()
        (rows,) = (self._numbers == number).nonzero()
        if len(rows):
            self._move(rows, self._placements.matrices[:, rows])

    def remove_mesh(self, mesh: SupportsIndex, /) -> None:
        """Remove a mesh that is not placed any more.

        Parameters
        ----------
        mesh : int
            Its number.

        Raises
        ------
        ValueError
            If there is no such mesh, or it is still placed. Nothing is changed then.
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
            From the space of each mesh to the scene, for column vectors; the last row is 0, 0, 0,
            1. They may mirror, shear, stretch unevenly and flatten. One that is not finite sets
            its placement aside: see `invalid_ids`.
        groups : array_like of int, shape () or (n,), optional
            Masks of 32 bits, one for all or one each. By default they are in every group.

        Returns
        -------
        ndarray of intp, shape (n,)
            Ids of the placements: 0, 1, 2 and so on, never given again.

        Raises
        ------
        ValueError
            If a mesh is unknown, the numbers differ, a last row is another, or a mask is no whole
            number of 32 bits. Nothing is changed then.

        Notes
        -----
        A triangle's corner x, y, z is placed by `x*m00 + y*m01 + z*m02 + m03` and so on, in this
        order, in double precision. A triangle of which that is too large for it is not there; the
        others of its placement are.
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
        """Let placements be elsewhere, all at once.

        Parameters
        ----------
        ids : array_like of int, shape (k,)
            Placements, each once.
        matrices : array_like of float, shape (k, 4, 4)
            As for `place`.

        Raises
        ------
        ValueError
            If an id is unknown, removed or repeated, the numbers differ, or a last row is not 0,
            0, 0, 1. Nothing is changed then.

        Notes
        -----
        Of placements whose matrices stay as they are nothing is touched: a caller may pass all.
        A placement whose matrix is not finite is set aside, as by `place`: it keeps its id, no
        question finds it until it is moved back, and `invalid_ids` lists it.
        """
        rows, there = self._placements.rows_of(ids, once=True), matrix_rows(matrices)
        checks.same_length("ids and matrices", rows, there.T)
        (changed,) = (~self._placements.stand_at(rows, there)).nonzero()
        if len(changed):
            self._move(rows[changed], there[:, changed])

    def remove(self, ids: ArrayLike, /) -> None:
        """Take placements out; their meshes stay.

        Parameters
        ----------
        ids : array_like of int, shape (k,)
            Placements, each once.

        Raises
        ------
        ValueError
            If an id is unknown, removed or repeated. Nothing is changed then.
        """
        rows = self._placements.rows_of(ids, once=True)
        self._top.remove(self.ids[rows])
        stays = np.ones(len(self), bool)
        stays[rows] = False
        self._placements = self._placements[stays]
        self._changed()
        self._meshes.keep_stand_ins(self._placements.meshes)

    def prepare_steps(self, meshes: ArrayLike | None = None, /) -> Steps[None]:
        """Index meshes in steps, to show progress or not to block.

        Parameters
        ----------
        meshes : array_like of int, shape (m,), optional
            Numbers of meshes; by default all that are placed.

        Returns
        -------
        generator
            Yields the fraction done, ascending from 0 to 1, as often as `build_steps` does. After
            it no question indexes one of these meshes, unless they are replaced; those
            that are indexed already cost nothing. The scene may change, and be asked, in between.
            Dropping it cancels what is not done yet.

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
        """Return a scene of some of the placements alone, under the same ids.

        Later changes of either scene leave the other as it is; the nodes of meshes that both
        have are the same ones.

        Parameters
        ----------
        ids : array_like of int, shape (k,)
            Placements, each once.

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
        """Return the meshes that are placed.

        Parameters
        ----------
        ids : array_like of int, shape (k,)
            Placements.

        Returns
        -------
        ndarray of intp, shape (k,)
            The number of each one's mesh.

        Raises
        ------
        ValueError
            If an id is unknown or removed.
        """
        return self._numbers[self._placements.rows_of(ids)]

    def matrices_of(self, ids: ArrayLike) -> Floats:
        """Return where meshes are placed.

        Parameters
        ----------
        ids : array_like of int, shape (k,)
            Placements.

        Returns
        -------
        ndarray of float64, shape (k, 4, 4)
            The matrix of each.

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
        """Return boxes around placed meshes.

        Parameters
        ----------
        ids : array_like of int, shape (k,)
            Placements.

        Returns
        -------
        Boxes
            Around boxes around parts of the mesh, so in general a little larger than the tightest
            ones. NaN where there is nothing to be found.

        Raises
        ------
        ValueError
            If an id is unknown or removed.
        """
        rows = self._placements.rows_of(ids)
        there = self._placements.is_there[rows]
        return Boxes.from_rows(np.where(there, self._placements.boxes[:, rows], np.nan))

    def triangles_of(self, ids: ArrayLike) -> Triangles:
        """Return the placed triangles themselves, as every answer takes them.

        Parameters
        ----------
        ids : array_like of int, shape (k,)
            Placements.

        Returns
        -------
        Triangles
            All triangles of the first, then of the next. O(their vertices).

        Raises
        ------
        ValueError
            If an id is unknown or removed.
        """
        return run(self.triangles_steps(ids))

    def triangles_steps(self, ids: ArrayLike) -> Steps[Triangles]:
        """Return the same as `triangles_of` in steps, not to block.

        Parameters
        ----------
        ids : array_like of int, shape (k,)
            As there.

        Returns
        -------
        generator
            Yields the fraction done, of few triangles never; its StopIteration carries the
            Triangles as `value`. Later changes of the scene leave them as they are.

        Raises
        ------
        ValueError
            As there, at once.
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
        """Let the placements in these rows have these matrices, and their meshes' bounds."""
        new = self._placements_of(0, self._numbers[rows], matrices)
        self._top.move(self.ids[rows], self._boxes(new))
        self._placements = self._placements.moved(rows, new)
        self._changed()
        self._meshes.keep_stand_ins(self._placements.meshes)

    @property
    def _numbers(self) -> Ids:
        """The meshes that are placed, as callers know them, (n,)."""
        return self._meshes.known_as(self._placements.meshes)

    def _placements_of(self, first: int, numbers: Ids, matrices: Floats) -> Placements:
        """Return new placements of meshes; where triangles overflow, of meshes without these."""
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
        """Return what the top level holds; a point for what cannot be found."""
        return Boxes.from_rows(placements.boxes)

    def _snapshot(self, groups: SupportsIndex) -> Moment:
        """Return the scene as questions with this mask see it: the same until it changes."""
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
        """Answer `overlapping_pairs_steps`."""
        margin = checks.length("margin", margin)
        if within and owners is not None:
            raise ValueError("within pairs triangles of one owner: owners must be None")
        moment = self._snapshot(groups)
        numbers = moment.checked_owners(owners)
        steps = overlapping(moment, margin, numbers, within, skip_neighbours)
        return moment.as_long_as_current(steps)

    def _changed(self) -> None:
        """Let whoever still asks in steps know that the scene is another now."""
        self._freshness.is_current = False
        self._freshness, self._moments = Freshness(), {}
