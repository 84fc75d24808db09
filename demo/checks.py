"""Brute-force checks of the demo's results; an error names the wrong one."""

from collections.abc import Callable
from typing import Any

import numpy as np

from demo.brute_force import (
    grown,
    shares_along,
    triangles_in_frustum,
    triangles_in_sphere,
    triangles_that_touch,
)

SAMPLE = 12  # rays, and placements, that are asked by brute force
ROUNDING = 1e-9  # of the largest coordinate: by so much two correct formulas may differ


def each_once(candidates: np.ndarray, touching: np.ndarray) -> None:
    """Assert that no candidate comes twice, and that each true hit is one of them."""
    known, wanted = (pairs[0] << 32 | pairs[1] for pairs in (candidates, touching))
    assert len(np.unique(known)) == len(known), "a candidate came twice"
    assert np.isin(wanted, known).all(), "a true hit is not among the candidates"


def spheres(
    items: Any, places: np.ndarray, radius: float, touching: np.ndarray, checked: np.ndarray
) -> None:
    """Assert that the pairs found are right at the checked places."""
    corners, rounding = items.vertices[items.faces], _rounding(items.vertices)
    for place in checked:

        def ask(slack: float, center: np.ndarray = places[place]) -> np.ndarray:
            return triangles_in_sphere(corners, center, radius + slack)

        found = touching[1, touching[0] == place]
        assert agrees(found, ask, rounding), f"place {place}: not what brute force finds"


def frustum(items: Any, frustum_corners: np.ndarray, found: np.ndarray) -> None:
    """Assert that `found` lists exactly the triangles that touch the frustum (8, 3)."""
    corners = items.vertices[items.faces]

    def ask(slack: float) -> np.ndarray:
        return triangles_in_frustum(corners, grown(frustum_corners, slack))

    assert agrees(found, ask, _rounding(items.vertices)), "the camera: not what brute force finds"


def placed_in_hexahedron(octree: Any, hexahedron: np.ndarray, touching: np.ndarray) -> None:
    """Assert that the pairs (2, h) of a sample of placements are the touching triangles."""
    chosen = _some(octree.ids, 10 * SAMPLE)
    parts = [_corners_of(octree, [placement]) for placement in chosen]
    corners = np.concatenate(parts)

    def ask(slack: float) -> np.ndarray:
        return triangles_in_frustum(corners, grown(hexahedron, slack))

    starts = np.cumsum([0, *map(len, parts)])
    placements, triangles = touching[:, np.isin(touching[0], chosen)]
    found = starts[np.searchsorted(chosen, placements)] + triangles
    assert agrees(found, ask, _rounding(corners)), "a volume: not what brute force finds"


def placed_on_segments(octree: Any, begin: np.ndarray, steps: np.ndarray, hits: Any) -> None:
    """Assert that the first hits of some segments agree with a test of all triangles."""
    sizes = [len(octree.triangles_of([placement])) for placement in octree.ids]
    starts, corners = np.cumsum([0, *sizes]), _corners_of(octree, octree.ids)
    for ray in _some(np.arange(len(begin)), SAMPLE):
        away = shares_along(begin[[ray]], steps[[ray]], corners)[0]
        away[(away < 0) | (away > 1)] = np.inf
        row = np.searchsorted(octree.ids, hits.placements[ray])
        found = away[starts[row] + hits.items[ray]] if hits.items[ray] >= 0 else np.inf
        right = found == away.min() or found - away.min() <= ROUNDING
        distance = found * np.linalg.norm(steps[ray])
        assert right and np.isclose(distance, hits.distances[ray]), f"ray {ray}: not the first"


def placed_pairs(octree: Any, pairs: np.ndarray) -> None:
    """Assert that the pairs of some placements agree with a test of each triangle near them."""
    bounds = octree.bounds_of(octree.ids)
    for one in _some(octree.ids, SAMPLE):
        (mine,) = np.flatnonzero(octree.ids == one)
        near = (bounds.lower <= bounds.upper[mine]) & (bounds.upper >= bounds.lower[mine])
        for other in octree.ids[near.all(axis=1) & (octree.ids > one)]:
            wanted = _touching(octree, one, other)
            found = pairs[[1, 3]][:, (pairs[0] == one) & (pairs[2] == other)]
            assert np.array_equal(found, wanted), f"{one} and {other}: not what brute force finds"


def _touching(octree: Any, one: int, other: int) -> np.ndarray:
    """Return the triangles of two placements that touch, (2, h); those far away are left out."""
    both = [_corners_of(octree, [each]) for each in (one, other)]
    lower = np.max([corners.min(axis=(0, 1)) for corners in both], axis=0)
    upper = np.min([corners.max(axis=(0, 1)) for corners in both], axis=0)
    near = [
        np.flatnonzero(((each.min(1) <= upper) & (each.max(1) >= lower)).all(1)) for each in both
    ]
    found = triangles_that_touch(*(each[some] for each, some in zip(both, near, strict=True)))
    return np.stack([some[rows] for some, rows in zip(near, found, strict=True)])


def _some(ids: np.ndarray, count: int) -> np.ndarray:
    return ids[np.unique(np.linspace(0, len(ids) - 1, count).astype(int))]


def _corners_of(octree: Any, placements: Any) -> np.ndarray:
    placed = octree.triangles_of(placements)
    return placed.vertices[placed.faces]


def agrees(found: np.ndarray, ask: Callable[[float], np.ndarray], slack: float) -> bool:
    """Return whether the ids agree with brute force, up to rounding.

    `ask(slack)` returns the ids for a volume grown by `slack`.
    """
    if np.array_equal(found, ask(0.0)):
        return True
    less, more = ask(-slack), ask(slack)
    return bool(np.isin(less, found).all() and np.isin(found, more).all())


def _rounding(coordinates: np.ndarray) -> float:
    return ROUNDING * float(np.abs(coordinates).max())
