"""What the demo asserts of its answers, by brute force; the error says which one is wrong."""

from collections.abc import Callable
from typing import Any

import numpy as np

from demo.brute_force import grown, triangles_in_frustum, triangles_in_sphere

ROUNDING = 1e-9  # of the largest coordinate: by so much two correct formulas may differ


def each_once(candidates: np.ndarray, touching: np.ndarray) -> None:
    """Assert that no candidate comes twice, and that each true hit is one of them."""
    known, wanted = (pairs[0] << 32 | pairs[1] for pairs in (candidates, touching))
    assert len(np.unique(known)) == len(known), "a candidate came twice"
    assert np.isin(wanted, known).all(), "a true hit is not among the candidates"


def spheres(
    source: Any, places: np.ndarray, radius: float, touching: np.ndarray, checked: np.ndarray
) -> None:
    """Assert that the pairs found are right at those places that are to be checked."""
    corners = source.vertices[source.faces]
    for place in checked:

        def ask(slack: float, center: np.ndarray = places[place]) -> np.ndarray:
            return triangles_in_sphere(corners, center, radius + slack)

        found = touching[1, touching[0] == place]
        assert agrees(found, ask, _rounding(source)), f"place {place}: not what brute force finds"


def frustum(source: Any, frustum_corners: np.ndarray, found: np.ndarray) -> None:
    """Assert that the triangles found are those that touch the frustum (8, 3)."""
    corners = source.vertices[source.faces]

    def ask(slack: float) -> np.ndarray:
        return triangles_in_frustum(corners, grown(frustum_corners, slack))

    assert agrees(found, ask, _rounding(source)), "the camera: not what brute force finds"


def agrees(found: np.ndarray, ask: Callable[[float], np.ndarray], slack: float) -> bool:
    """Tell whether these ids are what brute force finds, but for what rounding decides.

    `ask` answers for a volume grown by so much.
    """
    if np.array_equal(found, ask(0.0)):
        return True
    less, more = ask(-slack), ask(slack)
    return bool(np.isin(less, found).all() and np.isin(found, more).all())


def _rounding(source: Any) -> float:
    return ROUNDING * float(np.abs(source.vertices).max())
