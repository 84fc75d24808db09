"""Answers to the add-on's questions by brute force: every triangle is asked, without a tree."""

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np

from octree_ext.core import (
    Boxes,
    Octree,
    Triangles,
    build_octree,
    nearest,
    pairs_inside,
    pairs_touching,
    pairs_within,
    ray_cast_all,
)
from octree_ext.octree_addon.answers.answer import Answer
from octree_ext.octree_addon.arrays import Ids
from octree_ext.octree_addon.questions.last_query import Query, last_answer
from octree_ext.octree_addon.snapshots import SceneTarget


def check_last_answer() -> None:
    """Assert that the last question of the scene has found what brute force finds."""
    check(last_answer(bpy.context.scene))


def check(answer: Answer[Query]) -> None:
    """Assert that an answer is right; candidates may be more than the hits, never fewer."""
    missing, surplus = differences(answer)
    assert missing == 0
    assert surplus == 0 or answer.found.relation == "candidates"


def differences(answer: Answer[Query]) -> tuple[int, int]:
    """Return how many hits an answer has not found, and how many found items are no hits."""
    query = answer.found
    hits = query.flags_of(HITS[answer.question](query, answer.options))
    return int((hits & ~query.found).sum()), int((query.found & ~hits).sum())


def triangles_of(target: SceneTarget) -> Triangles:
    """Return all triangles of a target, found or not, in the order of their numbers."""
    return target.octree.triangles_of(target.octree.ids)


def in_volume(query: Any, _: Any) -> Ids:
    """Test each triangle that is not of the object that gives the volume."""
    target = query.target
    asked = np.flatnonzero(target.possible & ~query.apart[target.placement_of_item])
    test = pairs_inside if query.relation == "inside" else pairs_touching
    return asked[test(triangles_of(target), asked, query.volume, np.zeros_like(asked))]


def nearest_to_point(query: Any, options: Any) -> Ids:
    """Measure how far each triangle is that is not of the placement that was left out."""
    target = query.target
    asked = np.flatnonzero(target.placement_of_item != query.apart)
    flat, limit = one_cell(triangles_of(target)[asked]), options["max_distance"] or np.inf
    found = nearest(flat, [query.point], count=options["count"], max_distance=limit).items
    return asked[found[found >= 0]]


def on_ray(query: Any, options: Any) -> Ids:
    """Test where the ray meets each triangle; the first one comes first."""
    origin, direction, distance = query.traced
    flat = one_cell(triangles_of(query.target))
    crossed = ray_cast_all(flat, [origin], [direction], max_distance=distance).pairs[1]
    return crossed[:1] if options["hits"] == "FIRST" else crossed


def colliding(query: Any, options: Any) -> Ids:
    """Compare each triangle with all of other owners whose boxes come near enough."""
    target, margin = query.target, options["margin"]
    triangles, asked = triangles_of(target), np.flatnonzero(target.possible)
    placements = target.placement_of_item[asked]
    owners = placements if options["instances"] else target.owners[placements]
    bounds = triangles[asked].bounds()
    pairs = [np.empty((2, 0), np.intp)]
    for one in range(len(asked)):
        others = np.arange(one + 1, len(asked))
        others = others[owners[others] != owners[one]]
        behind = bounds.lower[others] - bounds.upper[one]
        before = bounds.lower[one] - bounds.upper[others]
        gaps = np.maximum(np.maximum(behind, before), 0.0)
        near = others[(gaps**2).sum(axis=1) <= margin**2]
        pairs.append(np.stack((np.full_like(near, one), near)))
    ones, others = asked[np.concatenate(pairs, axis=1)]
    is_hit = pairs_within(triangles, ones, triangles, others, margin=margin)
    return np.unique((ones[is_hit], others[is_hit]))


def one_cell(triangles: Triangles) -> Octree:
    """Return an octree of one cell that lies beyond all triangles: each has to be tested."""
    bounds = triangles.bounds()
    limits = np.concatenate((bounds.lower, bounds.upper))
    size = 1.0 + np.abs(limits[np.isfinite(limits)]).max(initial=0.0)
    return build_octree(triangles, max_depth=0, bounds=Boxes([[2 * size] * 3], [[3 * size] * 3]))


# By the operator: what finds the numbers of all hits, for the query and the options of an answer.
HITS: dict[str, Callable[[Any, Any], Ids]] = {
    "select_in_frustum": in_volume,
    "select_in_sphere": in_volume,
    "select_in_box": in_volume,
    "select_in_capsule": in_volume,
    "select_nearest": nearest_to_point,
    "select_on_ray": on_ray,
    "select_collisions": colliding,
}
