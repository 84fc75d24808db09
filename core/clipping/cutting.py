"""Cutting of triangles at the walls of cells, one level and one axis after the other.

A triangle that no wall crosses moves down by its bounds, without a cut. A crossed triangle becomes
a polygon, which is divided by the signs of its corners. All polygons with an edge that crosses a
wall share one new place there. `refine_steps` adds the place to polygons that have the edge on
their border but lie in undivided cells.
"""

from collections.abc import Sequence

import numpy as np

from .. import tuning
from ..arrays import Flags, Floats, Ids, blocks, flagged, starts_of_runs
from ..steps import Steps, between
from .places import Places
from .polygons import NO_POLYGONS, Polygons, Sides, all_of, of_triangles, without_bits
from .splits import Keys, Splits, cut_edges, edge_keys

# Values instead of a cell: outside of cell 0, and divided into pieces.
OUTSIDE, IN_PIECES = -1, -2
AXES = (0, 1, 2)


class Cutting:
    """Triangles that descend through cells: whole triangles, and polygons as pieces of others.

    Attributes
    ----------
    places : Places
        The coordinates of all corners.
    faces : ndarray of intp, shape (3, n)
        The triangles' corners: vertex numbers, replaced by numbers of places for corners that
        lie in walls.
    lower, upper : ndarray of float64, shape (3, n)
        Bounds of the triangles; both are one point for a triangle that is never cut.
    cells : ndarray of int32, shape (n,)
        The cell of each whole triangle; else OUTSIDE or IN_PIECES.
    """

    def __init__(
        self, places: Places, faces: Ids, lower: Floats, upper: Floats, enters: Flags
    ) -> None:
        self.places, self.faces, self.lower, self.upper = places, faces, lower, upper
        self.cells = np.where(enters, np.int32(0), np.int32(OUTSIDE))
        self._parts = [NO_POLYGONS]
        self._splits = Splits()
        self._on_wall = np.zeros(places.count, bool)

    @classmethod
    def steps(cls, vertices: Floats, faces: Ids, enters: Flags) -> Steps["Cutting"]:
        """Return a cutting with the faces (3, n) that `enters` flags in cell 0, in steps."""
        shape, some = faces.shape, slice(0)
        corners, lower, upper = np.empty(shape, np.intp), np.empty(shape), np.empty(shape)
        for some in blocks(shape[1], tuning.current.piece):
            np.clip(faces[:, some], 0, max(vertices.shape[1] - 1, 0), out=corners[:, some])
            for axis, row in enumerate(vertices):
                first, second, third = row.take(faces[:, some], mode="clip")
                np.minimum(np.minimum(first, second), third, out=lower[axis, some])
                np.maximum(np.maximum(first, second), third, out=upper[axis, some])
            yield some.stop / shape[1]
        places = Places(vertices)
        yield 1.0
        made = cls(places, corners, lower, upper, enters)
        yield 1.0
        return made

    def cut_off_steps(self, axis: int, wall: float, *, below: bool) -> Steps[None]:
        """Move triangles and pieces beyond a wall of cell 0 outside: below the wall, or above.

        Triangles and pieces in the wall stay in the cell. Yields the fraction done.
        """
        low, high = self.lower[axis], self.upper[axis]
        here = self.cells == 0
        crossing = here & (low < wall) & (high > wall)
        beyond = (low < wall) & (high <= wall) if below else (low >= wall) & (high > wall)
        self.cells[here & beyond] = OUTSIDE
        (touching,) = (here & ((low == wall) | (high == wall))).nonzero()
        self._touch(touching, axis, np.full(len(touching), wall))
        rest, some = self._parted(np.zeros(1, np.intp))
        some = all_of([some, self._taken_out(crossing.nonzero()[0])])
        cut = yield from self._cut(some, axis, np.full(1, wall), 1, lower_owns=not below)
        is_out = (cut.bits == 0) if below else (cut.bits > 0)
        self._parts = [*rest, without_bits(cut, np.where(is_out, OUTSIDE, 0))]

    def divide_steps(
        self, first_child: Ids, middles: Floats, axes: Sequence[int] = AXES, aligned: bool = True
    ) -> Steps[None]:
        """Move the content of divided cells to their children; yields the fraction done.

        `first_child` (m,) is -1 for undivided cells; `middles` (3, m) are the walls, cut axis by
        axis. Relative to the first child, a child's number has bit `axis` set if the child is
        above the wall. Unless walls of neighbors are `aligned`, one edge may cross several walls
        at different places.
        """
        crossing = yield from between(0.0, 0.5, self._hand_down(first_child, middles, axes))
        rest, some = self._parted(first_child)
        some = all_of([some, self._taken_out(crossing)])
        yield 0.55
        some = yield from between(0.55, 0.6, self._refined(some))
        for number, axis in enumerate(axes):
            start, stop = (0.6 + 0.1 * each for each in (number, number + 1))
            if number and not aligned:
                some = yield from between(start, start, self._refined(some))
            cutting = self._cut(some, axis, middles[axis], 1 << axis)
            some = yield from between(start, stop, cutting)
        self._parts = [*rest, without_bits(some, first_child[some.cells] + some.bits)]
        yield 1.0

    def refine_steps(self, cuttable: Flags) -> Steps[None]:
        """Insert the known cuts of edges into polygons and `cuttable` whole triangles.

        Yields the fraction done.
        """
        found = []
        for some in blocks(len(self.cells), tuning.current.piece):
            first, second, third = self._on_wall[self.faces[:, some]]
            maybe = first & second | second & third | third & first
            maybe &= (self.cells[some] != IN_PIECES) & cuttable[some]
            (ids,) = maybe.nonzero()
            ids += some.start
            corners = self.faces[:, ids]
            keys = edge_keys(corners, np.roll(corners, -1, axis=0))
            is_split = self._splits.find(keys.ravel())[1].reshape(3, -1).any(axis=0)
            found.append(ids[is_split])
            yield 0.5 * some.stop / len(self.cells)
        ids = np.concatenate([np.empty(0, np.intp), *found])
        whole = self._taken_out(ids)
        refining = self._refined(all_of([self.polygons, whole]))
        self._parts = [(yield from between(0.5, 1.0, refining))]
        yield 1.0

    @property
    def polygons(self) -> Polygons:
        """The pieces of all divided triangles."""
        if len(self._parts) > 1:
            self._parts = [all_of(self._parts)]
        return self._parts[0]

    def _parted(self, first_child: Ids) -> tuple[list[Polygons], Polygons]:
        """Return the polygons in undivided cells, in parts, and the polygons in divided cells."""
        staying, leaving = [], []
        for part in self._parts:
            children = first_child.take(part.cells, mode="clip")
            divided = (part.cells >= 0) & (children >= 0)
            if not divided.any():
                staying.append(part)
                continue
            leaving.append(part.take(divided.nonzero()[0]))
            staying.append(part.take((~divided).nonzero()[0]))
        return staying, all_of(leaving)

    def _hand_down(self, first_child: Ids, middles: Floats, axes: Sequence[int]) -> Steps[Ids]:
        """Move whole triangles to children; return the triangles that cross walls."""
        crossing = [np.empty(0, np.intp)]
        is_divided = first_child >= 0
        for some in blocks(len(self.cells), tuning.current.piece):
            cells = self.cells[some]
            (ids,) = ((cells >= 0) & is_divided.take(cells, mode="clip")).nonzero()
            cells = cells[ids]
            ids += some.start
            bits, is_crossing = np.zeros(len(ids), np.uint8), np.zeros(len(ids), bool)
            for axis in axes:
                walls = middles[axis].take(cells)
                low, high = self.lower[axis].take(ids), self.upper[axis].take(ids)
                is_above = high > walls
                is_crossing |= is_above & (low < walls)
                bits |= is_above.view(np.uint8) << np.uint8(axis)
                touching = (low == walls) | (high == walls)
                if touching.any():
                    self._touch(ids[touching], axis, walls[touching])
            self.cells[ids] = first_child[cells] + bits
            crossed = is_crossing.nonzero()[0]
            self.cells[ids[crossed]] = cells[crossed]
            crossing.append(ids[crossed])
            yield some.stop / len(self.cells)
        return np.concatenate(crossing)

    def _touch(self, some: Ids, axis: int, walls: Floats) -> None:
        """Enter the places of triangle corners that lie in these walls, and mark the places."""
        corners = self.faces[:, some]
        in_wall = self.places.rows[axis, corners] == walls
        places = self.places.enter(corners[in_wall])
        corners[in_wall] = places
        self.faces[:, some] = corners
        self._on_wall[places] = True

    def _taken_out(self, triangles: Ids) -> Polygons:
        """Turn whole triangles into polygons."""
        cells = self.cells[triangles].astype(np.intp)
        self.cells[triangles] = IN_PIECES
        return of_triangles(triangles, self.places.enter(self.faces[:, triangles]), cells)

    def _cut(
        self, some: Polygons, axis: int, walls: Floats, bit: int, *, lower_owns: bool = True
    ) -> Steps[Polygons]:
        """Divide polygons at the walls of their cells; set `bit` for the upper pieces."""
        wall = np.repeat(walls[some.cells], some.sizes)
        sides = self._sides(some.places, axis, wall)
        while True:
            yield 0.0
            following = some.next_corner
            (crossed,) = (sides * sides[following] < 0).nonzero()
            if len(crossed) == 0:
                break
            cuts = some, crossed, following[crossed], axis, wall[crossed]
            some, moved = yield from between(0.0, 0.0, self._inserted(*cuts))
            wall = np.repeat(walls[some.cells], some.sizes)
            new = moved[crossed] + 1
            before, sides = sides, np.empty(len(some.places), np.int8)
            sides[moved] = before
            sides[new] = self._sides(some.places[new], axis, wall[new])
        self._on_wall[some.places[sides == 0]] = True
        yield 0.5
        halves, is_above = some.halves(sides, lower_owns)
        halves.bits[is_above] |= bit
        return halves

    def _sides(self, places: Ids, axis: int, walls: Floats) -> Sides:
        """Return -1 for places below walls, 0 for places in walls, 1 for places above."""
        at = self.places.rows[axis].take(places)
        return (at > walls).view(np.int8) - (at < walls).view(np.int8)

    def _inserted(
        self, some: Polygons, corners: Ids, following: Ids, axis: int, walls: Floats
    ) -> Steps[tuple[Polygons, Ids]]:
        """Cut the edges from `corners` to `following`, each at its lowest wall.

        The second result is the new positions of the old corners.
        """
        ones, others = some.places[corners], some.places[following]
        keys = edge_keys(ones, others)
        order = np.lexsort((walls, keys))
        first = order[starts_of_runs(keys[order])]
        yield 0.2
        first = first[~self._splits.find(keys[first])[1]]
        yield 0.4
        is_up = self.places.rows[axis, ones[first]] < walls[first]
        below, above = (
            np.where(is_up == side, ones[first], others[first]) for side in (True, False)
        )
        cuts = cut_edges(self.places, below, above, axis, walls[first])
        more = self.places.count - len(self._on_wall)
        self._on_wall = np.concatenate((self._on_wall, np.zeros(more, bool)))
        self._on_wall[cuts[0]] = True
        self._splits.add(keys[first], *cuts)
        yield 0.6
        return self._with_cuts(some, corners, following, keys)

    def _refined(self, some: Polygons) -> Steps[Polygons]:
        """Return polygons with all known cuts of their edges, and of parts of these edges."""
        parts = []
        for part in blocks(len(some), max(tuning.current.piece // 8, 1)):
            polygons = some.take(np.arange(part.start, part.stop))
            done = part.start / len(some)
            parts.append((yield from between(done, done, self._part_refined(polygons))))
        return all_of(parts)

    def _part_refined(self, some: Polygons) -> Steps[Polygons]:
        doubtful = self._on_wall[some.places]
        while True:
            yield 0.0
            following = some.next_corner
            (corners,) = (doubtful & doubtful[following]).nonzero()
            ones, others = some.places[corners], some.places[following[corners]]
            keys = edge_keys(ones, others)
            has_cut = self._splits.find(keys)[1]
            if not has_cut.any():
                return some
            corners, keys = corners[has_cut], keys[has_cut]
            yield 0.0
            some, _ = self._with_cuts(some, corners, following[corners], keys)
            # Only edges beside inserted corners have not been looked up yet.
            doubtful = self._around(some, corners)

    def _around(self, some: Polygons, corners: Ids) -> Flags:
        """Flag the corners inserted behind `corners`, and both neighbors of each."""
        new = corners + np.arange(len(corners)) + 1
        flags = flagged(len(some.places), new)
        flags[new - 1] = True
        flags[some.next_corner[new]] = True
        return flags

    def _with_cuts(
        self, some: Polygons, corners: Ids, following: Ids, keys: Keys
    ) -> tuple[Polygons, Ids]:
        """Insert the known cuts of the edges from `corners` to `following`."""
        cuts, _ = self._splits.find(keys)
        part = self._splits.parts[cuts]
        is_from_first = self._splits.near[cuts] == some.places[corners]
        start, stop = some.weights[:, corners], some.weights[:, following]
        start, stop = np.where(is_from_first, start, stop), np.where(is_from_first, stop, start)
        weights = start + (stop - start) * part
        edges = some.edges[corners] & some.edges[following]
        return some.with_inserted(corners, self._splits.places[cuts], weights, edges)
