"""Mailboxing: pairs of volume or point and entry, each once, for whole batches.

An item that was copied to several cells comes up in each of them. Castle Game Engine gives every
item a mailbox that remembers the last query that tested it (M. Kamburelis, "Castle Game
Engine", chapter on octrees). Here many queries run at once: each pair is written into a mailbox
of its entry, then read again, and a pair that finds another pair of its own query there is a
duplicate. Rays test a copy again instead, which costs less than to find out that they have.
"""

import numpy as np
from numpy.typing import NDArray

from .arrays import Ids, blocks, concatenated_ranges, ends_of_runs, joined, radix_argsort

# Query numbers and entries, two arrays of one length.
Pairs = tuple[Ids, Ids]
# For each mailbox, the position of the pair written last.
Latest = NDArray[np.int32]

# Mailboxes of an entry, one for every fourth query: neighbors in space, which find the same
# entries, seldom contend for one.
_EACH = 4
# Rounds of writing. Queries that still contend for the same mailboxes are then sorted.
_ROUNDS = 3
# Pairs are dense if more than one in this many possible pairs occurs.
_DENSE = 32
# Volumes that get their number at a time.
_BLOCK = 65_536


def mailboxes_for(entries: int) -> Latest:
    """Return mailboxes for entries below this number, to be used again and again."""
    return np.empty(_EACH * entries, np.int32)


def unique_pairs(queries: Ids, entries: Ids, mailboxes: Latest) -> Ids:
    """Return the positions of distinct pairs, ascending: among equal pairs, the last.

    At most 2**31 - 1 pairs are allowed.
    """
    addresses = entries * _EACH
    addresses += queries & _EACH - 1
    mailboxes[addresses] = np.arange(len(entries), dtype=np.int32)
    latest = mailboxes.take(addresses)
    kept = latest == np.arange(len(entries), dtype=np.int32)
    pending = np.flatnonzero(~kept)
    pending = _of_other_queries(queries, pending, latest.take(pending))
    for _ in range(_ROUNDS - 1):
        if len(pending) == 0:
            break
        places = addresses.take(pending)
        mailboxes[places] = pending
        latest = mailboxes.take(places)
        kept[latest] = True
        pending = _of_other_queries(queries, pending, latest)
    if len(pending):
        keys = queries[pending] * len(mailboxes) + addresses[pending]
        kept[pending[len(keys) - 1 - np.unique(keys[::-1], return_index=True)[1]]] = True
    return np.flatnonzero(kept)


def _of_other_queries(queries: Ids, pending: Ids, latest: Latest) -> Ids:
    """Return the pending pairs whose mailbox was last written for another query."""
    return pending.take(np.flatnonzero(queries.take(latest) != queries.take(pending)))


def _last_of_each(entries: Ids) -> Ids:
    """Return the last position of each entry, ascending: one query needs no mailboxes."""
    order = np.argsort(entries, kind="stable")
    return np.sort(order[ends_of_runs(entries[order])])


def deduplicate(parts: list[Pairs], count: int, mailboxes: Latest) -> list[Pairs]:
    """Return pairs of queries and entries below `count`, each only in the last part it is in.

    The queries of each part ascend, before and after.
    """
    lowest, span = _span([queries for queries, _ in parts if len(queries)])
    if _DENSE * sum(len(queries) for queries, _ in parts) > span * count:
        return _marked(parts, count, lowest, span)
    queries, entries = joined(parts)
    some = unique_pairs(queries, entries, mailboxes) if span > 1 else _last_of_each(entries)
    cuts = np.searchsorted(some, np.cumsum([len(one) for one, _ in parts[:-1]]))
    return [(queries[few], entries[few]) for few in np.split(some, cuts)]


def _span(ascending: list[Ids]) -> tuple[int, int]:
    """Return the lowest number, and how many there are from it to the highest."""
    lowest = min((int(queries[0]) for queries in ascending), default=0)
    return lowest, max((int(queries[-1]) + 1 for queries in ascending), default=0) - lowest


def _marked(parts: list[Pairs], count: int, lowest: int, span: int) -> list[Pairs]:
    """Do as `deduplicate` for pairs so dense that marking a table of all of them is cheaper."""
    marks = np.zeros(span * count, np.uint8)
    for part, (queries, entries) in enumerate(parts, 1):
        marks[entries if span == 1 else (queries - lowest) * count + entries] = part
    marked = [(marks == part).nonzero()[0] for part in range(1, len(parts) + 1)]
    if span == 1:
        return [(np.broadcast_to(np.intp(lowest), len(some)), some) for some in marked]
    return [(lowest + some // count, some % count) for some in marked]


class Answers:
    """The items of each of `volumes`, numbers below `items`, gathered some volumes at a time.

    All pairs of a volume come together, so they are sorted at once, while they are in the cache,
    and wait as 32-bit queries until it is known where each volume's begin.
    """

    def __init__(self, volumes: int, items: int) -> None:
        self._items = items
        self._narrow = np.int32 if items < 2**31 else np.intp
        self._counts = np.zeros(volumes, np.intp)
        self._parts: list[tuple[Ids, NDArray[np.int32] | Ids]] = []

    def add(self, asked: Ids, queries: Ids, items: Ids) -> None:
        """Take all pairs of some volumes, each pair once; query i is volume `asked[i]`."""
        if len(queries) == 0:
            return
        counts = np.bincount(queries)
        volumes = counts.nonzero()[0]
        self._counts[asked[volumes]] = counts[volumes]
        lowest, span = int(volumes[0]), int(volumes[-1] - volumes[0]) + 1
        ordered = self._sorted(queries - lowest if span > 1 else queries, items, span)
        self._parts.append((asked[volumes], ordered.astype(self._narrow)))

    def _sorted(self, queries: Ids, items: Ids, volumes: int) -> Ids:
        """Return the items sorted by query, all of them below `volumes`, then by item."""
        if _DENSE * len(items) > volumes * self._items:
            # Marking them on a list of all pairs is cheaper than sorting.
            marks = np.zeros(volumes * self._items, bool)
            marks[items if volumes == 1 else queries * self._items + items] = True
            keys = marks.nonzero()[0]
            return keys if volumes == 1 else keys % self._items
        bits = self._items.bit_length()
        keys = items if volumes == 1 else queries << bits | items
        return items[radix_argsort(keys, bits + (volumes - 1).bit_length())]

    def pairs(self) -> Ids:
        """Return all pairs (2, h), sorted by volume, then by item; only once, to save memory."""
        ends = np.cumsum(self._counts)
        pairs = np.empty((2, ends[-1] if len(ends) else 0), np.intp)
        starts = ends - self._counts
        for some in blocks(len(ends), _BLOCK):
            volumes = np.repeat(np.arange(some.start, some.stop), self._counts[some])
            pairs[0, starts[some.start] : ends[some.stop - 1]] = volumes
        while self._parts:
            asked, items = self._parts.pop()
            if len(asked) == 1:
                pairs[1, starts[asked[0]] : ends[asked[0]]] = items
            else:
                pairs[1, concatenated_ranges(starts[asked], self._counts[asked])] = items
        return pairs
