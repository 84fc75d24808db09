"""Rays in scenes, walked by the compiled kernel: both levels packed, each mesh once it is met."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from .. import compiled
from ..arrays import Flags
from ..compiled import NOT_PACKED, NOT_TAKEN, Crossed, Questions
from ..octree import Freshness, Octree
from ..rays import RayCrossings, RayHits
from ..rays.asked import rays_of
from . import rays
from .moment import Moment
from .store import Mesh


class PackedScene(compiled.Placed):
    """The boxes of placements, packed, and the packed triangles of the meshes that were met."""

    def __init__(self, moment: Moment) -> None:
        placements, self._meshes = moment.placements, moment.meshes
        rows = (placements.meshes, placements.matrices.T, placements.inverses.T, placements.slacks)
        (there,) = placements.is_there.nonzero()
        super().__init__(*rows, placements.boxes, there, moment.meshes.born)

    def cast(self, rays: Questions, answer: tuple[NDArray[Any], ...], *, any_hit: bool) -> bool:
        """Find items as `Walked` does, packing meshes that rays come to; False if one can not."""
        is_sound = super().cast(rays, answer, any_hit=any_hit)
        (left,) = (answer[0] == NOT_PACKED).nonzero()
        while is_sound and len(left):
            again = tuple(array[left] for array in answer)
            is_sound = self._pack_wanted() and super().cast(rays[left], again, any_hit=any_hit)
            for array, found in zip(answer, again, strict=True):
                array[left] = found
            left = left[again[0] == NOT_PACKED]
        return is_sound

    def cast_all(self, rays: Questions, left: NDArray[np.int8]) -> Iterator[Crossed] | None:
        """Yield crossings as `Walked` does, packing meshes that rays come to."""
        while True:
            found = super().cast_all(rays, left)
            if found is None or not (left == NOT_PACKED).any():
                return found
            if not self._pack_wanted():
                return None

    def _pack_wanted(self) -> bool:
        """Pack the meshes that rays have come to; return whether all can be."""
        (numbers,) = self.wanted.nonzero()
        meshes = [self._meshes[number] for number in numbers.tolist()]
        missing = [mesh not in _TREES for mesh in meshes]
        new = iter(self._meshes.trees(numbers[missing]))
        for number, mesh in zip(numbers.tolist(), meshes, strict=True):
            if mesh not in _TREES:
                _TREES[mesh] = compiled.Packed(next(new))
            self.put(number, _TREES[mesh])
        self.wanted[numbers] = 0
        return self.is_sound


# The packed triangles of meshes, as long as these are what they are.
_TREES: WeakKeyDictionary[Mesh, compiled.Packed] = WeakKeyDictionary()


@dataclass
class _State:
    """What is packed of a scene while it does not change, and how much was asked before."""

    freshness: Freshness
    asked: int = 0
    scene: PackedScene | None = None


_STATES: WeakKeyDictionary[Octree, _State] = WeakKeyDictionary()


def packed(moment: Moment, questions: int) -> PackedScene | None:
    """Return the packed scene, made once so much has been asked that it pays, or None."""
    if compiled.why_not() or not moment.placements.is_there.any():
        return None
    state = _STATES.get(moment.top)
    if state is None or state.freshness is not moment.freshness:
        state = _STATES[moment.top] = _State(moment.freshness)
    if state.scene is None:
        state.asked += questions + compiled.QUESTION
        if not compiled.is_worth(state.asked, len(moment)):
            return None
        state.scene = PackedScene(moment)
    return state.scene if state.scene.is_sound else None


def cast(moment: Moment, asked: Questions) -> RayHits | None:
    """Return the closest triangle that each ray meets, or None where NumPy has to answer."""
    scene = packed(moment, len(asked))
    hits = *np.empty((2, len(asked)), np.intp), np.empty(len(asked)), *np.empty((3, len(asked), 3))
    if scene is None or not scene.cast(asked, hits, any_hit=False):
        return None
    items, rows, distances, positions, normals, weights = hits
    places = np.where(rows >= 0, moment.placements.ids[rows], -1)
    answer = RayHits(items, distances, positions, normals, weights, places)
    (left,) = (items == NOT_TAKEN).nonzero()
    if len(left):
        others = rays.cast(moment, rays_of(asked[left]))
        for name, found in vars(others).items():
            getattr(answer, name)[left] = found
    return answer


def tested(moment: Moment, asked: Questions) -> Flags | None:
    """Return which rays meet any triangle, or None where NumPy has to answer."""
    scene, items = packed(moment, len(asked)), np.empty(len(asked), np.intp)
    if scene is None or not scene.cast(asked, (items,), any_hit=True):
        return None
    flags: Flags = items >= 0
    (left,) = (items == NOT_TAKEN).nonzero()
    if len(left):
        flags[left] = rays.tested(moment, rays_of(asked[left]))
    return flags


def cast_all(moment: Moment, asked: Questions) -> RayCrossings | None:
    """Return all triangles that rays meet, or None where NumPy has to answer."""
    scene, left = packed(moment, len(asked)), np.zeros(len(asked), np.int8)
    found = None if scene is None else scene.cast_all(asked, left)
    if found is None:
        return None
    parts = [(np.empty((3, 0), np.intp), np.empty(0))]
    for numbers, rows, items, distances in found:
        parts.append((np.stack((numbers, moment.placements.ids[rows], items)), distances))
    (some,) = (left == NOT_TAKEN).nonzero()
    if len(some):
        others = rays.cast_all(moment, rays_of(asked[some]))
        parts.append(
            (np.concatenate((some[others.pairs[:1]], others.pairs[1:])), others.distances)
        )
    pairs, distances = (np.concatenate(each, axis=-1) for each in zip(*parts, strict=True))
    if len(some):
        order = np.lexsort((pairs[2], pairs[1], distances, pairs[0]))
        pairs, distances = pairs[:, order], distances[order]
    return RayCrossings(pairs, distances)
