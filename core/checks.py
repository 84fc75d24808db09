"""Argument checks: public functions validate and convert their arguments here, once.

Every message names the argument, what was wanted and what came. Arguments of a wrong type are
`ArgumentTypeError` errors, all others `ValueError`.
"""

import math
import operator
from collections.abc import Collection
from itertools import chain
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import Flags, Floats, Ids, Masks

# A mask has a bit for each of 32 groups.
ALL_GROUPS = 0xFFFFFFFF
# No whole number is larger that counts or numbers something: none that is larger has an index.
MOST = int(np.iinfo(np.intp).max)
# Arrays of more axes, and lists as deep, are no argument.
_DEEP = 5
# No array of an answer has more numbers, 8 GiB of them.
_NUMBERS = 2**30
# The sum of three squares of such lengths is still a number.
LONGEST = 1e150


class ArgumentTypeError(TypeError, ValueError):
    """An argument of a wrong type: a `TypeError` that is caught with all bad arguments, too."""


def array(name: str, value: ArrayLike) -> NDArray[np.generic]:
    """Return `value` as an array of real numbers of any shape, itself if it is one."""
    given = value if type(value) is np.ndarray else _as_array(name, value)
    if given.dtype.kind not in "fiub":
        raise ArgumentTypeError(f"{name} must hold real numbers, got dtype {given.dtype}")
    return given


def _as_array(name: str, value: ArrayLike) -> NDArray[np.generic]:
    _refuse_masked(name, value)
    try:
        return np.asarray(value)
    except Exception as error:  # what is no array may say so in any way
        wrong = ValueError if isinstance(error, ValueError) else ArgumentTypeError
        raise wrong(f"{name} must be a regular array of numbers: {error}") from error


def _refuse_masked(name: str, value: object) -> None:
    """Refuse masked arrays, also within lists: nothing here would look at the mask."""
    level: list[object] = [value]
    for _ in range(_DEEP):
        kinds = set(map(type, level))
        if any(issubclass(kind, np.ma.MaskedArray) for kind in kinds):
            raise ArgumentTypeError(
                f"{name} must not be masked, got a masked array: fill it first"
            )
        if not any(issubclass(kind, list | tuple) for kind in kinds):
            return
        level = list(chain.from_iterable(each for each in level if isinstance(each, list | tuple)))


def floats(name: str, value: ArrayLike, *shape: int) -> Floats:
    """Return `value` as a new float64 array of shape (n, *shape), NaN and infinity included."""
    if type(value) is np.ndarray and value.dtype == np.float64 and value.shape[1:] == shape:
        if value.ndim == len(shape) + 1:
            return value.copy("K")
    given = array(name, value)
    if given.size == 0 and given.ndim <= 1 and shape:
        given = np.empty((0, *shape))
    if given.ndim != len(shape) + 1 or given.shape[1:] != shape:
        wanted = ", ".join(["n", *map(str, shape)])
        raise ValueError(f"{name} must have shape ({wanted}), got {given.shape}")
    with np.errstate(over="ignore"):  # of wider numbers
        return np.array(given, dtype=np.float64)


def plain_floats(name: str, value: ArrayLike, width: int, /) -> Floats:
    """Return `floats` of the value, (n, width), or the value itself if it needs no conversion."""
    if type(value) is np.ndarray and value.dtype == np.float64 and value.flags.carray:
        if value.ndim == 2 and value.shape[1] == width:
            return value
    return np.ascontiguousarray(floats(name, value, width))


def vector(name: str, value: ArrayLike) -> Floats:
    """Return `value` as a new float64 array of shape (3,), finite."""
    given = array(name, value)
    if given.shape != (3,):
        raise ValueError(f"{name} must have shape (3,), got {given.shape}")
    row = floats(name, given[None], 3)
    every_row(name, "be finite", np.isfinite(row).all(axis=1), row)
    return row[0]


def is_one(name: str, value: object) -> bool:
    """Return whether `value` is one number, or text in place of it, and no array of some."""
    return isinstance(value, str | bytes) or array(name, value).ndim == 0  # type: ignore[arg-type]


