"""Does it fit here: candidates that cross nothing, lie in nothing and hold nothing."""

from collections.abc import Callable
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Flags, Ids, flagged
from ..clash.rules import moment_of
from ..groups import ALL_GROUPS
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
    """Tell at which of many places a mesh fits into a scene, nothing being in its way, in steps.

    Parameters
    ----------
    scene : SceneOctree
        Placed meshes.
    triangles : Triangles
        The mesh that is tried, in its own space.
    matrices : array_like of float, shape (q, 4, 4)
        The places, as `SceneOctree.place` takes them; all finite.
    against : array_like of int, shape (k,), optional
        The placements that may be in the way; by default all.
    rooms : array_like of int, shape (r,), optional
        Closed placements in which lying is no fault: only what crosses these is refused. By
        default none.
    clearance : float, optional
        What is no farther away than this is in the way, in scene units; 0 refuses what touches.
        By default touching is free: what shares no more room than single precision resolves,
        unless an edge of one clearly runs through a triangle of the other.
    groups : int
        A mask of 32 bits: placements with a mask that shares none of them are not there.

    Returns
    -------
    generator of ndarray of bool, shape (q,)
        Whether the mesh, at each place, crosses nothing, lies inside nothing, and has nothing
        inside of it, as `audit` tells inside. A mesh without triangles fits everywhere.

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
    O(candidates + the triangles that are near them until the first that crosses). Candidates do
    not see each other.
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
    """Find what is in the way of a mesh at each of many places in a scene, in steps.

    Parameters
    ----------
    scene : SceneOctree
        Placed meshes.
    triangles : Triangles
        The mesh that is tried, in its own space.
    matrices : array_like of float, shape (q, 4, 4)
        The places.
    against : array_like of int, shape (k,), optional
        The placements that may be in the way; by default all.
    rooms : array_like of int, shape (r,), optional
        Closed placements in which lying is no fault. By default none.
    clearance : float, optional
        What is no farther away than this is in the way; by default touching is free.
    groups : int
        A mask of 32 bits, as for `fits`, and so are the others.

    Returns
    -------
    generator of ndarray of intp, shape (2, h)
        [0] candidates, [1] ids of placements in their way, sorted, each pair once. Where all fit,
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
    """Return the question, checked."""
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
