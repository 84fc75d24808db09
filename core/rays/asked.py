"""Rays as they are asked (queries): of sound shapes at once, each checked by who looks at it."""

from dataclasses import dataclass
from functools import cached_property
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, compiled
from ..any_octree import AnyOctree
from ..arrays import Floats, Ids
from ..groups import ALL_GROUPS, in_groups
from ..octree import Octree, as_octree
from .crossings import Rays


@dataclass(frozen=True)
class AskedRays:
    """Rays that ask an octree.

    Whoever looks at rays one by one checks them, too: the kernel by itself.
    """

    octree: Octree
    questions: compiled.Questions

    @classmethod
    def of(
        cls,
        tree: AnyOctree,
        origins: ArrayLike,
        directions: ArrayLike,
        max_distance: ArrayLike,
        groups: SupportsIndex,
        threads: SupportsIndex | None = 1,
    ) -> "AskedRays":
        """Return rays of sound shapes, and what there is of the tree for them."""
        octree = as_octree("tree", tree)
        questions = questions_of(origins, directions, max_distance, threads)
        return cls(in_groups(octree, groups), questions)

    @cached_property
    def packed(self) -> compiled.Packed | None:
        """The packed tree that answers them; NumPy does without one."""
        return compiled.packed(self.octree, len(self.questions))

    @property
    def alone(self) -> tuple[Octree, Floats, Floats, Floats | float, int]:
        """The same question, as the short way of few rays takes it (`lone`)."""
        return self.octree, *self.questions.few, ALL_GROUPS

    def __getitem__(self, numbers: Ids) -> "AskedRays":
        return AskedRays(self.octree, self.questions[numbers])

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
