"""Result rows: objects, instances or pairs of them, with named columns of numbers, as arrays."""

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
    """One number, or one word, for each of n rows.

    Attributes
    ----------
    name : str
        The header.
    unit : {"", "LENGTH", "AREA", "PERCENT"}
        The unit: a length is in Blender units, an area in square Blender units.
    values : ndarray of int64 or float64, shape (n,)
        The numbers, or indices into `words`.
    words : tuple of str, optional
        The texts of a column of words.
    """

    name: str
    unit: str
    values: NDArray[Any]
    words: tuple[str, ...] = ()

    @property
    def power(self) -> int:
        """The exponent of the length unit: 1 for lengths, 2 for areas, else 0."""
        return {"LENGTH": 1, "AREA": 2}.get(self.unit, 0)


def numbered(name: str, numbers: Iterable[int]) -> str:
    """Return the label of an instance from its name and persistent id, such as "Tree #3".

    A nested instance has one number per level: "Tree #3.1".
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
    """A table of n rows, each about one object or instance, or about a pair of them.

    Attributes
    ----------
    objects : ndarray of intp, shape (1, n) or (2, n)
        The object of each row, or its instancer: a session id or, in a saved result, an index
        into the objects of the result.
    instances : ndarray of int32, shape (1, n, 8) or (2, n, 8)
        The persistent id of each instance, from Blender; all `UNUSED` for an object itself.
    columns : tuple of Column
        The findings.
    frames : ndarray of intp, shape (f,)
        The frames that were asked; empty for answers about a single frame.
    seen : ndarray of bool, shape (n, f), optional
        Flags of the frames in which each object was seen, or each pair was in contact.
    largest : ndarray of intp, shape (n,), optional
        The frame in which each object is largest in the picture.
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
        """True if each row is a pair."""
        return len(self.objects) == 2

    def numbers_of(self, row: int, side: int) -> list[int]:
        """Return the used numbers of a persistent id; empty for an object itself."""
        numbers = self.instances[side, row]
        return numbers[numbers != UNUSED].tolist()

    def column(self, name: str) -> Column | None:
        """Return the column of this name; None if there is none."""
        return next((each for each in self.columns if each.name == name), None)


def pack(rows: Rows) -> bytes:
    """Pack rows into bytes: a compressed NumPy archive (npz)."""
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
    """Return the rows of bytes from `pack`."""
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
