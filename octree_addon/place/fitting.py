"""Selection of candidate poses: first against the scene, then in order against each other.

`core.fits` tests thousands of candidates against the scene in a batch. A spatial join of the
candidates' boxes and triangles finds the pairs that are too near each other.
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
    """Obstacles of copies and exceptions from them, as placements of an octree.

    Attributes
    ----------
    octree : SceneOctree
        The visible scene.
    surface : ndarray of intp
        Placements that copies stand on; the spacing does not apply to them.
    rooms : ndarray of intp
        Placements of closed meshes in which copies may lie.
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
    """Return the accepted candidates, ascending, and the number of rejected ones by cause.

    In their order, candidates that fit into the scene are accepted unless they are too near an
    accepted one, up to `count` of them.
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
    """Return the candidates among `tried` that fit into the scene as it is, ascending."""
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
    """Return pairs of positions in `free` whose candidates exclude each other, (2, h)."""
    scene = SceneOctree()
    meshes = np.array([scene.add_mesh(shape) for shape in shapes], np.intp)
    ids = scene.place(meshes[candidates.sources[free]], candidates.frames[free])
    near = yield from overlapping_objects_steps(scene, margin=spacing)
    nested = nested_pairs(scene)
    if nested.size:
        nested = nested[:, distances(scene, nested).inside >= 0]
    return np.searchsorted(ids, np.concatenate((near, nested), axis=1))


def accepted(pairs: Ids, count: int, most: int) -> tuple[Ids, int]:
    """Return up to `most` of `count` candidates, no two of them a pair, and how many were refused.

    Earlier candidates win. Candidates after the last accepted one are not counted as refused.
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
    """Return the session_uid of the object chosen as a room, -1 if the name is empty."""
    item = context.scene.objects.get(name) if name else None
    if name and item is None:
        raise ValueError(f"There is no object {name}: choose another Room")
    return item.session_uid if item else -1


def rooms_of(target: SceneTarget, chosen: int = -1) -> Ids:
    """Return the closed placements that enclose several others, and those of the chosen object."""
    return np.union1d(target.rooms, target.octree.ids[target.owners == chosen])
