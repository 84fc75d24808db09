"""Candidate poses of a mesh in a scene (guests), and the obstacles (hosts) of each.

The broad phase compares boxes. The narrow phase descends both triangle trees: guest and host cross
if an edge runs through a triangle. For pairs without contact, rays decide between outside and
inside. Pairs in contact do not cross if no part of the host reaches into the guest's box;
otherwise an audit of the pair decides.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, blocks, distinct, flagged, starts_of_runs
from ..boxes import bounds_of_points, boxes_contain, boxes_grown
from ..clash import findings
from ..clash.bands import by_band, resolutions
from ..clash.inside import inside, nearest_triangles
from ..clash.judge import judged, world_of
from ..clash.pieces import SurfaceParts, triangles_in_boxes
from ..clash.shells import Shells
from ..clash.sides import in_order
from ..clash.solids import nested_of
from ..compiled import CROSSES, TOUCHES, crossing_surfaces
from ..pairs.api import exact_test
from ..scene import SceneOctree
from ..scene.dual_walk import BoxWalk, NodePairs, Surfaces
from ..scene.moment import Moment
from ..scene.placed import placed
from ..scene.placements import GAP_ROUNDING
from ..shapes import Boxes, Triangles
from ..steps import Steps, between
from ..touch.triangle_pairs import (
    triangles_cross_triangles,
    triangles_touch_triangles,
)

# Number of guests whose points are transformed in one batch.
_TOGETHER = 64
_CROSS = (findings.OVERLAP, findings.CONTAINED, findings.DUPLICATE)


@dataclass(frozen=True)
class Asked:
    """Arguments of a fit test: a scene, the guests in a scene of their own, and the obstacles.

    `counted` flags the rows that are obstacles, (n,), and `rooms` the rows in which guests may
    lie. With `first_only`, one obstacle of each guest is enough. A `clearance` of None allows
    contact.
    """

    scene: SceneOctree
    moment: Moment
    guests: Moment
    counted: Flags
    rooms: Flags
    clearance: float | None
    joined: Callable[[SceneOctree], Moment]
    first_only: bool


class _Crossing(BoxWalk):
    """Narrow phase of pairs of a guest and a host: flags of crossing and of touching pairs."""

    def __init__(self, asked: Asked, sides: tuple[Surfaces, Surfaces], rows: Ids) -> None:
        super().__init__(sides, rows, np.full(rows.shape[1], asked.clearance or 0.0))
        self._asked = asked
        self.crossed = np.zeros(rows.shape[1], bool)
        self.touched = np.zeros(rows.shape[1], bool)
        self.refused = np.zeros(len(asked.guests), bool)

    def walked(self) -> Steps[None]:
        """Test all pairs, with the compiled kernel for as many as possible."""
        clearance = self._asked.clearance
        states = None
        if not clearance:
            refused = self.refused if self._asked.first_only else None
            ones, others = self.sides
            states = yield from crossing_surfaces(
                (ones.walked, others.walked), self.rows, self.slacks, refused,
                touching=clearance == 0,
            )  # fmt: skip
        left = np.arange(self.rows.shape[1])
        if states is not None:
            self.touched = states == TOUCHES
            self.refuse((states == CROSSES).nonzero()[0])
            (left,) = np.isnan(states).nonzero()
        yield from self.walk(left)

    def look(self, trials: NodePairs) -> None:
        """Test triangles, and stop the descent of crossing pairs."""
        self.refuse(trials.pairs[self._tested(trials)])

    def refuse(self, pairs: Ids) -> None:
        """Mark pairs as crossing."""
        self.crossed[pairs] = True
        self.refused[self.rows[0, pairs]] = True
        done = self.refused[self.rows[0]] if self._asked.first_only else self.crossed
        self.limits[done] = -1.0

    def left(self) -> Ids:
        """Return the pairs that are undecided: they do not cross, but may contain each other."""
        return (self.limits >= 0).nonzero()[0]

    def _tested(self, trials: NodePairs) -> Flags:
        """Flag the pairs of triangles that cross, or come closer than the clearance."""
        (one, other), clearance = self.placed(trials), self._asked.clearance
        if clearance is not None:
            each = np.arange(len(trials))
            return exact_test(one, other, clearance)(each, each)
        crossed = triangles_cross_triangles(one.rows, other.rows)
        (new,) = (~crossed & ~self.touched[trials.pairs]).nonzero()
        touching = triangles_touch_triangles(one, new, other, new)
        self.touched[trials.pairs[new[touching]]] = True
        return crossed


def in_the_way(asked: Asked) -> Steps[Ids]:
    """Return pairs of a guest and a row of the scene that obstructs it, (2, h), sorted."""
    rows = _met(asked)
    if rows.shape[1] == 0:
        return rows
    guests = yield from between(0.0, 0.0, _surfaces(asked.guests, rows[0]))
    hosts = yield from between(0.0, 0.1, _surfaces(asked.moment, rows[1]))
    search = _Crossing(asked, (guests, hosts), rows)
    yield from between(0.1, 0.7, search.walked())
    yield from between(0.7, 1.0, _held(asked, search))
    return rows[:, search.crossed]


def _surfaces(moment: Moment, rows: Ids) -> Steps[Surfaces]:
    meshes = distinct(moment.placements.meshes[rows])
    return Surfaces(moment, (yield from moment.meshes.pool(meshes)))


def _met(asked: Asked) -> Ids:
    """Return the pairs of rows whose boxes are within the clearance, sorted."""
    placements = asked.guests.placements
    (there,) = placements.is_there.nonzero()
    boxes = placements.boxes[:, there]
    reach = (asked.clearance or 0.0) * (1 + GAP_ROUNDING)
    which, rows = asked.moment.rows_touching(Boxes.from_rows(boxes_grown(boxes, reach)))
    found = np.stack((there[which], rows))
    return found[:, asked.counted[found[1]]]


def _held(asked: Asked, search: _Crossing) -> Steps[None]:
    """Refuse guests that lie in a host, contain a part of one, or cross a host in contact."""
    some = search.left()
    if len(some) == 0:
        return
    guests, hosts = search.rows[:, some]
    steps = world_of(asked.guests, distinct(asked.guests.placements.meshes[guests]), 0.0)
    inner = yield from between(0.0, 0.1, steps)
    steps = world_of(asked.moment, distinct(asked.moment.placements.meshes[hosts]), 0.0)
    outer = yield from between(0.1, 0.2, steps)
    are_rooms = asked.rooms[hosts]
    are_closed = outer.shells.closed[outer.meshes(hosts)]
    near = yield from triangles_in_boxes(
        asked.moment, outer.pool, hosts, asked.guests.placements.boxes[:, guests]
    )
    touched = search.touched[some]
    (free,) = (~touched & ~are_rooms & are_closed).nonzero()
    looking = nested_of(inner, guests[free], asked.moment, hosts[free])
    nested, _ = yield from between(0.2, 0.5, looking)
    search.refuse(some[free[nested]])
    if inner.shells.closed.any():
        yield from between(0.5, 0.7, _holding(asked, search, some, near, outer.shells))
    if touched.any():
        yield from between(0.7, 1.0, _touching(asked, search, some, near, are_closed))


def _holding(
    asked: Asked, search: _Crossing, some: Ids, near: SurfaceParts, shells: Shells
) -> Steps[None]:
    """Refuse guests that contain a whole connected part of a host without touching the host."""
    faces = search.sides[1].pool.arranged.faces
    parts = shells.parts[faces[near.entries, 0]]
    hosts = search.rows[1, some]
    wanted = ~search.touched[some] & ~asked.rooms[hosts] & (search.limits[some] >= 0)
    (kept,) = wanted[near.solids].nonzero()
    order = kept[np.lexsort((parts[kept], near.solids[kept]))]
    keys = near.solids[order] * (int(parts.max(initial=0)) + 1) + parts[order]
    one_each = order[starts_of_runs(keys)]
    points, pairs = near.corners[:3, one_each], some[near.solids[one_each]]
    boxes = asked.guests.placements.boxes[:, search.rows[0, pairs]]
    (close,) = boxes_contain(boxes, points, points).nonzero()
    steps = inside(asked.guests, points[:, close], search.rows[0, pairs[close]])
    is_in = yield from steps
    search.refuse(pairs[close[is_in]])


def _touching(
    asked: Asked, search: _Crossing, some: Ids, near: SurfaceParts, are_closed: Flags
) -> Steps[None]:
    """Refuse guests that touch a host and lie in it, or share space with it."""
    (touched,) = (search.touched[some] & (search.limits[some] >= 0)).nonzero()
    boxes = _tight_boxes(asked, search.rows[0, some[touched]])
    ranks = np.full(len(some), -1)
    ranks[touched] = np.arange(len(touched))
    (kept,) = (ranks[near.solids] >= 0).nonzero()
    whose = ranks[near.solids[kept]]
    bounds = bounds_of_points(near.corners[:, kept].reshape(3, 3, -1))
    reach_in = (bounds[:3] < boxes[3:, whose]) & (bounds[3:] > boxes[:3, whose])
    entered = flagged(len(touched), whose[reach_in.all(axis=0)])
    is_solid = (boxes[3:] > boxes[:3]).all(axis=0)
    hosts = search.rows[1, some[touched]]
    # No part of the host is in the open box, so the box lies on one side, like its middle.
    (clear,) = (~entered & is_solid & are_closed[touched] & ~asked.rooms[hosts]).nonzero()
    middles = (boxes[:3, clear] + boxes[3:, clear]) / 2
    is_in = yield from between(0.0, 0.2, inside(asked.moment, middles, hosts[clear]))
    search.refuse(some[touched[clear[is_in]]])
    left = some[touched[entered | ~is_solid]]
    is_room = asked.rooms[search.rows[1, left]]
    if is_room.any():
        yield from between(0.2, 0.4, _through_walls(asked, search, left[is_room]))
    if not is_room.all():
        yield from between(0.4, 1.0, _audited(asked, search, left[~is_room]))


def _tight_boxes(asked: Asked, guests: Ids) -> Floats:
    """Return the exact bounds of the placed triangles of guests, (6, k)."""
    boxes = np.empty((6, len(guests)))
    for some in blocks(len(guests), _TOGETHER):
        points = _points(asked, guests[some], own_points(asked.guests, corners_only=True))
        boxes[:, some] = bounds_of_points(points, axis=2)
    return boxes


def own_points(guests: Moment, corners_only: bool = False) -> Floats:
    """Return the corners of the guests' mesh, and the middles of edges and faces, (3, m)."""
    corners = _triangles(guests).rows.reshape(3, 3, -1).swapaxes(0, 1)
    if corners_only:
        return corners.reshape(3, -1)
    middles = (corners + np.roll(corners, 1, axis=1)) / 2
    return np.concatenate((corners, middles, corners.mean(axis=1)[:, None]), axis=1).reshape(3, -1)


