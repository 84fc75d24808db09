"""What all batches share; and boxes, which are what every batch has for bounds."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Flags, Floats, Ids, gather


def frozen(rows: Floats) -> Floats:
    """Make `rows` contiguous and read-only."""
    rows = np.ascontiguousarray(rows)
    rows.setflags(write=False)
    return rows


class Shapes:
    """What all batches share: a length, selection by number, and bounds."""

    _rows: Floats

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_"):
            raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set")
        super().__setattr__(name, value)

    def __len__(self) -> int:
        return self.rows.shape[1]

    def __getitem__(self, ids: int | slice | Ids | Flags) -> Self:
        some = as_batch(ids)
        # Row by row: twice as fast as all at once.
        return self.from_rows(np.stack([row[some] for row in self.rows]))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n={len(self)})"

    @classmethod
    def from_rows(cls, rows: Floats) -> Self:
        """Return a batch over rows that are known to be sound."""
        shapes = cls.__new__(cls)
        shapes._rows = frozen(rows)
        return shapes

    @property
    def rows(self) -> Floats:
        """The coordinates, (k, n) float64, read-only, one row for each."""
        return self._rows

    def take_rows(self, ids: Ids) -> Floats:
        """Return some columns of `rows`, of shapes that are known to be there."""
        return gather(self.rows, ids)

    def limits(self) -> tuple[Floats, Floats]:
        """Return the bounds as two arrays.

        Returns
        -------
        lower, upper : ndarray of float64, shape (3, n)
            Axis first; NaN stays NaN.
        """
        raise NotImplementedError

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
    lower, upper : array_like of float, shape (n, 3)
        Opposite corners, lower <= upper on each axis. A box may be flat. Copied.

    Raises
    ------
    ValueError
        On a wrong shape, or where lower > upper.
    """

    def __init__(self, lower: ArrayLike, upper: ArrayLike) -> None:
        low, high = checks.floats("lower", lower, 3), checks.floats("upper", upper, 3)
        checks.same_length("lower and upper", low, high)
        checks.every_row("lower", "not exceed upper", ~(low > high).any(axis=1), low)
        self._rows = frozen(np.concatenate((low.T, high.T)))

    @property
    def lower(self) -> Floats:
        """The lower corners, (n, 3)."""
        return self.rows[:3].T

    @property
    def upper(self) -> Floats:
        """The upper corners, (n, 3)."""
        return self.rows[3:].T

    def limits(self) -> tuple[Floats, Floats]:
        """Return the boxes themselves.

        Returns
        -------
        lower, upper : ndarray of float64, shape (3, n)
            Axis first; NaN stays NaN.
        """
        return self.rows[:3], self.rows[3:]


def as_batch(ids: int | slice | Ids | Flags) -> slice | NDArray[np.generic]:
    """Make a selection that keeps a batch a batch: one number selects a batch of one."""
    if isinstance(ids, slice):
        return ids
    array = np.atleast_1d(ids)
    if array.ndim > 1:
        raise ValueError(f"a selection of shapes must have shape (n,), got {array.shape}")
    return array if array.size else array.astype(np.intp)
