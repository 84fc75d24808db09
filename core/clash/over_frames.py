"""Contacts from frame to frame, with temporal coherence.

Pairs of overlapping boxes are updated from the boxes that changed. Triangles are tested only for
new pairs and pairs with a changed placement; other pairs keep their result of the last frame.
J. D. Cohen and others, "I-COLLIDE: An Interactive and Exact Collision Detection System for
Large-Scale Environments", 1995.

A row is the position of a placement in the snapshot of the scene.
"""

from copy import copy, deepcopy
from dataclasses import dataclass
from typing import Any, Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Flags, Floats, Ids, distinct
from ..checks import ALL_GROUPS
from ..dynamic import DynamicOctree
from ..octree import Freshness
from ..records import Record
from ..scene import SceneOctree
from ..scene.meshes import Meshes
from ..scene.moment import Moment
from ..scene.pairs import tried
from ..scene.store import Mesh
from ..shapes import Boxes
from ..steps import Steps, at_once, between
from .bands import by_band, reaching_boxes
from .judge import world_of
from .rules import PairRules, checked_band, moment_of
from .solids import nested_of

# Bits of a name; the key of a pair combines two names.
_BITS = 31
_OVERTAKEN = "another look was begun since this one: look again"


@dataclass(frozen=True, eq=False)
class ContactIntervals(Record):
    """Intervals of looks at a scene during which pairs were in contact.

    Attributes
    ----------
    pairs : ndarray of intp, shape (2, h)
        The names of both placements, the smaller first; sorted by pair, then by `first`.
    first, last : ndarray of intp, shape (h,)
        Numbers of looks, from 0 on. The pair was in contact at each look from `first` to `last`,
        but not at the look before, nor at the look after.
    looks : int
        The number of looks. An interval that ends with the last look may continue; an interval
        that begins with the first look may have begun earlier.
    """

    pairs: Ids
    first: Ids
    last: Ids
    looks: int


