"""Rounds: process a few elements of each owner first, then more of each owner still open."""

from collections.abc import Callable, Iterator

import numpy as np

from .arrays import Flags, Ids


def first_of_each(numbers: Ids, few: int) -> Flags:
    """Flag the first few elements of each run of equal numbers, which ascend."""
    flags: Flags = np.arange(len(numbers)) - np.searchsorted(numbers, numbers) < few
    return flags


def in_rounds(
    owners: Ids, few: int, more: int, are_open: Callable[[Ids, Ids], Flags]
) -> Iterator[Ids]:
    """Yield places of `owners`, which ascend: a few of each owner, then `more` times as many.

    Before each round, `are_open` flags the places that are still needed, given their owners and
    the places themselves.
    """
    left = np.arange(len(owners))
    while len(left := left[are_open(owners[left], left)]):
        early = first_of_each(owners[left], few)
        yield left[early]
        left, few = left[~early], few * more
