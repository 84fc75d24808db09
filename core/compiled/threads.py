"""Pieces of a question, walked by a pool of threads (data parallelism): the same bits as one."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import SupportsIndex, TypeVar

from .. import checks
from ..arrays import blocks

# How many threads a question takes, if the process has not been told.
_VARIABLE = "OCTREE_THREADS"
# Fewer pieces are not worth a pool, which takes a tenth of a millisecond to start.
_FEW = 4

Part = TypeVar("Part")


class _Choice:
    """What `use_threads` has been told."""

    count: int | None = None
    spare = 0


def use_threads(count: SupportsIndex | None, /, *, spare: SupportsIndex = 0) -> None:
    """Set how many threads questions take by default, in this process.

    Parameters
    ----------
    count : int or None
        How many, at least 1. None, as at first: what the environment variable `OCTREE_THREADS`
        says, else as many as there are cores that this process may use. Answers are the same, to
        the last bit; NumPy alone takes one.
    spare : int
        How many of the cores are left free, as long as one is not, where nothing is said.

    Raises
    ------
    ValueError
        If `count` is neither None nor a whole number of at least 1, or `spare` no whole number.
    """
    wanted = None if count is None else checks.whole_number("count", count, 1)
    _Choice.spare = checks.whole_number("spare", spare, 0)
    _Choice.count = wanted


def threads_of(threads: SupportsIndex | None) -> int:
    """Return how many threads a question takes that asks for so many; checked."""
    if threads is not None:
        return checks.whole_number("threads", threads, 1)
    if _Choice.count is not None:
        return _Choice.count
    told = os.environ.get(_VARIABLE, "")
    is_told = told.isdecimal() and int(told) > 0
    return int(told) if is_told else max(1, _cores() - _Choice.spare)


def _cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_pieces(
    count: int, piece: int, threads: int, work: Callable[[slice], Part], /
) -> list[Part]:
    """Return what `work` makes of all pieces of `range(count)`, in order.

    All threads have ended once it returns, also by an error or an interruption: what is asked may
    be freed.
    """
    pieces = list(blocks(count, piece))
    if threads == 1 or len(pieces) < _FEW:
        return [work(each) for each in pieces]
    with ThreadPoolExecutor(min(threads, len(pieces)), "octree") as pool:
        try:
            return list(pool.map(work, pieces))
        finally:
            pool.shutdown(cancel_futures=True)
