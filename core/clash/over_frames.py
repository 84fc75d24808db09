"""Contacts over frames: temporal coherence, boxes by their changes, triangles of what has moved.

Two placements whose boxes stay apart are not looked at, and of two that stay where they were it is
known what they do: J. D. Cohen and others, "I-COLLIDE: An Interactive and Exact Collision
Detection System for Large-Scale Environments", 1995.
"""

from copy import copy, deepcopy
from dataclasses import dataclass
from typing import Any, Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Flags, Floats, Ids, distinct
from ..dynamic import DynamicOctree
from ..groups import ALL_GROUPS
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

# Bits of a name, two of which are the key of a pair.
_BITS = 31
_OVERTAKEN = "another look was begun since this one: look again"


@dataclass(frozen=True, eq=False)
class ContactIntervals(Record):
    """When pairs were in contact: from which look at a scene to which.

    Attributes
    ----------
    pairs : ndarray of intp, shape (2, h)
        The names of both, the smaller first; sorted by pair, then by `first`.
    first, last : ndarray of intp, shape (h,)
        Numbers of looks, from 0 on: from the first to the last the two were in contact in each,
        and neither in the one before nor in the one after.
    looks : int
        How many there were. What was so in the last one may go on, what was so in the first may
        have begun earlier.
    """

    pairs: Ids
    first: Ids
    last: Ids
    looks: int


class ContactTracker:
    """Keeps when the placements of a scene come into contact, and until when.

    Two are in contact if their triangles are no farther apart than the band, or if one has a part
    inside the other, which is closed: what `supports` says holds.

    Parameters
    ----------
    band : float, optional
        Scene units; of each pair it is that, or what coordinates resolve, as for `audit`. None
        and 0 state no length.

    Raises
    ------
    ValueError
        If the band is negative or not finite.
    """

    def __init__(self, *, band: float | None = None) -> None:
        self._band = checked_band(band)
        self._boxes = DynamicOctree()
        # By id of the boxes.
        self._name_of = np.empty(0, np.intp)
        self._seen = _Seen(*(np.empty(0, np.intp),) * 3, np.empty((12, 0)), np.zeros(0, bool))
        # Whether no other look was begun since the last one.
        self._freshness = Freshness()
        # What is known of which mesh is held, so that no other has its address.
        self._shapes: dict[int, tuple[Mesh, int]] = {}
        self._born = 0
        # Keys of the pairs whose boxes meet, and which of them are in contact.
        self._known, self._touch = np.empty(0, np.intp), np.zeros(0, bool)
        # Keys of the pairs in contact and since when; (3, k) keys and intervals that are over.
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
        # A mesh is known by being the very same one, so it stays that.
        return copy(self)

    def __getstate__(self) -> dict[str, Any]:
        # Elsewhere the meshes are others.
        return {**vars(self), "_shapes": {}}

    def __repr__(self) -> str:
        return f"ContactTracker(looks={len(self._tested)}, contacts={len(self._open)})"

    @property
    def band(self) -> float | None:
        """How far apart what is in contact may be; None if that is what coordinates resolve."""
        return self._band or None

    @property
    def tested(self) -> Ids:
        """For each look, of how many pairs triangles were looked at, (looks,)."""
        return np.array(self._tested, np.intp)

    @property
    def intervals(self) -> ContactIntervals:
        """When which pairs were in contact, so far."""
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
        """Look at a scene as it is now: the next frame, in steps.

        Parameters
        ----------
        scene : SceneOctree
            Placed meshes; the same scene each time, or another that has some of the same names.
        names : array_like of int, shape (n,), optional
            What each placement is called, in the order of `scene.ids`: different numbers below
            2**31 by which it is known from look to look. By default its id.
        owners, ones, others, skipped, groups : optional
            What counts, as for `audit`; it may change from look to look.

        Returns
        -------
        generator of ndarray of intp, shape (2, h)
            The names of the pairs that are in contact now, the smaller first; sorted, each once.

        Raises
        ------
        ValueError
            If this is no scene, names are not one number for each placement, each once, or as
            with `audit`. Nothing is looked at then.
        RuntimeError
            At a step, if the scene has changed since the call, or another look was begun since
            the first step.

        Notes
        -----
        O(placements + pairs whose boxes meet), and triangles only of those pairs that have come
        near each other, or of which one has moved or has another mesh: see `tested`.
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
        """Bring the boxes up to date, and note what is not as it was."""
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
        """Return for meshes numbers that are others once they are replaced."""
        each, which = np.unique(numbers, return_inverse=True)
        before, self._shapes = self._shapes, {}
        for mesh in map(meshes.__getitem__, each.tolist()):
            known = before.get(id(mesh))
            self._born += known is None
            self._shapes[id(mesh)] = known or (mesh, self._born)
        found = [self._shapes[id(meshes[number])][1] for number in each.tolist()]
        return np.array(found, np.intp)[which]

    def _note(self, keys: Ids, touch: Flags, tested: int) -> Ids:
        """Keep what was found at this look, and return the pairs in contact."""
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
    """The placements of the last look by name, ascending: boxes, meshes, matrices (12, n).

    Those that are dirty are not what they were when they were last compared with others.
    """

    names: Ids
    ids: Ids
    shapes: Ids
    matrices: Floats
    dirty: Flags


def in_contact(moment: Moment, met: Ids, stated: float) -> Steps[Flags]:
    """Return which pairs of rows, (2, h), are no farther apart than a band, or nested, (h,)."""
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
    """Return which of two, of pairs of rows without contact, has a part in the other."""
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
