"""Build options: one frozen record, checked once."""

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from . import checks
from .shapes import Boxes

SPLITS = ("middle", "median")
STRADDLERS = ("copy", "keep", "hybrid", "clip")
# Policies under which an item is in every leaf that it touches and in no other cell.
COPYING = ("copy", "clip")


@dataclass(frozen=True, kw_only=True, eq=False)
class Options:
    """The keywords of `build_octree`, checked."""

    capacity: int
    max_depth: int
    min_size: float
    split: str
    straddlers: str
    hybrid_limit: int
    loose_factor: float
    bounds: Boxes | None

    def checked(self, deepest: float = math.inf) -> Self:
        """Return the record, converted; raise a ValueError that names the bad option.

        `deepest` is the largest depth that is allowed.
        """
        return replace(
            self,
            capacity=checks.whole_number("capacity", self.capacity, 1, math.inf),
            max_depth=checks.whole_number("max_depth", self.max_depth, 0, deepest),
            min_size=checks.number("min_size", self.min_size, 0.0),
            split=checks.choice("split", self.split, SPLITS),
            straddlers=checks.choice("straddlers", self.straddlers, STRADDLERS),
            hybrid_limit=checks.whole_number("hybrid_limit", self.hybrid_limit, 1, math.inf),
            loose_factor=checks.number("loose_factor", self.loose_factor, 1.0),
            bounds=one_box(self.bounds),
        )

    @property
    def enlargement(self) -> float:
        """The factor by which cells are enlarged, where items are kept in cells."""
        return self.loose_factor if self.straddlers == "keep" else 1.0


def one_box(bounds: Boxes | None) -> Boxes | None:
    """Return `bounds`, one finite box or None; raise a ValueError that names the fault."""
    if bounds is None:
        return None
    checks.kind("bounds", bounds, (Boxes,))
    if len(bounds) != 1:
        raise ValueError(f"bounds must be one box, got {len(bounds)}")
    checks.every_row("bounds", "be finite", np.isfinite(bounds.rows).all(axis=0), bounds.rows.T)
    return bounds
