"""Volume queries: what touches a frustum, a sphere or a box, or lies wholly in it."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...core import Frusta, Octree, Spheres, query
from ..arrays import Ids
from .last_query import HitSteps, Query, flat_octree
from .outlines import Outline, hexahedron_outline, sphere_outline
from .query_operator import QueryOperator

Volume = Frusta | Spheres
# At most this many items are tested at a time.
_BLOCK = 65_536


@dataclass(frozen=True, eq=False, kw_only=True)
class VolumeQuery(Query):
    """The items that touch one volume, lie in it, or are its potential colliders."""

    volume: Volume

    @property
    def traced(self) -> Volume:
        return self.volume

    @cached_property
    def outline(self) -> Outline:
        if isinstance(self.volume, Frusta):
            return hexahedron_outline(self.volume.corners[0])
        return sphere_outline(self.volume.centers[0], float(self.volume.radii[0]))

    def hit_steps(self, numbers: Ids) -> HitSteps:
        relation = "inside" if self.relation == "inside" else "touching"
        hits = [np.empty(0, np.intp)]
        for start in range(0, len(numbers), _BLOCK):
            some = numbers[start : start + _BLOCK]
            flat = flat_octree(self.octree.items[some])
            hits.append(some[query(flat, self.volume, relation=relation)[1]])
            yield min(start + _BLOCK, len(numbers)) / len(numbers)
        return np.concatenate(hits)


class VolumeOperator(QueryOperator):
    """A question about a volume; a mixin."""

    if TYPE_CHECKING:
        relation: str
    _volume: Volume

    def volume(self, context: bpy.types.Context) -> Volume:
        """Return what is asked about."""
        raise NotImplementedError

    def prepare(self, context: bpy.types.Context) -> None:
        self._volume = self.volume(context)

    def ask(self, octree: Octree) -> VolumeQuery:
        relation = self.relation.lower()
        return VolumeQuery(
            octree=octree,
            title=self.bl_label,
            items=query(octree, self._volume, relation=relation)[1],
            relation=relation,
            volume=self._volume,
        )
