"""Argument checks: public functions convert what they are given here, once.

Every message names the argument, what was wanted and what came.
"""

import operator
from collections.abc import Collection
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import Flags, Floats, Ids, Masks

# A mask has a bit for each of 32 groups.
ALL_GROUPS = 0xFFFFFFFF
# The sum of three squares of such lengths is still a number.
LONGEST = 1e150


def _array(name: str, value: ArrayLike) -> NDArray[np.generic]:
    try:
        return np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name} must be a regular array of numbers: {error}") from None


def floats(name: str, value: ArrayLike, *shape: int) -> Floats:
    """Return `value` as a new float64 array of shape (n, *shape), NaN and infinity included."""
    array = _array(name, value)
    if array.size == 0 and array.ndim <= 1 and shape:
        array = np.empty((0, *shape))
    if array.ndim != len(shape) + 1 or array.shape[1:] != shape:
        wanted = ", ".join(["n", *map(str, shape)])
        raise ValueError(f"{name} must have shape ({wanted}), got {array.shape}")
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} must hold real numbers, got dtype {array.dtype}")
    return np.array(array, dtype=np.float64)


def indices(name: str, value: ArrayLike, width: int, limit: int) -> Ids:
    """Return `value` as whole numbers of shape (n, width), each in `range(limit)`."""
    array = _array(name, value)
    if array.size == 0 and (array.ndim == 1 or array.shape == (0, width)):
        array = np.empty((0, width), np.intp)
    if array.ndim != 2 or array.shape[1] != width:
        raise ValueError(f"{name} must have shape (n, {width}), got {array.shape}")
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} must hold whole numbers, got dtype {array.dtype}")
    whole: Ids = array.astype(np.intp, copy=False)
    if whole.size and (whole.min() < 0 or whole.max() >= limit):
        good = ((whole >= 0) & (whole < limit)).all(axis=1)
        every_row(name, f"lie in 0..{limit - 1}", good, whole)
    return whole


def numbers(name: str, value: ArrayLike, limit: int) -> Ids:
    """Return `value` as whole numbers of shape (n,), each in `range(limit)`."""
    array = _array(name, value)
    if array.ndim != 1:
        raise ValueError(f"{name} must have shape (n,), got {array.shape}")
    return indices(name, array[:, None], 1, limit)[:, 0]


def same_length(names: str, *arrays: NDArray[np.generic]) -> None:
    """Require that all `arrays` describe the same n things."""
    lengths = [len(array) for array in arrays]
    if len(set(lengths)) > 1:
        raise ValueError(f"{names} must have the same length, got {lengths}")


def every_row(name: str, wanted: str, good: Flags, rows: NDArray[np.generic]) -> None:
    """Require that `good` holds for every row; else show the first bad row."""
    if not good.all():
        row = int(np.argmin(good))
        raise ValueError(f"{name} must {wanted}, got {rows[row].tolist()} in row {row}")


def whole_number(name: str, value: SupportsIndex, least: int) -> int:
    """Return `value` as an int of at least `least`."""
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} must be a whole number, got {value!r}") from None
    if isinstance(value, (bool, np.bool_)) or number < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")
    return number


def length(name: str, value: object) -> float:
    """Return `value` as a float from 0 to `LONGEST`."""
    real = number(name, value, 0.0)
    if real > LONGEST:
        raise ValueError(f"{name} must be a number from 0 to {LONGEST:g}, got {value!r}")
    return real


def number(name: str, value: object, least: float, *, finite: bool = True) -> float:
    """Return `value` as a float of at least `least`; infinity only where it need not be finite."""
    try:
        # float() would take text, too.
        real = np.nan if isinstance(value, (str, bytes)) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must be a number, got {value!r}") from None
    if not (real >= least and (real < np.inf or not finite)):
        wanted = "a finite number" if finite else "a number"
        raise ValueError(f"{name} must be {wanted} of at least {least:g}, got {value!r}")
    return real


def mask(name: str, value: SupportsIndex) -> int:
    """Return `value` as an int of 32 bits."""
    bits = whole_number(name, value, 0)
    if bits > ALL_GROUPS:
        raise ValueError(f"{name} must be a whole number in 0..{ALL_GROUPS:#x}, got {value!r}")
    return bits


def masks(name: str, value: ArrayLike, count: int) -> Masks:
    """Return one mask for all, or one for each, as masks of shape (count,)."""
    array = _array(name, value)
    if array.ndim == 0:
        return np.full(count, mask(name, value), np.uint32)  # type: ignore[arg-type]
    each = numbers(name, array, ALL_GROUPS + 1)
    if len(each) != count:
        raise ValueError(f"{name} must have shape () or ({count},), got {array.shape}")
    return each.astype(np.uint32)


def choice(name: str, value: str, choices: Collection[str]) -> str:
    """Return `value`, one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}")
    return value


def kind(name: str, value: object, kinds: tuple[type, ...]) -> None:
    """Require that `value` is an instance of one of `kinds`."""
    if not isinstance(value, kinds):
        wanted = ", ".join(wanted.__name__ for wanted in kinds)
        raise ValueError(f"{name} must be one of {wanted}, got {type(value).__name__}")
