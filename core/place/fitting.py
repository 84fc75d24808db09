"""Fit tests: candidate poses that cross nothing, lie in nothing and contain nothing."""

from collections.abc import Callable
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Flags, Ids, flagged
from ..checks import ALL_GROUPS
from ..clash.rules import moment_of
from ..scene import SceneOctree
from ..scene.moment import Moment
from ..shapes import Triangles
from ..steps import Steps, ascending, at_once
from .guests import Asked, in_the_way


def fits_steps(
    scene: SceneOctree,
    triangles: Triangles,
    matrices: ArrayLike,
    /,
    *,
    against: ArrayLike | None = None,
    rooms: ArrayLike | None = None,
    clearance: float | None = None,
    groups: SupportsIndex = ALL_GROUPS,
) -> Steps[Flags]:
    """Test in which of many candidate poses a mesh fits into a scene, in steps.

    Parameters
    ----------
    scene : SceneOctree
        Placed meshes.
    triangles : Triangles
        The mesh to be placed, in local space.
    matrices : array_like of float, shape (q, 4, 4)
        Candidate poses as `SceneOctree.place` takes them; all finite.
    against : array_like of int, shape (k,), optional
        The placements that count as obstacles; by default all.
    rooms : array_like of int, shape (r,), optional
        Closed placements in which the mesh may lie: only poses that cross them are refused. By
        default none.
    clearance : float, optional
        Placements within this distance are obstacles, in scene units; 0 refuses contact. By
        default contact is allowed: the shared space is no deeper than single precision resolves,
        and no edge of one mesh clearly runs through a triangle of the other.
    groups : int
        A 32-bit mask; placements whose own mask shares no bit with it are ignored.

    Returns
    -------
    generator of ndarray of bool, shape (q,)
        True for poses in which the mesh crosses nothing, lies inside nothing and contains nothing,
        with inside as `audit` defines it. A mesh without triangles fits everywhere.

    Raises
    ------
    ValueError
        If this is no scene, or no triangles, a matrix is not finite or its last row is not 0, 0,
        0, 1, a placement is unknown or removed, `clearance` is negative or not finite, or `groups`
        is no mask.
    RuntimeError
        At a step, if the scene has changed since the call.

    Notes
    -----
    O(candidates + nearby triangles up to the first crossing). Candidates are not tested against
    each other.
    """
    asked = _asked(scene, triangles, matrices, against, rooms, clearance, groups, True)
    return asked.moment.as_long_as_current(ascending(_fits(asked)))


fits = at_once(fits_steps)


def obstacles_steps(
    scene: SceneOctree,
    triangles: Triangles,
    matrices: ArrayLike,
    /,
    *,
    against: ArrayLike | None = None,
    rooms: ArrayLike | None = None,
    clearance: float | None = None,
    groups: SupportsIndex = ALL_GROUPS,
) -> Steps[Ids]:
    """Find the placements that obstruct a mesh in each of many candidate poses, in steps.

    Parameters
    ----------
    scene : SceneOctree
        Placed meshes.
    triangles : Triangles
        The mesh to be placed, in local space.
    matrices : array_like of float, shape (q, 4, 4)
        Candidate poses.
    against : array_like of int, shape (k,), optional
        The placements that count as obstacles; by default all.
    rooms : array_like of int, shape (r,), optional
        Closed placements in which the mesh may lie. By default none.
    clearance : float, optional
        Placements within this distance are obstacles; by default contact is allowed.
    groups : int
        A 32-bit mask, as for `fits`.

    Returns
    -------
    generator of ndarray of intp, shape (2, h)
        [0] candidates, [1] ids of their obstacles, sorted, each pair once. If all candidates fit,
        (2, 0).

    Raises
    ------
    ValueError
        As with `fits`.
    RuntimeError
        At a step, if the scene has changed since the call.
    """
    asked = _asked(scene, triangles, matrices, against, rooms, clearance, groups, False)
    return asked.moment.as_long_as_current(ascending(_obstacles(asked)))


obstacles = at_once(obstacles_steps)


def _asked(
    scene: SceneOctree,
    triangles: Triangles,
    matrices: ArrayLike,
    against: ArrayLike | None,
    rooms: ArrayLike | None,
    clearance: float | None,
    groups: SupportsIndex,
    first_only: bool,
) -> Asked:
    """Return the validated arguments of a fit test."""
    moment = moment_of(scene, groups)
    checks.kind("triangles", triangles, (Triangles,))
    places = checks.floats("matrices", matrices, 4, 4)
    checks.every_row("matrices", "be finite", np.isfinite(places).all(axis=(1, 2)), places)
    gap = None if clearance is None else checks.length("clearance", clearance)
    guests = SceneOctree()
    guests.place([guests.add_mesh(triangles)] * len(places), places)
    count, placements = len(moment), moment.placements
    counted = placements.is_there
    if against is not None:
        counted = counted & flagged(count, placements.rows_of(against, name="against"))
    inner = np.empty(0, np.intp) if rooms is None else placements.rows_of(rooms, name="rooms")
    return Asked(
        scene, moment, moment_of(guests, ALL_GROUPS), counted, flagged(count, inner), gap,
        _in_groups(groups), first_only,
    )  # fmt: skip


def _in_groups(groups: SupportsIndex) -> Callable[[SceneOctree], Moment]:
    return lambda scene: moment_of(scene, groups)


def _fits(asked: Asked) -> Steps[Flags]:
    found = yield from in_the_way(asked)
    return ~flagged(len(asked.guests), found[0])


def _obstacles(asked: Asked) -> Steps[Ids]:
    candidates, rows = yield from in_the_way(asked)
    found = np.stack((candidates, asked.moment.placements.ids[rows]))
    return found[:, np.lexsort((found[1], found[0]))]
