"""Ragged arrays (compressed sparse rows): rows of different lengths, one after the other."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Ids


@dataclass(frozen=True, eq=False)
class Ragged:
    """n rows of values.

    Attributes
    ----------
    values : ndarray, shape (v, ...)
        All rows, one after the other.
    starts : ndarray of intp, shape (n + 1,)
        Row i is `values[starts[i]:starts[i + 1]]`.
    """

    values: NDArray[Any]
    starts: Ids

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> Ids:
        """How many values each row has, (n,)."""
        return np.diff(self.starts)

    @property
    def owners(self) -> Ids:
        """The row of each value, (v,)."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def of(self, row: int) -> NDArray[Any]:
        """Return the values of one row."""
        return self.values[self.starts[row] : self.starts[row + 1]]

    def take(self, rows: Ids) -> "Ragged":
        """Return some rows, in the order that they are asked for. O(values)."""
        lengths = self.lengths[rows]
        starts = _starts(lengths)
        within = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
        return Ragged(self.values[np.repeat(self.starts[rows], lengths) + within], starts)


def _starts(lengths: Ids) -> Ids:
    starts = np.zeros(len(lengths) + 1, np.intp)
    np.cumsum(lengths, out=starts[1:])
    return starts


def ragged(rows: Iterable[ArrayLike], width: tuple[int, ...], kind: Any) -> Ragged:
    """Put rows of values of one shape, `width`, one after the other."""
    arrays = [np.asarray(row, kind).reshape(-1, *width) for row in rows]
    lengths = np.array([len(row) for row in arrays], np.intp)
    empty = np.empty((0, *width), kind)
    return Ragged(np.concatenate([empty, *arrays]), _starts(lengths))


def by_owner(values: NDArray[Any], owners: Ids, count: int) -> Ragged:
    """Return values as rows, by the row that each belongs to; in a row they keep their order."""
    order = np.argsort(owners, kind="stable")
    return Ragged(values[order], _starts(np.bincount(owners, minlength=count)))


def no_values(count: int, width: tuple[int, ...], kind: Any) -> Ragged:
    """Return rows that are all empty."""
    return Ragged(np.empty((0, *width), kind), np.zeros(count + 1, np.intp))


def joined(first: Ragged, second: Ragged) -> Ragged:
    """Return the rows of both, one after the other."""
    return Ragged(
        np.concatenate((first.values, second.values)),
        np.concatenate((first.starts, first.starts[-1] + second.starts[1:])),
    )


def checked(each: Ragged, name: str, count: int, width: tuple[int, ...]) -> Ragged:
    """Return rows whose shapes fit; a `ValueError` names what does not."""
    starts, values = each.starts, each.values
    if values.shape[1:] != width or starts.shape != (count + 1,):
        raise ValueError(
            f"{name} must have {count} rows of shape {width}, got {len(starts) - 1} rows of shape"
            f" {values.shape[1:]}"
        )
    if starts[0] != 0 or starts[-1] != len(values) or (np.diff(starts) < 0).any():
        raise ValueError(f"The starts of {name} must rise from 0 to {len(values)}")
    if not np.isfinite(values).all():
        raise ValueError(f"{name} must be finite")
    return each
