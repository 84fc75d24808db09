"""Compressed storage of label pictures; their long runs of equal numbers compress well."""

import zlib
from dataclasses import dataclass, field

import numpy as np

from .. import tuning
from .table import LabelPicture


@dataclass(eq=False)
class LabelStore:
    """Label pictures by view number, in the order in which they were drawn.

    Attributes
    ----------
    size : tuple of int
        Width and height of each picture.
    """

    size: tuple[int, int]
    _pictures: list[bytes] = field(default_factory=list)
    _bytes: int = 0

    def add(self, picture: LabelPicture) -> None:
        """Store the picture of the next view; drop all pictures if the total is too large."""
        packed = zlib.compress(np.ascontiguousarray(picture, np.int32).tobytes(), 1)
        self._bytes += len(packed)
        if self._bytes > tuning.current.label_bytes:
            self._pictures.clear()
        else:
            self._pictures.append(packed)

    def __call__(self, view: int) -> LabelPicture:
        """Return the picture of a view; raise a `ValueError` if the pictures were dropped."""
        if self._bytes > tuning.current.label_bytes:
            raise ValueError("The label pictures are too large to be kept: ask for fewer frames")
        numbers = np.frombuffer(zlib.decompress(self._pictures[view]), np.int32)
        return numbers.reshape(self.size[::-1])
