"""Checksums in C."""

import numpy as np
from numpy.typing import NDArray

from .door import Caller, found


class Summer(Caller):
    """Kernel function that sums mixed words, block by block."""

    def fill_in(self, sums: NDArray[np.uint64], words: NDArray[np.uint64]) -> None:
        """Fill in the checksums (b,) of blocks of words (n,), as in `core/checksumming.py`."""
        self._call("sum_words", words, len(words), len(sums), sums)


def summer() -> Summer | None:
    """Return the kernel function for checksums; None without the compiled kernel."""
    return None if found()[0] is None else Summer()
