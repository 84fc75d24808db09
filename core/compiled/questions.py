"""Questions as the kernel takes them: rays as three arrays, volumes as boxes grown round."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ids, address
from ..shapes import Boxes, Regions, Shapes, Spheres, Triangles

# Neighbors that tell whether rays are coherent, how many of them at least, and from which count
# of rays on it matters.
_LOOKED, _COHERENT, _MANY = 256, 0.75, 64
# Of a volume: what the kernel decides exactly, and that it finds what is near the box around it.
SPHERE, BOX, AROUND = 1, 2, 3


@dataclass(frozen=True)
class Questions:
    """Rays as they were given: origins and directions (q, 3), ends (q,) or one for all (1,).

    `threads` are how many may walk them.
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
        """What the kernel is told of them: three arrays, and the step from one end to the next."""
        step = int(len(self.limits) > 1)
        return address(self.origins), address(self.directions), address(self.limits), step

    def are_scattered(self) -> bool:
        """Tell whether rays seldom go where their neighbors go."""
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
    """Volumes as boxes that are grown round: rows of lower, upper and radius, (q, 7).

    `kind` is what is asked: SPHERE or BOX for exact answers, AROUND for what is near. `threads`
    are how many may walk them.
    """

    rows: Floats
    kind: int
    threads: int = 1

    @classmethod
    def of(
        cls, volumes: Shapes, items: type[Shapes], threads: int, *, exactly: bool = True
    ) -> "VolumesAsked":
        """Return volumes that ask items of a kind, as exactly as the kernel can tell."""
        rounded = (Spheres, Boxes) if issubclass(items, Triangles) else (Spheres, Boxes, Regions)
        if not (exactly and isinstance(volumes, rounded)):
            rows, kind = np.concatenate((*volumes.limits(), np.zeros((1, len(volumes))))), AROUND
        else:
            rows, kind = as_regions(volumes), BOX if isinstance(volumes, Boxes) else SPHERE
        return cls(np.ascontiguousarray(rows.T), kind, threads)

    def __len__(self) -> int:
        return len(self.rows)


def as_boxes(shapes: Shapes) -> dict[str, Floats]:
    """Return boxes, spheres or regions as boxes (6, n), and radii (n,) if they are round."""
    if isinstance(shapes, Boxes):
        return {"boxes": shapes.rows}
    rows = as_regions(shapes)
    return {"boxes": rows[:6], "radii": rows[6]}


def as_regions(shapes: Shapes) -> Floats:
    """Return boxes, spheres or regions as rows of regions, (7, n)."""
    rows = shapes.rows
    if isinstance(shapes, Boxes):
        return np.concatenate((rows, np.zeros((1, len(shapes)))))
    return rows[[0, 1, 2, 0, 1, 2, 3]] if isinstance(shapes, Spheres) else rows
