"""Queries for whole placements: placements that touch a volume, and pairs that touch."""

from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tuning
from ..arrays import Flags, Ids, blocks, distinct
from ..checks import ALL_GROUPS
from ..shapes import Shapes
from ..snapshot import VolumePairs
from ..steps import Steps, ascending, at_once, between
from ..touch import touching
from ..volumes.api import check_volumes
from ..volumes.walked import any_of
from . import pairs
from .moment import Moment
from .tree import SceneOctree

# Triangles of a sample, and triangles of a mesh for each of its pairs with a volume from which on
# a sample is tested before the mesh is indexed.
_SAMPLE, _LARGE = 256, 8_192


def objects_touching_steps(
    scene: SceneOctree, volumes: Shapes, /, *, groups: SupportsIndex = ALL_GROUPS
) -> Steps[Ids]:
    """Find the placements that touch each volume, testing each pair up to a first hit, in steps.

    Parameters
    ----------
    scene : SceneOctree
        Placed meshes.
    volumes : Spheres, Boxes, Regions, OrientedBoxes, Capsules, HalfSpaces or Frusta
        A batch of q volumes.
    groups : int
        A mask of 32 bits: placements whose masks have no bit in common with it are ignored.

    Returns
    -------
    generator of ndarray of intp, shape (2, h)
        [0] volume numbers, [1] ids of placements, sorted by volume, then by placement, each pair
        once. No hits give (2, 0).

    Raises
    ------
    ValueError
        If `scene` is not a SceneOctree, a volume is not finite, a frustum is flat, or `groups` is
        not a mask.
    RuntimeError
        At a step, if the scene has changed since the call.

    Notes
    -----
    O(cells touched + triangles tested until the first hit of each placement). Building octrees
    takes a step for each piece.
    """
    checks.kind("scene", scene, (SceneOctree,))
    check_volumes(volumes)
    moment = scene._snapshot(groups)
    return moment.as_long_as_current(ascending(_touching(moment, volumes)))


objects_touching = at_once(objects_touching_steps)


def _touching(moment: Moment, volumes: Shapes) -> Steps[Ids]:
    """Return volume numbers and ids of placements that touch them, (2, h), in steps."""
    parts = [np.empty((2, 0), np.intp)]
    for reached in moment.volume_pairs(volumes):
        touched = reached.whole.copy()
        (rest,) = (~touched).nonzero()
        yield 0.0
        touched[rest] = yield from _sampled(moment, volumes, reached[rest])
        rest = rest[~touched[rest]]
        needed = distinct(moment.placements.meshes[reached.rows[rest]])
        yield from between(0.0, 0.9, moment.meshes.pool(needed))
        yield 0.9
        for few in blocks(len(rest), tuning.current.pairs_looked_at):
            some = rest[few]
            touched[some] = any_of(moment, volumes, reached[some])
            yield 0.95
        met = reached[touched]
        parts.append(np.stack((met.volumes, moment.placements.ids[met.rows])))
    return np.concatenate(parts, axis=1)


def _sampled(moment: Moment, volumes: Shapes, pairs: VolumePairs) -> Steps[Flags]:
    """Flag pairs whose volume touches a triangle of a sample, in steps.

    Only meshes that are not indexed yet, and large for their number of pairs, are sampled.
    """
    touched, meshes = np.zeros(len(pairs), bool), moment.placements.meshes[pairs.rows]
    sizes = moment.meshes.sizes
    counts = np.bincount(meshes, minlength=len(sizes))
    for mesh in np.flatnonzero((counts > 0) & (sizes > _LARGE * counts)).tolist():
        if moment.meshes.has_indexed(mesh):
            continue
        valid = moment.meshes[mesh].valid
        sample = valid[np.arange(_SAMPLE) * len(valid) // _SAMPLE]
        (here,) = (meshes == mesh).nonzero()
        rows, numbers = (np.repeat(each[here], _SAMPLE) for each in (pairs.rows, pairs.volumes))
        items = moment.numbered_items(rows, np.tile(sample, len(here)))
        touched[here] = touching(*items, volumes, numbers).reshape(-1, _SAMPLE).any(axis=1)
        yield 0.0
    return touched


def overlapping_objects_steps(
    scene: SceneOctree,
    /,
    *,
    margin: float = 0.0,
    owners: ArrayLike | None = None,
    groups: SupportsIndex = ALL_GROUPS,
) -> Steps[Ids]:
    """Find all pairs of placements that touch, testing each pair up to a first hit, in steps.

    Parameters
    ----------
    scene : SceneOctree
        Placed meshes.
    margin : float
        Placements up to this distance apart also count; in scene units, 1e150 at most.
    owners : array_like of int, shape (n,), optional
        The owner of each placement; pairs of placements with the same owner are skipped.
    groups : int
        A mask of 32 bits: placements whose masks have no bit in common with it are ignored.

    Returns
    -------
    generator of ndarray of intp, shape (2, h)
        Ids of placements, the smaller first; sorted, each pair once. No pairs give (2, 0).

    Raises
    ------
    ValueError
        If `scene` is not a SceneOctree, `margin` is negative, not finite or too large, `owners`
        are not one whole number for each placement, or `groups` is not a mask.
    RuntimeError
        At a step, if the scene has changed since the call.
    """
    checks.kind("scene", scene, (SceneOctree,))
    margin = checks.length("margin", margin)
    moment = scene._snapshot(groups)
    steps = pairs.overlapping_objects(moment, margin, moment.checked_owners(owners))
    return moment.as_long_as_current(steps)


overlapping_objects = at_once(overlapping_objects_steps)
