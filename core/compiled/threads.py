"""Data parallelism: a pool of threads answers pieces of a query, with the same bits as one."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import SupportsIndex, TypeVar

from .. import checks
from ..arrays import blocks

# Environment variable: the number of threads, if `use_threads` has not set it.
_VARIABLE = "OCTREE_THREADS"
# For fewer pieces a pool does not pay: it takes a tenth of a millisecond to start.
_FEW = 4

Part = TypeVar("Part")


class _Choice:
    """Arguments of the last call of `use_threads`."""

    count: int | None = None
    spare = 0


def use_threads(count: SupportsIndex | None, /, *, spare: SupportsIndex = 0) -> None:
    """Set the default number of threads for queries, in this process.

    Parameters
    ----------
    count : int or None
        Number of threads, at least 1. None, the initial state, stands for the number in the
        environment variable `OCTREE_THREADS`, else for the number of cores that this process may
        use. Answers are the same, to the last bit. Without the compiled kernel, queries take one
        thread.
    spare : int
        Number of cores to leave free if neither `count` nor the variable sets the number of
        threads; at least one core is used.

    Raises
    ------
    ValueError
        If `count` is neither None nor a whole number of at least 1, or if `spare` is not a whole
        number of at least 0.
    """
    wanted = None if count is None else checks.whole_number("count", count, 1)
    _Choice.spare = checks.whole_number("spare", spare, 0)
    _Choice.count = wanted


def threads_of(threads: SupportsIndex | None) -> int:
    """Return `threads`, checked; for None, the default number of threads."""
    if threads is not None:
        return checks.whole_number("threads", threads, 1)
    if _Choice.count is not None:
        return _Choice.count
    told = os.environ.get(_VARIABLE, "")
    is_told = told.isdecimal() and int(told) > 0
    return int(told) if is_told else max(1, _cores() - _Choice.spare)


def _cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_pieces(
    count: int, piece: int, threads: int, work: Callable[[slice], Part], /
) -> list[Part]:
    """Return the results of `work` for all pieces of `range(count)`, in order.

    All threads have ended when this function returns or raises: the caller may free its arrays.
    """
    pieces = list(blocks(count, piece))
    if threads == 1 or len(pieces) < _FEW:
        return [work(each) for each in pieces]
    with ThreadPoolExecutor(min(threads, len(pieces)), "octree") as pool:
        try:
            return list(pool.map(work, pieces))
        finally:
            pool.shutdown(cancel_futures=True)
