"""Axis-aligned boxes (AABB), and rounded shapes: spheres, regions and capsules."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Flags, Floats, Ids, gather
from ..passes import taken_steps
from ..records import Frozen
from ..steps import Steps

# The common radius of shapes without radii.
_NO_RADIUS = np.zeros(1)
_NO_RADIUS.setflags(write=False)
# Corner `i` is upper in x if bit 0 of `i` is set, in y for bit 1, in z for bit 2: (8, 3).
CORNERS = np.arange(8)[:, None] >> np.arange(3) & 1


def frozen(rows: Floats) -> Floats:
    """Make `rows` contiguous and read-only."""
    rows = np.ascontiguousarray(rows)
    rows.setflags(write=False)
    return rows


class Shapes(Frozen):
    """A batch of shapes, with a length, selection by number, and bounds."""

    _rows: Floats

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_"):
            raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set")
        super().__setattr__(name, value)

    def __len__(self) -> int:
        return self.rows.shape[1]

    def __getitem__(self, ids: int | slice | Ids | Flags) -> Self:
        some = as_batch(ids)
        # Selection row by row is twice as fast as of all rows at once.
        return self.from_rows(np.stack([row[some] for row in self.rows]))

    def take_steps(self, ids: Ids) -> Steps[Self]:
        """Return the shapes with these numbers, in steps; yields the fraction done."""
        return (yield from self._take_steps(ids))

    def _take_steps(self, ids: Ids) -> Steps[Self]:
        return self.from_rows((yield from taken_steps(self.rows, ids)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n={len(self)})"

    @classmethod
    def from_rows(cls, rows: Floats) -> Self:
        """Return a batch of rows, (k, n), without validation."""
        shapes = cls.__new__(cls)
        shapes._rows = frozen(rows)
        return shapes

    @property
    def rows(self) -> Floats:
        """The coordinates, (k, n) float64, read-only: one row for each coordinate."""
        return self._rows

    def take_rows(self, ids: Ids) -> Floats:
        """Return some columns of `rows`, (k, h), without validation of `ids`."""
        return self._take(ids)

    def _take(self, ids: Ids) -> Floats:
        return gather(self.rows, ids)

    def limits(self) -> tuple[Floats, Floats]:
        """Return the bounds as two arrays.

        Returns
        -------
        lower, upper : ndarray of float64, shape (3, n)
            Axis first; NaN stays NaN. Half-spaces reach from minus to plus infinity.
        """
        return self._limits()

    def _limits(self) -> tuple[Floats, Floats]:
        raise NotImplementedError

    def box_and_radius(self, ids: Ids) -> tuple[Floats, Floats]:
        """Return some boxes, spheres or regions as boxes rounded by radii (h,) or (1,).

        The boxes are (2, 3, h), lower and upper corners, or (1, 3, h) if they are points.
        """
        rows = self.take_rows(ids)
        points, radii = np.split(rows, [len(rows) // 3 * 3])
        sides = points.reshape(len(points) // 3, 3, rows.shape[1])
        return sides, radii[0] if len(radii) else _NO_RADIUS

    def corners_and_radius(self, ids: Ids) -> tuple[Floats, Floats]:
        """Return some items as hulls of points (p, 3, h), rounded by radii (h,) or (1,)."""
        points, radii = self.box_and_radius(ids)
        return box_corners(points) if len(points) == 2 else points, radii

    def bounds(self) -> "Boxes":
        """Return the axis-aligned box around each shape.

        Returns
        -------
        Boxes
            n boxes, in the same order. NaN stays NaN.
        """
        return Boxes.from_rows(np.concatenate(self.limits()))


class Boxes(Shapes):
    """Axis-aligned boxes.

    Parameters
    ----------
    lower, upper : array_like of float, shape (n, 3) or (3,)
        Opposite corners, lower <= upper on each axis. A box may be flat. Copied.

    Raises
    ------
    ValueError
        On a wrong shape, or if lower > upper on an axis.
    """

    def __init__(self, lower: ArrayLike, upper: ArrayLike) -> None:
        low, high = checks.batches(("lower", lower, (3,)), ("upper", upper, (3,)))
        self._rows = frozen(_in_order(low, high))

    @property
    def lower(self) -> Floats:
        """The lower corners, (n, 3)."""
        return self.rows[:3].T

    @property
    def upper(self) -> Floats:
        """The upper corners, (n, 3)."""
        return self.rows[3:].T

    def _limits(self) -> tuple[Floats, Floats]:
        return self.rows[:3], self.rows[3:]


def _in_order(low: Floats, high: Floats) -> Floats:
    """Return corners (n, 3) as rows (6, n); raise a ValueError if lower exceeds upper."""
    if (crossed := low > high).any():
        checks.every_row("lower", "not exceed upper", ~crossed.any(axis=1), low)
    rows = np.empty((6, len(low)))
    rows[:3], rows[3:] = low.T, high.T
    return rows


def box_corners(sides: Floats) -> Floats:
    """Return the eight corners of boxes (2, 3, h), as (8, 3, h)."""
    return sides[CORNERS, np.arange(3)]


def as_batch(ids: int | slice | Ids | Flags) -> slice | NDArray[np.generic]:
    """Return a selection by slice or array; a single number selects a batch of one."""
    if isinstance(ids, slice):
        return ids
    array = np.atleast_1d(checks.array("a selection of shapes", ids))
    if array.ndim > 1:
        raise ValueError(f"a selection of shapes must have shape (n,), got {array.shape}")
    return array if array.size else array.astype(np.intp)


class Rounded(Shapes):
    """Shapes rounded by a radius, the last of their rows."""

    @property
    def radii(self) -> Floats:
        """The radii, (n,)."""
        return self.rows[-1]


class Spheres(Rounded):
    """Solid spheres.

    Parameters
    ----------
    centers : array_like of float, shape (n, 3) or (3,)
        Copied, like the radii.
    radii : array_like of float, shape (n,) or ()
        One each, or one for all. Not negative; a sphere of radius 0 is a point.

    Raises
    ------
    ValueError
        On a wrong shape or a negative radius.
    """

    def __init__(self, centers: ArrayLike, radii: ArrayLike) -> None:
        middle, radius = checks.batches(("centers", centers, (3,)), ("radii", radii, ()))
        checks.every_row("radii", "not be negative", ~(radius < 0), radius)
        self._rows = frozen(np.concatenate((middle.T, radius[None])))

    @property
    def centers(self) -> Floats:
        """The centers, (n, 3)."""
        return self.rows[:3].T

    def _limits(self) -> tuple[Floats, Floats]:
        with np.errstate(invalid="ignore"):  # an infinite sphere around infinity
            return self.rows[:3] - self.rows[3], self.rows[:3] + self.rows[3]


class Regions(Rounded):
    """Rounded boxes: all points no farther than a radius from an axis-aligned box.

    A sphere is a point with a radius, a box has radius 0: as regions, both fit in one tree.

    Parameters
    ----------
    lower, upper : array_like of float, shape (n, 3) or (3,)
        Opposite corners of the inner box, lower <= upper on each axis. It may be flat. Copied.
    radii : array_like of float, shape (n,) or ()
        One each, or one for all. Not negative.

    Raises
    ------
    ValueError
        On a wrong shape, if lower > upper on an axis, or on a negative radius.
    """

    def __init__(self, lower: ArrayLike, upper: ArrayLike, radii: ArrayLike) -> None:
        low, high, radius = checks.batches(
            ("lower", lower, (3,)), ("upper", upper, (3,)), ("radii", radii, ())
        )
        sides = _in_order(low, high)
        checks.every_row("radii", "not be negative", ~(radius < 0), radius)
        self._rows = frozen(np.concatenate((sides, radius[None])))

    @property
    def lower(self) -> Floats:
        """The lower corners of the inner boxes, (n, 3)."""
        return self.rows[:3].T

    @property
    def upper(self) -> Floats:
        """The upper corners of the inner boxes, (n, 3)."""
        return self.rows[3:6].T

    def _limits(self) -> tuple[Floats, Floats]:
        with np.errstate(invalid="ignore"):  # an infinite radius around infinity
            return self.rows[:3] - self.rows[6], self.rows[3:6] + self.rows[6]


class Capsules(Rounded):
    """Rounded segments: all points no farther than a radius from a segment.

    Parameters
    ----------
    starts, ends : array_like of float, shape (n, 3) or (3,)
        The two ends of each segment, which may be one point. Copied, like the radii.
    radii : array_like of float, shape (n,) or ()
        One each, or one for all. Not negative; a capsule of radius 0 is a segment.

    Raises
    ------
    ValueError
        On a wrong shape or a negative radius.
    """

    def __init__(self, starts: ArrayLike, ends: ArrayLike, radii: ArrayLike) -> None:
        first, last, radius = checks.batches(
            ("starts", starts, (3,)), ("ends", ends, (3,)), ("radii", radii, ())
        )
        checks.every_row("radii", "not be negative", ~(radius < 0), radius)
        self._rows = frozen(np.concatenate((first.T, last.T, radius[None])))

    @property
    def starts(self) -> Floats:
        """The starts of the segments, (n, 3)."""
        return self.rows[:3].T

    @property
    def ends(self) -> Floats:
        """The ends of the segments, (n, 3)."""
        return self.rows[3:6].T

    def _limits(self) -> tuple[Floats, Floats]:
        first, last, radius = self.rows[:3], self.rows[3:6], self.rows[6]
        with np.errstate(invalid="ignore"):  # an infinite radius around infinity
            return np.minimum(first, last) - radius, np.maximum(first, last) + radius
