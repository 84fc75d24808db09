"""Dimensions: the shortest distances of pairs of placements, as result rows and texts."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np

from ...core import Distances, Steps, between, distances_steps, nearest_objects_steps
from ..arrays import Ids
from ..reader import UNUSED
from ..result_list import Column, PersistentIds, Rows
from ..scene_index import Version, version_of
from ..scope import chosen_objects, viewport_of
from ..snapshots import SceneTarget, scene_steps
from .settings import DistanceOptions

# Maximum number of dimensions that are drawn and updated, the shortest ones.
DRAWN = 100


@dataclass(frozen=True)
class Pairing:
    """The choice of pairs to measure.

    Attributes
    ----------
    kind : {"ACTIVE", "SELECTED", "NEAREST", "SETS", "ALL"}
        The active object with each other object; all pairs of selected objects; each selected
        object, or each object if none is selected, with its nearest; the nearest pair of two sets;
        all pairs.
    count : int
        Number of nearest objects for each, for "NEAREST".
    ones, others : frozenset of int
        Session ids of the active or selected objects or of the first set, and of the second set.
    """

    kind: str
    count: int = 1
    ones: frozenset[int] = frozenset()
    others: frozenset[int] = frozenset()


@dataclass(frozen=True, eq=False)
class Dimensions:
    """Measured distances, with the scene that they belong to.

    Attributes
    ----------
    target : SceneTarget
        The scene, frozen; its octree is the session's own, and moves with the objects.
    pairs : ndarray of intp, shape (2, k)
        Ids of placements; the shortest distances come first.
    found : Distances
        The distances with their closest points.
    version : Version
        The version of the scene when measured.
    """

    target: SceneTarget
    pairs: Ids
    found: Distances
    version: Version

    @property
    def rows(self) -> Ids:
        """Rows of the pairs among the placements, (2, k)."""
        return np.searchsorted(self.target.octree.ids, self.pairs)

    @property
    def owners(self) -> Ids:
        """Session ids of the objects, or instancers, (2, k)."""
        return self.target.owners[self.rows].astype(np.intp)

    @property
    def instances(self) -> PersistentIds:
        """Persistent ids of instances, (2, k, 8)."""
        rows = self.rows
        used = self.target.is_instance[rows][..., None]
        return np.where(used, self.target.persistent_ids[rows], UNUSED).astype(np.int32)

    def result_columns(self) -> tuple[Column, ...]:
        """Return the result columns: distance, depth, and which one is inside the other."""
        lower, upper = self.found.depths
        return (
            Column("Distance", "LENGTH", self.found.distances),
            Column("Depth", "LENGTH", (lower + upper) / 2),
            Column("Inside", "", self.found.inside + 1, ("", "first", "second")),
        )

    def result_rows(self) -> Rows:
        """Return a row for each pair."""
        return Rows(self.owners, self.instances, self.result_columns())

    def take(self, some: Ids | slice) -> "Dimensions":
        """Return the dimensions of some of the pairs."""
        found = self.found
        part = Distances(
            found.distances[some],
            found.points[:, some],
            found.items[:, some],
            found.inside[some],
            found.depths[:, some],
        )
        return replace(self, pairs=self.pairs[:, some], found=part)


def pairing_of(context: bpy.types.Context, options: DistanceOptions) -> Pairing:
    """Return the choice of pairs for options; raise `ValueError` if it is empty."""
    kind, chosen = options.pairs, chosen_objects(context)
    if kind == "ACTIVE":
        active = context.view_layer.objects.active
        if active is None:
            raise ValueError("There is no active object")
        chosen = [active]
    if kind == "SELECTED" and len(chosen) < 2:
        raise ValueError("Select two objects or more")
    ones = frozenset(item.session_uid for item in chosen)
    if kind != "SETS":
        return Pairing(kind, options.count, ones)
    sets = [members(options.first_set, "First Set"), members(options.second_set, "Second Set")]
    return Pairing(kind, options.count, *sets)


def members(name: str, label: str) -> frozenset[int]:
    """Return the session ids of a collection's objects; raise `ValueError` if it is missing."""
    collection: bpy.types.Collection | None = bpy.data.collections.get(name)
    if collection is None:
        raise ValueError(f"{label}: choose a collection")
    return frozenset(item.session_uid for item in collection.all_objects)


def measure_steps(context: bpy.types.Context, wish: Pairing) -> Steps[Dimensions]:
    """Measure distances of visible objects, in steps."""
    target = yield from between(0.0, 0.3, scene_steps(context, viewport_of(context)))
    target, version = target.frozen(), version_of(context.scene)
    pairs = yield from between(0.3, 0.6, _pairs(target, wish))
    found = yield from between(0.6, 1.0, distances_steps(target.octree, pairs))
    order = np.lexsort((pairs[1], pairs[0], found.distances))
    order = order[np.isfinite(found.distances[order])]
    if wish.kind == "SETS":
        order = order[:1]
    return Dimensions(target, pairs, found, version).take(order)


def _pairs(target: SceneTarget, wish: Pairing) -> Steps[Ids]:
    """Return the chosen pairs of placements, of different owners, (2, k)."""
    ids = target.octree.ids[target.possibles > 0]
    owners = target.owners[target.possibles > 0]
    is_one = np.isin(owners, list(wish.ones))
    if wish.kind in ("NEAREST", "SETS"):
        ones = ids if wish.kind == "NEAREST" and not is_one.any() else ids[is_one]
        against = ids[np.isin(owners, list(wish.others))] if wish.kind == "SETS" else ids
        steps = nearest_objects_steps(target.octree, ones, count=wish.count, against=against)
        near = yield from steps
        pairs = np.stack((np.repeat(ones, near.shape[1]), near.ravel()))
        pairs = pairs[:, pairs[1] >= 0]
        # Mutually nearest placements form one pair, not two.
        return np.unique(np.sort(pairs, axis=0), axis=1) if wish.kind == "NEAREST" else pairs
    yield 1.0
    if wish.kind == "ACTIVE":
        here, there = np.meshgrid(ids[is_one], ids[~is_one], indexing="ij")
        return np.stack((here.ravel(), there.ravel()))
    some = np.flatnonzero(is_one) if wish.kind == "SELECTED" else np.arange(len(ids))
    here, there = np.triu_indices(len(some), 1)
    apart = owners[some[here]] != owners[some[there]]
    return np.stack((ids[some[here[apart]]], ids[some[there[apart]]]))


def texts(scene: bpy.types.Scene, found: Distances, write: Any) -> Iterable[str]:
    """Yield the label of each dimension: its length, and the penetration depth if there is one."""
    depths = found.depths.mean(axis=0).tolist()
    for length, depth in zip(found.distances.tolist(), depths, strict=True):
        deep = f", {write(scene, depth)} deep" if depth else ""
        yield f"{write(scene, length)}{deep}"
