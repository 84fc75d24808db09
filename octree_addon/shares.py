"""Shards of work for the machines of a render farm: ranges of equal work, and checks of merges."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .arrays import Ids
from .text_formats import json_text

# The number of a shard, from 1 on, and the number of shards.
Chunk = tuple[int, int]


def share_range(counts: Ids, chunk: Chunk) -> tuple[int, int]:
    """Return the range of things (start, stop) of a shard; all shards have about equal work.

    The work of thing i is counts[i] + 1; `counts` has the shape (n,).
    """
    number, count = chunk
    work = counts + 1
    begins = np.cumsum(work) - work
    total = int(work.sum())
    start, stop = np.searchsorted(begins, [total * at // count for at in (number - 1, number)])
    return int(start), int(stop)


def check_chunks(chunks: Sequence[Chunk | None]) -> None:
    """Raise a `ValueError` unless each shard of one split is given exactly once.

    None is an unsplit whole.
    """
    counts = {chunk[1] if chunk else 0 for chunk in chunks}
    if len(counts) > 1:
        raise ValueError("These are chunks of different splits")
    (count,) = counts
    found = Counter(chunk[0] for chunk in chunks if chunk)
    missing = [str(number) for number in range(1, count + 1) if number not in found]
    if missing:
        raise ValueError(f"Missing of {count} chunks: {', '.join(missing)}")
    twice = [str(number) for number, times in found.items() if times > 1]
    if twice:
        raise ValueError(f"There twice: chunk {', '.join(twice)}")


def check_asked(asked: Sequence[Mapping[str, Any]], what: str) -> None:
    """Raise a `ValueError` unless all shards have the same options; `what` begins the message."""
    for name in sorted(set().union(*asked)):
        found = sorted({json_text(each.get(name)) for each in asked})
        if len(found) > 1:
            raise ValueError(f"{what}: {name} is {', '.join(found)}")