class ContactTracker:
    """Recorder of the intervals during which placements of a scene are in contact.

    Two placements are in contact if their triangles are no farther apart than the band, or if one
    has a part inside the other, which is closed. `supports` counts the same contacts.

    Parameters
    ----------
    band : float, optional
        Largest distance in contact, scene units. The band of a pair is never less than the
        resolution of its coordinates, as for `audit`. None and 0 state no band.

    Raises
    ------
    ValueError
        If the band is negative or not finite.
    """

    def __init__(self, *, band: float | None = None) -> None:
        self._band = checked_band(band)
        self._boxes = DynamicOctree()
        # The name of each box, by its id in the octree.
        self._name_of = np.empty(0, np.intp)
        self._seen = _Seen(*(np.empty(0, np.intp),) * 3, np.empty((12, 0)), np.zeros(0, bool))
        # Current until another look begins.
        self._freshness = Freshness()
        # Meshes and their numbers, by `id`. A mesh is held, so that no other can get its address.
        self._shapes: dict[int, tuple[Mesh, int]] = {}
        self._born = 0
        # Keys of the pairs whose boxes overlap, and flags of the pairs in contact.
        self._known, self._touch = np.empty(0, np.intp), np.zeros(0, bool)
        # Keys of the pairs in contact, and their first looks. Ended contacts: arrays (3, k) of
        # keys, first looks and last looks.
        self._open, self._since = np.empty(0, np.intp), np.empty(0, np.intp)
        self._over: list[Ids] = []
        self._tested: list[int] = []

    def __copy__(self) -> Self:
        other = type(self).__new__(type(self))
        vars(other).update(vars(self))
        other._boxes, other._seen = copy(self._boxes), deepcopy(self._seen)
        other._over, other._tested = list(self._over), list(self._tested)
        return other

    def __deepcopy__(self, memo: object) -> Self:
        # Meshes are recognized by identity, so they must not be copied.
        return copy(self)

    def __getstate__(self) -> dict[str, Any]:
        # Unpickled meshes are other objects, so these identities do not apply to them.
        return {**vars(self), "_shapes": {}}

    def __repr__(self) -> str:
        return f"ContactTracker(looks={len(self._tested)}, contacts={len(self._open)})"

    @property
    def band(self) -> float | None:
        """The largest distance in contact; None if it is the resolution of the coordinates."""
        return self._band or None

    @property
    def tested(self) -> Ids:
        """The number of pairs whose triangles were tested, at each look, (looks,)."""
        return np.array(self._tested, np.intp)

    @property
    def intervals(self) -> ContactIntervals:
        """All intervals of contact, up to the last look."""
        looks = len(self._tested)
        lasting = np.stack((self._open, self._since, np.full(len(self._open), looks - 1)))
        keys, first, last = np.concatenate((*self._over, lasting), axis=1)
        order = np.lexsort((first, keys))
        return ContactIntervals(_pairs(keys[order]), first[order], last[order], looks)

    def look_steps(
        self,
        scene: SceneOctree,
        /,
        *,
        names: ArrayLike | None = None,
        owners: ArrayLike | None = None,
        ones: ArrayLike | None = None,
        others: ArrayLike | None = None,
        skipped: ArrayLike | None = None,
        groups: SupportsIndex = ALL_GROUPS,
    ) -> Steps[Ids]:
        """Record the contacts of the current state of a scene as the next frame, in steps.

        Parameters
        ----------
        scene : SceneOctree
            Placed meshes; the same scene each time, or another scene with some equal names.
        names : array_like of int, shape (n,), optional
            The name of each placement, in the order of `scene.ids`: distinct numbers below 2**31
            that identify placements from look to look. By default their ids.
        owners, ones, others, skipped, groups : optional
            Filters as for `audit`; they may change from look to look.

        Returns
        -------
        generator of ndarray of intp, shape (2, h)
            The names of the pairs in contact at this look, the smaller first; sorted, unique.

        Raises
        ------
        ValueError
            If `scene` is no scene, `names` are not one distinct number for each placement, or as
            with `audit`. The look does not count then.
        RuntimeError
            At a step, if the scene has changed since the call, or another look began since the
            first step.

        Notes
        -----
        O(placements + pairs of overlapping boxes). Triangles are tested only for pairs that have
        come near each other, or with a placement that has moved or has another mesh; their number
        is in `tested`.
        """
        moment = moment_of(scene, groups)
        called = _checked_names(moment, names)
        rules = PairRules.of(moment, owners, ones, others, skipped)
        return moment.as_long_as_current(self._look(moment, called, rules))

    look = at_once(look_steps)

    def _look(self, moment: Moment, called: Ids, rules: PairRules) -> Steps[Ids]:
        self._freshness.is_current = False
        self._freshness = Freshness()
        self._take(moment, called)
        began, lasted, _ = self._boxes.changes()
        pairs = self._name_of[np.concatenate((began, lasted), axis=1)]
        order = np.argsort(called)
        rows = order[np.searchsorted(called, pairs, sorter=order)]
        met = rules.kept(np.sort(rows, axis=0))
        keys = _keys(called[met])
        order = np.argsort(keys)
        met, keys = met[:, order], keys[order]
        has_moved = np.zeros(len(called), bool)
        has_moved[np.isin(called, self._seen.names[self._seen.dirty])] = True
        places = np.searchsorted(self._known, keys)
        same = np.append(self._known, -1)[places] == keys
        same &= ~has_moved[met].any(axis=0)
        touch = np.zeros(len(keys), bool)
        touch[same] = self._touch[places[same]]
        (asked,) = (~same).nonzero()
        steps = in_contact(moment, met[:, asked], self._band)
        touch[asked] = yield from self._freshness.guarded(steps, _OVERTAKEN)
        return self._note(keys, touch, len(asked))

    def _take(self, moment: Moment, called: Ids) -> None:
        """Update the boxes, and mark placements with another matrix or mesh as dirty."""
        placements, old = moment.placements, self._seen
        (rows,) = placements.is_there.nonzero()
        rows = rows[np.argsort(called[rows])]
        names, matrices = called[rows], placements.matrices[:, rows]
        shapes = self._numbered(moment.meshes, placements.meshes[rows])
        boxes = reaching_boxes(placements.boxes[:, rows], self._band)
        places = np.searchsorted(old.names, names)
        stays = np.append(old.names, -1)[places] == names
        was = places[stays]
        is_other = np.ones(len(names), bool)
        is_other[stays] = (old.shapes[was] != shapes[stays]) | (
            old.matrices[:, was] != matrices[:, stays]
        ).any(axis=0)
        ids = np.empty(len(names), np.intp)
        ids[stays] = old.ids[was]
        self._boxes.remove(np.delete(old.ids, was))
        moved = stays & is_other
        self._boxes.move(ids[moved], Boxes.from_rows(boxes[:, moved]))
        ids[~stays] = self._boxes.insert(Boxes.from_rows(boxes[:, ~stays]))
        self._name_of = np.append(self._name_of, names[~stays])
        is_other[stays] |= old.dirty[was]
        self._seen = _Seen(names, ids, shapes, matrices, is_other)

    def _numbered(self, meshes: Meshes, numbers: Ids) -> Ids:
        """Return a number for each mesh, which differs after the mesh was replaced."""
        each, which = np.unique(numbers, return_inverse=True)
        before, self._shapes = self._shapes, {}
        for mesh in map(meshes.__getitem__, each.tolist()):
            known = before.get(id(mesh))
            self._born += known is None
            self._shapes[id(mesh)] = known or (mesh, self._born)
        found = [self._shapes[id(meshes[number])][1] for number in each.tolist()]
        return np.array(found, np.intp)[which]

    def _note(self, keys: Ids, touch: Flags, tested: int) -> Ids:
        """Record the results of this look, and return the pairs in contact."""
        look, now = len(self._tested), keys[touch]
        places = np.searchsorted(self._open, now)
        lasts = np.append(self._open, -1)[places] == now
        since = np.full(len(now), look)
        since[lasts] = self._since[places[lasts]]
        ended = np.delete(np.stack((self._open, self._since)), places[lasts], axis=1)
        self._over.append(np.concatenate((ended, np.full((1, ended.shape[1]), look - 1))))
        self._open, self._since, self._known, self._touch = now, since, keys, touch
        self._seen.dirty[:] = False
        self._tested.append(tested)
        return _pairs(now)


