"""The public questions, as a scene answers them: data are checked here."""

from collections.abc import Callable, Generator
from typing import Any, SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Flags, Ids
from ..nearest import Nearest
from ..query import check_volumes
from ..rays import RayCrossings, RayHits
from ..rays.api import checked_rays
from ..shapes import Shapes
from . import nearest, pairs, rays, volumes
from .moment import Moment

RELATIONS = ("touching", "inside", "candidates", "objects")


def query(moment: Moment, asked: Shapes, *, relation: str) -> Ids:
    """Return volumes, placements and triangles, (3, h), or volumes and placements, (2, h)."""
    check_volumes(asked)
    checks.choice("relation", relation, RELATIONS)
    if relation == "objects":
        return volumes.objects_in(moment, asked)
    return volumes.found_in(moment, asked, relation)


def query_any(moment: Moment, asked: Shapes) -> Flags:
    """Return which volumes touch any triangle."""
    check_volumes(asked)
    return volumes.any_in(moment, asked)


def query_count(moment: Moment, asked: Shapes) -> Ids:
    """Return how many triangles touch each volume."""
    check_volumes(asked)
    return volumes.counted_in(moment, asked)


def ray_cast(
    moment: Moment, origins: ArrayLike, directions: ArrayLike, *, max_distance: ArrayLike
) -> RayHits:
    """Return the closest triangle of each ray."""
    return rays.cast(moment, checked_rays(origins, directions, max_distance))


def ray_test(
    moment: Moment, origins: ArrayLike, directions: ArrayLike, *, max_distance: ArrayLike
) -> Flags:
    """Return which rays meet any triangle."""
    return rays.tested(moment, checked_rays(origins, directions, max_distance))


def ray_cast_all(
    moment: Moment, origins: ArrayLike, directions: ArrayLike, *, max_distance: ArrayLike
) -> RayCrossings:
    """Return all triangles that rays meet."""
    return rays.cast_all(moment, checked_rays(origins, directions, max_distance))


def nearest_of(
    moment: Moment, points: ArrayLike, *, count: SupportsIndex, max_distance: SupportsFloat
) -> Nearest:
    """Return the nearest triangles of points."""
    places = checks.floats("points", points, 3)
    checks.every_row("points", "be finite", np.isfinite(places).all(axis=1), places)
    many = checks.whole_number("count", count, 1)
    most = checks.number("max_distance", max_distance, 0.0, finite=False)
    checks.room("count", many, len(places), many, 3)
    return nearest.nearest_in(moment, np.ascontiguousarray(places.T), many, most)


def overlapping_pairs_steps(
    moment: Moment,
    other: object,
    *,
    margin: float,
    skip_neighbours: bool,
    within: bool,
    objects: bool,
    owners: ArrayLike | None,
) -> Generator[float, None, Ids]:
    """Return placements and triangles, twice, of triangles that touch or come near, in steps."""
    if other is not None:
        raise ValueError(f"other must be None for a scene, got {type(other).__name__}")
    margin = checks.number("margin", margin, 0.0)
    if within and objects:
        raise ValueError("objects are pairs of different placements: within must be False")
    numbers = None
    if owners is not None:
        if within:
            raise ValueError("within pairs triangles of one owner: owners must be None")
        numbers = checks.numbers("owners", owners, np.iinfo(np.intp).max)
        if len(numbers) != len(moment.placements):
            wanted = len(moment.placements)
            raise ValueError(f"owners must have shape ({wanted},), got {numbers.shape}")
    steps = pairs.overlapping(
        moment, margin, numbers, skip_neighbours=skip_neighbours, within=within, objects=objects
    )
    return moment.as_long_as_current(steps)


ANSWERS: dict[str, Callable[..., Any]] = {
    "query": query,
    "query_any": query_any,
    "query_count": query_count,
    "ray_cast": ray_cast,
    "ray_test": ray_test,
    "ray_cast_all": ray_cast_all,
    "nearest": nearest_of,
    "overlapping_pairs_steps": overlapping_pairs_steps,
}
