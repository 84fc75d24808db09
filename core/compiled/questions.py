"""Queries as the kernel takes them: rays as three arrays, volumes as their rows."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ids, address
from ..shapes import Boxes, Capsules, OrientedBoxes, Regions, Shapes, Spheres

# Coherence of rays: pairs of neighbors that are sampled, the least part of them that must be
# alike, and the fewest rays for which coherence matters.
_LOOKED, _COHERENT, _MANY = 256, 0.75, 64
# The kernel's numbers of the kinds of volumes that it tests exactly; and its number of boxes
# around volumes, for which it only finds candidates.
_VOLUMES: dict[type[Shapes], int] = {
    Spheres: 1,
    Boxes: 2,
    Regions: 5,
    Capsules: 6,
    OrientedBoxes: 7,
}
_AROUND = 3


@dataclass(frozen=True)
class Questions:
    """Rays, unchecked: origins and directions (q, 3), and limits (q,), or one for all, (1,).

    `threads` is the number of threads that may walk the rays.
    """

    origins: Floats
    directions: Floats
    limits: Floats
    threads: int = 1

    def __len__(self) -> int:
        return len(self.origins)

    def __getitem__(self, numbers: Ids) -> "Questions":
        limits = self.limits[numbers] if len(self.limits) == len(self) else self.limits
        return Questions(self.origins[numbers], self.directions[numbers], limits, self.threads)

    @property
    def addresses(self) -> tuple[int, int, int, int]:
        """Addresses of the three arrays, and the step from one ray's limit to the next one's."""
        step = int(len(self.limits) > 1)
        return address(self.origins), address(self.directions), address(self.limits), step

    @property
    def few(self) -> tuple[Floats, Floats, Floats | float]:
        """Arguments of `Few`: origins, directions, and limits (q,), or one number for all rays."""
        ends = float(self.limits[0]) if len(self.limits) == 1 else self.limits
        return self.origins, self.directions, ends

    def are_scattered(self) -> bool:
        """Return whether many rays differ in direction from the next ray."""
        if len(self) < _MANY:
            return False
        some = np.linspace(0, len(self) - 2, min(_LOOKED, len(self) - 1)).astype(np.intp)
        here, there = self.directions[some], self.directions[some + 1]
        sizes = np.abs(here).max(axis=1)
        with np.errstate(over="ignore", invalid="ignore"):  # rays are checked later
            alike = np.abs(here - there).max(axis=1) <= sizes / 8
        return float(np.count_nonzero(alike)) < _COHERENT * len(some)


@dataclass(frozen=True)
class VolumesAsked:
    """Volumes as the kernel takes them: their own rows (q, k), or the boxes around them (q, 6).

    `kind` is the kernel's number of their kind, or of boxes around volumes. `threads` is the
    number of threads that may walk the volumes.
    """

    rows: Floats
    kind: int
    threads: int = 1

    @classmethod
    def of(cls, volumes: Shapes, threads: int, *, exactly: bool = True) -> "VolumesAsked":
        """Return volumes for exact tests; unless `exactly`, boxes around them, for candidates."""
        kind = _VOLUMES[type(volumes)] if exactly else _AROUND
        rows = np.concatenate(volumes.limits()) if kind == _AROUND else volumes.rows
        return cls(np.ascontiguousarray(rows.T), kind, threads)

    def __len__(self) -> int:
        return len(self.rows)


def volume_kind(volumes: Shapes) -> int:
    """Return the kernel's number of a kind of volumes; 0 if the kernel has no exact test."""
    return _VOLUMES.get(type(volumes), 0)


def as_boxes(shapes: Shapes) -> dict[str, Floats]:
    """Return boxes, and radii if there are any, as arrays by the names of the kernel's `Tree`.

    `boxes` are (6, n), but points (3, n) for spheres; `radii` are (n,).
    """
    if isinstance(shapes, Boxes):
        return {"boxes": shapes.rows}
    return {"boxes": shapes.rows[:-1], "radii": shapes.rows[-1]}
