"""Gravity drops: units slide along one direction until contact, in single precision.

A unit is a group of objects that move together. The core returns how far each unit slides until
it touches something. Blender rounds stored locations, so the rounded scene is tested for overlaps,
and falls that cause one are shortened by float32 steps.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from ...core import (
    Boxes,
    SceneOctree,
    Slides,
    Steps,
    between,
    connected_components,
    overlapping_objects_steps,
    separate_steps,
    slide_steps,
)
from ..arrays import Flags, Floats, Ids
from ..snapshots import SceneTarget
from .bodies import as_bodies
from .moves import Stored, least_steps, placed, stored_moves
from .sinking import sunk_steps
from .turning import Turns, turned, turns_onto
from .units import Movers

# Maximum number of rounds that shorten overlapping falls; the step doubles every second round.
_LESSENED = 40
# Touch tolerance in float32 steps (ULPs); maximum number of edges that a unit is moved past.
_TOUCH, _EDGES = 4.0, 4
# Notes about a unit in the results.
OVERLAPS, ENDLESS, PARTED, NOT_TURNED = (
    "overlaps", "nothing below", "parted sideways", "not turned",
)  # fmt: skip


@dataclass(frozen=True)
class FallWish:
    """Options of a drop, in scene units.

    Attributes
    ----------
    direction : ndarray of float64, shape (3,)
        Direction of the drop, of length 1.
    gap, sink : float
        Distance left above the surface that a unit lands on; depth to which it sinks into it.
    keeps_contacts : bool
        If true, objects that touch move as one unit.
    aligns : bool
        If true, landed objects are turned to the normal of the surface.
    band : float
        Depth up to which an overlap counts as touching.
    """

    direction: Floats
    gap: float = 0.0
    sink: float = 0.0
    keeps_contacts: bool = False
    aligns: bool = False
    band: float = 0.0


@dataclass(frozen=True, eq=False)
class Falls:
    """A drop plan: how far each of u units falls, and the values to store.

    Attributes
    ----------
    target : SceneTarget
        The scene before the drop.
    movers : Movers
        The units that move.
    wish : FallWish
        The options.
    distances : ndarray of float64, shape (u,)
        Distance of each unit along the direction.
    below : ndarray of intp, shape (u,)
        The placement that each unit lands on, a row of the target; -1 for none.
    triangles : ndarray of intp, shape (u,)
        The triangle of that placement's mesh; -1 for none.
    sideways : ndarray of float64, shape (u, 3)
        Move of each unit before its fall, out of an overlap within the touch tolerance.
    turns : Turns
        The rotation of each unit.
    crossing : ndarray of bool, shape (u,)
        Units that overlap something before the drop.
    endless : ndarray of bool, shape (u,)
        Units with nothing below, which stay in place.
    """

    target: SceneTarget
    movers: Movers
    wish: FallWish
    distances: Floats
    below: Ids
    triangles: Ids
    sideways: Floats
    turns: Turns
    crossing: Flags
    endless: Flags

    @property
    def ids(self) -> Ids:
        """The placements that move, (k,)."""
        return self.target.octree.ids[self.movers.rows]

    @property
    def shifts(self) -> Floats:
        """The whole move of each unit, (u, 3)."""
        return self.sideways + self.distances[:, None] * self.wish.direction

    @property
    def stored(self) -> Stored:
        """The locations and matrices that Blender will store."""
        stored = stored_moves(self.movers, self.target, self.shifts)
        return turned(stored, self.turns, self.movers)

    @property
    def notes(self) -> list[str]:
        """A note for each unit; mostly empty."""
        flags = {
            OVERLAPS: self.crossing,
            ENDLESS: self.endless,
            PARTED: self.sideways.any(axis=1),
            NOT_TURNED: self.wish.aligns & (self.below >= 0) & ~self.movers.turnable,
        }
        return [
            ", ".join(word for word, are in flags.items() if are[unit])
            for unit in range(len(self.movers))
        ]

    def octree(self) -> SceneOctree:
        """Return the scene as it will be stored."""
        return placed(self.target.octree, self.ids, self.stored.matrices)

    def settled_steps(self, look: Callable[[Self], SceneOctree]) -> Steps["Falls"]:
        """Shorten falls that cause an overlap in the scene that `look(falls)` returns."""
        return settle_steps(self, look)


def fall_steps(target: SceneTarget, movers: Movers, wish: FallWish) -> Steps[Falls]:
    """Return the drop plan of units, in steps; write nothing."""
    if wish.keeps_contacts:
        movers = yield from between(0.0, 0.1, held_steps(target, movers, wish))
    count = len(movers)
    falls = still_falls(target, movers, wish, np.zeros((count, 3)), Turns.none(count))
    if not count:
        return falls
    falls = yield from between(0.1, 0.3, slid_steps(falls))
    if falls.crossing.any():
        falls = yield from between(0.3, 0.4, _parted_steps(falls))
    falls = yield from between(0.4, 0.5, _past_edges_steps(falls))
    if wish.aligns:
        falls = yield from between(0.5, 0.7, _aligned_steps(falls))
    spaced = _spaced(falls)
    if wish.sink > 0:
        return (yield from between(0.7, 1.0, sunk_steps(falls, spaced)))
    return (yield from between(0.7, 1.0, settle_steps(spaced, Falls.octree)))


def still_falls(
    target: SceneTarget, movers: Movers, wish: FallWish, sideways: Floats, turns: Turns
) -> Falls:
    """Return falls of distance 0, of units that were moved and turned before."""
    count = len(movers)
    return Falls(
        target=target,
        movers=movers,
        wish=wish,
        distances=np.zeros(count),
        below=np.full(count, -1, np.intp),
        triangles=np.full(count, -1, np.intp),
        sideways=sideways,
        turns=turns,
        crossing=np.zeros(count, np.bool_),
        endless=np.zeros(count, np.bool_),
    )


def held_steps(target: SceneTarget, movers: Movers, wish: FallWish) -> Steps[Movers]:
    """Join units that touch; leave out joined units that touch something that does not move."""
    everyone = movers.units_of(np.arange(len(target.octree)))
    stays = everyone < 0
    owners = np.where(stays, len(movers), everyone)
    pairs = yield from overlapping_objects_steps(target.octree, margin=wish.band, owners=owners)
    pairs = everyone[np.searchsorted(target.octree.ids, pairs)]
    label = connected_components(pairs[:, (pairs >= 0).all(axis=0)], len(movers))
    is_held = np.zeros(len(movers), np.bool_)
    is_held[label[pairs.max(axis=0)[(pairs < 0).any(axis=0)]]] = True
    return joined(movers, label, is_held[label], "held by what it touches")


def joined(movers: Movers, label: Ids, is_left: Flags, reason: str) -> Movers:
    """Join units of equal label, (u,), and leave out the flagged ones, (u,), for a reason."""
    kept, number = np.unique(label[~is_left], return_inverse=True)
    new = np.full(len(movers), -1, np.intp)
    new[~is_left] = number
    roots = np.flatnonzero(new[movers.root_units] >= 0)
    place = np.full(len(movers.root_uids), -1, np.intp)
    place[roots] = np.arange(len(roots))
    stays = place[movers.row_roots] >= 0
    left = {int(uid): reason for uid in movers.uids[is_left]}
    return Movers(
        uids=movers.uids[kept],
        names=tuple(movers.names[each] for each in kept.tolist()),
        rows=movers.rows[stays],
        row_roots=place[movers.row_roots[stays]],
        root_uids=movers.root_uids[roots],
        root_units=new[movers.root_units[roots]],
        locations=movers.locations[roots],
        spaces=movers.spaces[roots],
        frames=movers.frames[roots],
        turnable=movers.turnable[kept] & (np.bincount(new[movers.root_units[roots]]) == 1),
        left={**movers.left, **left},
    )


def slid_steps(falls: Falls) -> Steps[Falls]:
    """Return the falls after a slide from the current moves and rotations of the units."""
    slides = yield from _slides_steps(falls, falls.octree())
    first = falls.movers.first_rows
    distances, onto = slides.distances[first], slides.onto[first]
    endless = np.isinf(distances)
    below = np.where(onto >= 0, np.searchsorted(falls.target.octree.ids, onto), -1)
    return replace(
        falls,
        distances=np.where(endless, 0.0, distances),
        below=below,
        triangles=slides.items[1, first],
        crossing=slides.crossing[first],
        endless=endless,
    )


def _slides_steps(falls: Falls, octree: SceneOctree, limit: float = np.inf) -> Steps[Slides]:
    return slide_steps(
        octree, falls.ids, falls.wish.direction, bodies=falls.movers.bodies, limit=limit
    )


def _parted_steps(falls: Falls) -> Steps[Falls]:
    """Move units sideways out of overlaps within the touch tolerance, and slide all again."""
    bodies = as_bodies(falls.target, falls.movers)
    ids, steps = bodies.ids[falls.crossing], least_steps(falls.movers, falls.target)
    apart = yield from separate_steps(
        bodies.octree, ids, axes=_across(falls.wish.direction), gap=float(steps.max())
    )
    moves = np.zeros((len(falls.movers), 3))
    moves[falls.crossing] = apart.moves
    touch = np.maximum(falls.wish.band, _TOUCH * steps)
    is_small = (np.linalg.norm(moves, axis=1) <= touch) & moves.any(axis=1)
    if not is_small.any():
        return falls
    sideways = np.where(is_small[:, None], moves, 0.0)
    return (yield from slid_steps(_still(falls, sideways)))


def _still(falls: Falls, sideways: Floats) -> Falls:
    return replace(falls, distances=np.zeros(len(falls.movers)), sideways=sideways)


def _past_edges_steps(falls: Falls) -> Steps[Falls]:
    """Move units aside that land on a mere edge, by less than a touch; slide all again.

    Boxes of a kit, for example, have sides that are aligned up to rounding.
    """
    for _ in range(_EDGES):
        aside = _aside(falls)
        if not aside.any():
            break
        again = yield from slid_steps(_still(falls, falls.sideways + aside))
        if (again.crossing & ~falls.crossing).any():
            break
        falls = again
    return falls


def _aside(falls: Falls) -> Floats:
    """Return the moves aside of units that land on a mere edge, (u, 3); zero for the others."""
    movers, octree = falls.movers, _still(falls, falls.sideways).octree()
    lands = (falls.below >= 0) & ~falls.crossing
    steps = least_steps(movers, falls.target)
    touch = np.maximum(falls.wish.band, _TOUCH * steps)
    own, under = octree.bounds_of(falls.ids), np.maximum(falls.below, 0)
    others = octree.bounds_of(octree.ids[under])
    aside, least = np.zeros((len(movers), 3)), touch.copy()
    for axis in _across(falls.wish.direction):
        low, high = np.full(len(movers), np.inf), np.full(len(movers), -np.inf)
        first, last = _extent(own, axis)
        np.minimum.at(low, movers.bodies, first)
        np.maximum.at(high, movers.bodies, last)
        before, behind = _extent(others, axis)
        for over, sign in ((high - before, -1.0), (behind - low, 1.0)):
            is_less = lands & (over >= 0) & (over < least)
            aside[is_less] = sign * (over + steps)[is_less, None] * axis
            least = np.where(is_less, over, least)
    return aside


def _extent(boxes: Boxes, axis: Floats) -> tuple[Floats, Floats]:
    """Return the least and the greatest coordinate of boxes along an axis, (n,) each."""
    middle = (boxes.lower + boxes.upper) @ axis / 2
    half = (boxes.upper - boxes.lower) @ np.abs(axis) / 2
    return middle - half, middle + half


def _across(direction: Floats) -> Floats:
    """Return two directions of length 1, perpendicular to each other and to a direction."""
    least = np.eye(3)[np.abs(direction).argmin()]
    one = np.cross(direction, least)
    one /= np.linalg.norm(one)
    return np.stack((one, np.cross(direction, one)))


def _aligned_steps(falls: Falls) -> Steps[Falls]:
    """Turn landed units to the surface and slide all again; refuse turns that cause an overlap."""
    up = -falls.wish.direction
    turns = turns_onto(falls.target, falls.movers, falls.below, falls.triangles, up)
    still = replace(falls, distances=np.zeros(len(falls.movers)))
    while True:
        again = yield from slid_steps(replace(still, turns=turns))
        refused = turns.are_turned & again.crossing & ~falls.crossing
        if not refused.any():
            return replace(again, crossing=falls.crossing)
        turns = turns.without(refused)


def _spaced(falls: Falls) -> Falls:
    """Return the falls with gap and sink applied, once for each landed unit of a stack."""
    more = falls.wish.sink - falls.wish.gap
    depth = depths(falls.movers.units_of(falls.below), falls.below >= 0)
    distances = falls.distances + more * depth
    return replace(falls, distances=np.maximum(distances, np.minimum(falls.distances, 0.0)))


def depths(above: Ids, lands: Flags) -> Ids:
    """Return the height of each unit in its stack, 1 for the lowest; 0 if it does not land.

    `above`, (u,), is the unit that each one lands on; -1 if it lands on something that stays.
    """
    depth = lands.astype(np.intp)
    for _ in range(len(depth)):
        on = np.where(above >= 0, depth[above], 0)
        deeper = np.where(lands, on + 1, 0)
        if (deeper == depth).all():
            break
        depth = deeper
    return depth


def settle_steps(falls: Falls, look: Callable[[Any], SceneOctree]) -> Steps[Falls]:
    """Shorten falls until the stored scene has no new overlap.

    `look(falls)` returns the scene as Blender stores the falls. If a unit is shortened, so are the
    units on top of it. Falls with a sink are returned unchanged.
    """
    if falls.wish.sink > 0:
        return falls
    step = least_steps(falls.movers, falls.target)
    under = falls.movers.units_of(falls.below)
    lessened = np.zeros(len(step))
    now = falls
    for turn in range(_LESSENED):
        slides = yield from _slides_steps(now, look(now), limit=float(step.max()))
        crosses = slides.crossing[falls.movers.first_rows] & ~falls.crossing
        if not crosses.any():
            break
        lessened += np.where(_lifted(crosses, under), step * 2 ** (turn // 2), 0.0)
        distances = falls.distances - np.minimum(lessened, np.maximum(falls.distances, 0.0))
        now = replace(falls, distances=distances)
    return now


def _lifted(crosses: Flags, under: Ids) -> Flags:
    """Flag the units to lift: the uppermost overlapping units, and all units on top of them."""
    has_above = np.zeros_like(crosses)
    walk = crosses.copy()
    while walk.any():
        below = under[walk]
        walk = np.zeros_like(crosses)
        walk[below[below >= 0]] = True
        walk &= ~has_above
        has_above |= walk
    lifted = crosses & ~has_above
    lifted = lifted if lifted.any() else crosses
    while True:
        along = lifted | ((under >= 0) & lifted[under])
        if (along == lifted).all():
            return lifted
        lifted = along
