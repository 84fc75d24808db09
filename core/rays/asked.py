"""Rays of queries: their shapes are checked at once, their values by the kernel or by NumPy."""

from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, compiled
from ..any_octree import AnyOctree
from ..arrays import Ids
from ..snapshot import IndexSnapshot, snapshot_of
from ..touch.rays import Rays


@dataclass(frozen=True)
class AskedRays:
    """Rays, and the snapshot of the index that they query.

    The compiled kernel checks the values of each ray during its walk. In NumPy, `rays` checks all
    of them.
    """

    snapshot: IndexSnapshot
    questions: compiled.Questions

    @classmethod
    def of(
        cls,
        tree: AnyOctree,
        origins: ArrayLike,
        directions: ArrayLike,
        max_distance: ArrayLike,
        groups: SupportsIndex,
        threads: SupportsIndex | None,
    ) -> "AskedRays":
        """Return rays with checked shapes, and a snapshot of the index."""
        snapshot = snapshot_of(tree, groups)
        return cls(snapshot, questions_of(origins, directions, max_distance, threads))

    @property
    def fast_path(self) -> compiled.Few | None:
        """The kernel's entry for few rays; None if the batch path has to answer."""
        return (
            self.snapshot.fast_path(len(self.questions)) if self.snapshot.has_triangles else None
        )

    @property
    def packed(self) -> compiled.Walked | None:
        """The packed index for the compiled kernel; None if NumPy has to answer."""
        return self.snapshot.packed(len(self.questions)) if self.snapshot.has_triangles else None

    def __getitem__(self, numbers: Ids) -> "AskedRays":
        return AskedRays(self.snapshot, self.questions[numbers])

    def rays(self) -> Rays:
        """Return the rays with checked values."""
        return rays_of(self.questions)


def questions_of(
    origins: ArrayLike,
    directions: ArrayLike,
    max_distance: ArrayLike,
    threads: SupportsIndex | None = 1,
) -> compiled.Questions:
    """Return rays with checked shapes; their values may be invalid."""
    starts, towards = checks.batches(
        ("origins", origins, (3,)), ("directions", directions, (3,)), copied=False
    )
    if type(max_distance) is float and max_distance >= 0:
        limits = np.array([max_distance])
    else:
        limits = checks.number_or_floats("max_distance", max_distance, len(starts))
        checks.same_length("max_distance and origins", limits, starts)
    return compiled.Questions(starts, towards, limits, compiled.threads_of(threads))


def rays_of(given: compiled.Questions) -> Rays:
    """Return rays with checked values, or raise a ValueError that names the invalid argument."""
    limits = np.broadcast_to(given.limits, len(given.origins))
    return checked_rays(given.origins, given.directions, limits)


def checked_rays(origins: ArrayLike, directions: ArrayLike, max_distance: ArrayLike) -> Rays:
    """Return rays from arguments, or raise a ValueError that names the invalid argument."""
    starts, towards = checks.batches(("origins", origins, (3,)), ("directions", directions, (3,)))
    checks.every_row("origins", "be finite", np.isfinite(starts).all(axis=1), starts)
    checks.every_row("directions", "be finite", np.isfinite(towards).all(axis=1), towards)
    checks.every_row("directions", "not be zero", towards.any(axis=1), towards)
    limits = checks.number_or_floats("max_distance", max_distance, len(starts))
    checks.same_length("max_distance and origins", limits, starts)
    return Rays.of(np.ascontiguousarray(starts.T), np.ascontiguousarray(towards.T), limits)