@dataclass(frozen=True)
class _Seen:
    """Placements of the last look by ascending name: boxes, meshes, matrices (12, n).

    `dirty` flags placements changed since the last completed look. `ids` are numbers of boxes.
    """

    names: Ids
    ids: Ids
    shapes: Ids
    matrices: Floats
    dirty: Flags


def in_contact(moment: Moment, met: Ids, stated: float) -> Steps[Flags]:
    """Flag the pairs of rows, (2, h), that are within their bands or nested, (h,)."""
    found = np.zeros(met.shape[1], bool)
    for banded in by_band(moment, met, stated):
        steps = _in_contact(banded.moment, met[:, banded.some], banded.scaled(banded.band))
        found[banded.some] = yield from between(banded.start, banded.stop, steps)
    return found


def _in_contact(moment: Moment, met: Ids, band: float) -> Steps[Flags]:
    trials = yield from between(0.0, 0.7, tried(moment, met, band, objects=True))
    found = trials.touched
    (free,) = (~found).nonzero()
    if len(free):
        found[free] = yield from between(0.7, 1.0, _nested(moment, met[:, free], band))
    return found


def _nested(moment: Moment, met: Ids, band: float) -> Steps[Flags]:
    """Flag the pairs of rows `met`, all without contact, with a part of one in the other, (h,)."""
    meshes = distinct(moment.placements.meshes[distinct(met)])
    world = yield from between(0.0, 0.5, world_of(moment, meshes, band))
    found = np.zeros(met.shape[1], bool)
    for start, (inner, outer) in ((0.5, met), (0.75, met[::-1])):
        (some,) = (world.shells.closed[world.meshes(outer)] & ~found).nonzero()
        steps = nested_of(world, inner[some], moment, outer[some])
        found[some], _ = yield from between(start, start + 0.25, steps)
    return found


def _checked_names(moment: Moment, names: ArrayLike | None) -> Ids:
    placements = moment.placements
    if names is None:
        return placements.ids
    called = checks.one_each("names", names, len(placements), 1 << _BITS)
    _, which, counts = np.unique(called, return_inverse=True, return_counts=True)
    checks.every_row("names", "not repeat", counts[which] == 1, called)
    return called


def _keys(pairs: Ids) -> Ids:
    return pairs.min(axis=0) << _BITS | pairs.max(axis=0)


def _pairs(keys: Ids) -> Ids:
    return np.stack((keys >> _BITS, keys & (1 << _BITS) - 1))