def _triangles(guests: Moment) -> Triangles:
    mesh = guests.meshes[int(guests.placements.meshes[0])]
    return mesh.triangles[mesh.valid]


def _points(asked: Asked, guests: Ids, points: Floats) -> Floats:
    """Return points (3, m) of the mesh, transformed by the poses of guests, (3, k, m)."""
    matrices = asked.guests.placements.matrices[:, guests, None]
    return placed(np.broadcast_to(points[:, None], (3, len(guests), points.shape[1])), matrices)


def _through_walls(asked: Asked, search: _Crossing, pairs: Ids) -> Steps[None]:
    """Refuse guests that touch the walls of a room and have points on both sides."""
    own = own_points(asked.guests)
    for some in blocks(len(pairs), _TOGETHER):
        guests, rooms = search.rows[:, pairs[some]]
        points = _points(asked, guests, own).reshape(3, -1)
        rows = np.repeat(rooms, own.shape[1])
        is_in = yield from inside(asked.moment, points, rows)
        nowhere = np.full(len(rows), np.inf)
        lengths, _ = yield from nearest_triangles(asked.moment, points, rows, nowhere)
        off = lengths > resolutions(asked.moment.placements.boxes[:, rows])
        sides = [(off & flags).reshape(-1, own.shape[1]).any(axis=1) for flags in (is_in, ~is_in)]
        search.refuse(pairs[some][sides[0] & sides[1]])


