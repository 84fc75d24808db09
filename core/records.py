"""Records: holders of read-only arrays, results that are compared as a whole, and columns.

The arrays of a structure are read-only, also after `copy.deepcopy` and `pickle`, which create new
arrays. Arrays of a result are the caller's own.
"""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, ClassVar, Self

import numpy as np

from .arrays import Flags, Ids, joined


class Frozen:
    """A holder of arrays that are read-only from the beginning."""

    def __post_init__(self) -> None:
        freeze(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        freeze(self)


def freeze(holder: object) -> None:
    """Make the arrays of an object read-only, also the arrays in its tuples."""
    for value in vars(holder).values():
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        elif isinstance(value, tuple):
            for each in value:
                if isinstance(each, np.ndarray):
                    each.setflags(write=False)


class Record:
    """A dataclass of arrays and numbers: equal to another of its type if all fields are equal.

    Arrays are equal if their shapes and elements are; NaN equals NaN. Records have no hash.
    """

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        return all(_same(getattr(self, name), getattr(other, name)) for name in names)


def _same(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other, equal_nan=True)
    return bool(one == other or (one != one and other != other))


class Columns:
    """A dataclass of arrays with a column for each of n elements: the last axes are n long.

    The first field is such an array. Fields that are no arrays apply to all elements.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __len__(self) -> int:
        return int(next(iter(vars(self).values())).shape[-1])

    def __getitem__(self, some: Ids | Flags | slice) -> Self:
        if not isinstance(some, slice) and some.dtype == bool:
            (some,) = some.nonzero()  # once for all arrays
        names = self.__dataclass_fields__
        return type(self)(*(_chosen(getattr(self, name), some) for name in names))

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Concatenate the columns of one or more parts; other fields come from the last part."""
        whole = {name: getattr(parts[-1], name) for name in cls.__dataclass_fields__}
        names = [name for name, each in whole.items() if isinstance(each, np.ndarray)]
        arrays = joined([getattr(part, name) for name in names] for part in parts)
        return cls(**{**whole, **dict(zip(names, arrays, strict=True))})


def _chosen(each: Any, some: Ids | Flags | slice) -> Any:
    """Return some columns of an array; return any other value unchanged."""
    if not isinstance(each, np.ndarray):
        return each
    if each.ndim == 1:
        return each[some]
    # `take` is several times as fast as indexing the last of several axes.
    return each[..., some] if isinstance(some, slice) else each.take(some, axis=-1)
