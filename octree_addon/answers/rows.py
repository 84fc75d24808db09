"""Result rows: objects, instances or pairs of them as arrays, with numbers in named columns."""

import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Ids
from ..reader import UNUSED

PersistentIds = NDArray[np.int32]


class Column(NamedTuple):
    """A number, or a word, of each row.

    Attributes
    ----------
    name : str
        Its header.
    unit : {"", "LENGTH", "AREA", "PERCENT"}
        What it counts in; a length is in Blender units, an area in their squares.
    values : ndarray of int64 or float64, shape (n,)
        The numbers.
    words : tuple of str, optional
        What to write for each number, which is a place among these.
    """

    name: str
    unit: str
    values: NDArray[Any]
    words: tuple[str, ...] = ()

    @property
    def power(self) -> int:
        """The power of a length that it counts in: 0 for what is neither length nor area."""
        return {"LENGTH": 1, "AREA": 2}.get(self.unit, 0)


def numbered(name: str, numbers: Iterable[int]) -> str:
    """Return the name of an instance by its persistent id, such as "Tree #3".

    One in a nested instance has a number a level: "Tree #3.1".
    """
    used = [str(abs(each)) for each in numbers if each != UNUSED]
    return f"{name} #{'.'.join(used)}" if used else name


def no_instances(count: int, width: int = 1) -> PersistentIds:
    """Return the persistent ids of rows without instances, (width, count, 8)."""
    return np.full((width, count, 8), UNUSED, np.int32)


def _no_frames() -> Ids:
    return np.empty(0, np.intp)


@dataclass(frozen=True, eq=False)
class Rows:
    """n rows, each of one object or instance, or of a pair of them.

    Attributes
    ----------
    objects : ndarray of intp, shape (1, n) or (2, n)
        The object of each, or the instancer: a session id or, once kept, an index into the
        objects of the result.
    instances : ndarray of int32, shape (1, n, 8) or (2, n, 8)
        The persistent id of each instance, as Blender has it; all `UNUSED` for an object itself.
    columns : tuple of Column
        What was found of each.
    frames : ndarray of intp, shape (f,)
        The frames that were looked at, if it is about frames.
    seen : ndarray of bool, shape (n, f)
        In which of them each was seen.
    largest : ndarray of intp, shape (n,)
        The frame that shows most of each, if that is known.
    """

    objects: Ids
    instances: PersistentIds
    columns: tuple[Column, ...] = ()
    frames: Ids = field(default_factory=_no_frames)
    seen: Flags | None = None
    largest: Ids | None = None

    def __len__(self) -> int:
        return self.objects.shape[1]

    @property
    def are_pairs(self) -> bool:
        """Whether each row is of two."""
        return len(self.objects) == 2

    def numbers_of(self, row: int, side: int) -> list[int]:
        """Return the persistent id of one instance without its unused end; empty for objects."""
        numbers = self.instances[side, row]
        return numbers[numbers != UNUSED].tolist()

    def column(self, name: str) -> Column | None:
        """Return the column of this name, if there is one."""
        return next((each for each in self.columns if each.name == name), None)


def pack(rows: Rows) -> bytes:
    """Write rows as one compressed string of bytes: an archive of arrays, as NumPy saves them."""
    arrays: dict[str, NDArray[Any]] = {"objects": rows.objects.astype(np.int32)}
    if (rows.instances != UNUSED).any():
        arrays["instances"] = rows.instances
    for number, (name, unit, values, words) in enumerate(rows.columns):
        arrays[f"column_{number}"] = values
        arrays[f"header_{number}"] = np.array([name, unit, *words])
    if rows.seen is not None:
        arrays["frames"] = rows.frames
        arrays["seen"] = np.packbits(rows.seen, axis=1)
    if rows.largest is not None:
        arrays["largest"] = rows.largest
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def unpack(data: bytes) -> Rows:
    """Return the rows that `pack` has written."""
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        objects = arrays["objects"].astype(np.intp)
        width, count = objects.shape
        there = "instances" in arrays
        instances = arrays["instances"] if there else no_instances(count, width)
        headers = [name for name in arrays.files if name.startswith("header_")]
        columns = tuple(
            Column(header, unit, arrays[name.replace("header", "column")], tuple(words))
            for name in headers
            for header, unit, *words in [arrays[name].tolist()]
        )
        if "seen" not in arrays:
            return Rows(objects, instances, columns)
        frames = arrays["frames"]
        seen = np.unpackbits(arrays["seen"], axis=1, count=len(frames)).astype(np.bool_)
        largest = arrays["largest"].astype(np.intp) if "largest" in arrays else None
        return Rows(objects, instances, columns, frames, seen, largest)
