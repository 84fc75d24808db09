"""Clash audit of a scene: overlapping, touching, near and duplicate placements.

The broad phase pairs placements of different owners by their boxes, with the clearance as margin.
The narrow phase compares the triangles of each pair, then tests containment and depth. All pairs
with the same band are judged together.

A row is the position of a placement in the snapshot of the scene.
"""

from dataclasses import dataclass, replace
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Ids
from ..checks import ALL_GROUPS
from ..scene import SceneOctree
from ..scene.moment import Moment
from ..steps import Steps, ascending, at_once, between
from .bands import Banded, by_band, near_pairs, near_some
from .findings import Audit, nothing
from .judge import judged
from .rules import PairRules, checked_band, moment_of
from .selves import crossing_selves
from .sides import in_order


def audit_steps(
    scene: SceneOctree,
    /,
    *,
    clearance: float = 0.0,
    band: float | None = None,
    self_intersections: bool = False,
    owners: ArrayLike | None = None,
    ones: ArrayLike | None = None,
    others: ArrayLike | None = None,
    skipped: ArrayLike | None = None,
    groups: SupportsIndex = ALL_GROUPS,
) -> Steps[Audit]:
    """Find all pairs of placements that overlap, touch, come near or coincide, in steps.

    Parameters
    ----------
    scene : SceneOctree
        Placed meshes.
    clearance : float
        Largest gap of near pairs, scene units; pairs with a gap no larger than the band touch. At
        most 1e150, so that its square is finite.
    band : float, optional
        Surfaces no farther apart than the band touch, and solids that penetrate no deeper do not
        overlap; scene units. None and 0 state no band. The band of a pair is never less than the
        single-precision resolution of its coordinates, four units in the last place of the
        largest one. `Audit.bands` has the band of each finding.
    self_intersections : bool
        Also find triangles of one placement that cross and share no corner.
    owners : array_like of int, shape (n,), optional
        The owner of each placement, in the order of `scene.ids`. Pairs with the same owner, like
        parent and child, are not compared.
    ones, others : array_like of int, optional
        Placements: only pairs of one of `ones` and one of `others` count. By default all; a
        placement may be in both.
    skipped : array_like of int, optional
        Pairs of placements that do not count, (2, k), in either order.
    groups : int
        A mask of 32 bits: placements whose own mask shares no bit with it are ignored.

    Returns
    -------
    generator of Audit
        Findings sorted by class, then by pair, each with an interval around its deciding number.

    Raises
    ------
    ValueError
        If `scene` is no scene, a number is negative or not finite, `owners` are not one whole
        number for each placement, a placement is unknown or removed, `skipped` are no pairs, or
        `groups` is no mask.
    RuntimeError
        At a step, if the scene has changed since the call.

    Notes
    -----
    Coincident triangles count once, whichever way they face. A shell is a connected component of
    a mesh. A point is inside a mesh if its winding number is not 0, counted over the closed,
    consistently oriented shells; other closed shells count by parity. So overlapping shells are
    one solid, a body whose inner shell is reversed is hollow, and sheets have no inside, even
    two-sided ones.

    If surfaces without an inside cross, the finding has the length of their crossing line instead
    of a depth. Two solids in one place are duplicates, whatever their triangulations.

    A depth is an interval no wider than a tenth of the depth or two bands, unless thousands of
    evaluations do not reach this width. The findings of a pair depend on no other placement, nor
    on the order of placements.
    """
    moment = moment_of(scene, groups)
    gap = checks.length("clearance", clearance)
    stated = checked_band(band)
    rules = PairRules.of(moment, owners, ones, others, skipped)
    selves = checks.flag("self_intersections", self_intersections)
    options = _Options(stated, gap, selves)
    return moment.as_long_as_current(ascending(_all(moment, rules, options)))


audit = at_once(audit_steps)


