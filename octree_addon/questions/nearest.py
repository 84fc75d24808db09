"""Select Nearest: the k nearest neighbors (k-NN) of the 3D cursor."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

import bpy
import numpy as np

from ...core import Spheres, nearest
from ..arrays import Flags, Floats, Ids
from ..options import (
    OptionGroup,
    boolean,
    integer,
    nested,
    real,
    settings_group,
    vector,
)
from ..snapshots import SceneTarget
from ..ui import cursor_place, length_text
from .last_query import Query
from .outlines import Outline, sphere_outline
from .query_operator import QueryOperator, QuestionOptions


@dataclass(frozen=True, eq=False, kw_only=True)
class NearestQuery(Query):
    """The items nearest to a point, up to a count.

    Attributes
    ----------
    point : ndarray of float64, shape (3,)
        The point.
    farthest : float
        The distance of the farthest item found.
    apart : int
        The placement that is left out, -1 for none.
    """

    point: Floats
    farthest: float
    apart: int = -1
    outlines_answer = True

    @property
    def traced(self) -> Spheres:
        return Spheres([self.point], [self.farthest])

    @cached_property
    def outline(self) -> Outline:
        return sphere_outline(self.point, self.farthest)

    @cached_property
    def missed(self) -> Flags:
        return super().missed & (self.target.placement_of_item != self.apart)


class Neighbors(NamedTuple):
    """The items nearest to a point, the nearest first.

    Attributes
    ----------
    items : ndarray of intp, shape (n,)
        The numbers of the items.
    distances : ndarray of float64, shape (n,)
        Distance of each item.
    positions : ndarray of float64, shape (n, 3)
        Closest point of each item.
    apart : int
        The placement that was left out, -1 for none.
    """

    items: Ids
    distances: Floats
    positions: Floats
    apart: int


def nearest_items(
    target: SceneTarget, point: Floats, *, count: int, max_distance: float, others: bool
) -> Neighbors:
    """Return the nearest items; with `others`, leave out the placement nearest of all."""
    octree, apart = target.octree, -1
    first = nearest(octree, [point]) if others else None
    if first is not None and first.items[0, 0] >= 0:
        apart = int(target.placements_of(target.numbers_found(first, first.items[0] >= 0))[0])
        octree = target.without(apart)
    count = min(count, max(len(target), 1))
    found = nearest(octree, [point], count=count, max_distance=max_distance)
    hits = found.items[0] >= 0
    items = target.numbers_found(found, hits)
    return Neighbors(items, found.distances[0][hits], found.positions[0][hits], apart)


def by_number(items: Ids, distances: Floats) -> tuple[Ids, Floats]:
    """Return items sorted by number, and their distances in the same order."""
    order = np.argsort(items, kind="stable")
    return items[order], distances[order]


class CursorOptions(QuestionOptions):
    """Options of questions that start at the 3D cursor."""

    origin: tuple[float, float, float] = vector(
        (0.0, 0.0, 0.0),
        "Origin",
        "Where to start; the 3D cursor if not given",
        settings=None,
        subtype="TRANSLATION",
        options={"SKIP_SAVE"},
    )


class ReachOptions(OptionGroup):
    """The option for the largest distance."""

    max_distance: float = real(
        0.0,
        "Max Distance",
        "Maximum distance; unlimited if 0",
        empty="Any",
        min=0.0,
        soft_max=100.0,
        subtype="DISTANCE",
    )


FromCursor = TypeVar("FromCursor", bound=CursorOptions)


class CursorOperator(QueryOperator[FromCursor]):
    """A question from the 3D cursor; a mixin."""

    def prepare(self, context: bpy.types.Context) -> None:
        if not self.properties.is_property_set("origin"):
            self.put(origin=cursor_place(context.scene))


class NearestOptions(CursorOptions):
    """Options of *Select Nearest*: `scene.octree.nearest`."""

    count: int = integer(1, "Count", "How many triangles to find", min=1, soft_max=100)
    reach: ReachOptions = nested(ReachOptions())
    others: bool = boolean(
        False,
        "Other Objects",
        "Leave out the object that is nearest of all, such as the one that the 3D"
        " cursor lies on: how far is the next one?",
    )


class OCTREE_OT_select_nearest(CursorOperator[NearestOptions], bpy.types.Operator):
    """Select the items nearest to the 3D cursor."""

    bl_idname = "octree.select_nearest"
    bl_label = "Select Nearest"
    bl_description = "Select what is nearest to the 3D cursor"
    key, settings = "nearest", settings_group(NearestOptions, "OctreeNearestSettings")

    def needed(self, target: SceneTarget) -> Ids:
        options, bounds = self.taken, target.bounds()
        point = np.array(options.origin, np.float64)
        # Each box contains an item, so `most` items are within the `most`-th least far corner.
        corners = np.maximum(np.abs(bounds.lower - point), np.abs(bounds.upper - point))
        most = options.count + options.others
        farthest = np.sort(np.linalg.norm(corners, axis=1))[:most].max(initial=0.0)
        radius = min(farthest * (1 + 1e-9), options.reach.max_distance or np.inf)
        return target.near(Spheres([point], [radius]))

    def ask(self, target: SceneTarget) -> NearestQuery:
        options, point = self.taken, np.array(self.taken.origin)
        max_distance = options.reach.max_distance or np.inf
        count = min(options.count, max(len(target), 1))
        found = nearest_items(
            target, point, count=count, max_distance=max_distance, others=options.others
        )
        items, distances = by_number(found.items, found.distances)
        farthest = float(distances.max(initial=0.0))
        return NearestQuery(
            target=target,
            title=self.bl_label,
            items=items,
            distances=distances,
            notes=(f"{length_text(bpy.context.scene, farthest)} away",) if len(items) else (),
            point=point,
            farthest=farthest,
            apart=found.apart,
        )
