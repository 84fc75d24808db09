"""Label pictures of a shot, kept compressed: they are nearly all the same number side by side."""

import zlib
from dataclasses import dataclass, field

import numpy as np

from .. import tuning
from .table import LabelPicture


@dataclass(eq=False)
class LabelStore:
    """Label pictures by the number of their view, in the order in which they were made.

    Attributes
    ----------
    size : tuple of int
        Width and height of all of them.
    """

    size: tuple[int, int]
    _pictures: list[bytes] = field(default_factory=list)
    _bytes: int = 0

    def add(self, picture: LabelPicture) -> None:
        """Keep the picture of the next view; all are dropped if they have become too large."""
        packed = zlib.compress(np.ascontiguousarray(picture, np.int32).tobytes(), 1)
        self._bytes += len(packed)
        if self._bytes > tuning.current.label_bytes:
            self._pictures.clear()
        else:
            self._pictures.append(packed)

    def __call__(self, view: int) -> LabelPicture:
        """Return the picture of a view; a `ValueError` if there are too many to be kept."""
        if self._bytes > tuning.current.label_bytes:
            raise ValueError("The label pictures are too large to be kept: ask for fewer frames")
        numbers = np.frombuffer(zlib.decompress(self._pictures[view]), np.int32)
        return numbers.reshape(self.size[::-1])