def audit_again_steps(
    scene: SceneOctree,
    before: Audit,
    changed: ArrayLike,
    /,
    *,
    owners: ArrayLike | None = None,
    ones: ArrayLike | None = None,
    others: ArrayLike | None = None,
    skipped: ArrayLike | None = None,
    groups: SupportsIndex = ALL_GROUPS,
) -> Steps[Audit]:
    """Audit only what has changed since an earlier audit of a scene, in steps.

    Parameters
    ----------
    scene : SceneOctree
        Placed meshes, in their current state.
    before : Audit
        The earlier findings; their band, clearance and self-intersection options are used again.
    changed : array_like of int, shape (k,)
        Placements moved, added or removed since then, or whose meshes were replaced.
    owners, ones, others, skipped, groups : optional
        As for `audit`, with the same values as in the earlier audit.

    Returns
    -------
    generator of Audit
        The findings of a new `audit` with the same options. Unchanged placements are compared
        only with changed placements near them.

    Raises
    ------
    ValueError
        As with `audit`, or if `before` is no audit, or `changed` has an id never given out.
    RuntimeError
        At a step, if the scene has changed since the call.
    """
    moment = moment_of(scene, groups)
    checks.kind("before", before, (Audit,))
    gone = np.unique(checks.numbers("changed", changed, moment.placements.born))
    rules = PairRules.of(moment, owners, ones, others, skipped)
    return moment.as_long_as_current(ascending(_again(moment, rules, before, gone)))


audit_again = at_once(audit_again_steps)


@dataclass(frozen=True)
class _Options:
    band: float
    clearance: float
    self_intersections: bool

    @property
    def band_from(self) -> str:
        """Source of the bands, as in `Audit.band_from`."""
        return "given" if self.band else "coordinates"

    @property
    def reach(self) -> float:
        """Gap up to which boxes are near, unless their own resolution is coarser."""
        return max(self.band, self.clearance)


def _all(moment: Moment, rules: PairRules, options: _Options) -> Steps[Audit]:
    met = yield from between(0.0, 0.05, near_pairs(moment, options.reach, rules.owners))
    met = rules.kept(met)
    (rows,) = moment.placements.is_there.nonzero()
    parts = yield from between(0.05, 1.0, _judged(moment, rules, met, rows, options))
    yield 1.0
    return _sorted(parts, options)


def _judged(
    moment: Moment, rules: PairRules, met: Ids, rows: Ids, options: _Options
) -> Steps[list[Audit]]:
    """Return the findings of pairs of rows `met`, (2, p), and self-intersections if wanted."""
    half = 0.7 if options.self_intersections else 1.0
    met = in_order(moment, met)
    parts = [nothing()]
    for banded in by_band(moment, met, options.band):
        band, gap = banded.scaled(banded.band), banded.scaled(options.clearance)
        steps = judged(banded.moment, met[:, banded.some], band, gap)
        found = yield from between(half * banded.start, half * banded.stop, steps)
        found = found.turned((found.pairs[0] > found.pairs[1]).nonzero()[0])
        parts.append(_banded(found, banded))
    if options.self_intersections:
        rows = rules.alone(rows)
        alone = np.stack((rows, rows))
        for banded in by_band(moment, alone, options.band):
            steps = crossing_selves(banded.moment, rows[banded.some], banded.scaled(banded.band))
            first, last = (half + (1 - half) * share for share in (banded.start, banded.stop))
            found = yield from between(first, last, steps)
            parts.append(_banded(found, banded))
    return parts


def _banded(found: Audit, banded: Banded) -> Audit:
    """Return findings from a scaled space in scene units, with their band."""
    bands = np.full(len(found), banded.band)
    return replace(found.scaled(1 / banded.scale), bands=bands)


def _again(moment: Moment, rules: PairRules, before: Audit, changed: Ids) -> Steps[Audit]:
    options = _Options(before.band, before.clearance, before.self_intersections)
    placements = moment.placements
    alive = np.isin(changed, placements.ids)
    rows = placements.rows_named(changed[alive])
    rows = np.sort(rows[placements.is_there[rows]])
    near = yield from between(0.0, 0.05, near_some(moment, rows, options.reach))
    met = rules.kept(near)
    living = np.isin(before.pairs, placements.ids[placements.is_there])
    old = ~(np.isin(before.pairs, changed) | ~living).any(axis=0)
    parts = [before.take(old.nonzero()[0])]
    parts += yield from _judged(moment, rules, met, rows, options)
    return _sorted(parts, options)


def _sorted(parts: list[Audit], options: _Options) -> Audit:
    found = replace(Audit.joined(parts), **vars(options), band_from=options.band_from)
    return found.take(np.lexsort((found.pairs[1], found.pairs[0], found.classes)))
