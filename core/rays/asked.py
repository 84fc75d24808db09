"""Rays as they are asked (queries): of sound shapes at once, each checked by who looks at it."""

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
    """Rays with the snapshot that they ask.

    The kernel checks each ray during its walk; NumPy calls `rays`, which checks them all.
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
        """Return rays of sound shapes, and what there is of the index for them."""
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
        """The index as the kernel walks it; None if NumPy has to answer."""
        return self.snapshot.packed(len(self.questions)) if self.snapshot.has_triangles else None

    def __getitem__(self, numbers: Ids) -> "AskedRays":
        return AskedRays(self.snapshot, self.questions[numbers])

    def rays(self) -> Rays:
        """Return checked rays."""
        return rays_of(self.questions)


def questions_of(
    origins: ArrayLike,
    directions: ArrayLike,
    max_distance: ArrayLike,
    threads: SupportsIndex | None = 1,
) -> compiled.Questions:
    """Return rays of sound shapes."""
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
    """Return checked rays, or raise a ValueError that names what is wrong with them."""
    limits = np.broadcast_to(given.limits, len(given.origins))
    return checked_rays(given.origins, given.directions, limits)


def checked_rays(origins: ArrayLike, directions: ArrayLike, max_distance: ArrayLike) -> Rays:
    """Return rays, or raise a ValueError that names what is wrong with them."""
    starts, towards = checks.batches(("origins", origins, (3,)), ("directions", directions, (3,)))
    checks.every_row("origins", "be finite", np.isfinite(starts).all(axis=1), starts)
    checks.every_row("directions", "be finite", np.isfinite(towards).all(axis=1), towards)
    checks.every_row("directions", "not be zero", towards.any(axis=1), towards)
    limits = checks.number_or_floats("max_distance", max_distance, len(starts))
    checks.same_length("max_distance and origins", limits, starts)
    return Rays.of(np.ascontiguousarray(starts.T), np.ascontiguousarray(towards.T), limits)
