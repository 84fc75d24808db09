"""Pairs of question and item that a walk leaves to be looked at, each once.

An item that was copied to several cells comes up in each of them. Castle Game Engine gives every
item a mailbox that remembers the last question that looked at it (M. Kamburelis, "Castle Game
Engine", chapter on octrees). Here the letters of many questions go out together: all are put into
the items' mailboxes, then each question looks who was last, and a letter that finds another of
its own question in the mailbox is a duplicate.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .arrays import Ids, runs
from .descend import Found, descend
from .octree import Octree
from .shapes import Shapes
from .words import interleaved, sorted_order

# How many questions go down together: at first, at most, and so many that they find this many
# slots, whose pairs take some ten megabytes.
_FIRST, _MOST, _SLOTS = 256, 65_536, 524_288
# A group that finds more runs of slots than this goes down again in smaller parts.
_RUNS = 2_097_152
# Bits of each coordinate that tell which volumes are neighbours.
_BITS = 10
# Rounds of letters. Questions that contend for the same mailboxes after these are sorted out.
_ROUNDS = 3


@dataclass(frozen=True)
class Candidates:
    """Pairs of volumes and entries of the tree, ascending by volume.

    The volumes are some of those asked about: number i of them is volume `asked[i]`. Doubtful
    pairs come once each. Certain pairs, of cells that lie inside their volume, may be repeated.
    """

    volumes: Shapes
    asked: Ids
    numbers: Ids
    entries: Ids
    certain: bool


def candidates(tree: Octree, volumes: Shapes) -> Iterator[Candidates]:
    """Yield the items of all cells that each volume touches.

    Neighbours in space go down together, for they meet the same cells and items in the cache. The
    memory in use does not grow with the number of volumes: the more slots they find, the fewer go
    down together.
    """
    mailboxes = np.empty(len(tree.order), np.intp)
    order = neighbours_together(tree, volumes)
    first, size = 0, _FIRST
    while first < len(volumes):
        asked = order[first : first + size]
        part = volumes[asked]
        found = _together(descend(tree, part), _RUNS if len(part) > 1 else None)
        if found is None:
            size = max(1, len(part) // 16)
            continue
        slots = 0
        for certain, runs_found in _by_volume(found):
            for numbers, entries in expanded(tree, runs_found, _SLOTS):
                slots += len(entries)
                some = slice(None) if certain else once(numbers, entries, mailboxes)
                yield Candidates(part, asked, numbers[some], entries[some], certain)
        first += len(part)
        size = max(1, min(_MOST, size * _SLOTS // max(slots, 1)))


def neighbours_together(tree: Octree, volumes: Shapes) -> Ids:
    """Return the order along the Morton curve of the middles of what the root has of them."""
    if len(volumes) < _FIRST:
        return np.arange(len(volumes))
    root_lower, root_upper = tree.cell_rows[:3, :1], tree.cell_rows[3:, :1]
    lower, upper = (np.clip(side, root_lower, root_upper) for side in volumes.limits())
    size = root_upper - root_lower
    scale = np.divide(2**_BITS, size, out=np.zeros((3, 1)), where=size > 0)
    places = ((lower + upper) / 2 - root_lower) * scale
    places = np.clip(places, 0, 2**_BITS - 1).astype(np.int64)
    return sorted_order(interleaved(places, _BITS), 3 * _BITS)


def _together(walk: Iterator[Found], most: int | None) -> list[Found] | None:
    """Return all that a walk finds, or nothing if that is more than `most` runs."""
    found, count = [], 0
    for each in walk:
        found.append(each)
        count += len(each.numbers)
        if most is not None and count > most:
            return None
    return found


def _by_volume(found: list[Found]) -> Iterator[tuple[bool, Found]]:
    """Join certain runs and doubtful runs, each ascending by volume."""
    for certain in (True, False):
        some = [each for each in found if each.certain is certain]
        if some:
            numbers, begin, end = (
                np.concatenate([getattr(each, name) for each in some])
                for name in ("numbers", "begin", "end")
            )
            order = np.argsort(numbers.astype(np.uint16), kind="stable")
            yield certain, Found(numbers[order], begin[order], end[order], certain)


def expanded(tree: Octree, found: Found, size: int) -> Iterator[tuple[Ids, Ids]]:
    """Yield the volumes and entries of runs, pair by pair.

    They come in pieces of about `size` pairs, none of which ends in the middle of a volume.
    """
    counts = found.end - found.begin
    slots = np.cumsum(counts)
    last = np.flatnonzero(np.diff(found.numbers, append=-1))
    piece = slots[last] // size
    start = 0
    for stop in last[np.flatnonzero(np.diff(piece, append=-1))] + 1:
        some = slice(start, stop)
        entries = tree.slots[runs(found.begin[some], counts[some])]
        yield np.repeat(found.numbers[some], counts[some]), entries
        start = stop


def once(numbers: Ids, entries: Ids, mailboxes: Ids) -> Ids:
    """Return the pairs that remain when each is taken once, ascending."""
    chosen = np.zeros(len(entries), bool)
    letters, senders, addresses = np.arange(len(entries)), numbers, entries
    for _ in range(_ROUNDS):
        mailboxes[addresses] = letters
        latest = mailboxes[addresses]
        chosen[latest] = True
        more = np.flatnonzero(numbers[latest] != senders)
        letters, senders, addresses = letters[more], senders[more], addresses[more]
    keys = senders * len(mailboxes) + addresses
    chosen[letters[np.unique(keys, return_index=True)[1]]] = True
    return np.flatnonzero(chosen)