def number_or_floats(name: str, value: ArrayLike, count: int) -> Floats:
    """Return one number for each of `count`, or given ones, (n,); not negative, maybe infinite."""
    if is_one(name, value):
        return np.full(count, number(name, value, 0.0, finite=False))
    each = floats(name, value)
    every_row(name, "not be negative or NaN", each >= 0, each)
    return each


def indices(name: str, value: ArrayLike, width: int, limit: int, of: str = "") -> Ids:
    """Return `value` as whole numbers of shape (n, width), each in `range(limit)`.

    They index `limit` elements, which messages call `of`, or by the argument's name.
    """
    given = array(name, value)
    if given.size == 0 and (given.ndim == 1 or given.shape == (0, width)):
        given = np.empty((0, width), np.intp)
    if given.ndim != 2 or given.shape[1] != width:
        raise ValueError(f"{name} must have shape (n, {width}), got {given.shape}")
    if given.dtype.kind not in "iu":
        raise ArgumentTypeError(f"{name} must hold whole numbers, got dtype {given.dtype}")
    whole: Ids = given.astype(np.intp, copy=False)
    # As numbers without a sign, negative ones are the largest.
    if whole.size and whole.view(np.uintp).max() >= limit:
        good = ((whole >= 0) & (whole < limit)).all(axis=1)
        wanted = f"lie in 0..{limit - 1}" if limit else f"be empty: there are no {of or name} yet"
        every_row(name, wanted, good, given)
    return whole


def numbers(name: str, value: ArrayLike, limit: int, of: str = "") -> Ids:
    """Return `value` as whole numbers of shape (n,), each in `range(limit)`; see `indices`."""
    given = array(name, value)
    if given.ndim != 1:
        raise ValueError(f"{name} must have shape (n,), got {given.shape}")
    return indices(name, given[:, None], 1, limit, of)[:, 0]


def one_each(name: str, value: ArrayLike, count: int, limit: int = MOST) -> Ids:
    """Return `value` as a whole number for each of `count`, in `range(limit)`."""
    each = numbers(name, value, limit)
    if len(each) != count:
        raise ValueError(f"{name} must have shape ({count},), got {each.shape}")
    return each


def pairs(name: str, value: ArrayLike, limit: int) -> Ids:
    """Return `value` as pairs of whole numbers, (2, k), each in `range(limit)`."""
    given = array(name, value)
    if given.ndim != 2 or len(given) != 2:
        raise ValueError(f"{name} must have shape (2, k), got {given.shape}")
    return indices(name, given.T, 2, limit).T


def batches(*given: tuple[str, ArrayLike, tuple[int, ...]], copied: bool = True) -> list[Floats]:
    """Return arguments of n things as float64 arrays of shapes (n, *shape), new ones if `copied`.

    Each has a name, a value and a shape; a value of just that shape stands for all n. At least
    one has n.
    """
    convert = floats if copied else plain_floats
    found: list[Floats] = []
    single = []
    for name, value, shape in given:
        each = value
        if type(value) is not np.ndarray or value.ndim <= len(shape):
            one = each = array(name, value)
            if one.shape == shape:
                single.append(len(found))
                each = one[None]
        found.append(convert(name, each, *shape))
    if len(single) == len(given):
        name, value, shape = given[0]
        convert(name, value, *shape)  # which says that n is missing
    if single:
        count = next(len(each) for number, each in enumerate(found) if number not in single)
        for number in single:
            found[number] = np.repeat(found[number], count, axis=0)
    if any(len(each) != len(found[0]) for each in found):
        *names, last = (name for name, _, _ in given)
        same_length(f"{', '.join(names)} and {last}", *found)
    return found


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


