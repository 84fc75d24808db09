"""Questions as the kernel takes them: rays as three arrays, volumes as their rows."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ids, address
from ..shapes import Boxes, Capsules, OrientedBoxes, Regions, Shapes, Spheres, Triangles

# Neighbors that tell whether rays are coherent, how many of them at least, and from which count
# of rays on it matters.
_LOOKED, _COHERENT, _MANY = 256, 0.75, 64
# The number of volumes of which the kernel only finds what is near the box around them.
AROUND = 3
# The numbers of the kinds that it decides exactly, and whether against triangles or other items.
_VOLUMES: dict[tuple[type[Shapes], bool], int] = {
    (Spheres, True): 1,
    (Spheres, False): 1,
    (Boxes, True): 2,
    (Boxes, False): 2,
    (Regions, True): 5,
    (Regions, False): 5,
    (Capsules, True): 6,
    (Capsules, False): 6,
    (OrientedBoxes, True): 7,
    (OrientedBoxes, False): 7,
}


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
    """Volumes as their own rows, (q, k), or, of kind AROUND, the boxes around them.

    `kind` is the number of their kind in the kernel, or AROUND: it only finds what is near.
    `threads` are how many may walk them.
    """

    rows: Floats
    kind: int
    threads: int = 1

    @classmethod
    def of(
        cls, volumes: Shapes, items: type[Shapes], threads: int, *, exactly: bool = True
    ) -> "VolumesAsked":
        """Return volumes that ask items of a kind, as exactly as the kernel can tell."""
        kind = volume_kind(volumes, items) if exactly else AROUND
        rows = np.concatenate(volumes.limits()) if kind == AROUND else volumes.rows
        return cls(np.ascontiguousarray(rows.T), kind, threads)

    def __len__(self) -> int:
        return len(self.rows)


def volume_kind(volumes: Shapes, items: type[Shapes]) -> int:
    """Return the number of a kind of volumes in the kernel; AROUND if it cannot test items."""
    return _VOLUMES.get((type(volumes), issubclass(items, Triangles)), AROUND)


def as_boxes(shapes: Shapes) -> dict[str, Floats]:
    """Return boxes and regions as boxes (6, n), spheres as points (3, n), and any radii, (n,)."""
    if isinstance(shapes, Boxes):
        return {"boxes": shapes.rows}
    return {"boxes": shapes.rows[:-1], "radii": shapes.rows[-1]}
