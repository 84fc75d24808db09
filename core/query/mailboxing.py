"""Pairs of question and item, each once.

An item that was copied to several cells comes up in each of them. Castle Game Engine gives every
item a mailbox that remembers the last question that looked at it (M. Kamburelis, "Castle Game
Engine", chapter on octrees). Here the letters of many questions go out together: all are put into
the items' mailboxes, then each question looks who was last, and a letter that finds another of
its own question in the mailbox is a duplicate.
"""

import numpy as np
from numpy.typing import NDArray

from ..arrays import Ids, ends_of_runs

Mailboxes = NDArray[np.int32]
# Numbers of questions, and the entries that they found.
Pairs = tuple[Ids, Ids]

# An item has so many mailboxes, for every fourth question one: neighbours in space, who ask for
# the same items, seldom find each other's letters.
_EACH = 4
# Rounds of letters. Questions that contend for the same mailboxes after these are sorted out.
_ROUNDS = 3
# Pairs are dense if of so many possible ones at least one occurs.
_DENSE = 32


def mailboxes_for(entries: int) -> Mailboxes:
    """Return mailboxes for so many items, to be used again and again."""
    return np.empty(_EACH * entries, np.int32)


def once(numbers: Ids, entries: Ids, boxes: Mailboxes) -> Ids:
    """Return the pairs that remain when each is taken once, ascending: of equal pairs the last.

    There are fewer than 2**31.
    """
    addresses = entries * _EACH
    addresses += numbers & _EACH - 1
    boxes[addresses] = np.arange(len(entries), dtype=np.int32)
    latest = boxes.take(addresses)
    chosen = latest == np.arange(len(entries), dtype=np.int32)
    letters = np.flatnonzero(~chosen)
    letters = _others(numbers, letters, latest.take(letters))
    for _ in range(_ROUNDS - 1):
        if len(letters) == 0:
            break
        places = addresses.take(letters)
        boxes[places] = letters
        latest = boxes.take(places)
        chosen[latest] = True
        letters = _others(numbers, letters, latest)
    if len(letters):
        keys = numbers[letters] * len(boxes) + addresses[letters]
        chosen[letters[len(keys) - 1 - np.unique(keys[::-1], return_index=True)[1]]] = True
    return np.flatnonzero(chosen)


def _last_of_each(entries: Ids) -> Ids:
    """Return the last place of each entry, ascending: one question needs no letters."""
    order = np.argsort(entries, kind="stable")
    return np.sort(order[ends_of_runs(entries[order])])


def _others(numbers: Ids, letters: Ids, latest: NDArray[np.int32]) -> Ids:
    """Return the letters whose mailbox another question was the last to use."""
    return letters.take(np.flatnonzero(numbers.take(latest) != numbers.take(letters)))


def deduplicate(parts: list[Pairs], count: int, boxes: Mailboxes) -> list[Pairs]:
    """Return pairs of numbers and entries below `count`, each only in the last part it is in.

    The numbers of each part ascend, before and after.
    """
    lowest, volumes = _span([numbers for numbers, _ in parts if len(numbers)])
    if _DENSE * sum(len(numbers) for numbers, _ in parts) > volumes * count:
        return _marked(parts, count, lowest, volumes)
    numbers, entries = (np.concatenate(both) for both in zip(*parts, strict=True))
    some = once(numbers, entries, boxes) if volumes > 1 else _last_of_each(entries)
    cuts = np.searchsorted(some, np.cumsum([len(one) for one, _ in parts[:-1]]))
    return [(numbers[few], entries[few]) for few in np.split(some, cuts)]


def _span(ascending: list[Ids]) -> tuple[int, int]:
    """Return the lowest number, and how many there are from it to the highest."""
    lowest = min((int(numbers[0]) for numbers in ascending), default=0)
    return lowest, max((int(numbers[-1]) + 1 for numbers in ascending), default=0) - lowest


def _marked(parts: list[Pairs], count: int, lowest: int, volumes: int) -> list[Pairs]:
    """Do as `deduplicate` for pairs so dense that marking a table of all of them is cheaper."""
    marks = np.zeros(volumes * count, np.uint8)
    for part, (numbers, entries) in enumerate(parts, 1):
        marks[entries if volumes == 1 else (numbers - lowest) * count + entries] = part
    marked = [(marks == part).nonzero()[0] for part in range(1, len(parts) + 1)]
    if volumes == 1:
        return [(np.broadcast_to(np.intp(lowest), len(some)), some) for some in marked]
    return [(lowest + some // count, some % count) for some in marked]