def whole_number(name: str, value: SupportsIndex, least: int, most: float = MOST) -> int:
    """Return `value` as an int from `least` to `most`, by default no larger than any index."""
    _refuse_masked(name, value)
    try:
        number = operator.index(value)
    except Exception as error:
        raise ArgumentTypeError(f"{name} must be a whole number, got {value!r}") from error
    if isinstance(value, bool | np.bool_):
        raise ArgumentTypeError(
            f"{name} must be a whole number of at least {least}, got {value!r}"
        )
    if number < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")
    if number > most:
        raise ValueError(f"{name} must be a whole number of at most {most}, got {value!r}")
    return number


def room(name: str, value: object, *shape: float, most: int = _NUMBERS) -> None:
    """Require that an array of this shape, which `value` asks for, is one that memory can hold."""
    if math.prod(shape) > most:
        wide = " x ".join(map(str, shape))
        raise ValueError(f"{name} must ask for at most {most} numbers, got {value!r}: {wide}")


def flag(name: str, value: object) -> bool:
    """Return `value`, True or False, NumPy's too."""
    if not isinstance(value, bool | np.bool_):
        raise ArgumentTypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def called(name: str, value: object) -> None:
    """Require that `value` can be called, or is None."""
    if not (value is None or callable(value)):
        raise ArgumentTypeError(f"{name} must be a function or None, got {value!r}")


def length(name: str, value: object) -> float:
    """Return `value` as a float from 0 to `LONGEST`."""
    real = number(name, value, 0.0)
    if real > LONGEST:
        raise ValueError(f"{name} must be a number from 0 to {LONGEST:g}, got {value!r}")
    return real


def number(name: str, value: object, least: float, *, finite: bool = True) -> float:
    """Return `value` as a float of at least `least`; infinity only where it need not be finite."""
    if type(value) is float and least <= value < np.inf:
        return value  # as in every step of long work
    _refuse_masked(name, value)
    # float() would take text, arrays of one, and the real part of NumPy's complex numbers, too.
    is_array = isinstance(value, np.ndarray) and value.ndim > 0
    told = f"{name} must be {'a finite number' if finite else 'a number'} of at least {least:g}"
    if is_array or isinstance(value, str | bytes | np.complexfloating):
        raise ArgumentTypeError(f"{told}, got {value!r}")
    try:
        real = float(value)  # type: ignore[arg-type]
    except OverflowError as error:
        raise ValueError(f"{told}, got {value!r}") from error
    except Exception as error:
        raise ArgumentTypeError(f"{name} must be a number, got {value!r}") from error
    if not (real >= least and (real < np.inf or not finite)):
        raise ValueError(f"{told}, got {value!r}")
    return real


def mask(name: str, value: SupportsIndex) -> int:
    """Return `value` as an int of 32 bits."""
    bits = whole_number(name, value, 0)
    if bits > ALL_GROUPS:
        raise ValueError(f"{name} must be a whole number in 0..{ALL_GROUPS:#x}, got {value!r}")
    return bits


def masks(name: str, value: ArrayLike, count: int) -> Masks:
    """Return one mask for all, or one for each, as masks of shape (count,)."""
    if is_one(name, value):
        return np.full(count, mask(name, value), np.uint32)  # type: ignore[arg-type]
    each = numbers(name, value, ALL_GROUPS + 1)
    if len(each) != count:
        raise ValueError(f"{name} must have shape () or ({count},), got {each.shape}")
    return each.astype(np.uint32)


def choice(name: str, value: str, choices: Collection[str]) -> str:
    """Return `value`, one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        wrong = ValueError if isinstance(value, str) else ArgumentTypeError
        raise wrong(f"{name} must be one of {', '.join(choices)}, got {value!r}")
    return value


def kind(name: str, value: object, kinds: tuple[type, ...]) -> None:
    """Require that `value` is an instance of one of `kinds`."""
    if not isinstance(value, kinds):
        wanted = ", ".join(wanted.__name__ for wanted in kinds)
        hint = ": pass its .octree" if hasattr(type(value), "octree") else ""
        raise ArgumentTypeError(
            f"{name} must be one of {wanted}, got {type(value).__name__}{hint}"
        )
