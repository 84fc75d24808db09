"""Questions as the kernel takes them: rays as three arrays, volumes as their rows."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ids, address
from ..shapes import Boxes, Capsules, OrientedBoxes, Regions, Shapes, Spheres

# Neighbors that tell whether rays are coherent, how many of them at least, and from which count
# of rays on it matters.
_LOOKED, _COHERENT, _MANY = 256, 0.75, 64
# The numbers of volumes in the kernel, by kind; and of those of which it only finds what is near
# the boxes around them.
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

    @property
    def few(self) -> tuple[Floats, Floats, Floats | float]:
        """What `Few` is told of them: origins, directions and ends, (q,), or the one of all."""
        ends = float(self.limits[0]) if len(self.limits) == 1 else self.limits
        return self.origins, self.directions, ends

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
    """Volumes of a kind that the kernel knows: their own rows, (q, k), or the boxes around them.

    `kind` is the number of either in the kernel. `threads` are how many may walk them.
    """

    rows: Floats
    kind: int
    threads: int = 1

    @classmethod
    def of(cls, volumes: Shapes, threads: int, *, exactly: bool = True) -> "VolumesAsked":
        """Return volumes that ask exactly what touches them, or only what is near."""
        kind = _VOLUMES[type(volumes)] if exactly else _AROUND
        rows = np.concatenate(volumes.limits()) if kind == _AROUND else volumes.rows
        return cls(np.ascontiguousarray(rows.T), kind, threads)

    def __len__(self) -> int:
        return len(self.rows)


def volume_kind(volumes: Shapes) -> int:
    """Return the number of a kind of volumes in the kernel; 0 if it does not know the kind."""
    return _VOLUMES.get(type(volumes), 0)


def as_boxes(shapes: Shapes) -> dict[str, Floats]:
    """Return boxes and regions as boxes (6, n), spheres as points (3, n), and any radii, (n,)."""
    if isinstance(shapes, Boxes):
        return {"boxes": shapes.rows}
    return {"boxes": shapes.rows[:-1], "radii": shapes.rows[-1]}