def _audited(asked: Asked, search: _Crossing, pairs: Ids) -> Steps[None]:
    """Refuse guests that share space with a host, as an audit of the pair finds."""
    guests, hosts = search.rows[:, pairs]
    both = copy(asked.scene)
    mesh = both.add_mesh(_triangles(asked.guests))
    each, which = np.unique(guests, return_inverse=True)
    matrices = np.tile(np.eye(4), (len(each), 1, 1))
    matrices[:, :3] = asked.guests.placements.matrices[:, each].T.reshape(-1, 3, 4)
    new = both.place([mesh] * len(each), matrices)
    moment = asked.joined(both)
    names = np.stack((new[which], asked.moment.placements.ids[hosts]))
    met = in_order(moment, moment.placements.rows_named(names))
    for banded in by_band(moment, met, 0.0):
        steps = judged(banded.moment, met[:, banded.some], banded.scaled(banded.band), 0.0)
        found = yield from between(banded.start, banded.stop, steps)
        refused = np.sort(found.pairs[:, np.isin(found.classes, _CROSS)], axis=0)
        here = np.sort(names[:, banded.some], axis=0)
        keys = [each[1] * both.ids[-1] + each[0] for each in (here, refused)]
        search.refuse(pairs[banded.some[np.isin(*keys)]])
