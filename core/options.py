"""Build options: one frozen record, checked once."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from . import checks
from .shapes import Boxes

SPLITS = ("middle", "median")
STRADDLERS = ("copy", "keep", "hybrid")


@dataclass(frozen=True, kw_only=True, eq=False)
class Options:
    """What the keywords of `build_octree` say."""

    capacity: int
    max_depth: int
    min_size: float
    split: str
    straddlers: str
    hybrid_limit: int
    loose_factor: float
    bounds: Boxes | None

    @classmethod
    def checked(
        cls,
        *,
        capacity: int,
        max_depth: int,
        min_size: float,
        split: str,
        straddlers: str,
        hybrid_limit: int,
        loose_factor: float,
        bounds: Boxes | None,
    ) -> Self:
        """Return the record, or raise a ValueError that names what is wrong."""
        return cls(
            capacity=checks.whole_number("capacity", capacity, 1),
            max_depth=checks.whole_number("max_depth", max_depth, 0),
            min_size=checks.number("min_size", min_size, 0.0),
            split=checks.choice("split", split, SPLITS),
            straddlers=checks.choice("straddlers", straddlers, STRADDLERS),
            hybrid_limit=checks.whole_number("hybrid_limit", hybrid_limit, 1),
            loose_factor=checks.number("loose_factor", loose_factor, 1.0),
            bounds=_one_box(bounds),
        )

    @property
    def enlargement(self) -> float:
        """The factor by which cells are enlarged, where items are kept in cells."""
        return self.loose_factor if self.straddlers == "keep" else 1.0


def _one_box(bounds: Boxes | None) -> Boxes | None:
    if bounds is None:
        return None
    checks.kind("bounds", bounds, (Boxes,))
    if len(bounds) != 1:
        raise ValueError(f"bounds must be one box, got {len(bounds)}")
    checks.every_row("bounds", "be finite", np.isfinite(bounds.rows).all(axis=0), bounds.rows.T)
    return bounds
