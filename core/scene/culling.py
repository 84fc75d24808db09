"""Frustum culling of meshes without octrees: vertices first, an octree when it pays.

Planes are taken to the space of a mesh, by n^T M, which needs no inverse. An octree is built only
once a mesh was compared as often as a build is worth.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .. import tuning
from ..arrays import Floats, Ids, distinct, gather
from ..mailboxing import Pairs
from ..shapes import Boxes, Frusta, HalfSpaces, Shapes
from .moment import Moment, Reached
from .store import Mesh
from .vertex_blocks import Outcodes

# Rounding of heights above planes, as a part of the coordinates; and what underflow may take.
_ROUNDING, _TINY = 2.0**-40, 2.0**-1000
# Vertices that take as long to compare as all else about a mesh.
_EACH = 2_048
_SIDES = np.concatenate((np.eye(3), -np.eye(3)))


@dataclass(frozen=True)
class Compared:
    """Pairs of volumes and one mesh, `asked`, ascending, and the outcodes of its vertices."""

    mesh: Mesh
    asked: Ids
    outcodes: Outcodes

    def candidates(self, some: Ids) -> tuple[Pairs, Pairs]:
        """Return doubtful and certain triangles of some of the pairs, by their place in `asked`.

        Certain ones lie inside the volumes; both ascend.
        """
        found = [self.outcodes.triangles(number) for number in some.tolist()]
        certain, doubtful = (
            (np.repeat(some, [len(each) for each in parts]), np.concatenate(parts))
            for parts in zip(*found, strict=True)
        )
        return doubtful, certain


def compared(moment: Moment, volumes: Shapes, pairs: Reached) -> tuple[list[Compared], Ids]:
    """Return the pairs whose vertices are sooner compared, and those left for octrees."""
    found: list[Compared] = []
    rest = np.ones(len(pairs), bool)
    for mesh, some in _sooner(moment, volumes, pairs):
        rest[some] = False
        planes = _planes(volumes, pairs.volumes[some])
        found += _compared(
            mesh, some, planes, gather(moment.placements.matrices, pairs.rows[some])
        )
    return found, rest.nonzero()[0]


def needing_octrees(moment: Moment, volumes: Shapes, pairs: Reached) -> Ids:
    """Return the numbers of meshes that these pairs ask octrees about."""
    rest = np.ones(len(pairs), bool)
    for _, some in _sooner(moment, volumes, pairs):
        rest[some] = False
    return distinct(moment.placements.meshes[pairs.rows[rest]])


def turns(moment: Moment, volumes: Shapes, pairs: Reached) -> Iterator[Ids]:
    """Split pairs into parts that are looked at in a step each.

    Meshes whose vertices are compared make a part once they have about as many vertices as a step
    compares. All other pairs come with the last of them.
    """
    rest, parts = np.ones(len(pairs), bool), []
    taken, waiting = 0, [np.empty(0, np.intp)]
    for mesh, some in _sooner(moment, volumes, pairs):
        rest[some] = False
        waiting.append(some)
        taken += _EACH + len(mesh.blocks.used) * len(some)
        if taken > tuning.current.vertices_compared:
            parts.append(np.sort(np.concatenate(waiting)))
            taken, waiting = 0, []
    parts.append(np.sort(np.concatenate([*waiting, rest.nonzero()[0]])))
    return (part for part in parts if len(part))


def _sooner(moment: Moment, volumes: Shapes, pairs: Reached) -> Iterator[tuple[Mesh, Ids]]:
    """Yield the meshes that are sooner compared, each with the pairs that are about it."""
    if not isinstance(volumes, Frusta | HalfSpaces | Boxes):
        return
    numbers = moment.placements.meshes[pairs.rows]
    (unsorted,) = moment.meshes.unsorted[numbers].nonzero()
    for number, some in _by_mesh(numbers[unsorted]):
        if moment.meshes.is_sooner_compared(number, len(some)):
            yield moment.meshes[number], unsorted[some]


def _by_mesh(numbers: Ids) -> Iterator[tuple[int, Ids]]:
    """Yield each of some numbers, and where it stands among them."""
    order = np.argsort(numbers, kind="stable")
    distinct, starts = np.unique(numbers[order], return_index=True)
    return zip(distinct.tolist(), np.split(order, starts[1:]), strict=False)


def _compared(mesh: Mesh, some: Ids, planes: Floats, matrices: Floats) -> Iterator[Compared]:
    with np.errstate(all="ignore"):  # what overflows decides nothing
        planes, slacks = _in_mesh(planes, matrices, mesh.blocks.reach)
        for part in mesh.blocks.together(len(some)):
            yield Compared(mesh, some[part], Outcodes(mesh.blocks, planes[part], slacks[part]))


def _planes(volumes: Shapes, numbers: Ids) -> Floats:
    """Return planes around volumes, positive inside, (h, k, 4)."""
    if isinstance(volumes, HalfSpaces):
        return gather(volumes.plane_rows, numbers).T[:, None]
    if isinstance(volumes, Boxes):
        offsets = volumes.take_rows(numbers).T * np.repeat([-1.0, 1.0], 3)
        normals = np.broadcast_to(_SIDES, (len(numbers), 6, 3))
        return np.concatenate((normals, offsets[:, :, None]), axis=2)
    assert isinstance(volumes, Frusta)
    planes = volumes.plane_rows[:, :, numbers].transpose(2, 0, 1).copy()
    # Everything is inside of a face without area.
    planes[~planes[:, :, :3].any(axis=2), 3] = 1.0
    return planes


def _in_mesh(planes: Floats, matrices: Floats, reach: Floats) -> tuple[Floats, Floats]:
    """Take planes, (q, k, 4), to meshes placed by matrices, (12, q), that reach so far.

    Returns them and their slacks, (q, k).
    """
    grid = matrices.T.reshape(-1, 3, 4)
    seen = planes[:, :, :3] @ grid
    seen[:, :, 3] += planes[:, :, 3]
    far = np.abs(grid) @ np.append(reach, 1.0)
    sizes = (np.abs(planes[:, :, :3]) @ far[:, :, None])[:, :, 0] + np.abs(planes[:, :, 3])
    return seen, sizes * _ROUNDING + _TINY
