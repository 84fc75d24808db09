"""Copies that fit: candidates tried against the scene, then in their order against each other.

Against the scene `core.fits` decides, thousands in a batch; among each other a join of their boxes
and triangles tells which pairs are too near.
"""

from collections import Counter
from dataclasses import dataclass

import bpy
import numpy as np

from ...core import (
    SceneOctree,
    Steps,
    Triangles,
    between,
    distances,
    fits_steps,
    overlapping_objects_steps,
)
from ..arrays import Ids
from ..snapshots import SceneTarget, nested_pairs
from .candidates import CopyCandidates

IN_THE_WAY, TOO_STEEP, OTHER_COPY, OUT_OF_BOX = (
    "in the way of something", "too steep", "too near another copy", "not in the box",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Ground:
    """Where copies are to stand, of the placements of an octree.

    Attributes
    ----------
    octree : SceneOctree
        All that is visible.
    surface : ndarray of intp
        What copies stand on: they may touch it, however much they keep from all else.
    rooms : ndarray of intp
        Closed meshes in which copies may lie.
    """

    octree: SceneOctree
    surface: Ids
    rooms: Ids


def fitting_steps(
    ground: Ground,
    shapes: list[Triangles],
    candidates: CopyCandidates,
    *,
    count: int,
    spacing: float,
    box: bool = False,
) -> Steps[tuple[Ids, Counter[str]]]:
    """Return the candidates that are taken, ascending, and how many were not, by cause.

    Each that fits into the scene is taken, in their order, unless it is too near one that was
    taken before, until there are enough.
    """
    causes = Counter({OUT_OF_BOX if box else TOO_STEEP: int(candidates.refused.sum())})
    tried = np.flatnonzero(~candidates.refused)
    free = yield from between(0.0, 0.7, _free_steps(ground, shapes, candidates, tried, spacing))
    causes[IN_THE_WAY] = len(tried) - len(free)
    pairs = yield from between(0.7, 1.0, _conflict_steps(shapes, candidates, free, spacing))
    taken, refused = accepted(pairs, len(free), count)
    causes[OTHER_COPY] = refused
    return free[taken], Counter({cause: number for cause, number in causes.items() if number})


def _free_steps(
    ground: Ground, shapes: list[Triangles], candidates: CopyCandidates, tried: Ids, spacing: float
) -> Steps[Ids]:
    """Return which of those tried fit into the scene as it is."""
    others = np.setdiff1d(ground.octree.ids, ground.surface)
    is_free = np.zeros(len(candidates), np.bool_)
    for number, shape in enumerate(shapes):
        some = tried[candidates.sources[tried] == number]
        for against, rooms, clearance in (
            (ground.surface, ground.surface, None),
            (others, ground.rooms, spacing or None),
        ):
            frames = candidates.frames[some]
            part = number / len(shapes), (number + 1) / len(shapes)
            steps = fits_steps(
                ground.octree, shape, frames, against=against, rooms=rooms, clearance=clearance
            )
            some = some[(yield from between(*part, steps))]
        is_free[some] = True
    return np.flatnonzero(is_free)


def _conflict_steps(
    shapes: list[Triangles], candidates: CopyCandidates, free: Ids, spacing: float
) -> Steps[Ids]:
    """Return pairs of places among `free` that cannot both be taken, (2, h)."""
    scene = SceneOctree()
    meshes = np.array([scene.add_mesh(shape) for shape in shapes], np.intp)
    ids = scene.place(meshes[candidates.sources[free]], candidates.frames[free])
    near = yield from overlapping_objects_steps(scene, margin=spacing)
    nested = nested_pairs(scene)
    if nested.size:
        nested = nested[:, distances(scene, nested).inside >= 0]
    return np.searchsorted(ids, np.concatenate((near, nested), axis=1))


def accepted(pairs: Ids, count: int, most: int) -> tuple[Ids, int]:
    """Return the first of `count`, at most so many, no two of them a pair; and how many were not.

    Those behind the last one that is taken were not tried.
    """
    against: dict[int, list[int]] = {}
    for one, other in np.sort(pairs, axis=0).T.tolist():
        against.setdefault(other, []).append(one)
    taken: dict[int, None] = {}
    refused = 0
    for number in range(count):
        if len(taken) == most:
            break
        if any(other in taken for other in against.get(number, ())):
            refused += 1
        else:
            taken[number] = None
    return np.array(list(taken), np.intp), refused


def room_named(context: bpy.types.Context, name: str) -> int:
    """Return the session_uid of the object that is chosen as a room, or -1 if none is."""
    item = context.scene.objects.get(name) if name else None
    if name and item is None:
        raise ValueError(f"There is no object {name}: choose another Room")
    return item.session_uid if item else -1


def rooms_of(target: SceneTarget, chosen: int = -1) -> Ids:
    """Return the placements that are rooms, and those of the object that is chosen as one."""
    return np.union1d(target.rooms, target.octree.ids[target.owners == chosen])
