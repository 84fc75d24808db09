"""Rows of a query for the list of results: found placements, or colliding pairs."""

import numpy as np

from ..arrays import Floats, Ids
from ..reader import UNUSED
from ..result_list import Column, PersistentIds, Rows
from ..selection import FoundItems, wanted_placements
from ..snapshots import SceneTarget
from .last_query import Query


def placement_rows(query: Query, answer: FoundItems) -> Rows:
    """Return a row for each object or instance found, with its number of triangles found.

    Rows of a query with distances also have their distance, and are sorted by it.
    """
    target = query.target
    found, possible = target.counts(answer.items)
    placed = np.flatnonzero(wanted_placements(answer))
    columns: list[Column] = []
    if not (query.objects_only or answer.invert):
        columns = [
            Column("Triangles", "", found[placed].astype(np.int64)),
            Column("Of", "", possible[placed].astype(np.int64)),
        ]
    if query.distances is not None:
        nearest = nearest_of(target, answer.items, query.distances)[placed]
        order = np.argsort(nearest, kind="stable")
        placed = placed[order]
        columns = [Column(name, unit, values[order]) for name, unit, values, _ in columns]
        columns.insert(0, Column("Distance", "LENGTH", nearest[order]))
    owners = target.owners[placed].astype(np.intp)
    return Rows(owners[None], persistent_ids(target)[placed][None], tuple(columns))


def nearest_of(target: SceneTarget, items: Ids, distances: Floats) -> Floats:
    """Return the least distance of the items of each placement, (p,); infinite without items."""
    least = np.full(len(target.owners), np.inf)
    np.minimum.at(least, target.placements_of(items), distances)
    return least


def pair_rows(target: SceneTarget, pairs: Ids, counts: Ids | None, *, of_instances: bool) -> Rows:
    """Return a row for each pair, (2, p), of placements or of distinct owners.

    `counts`, (p,), has the number of contacts of each pair, its pairs of triangles; rows with most
    contacts come first. It is None if contacts were not counted.
    """
    columns: tuple[Column, ...] = ()
    if counts is not None:
        order = np.argsort(-counts, kind="stable")
        pairs = pairs[:, order]
        columns = (Column("Contacts", "", counts[order].astype(np.int64)),)
    if of_instances:
        return Rows(target.owners[pairs].astype(np.intp), persistent_ids(target)[pairs], columns)
    owners = np.unique(target.owners)[pairs].astype(np.intp)
    return Rows(owners, np.full((*pairs.shape, 8), UNUSED, np.int32), columns)


def persistent_ids(target: SceneTarget) -> PersistentIds:
    """Return the persistent id of each instance, (p, 8); rows of `UNUSED` for other placements."""
    return np.where(target.is_instance[:, None], target.persistent_ids, UNUSED).astype(np.int32)
