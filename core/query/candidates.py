"""Pairs of question and item that a walk leaves to be looked at, each once."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Ids, concatenated_ranges, ends_of_runs, radix_argsort
from ..descend import NOTHING, Found, descend
from ..morton import morton_codes
from ..octree import Octree
from ..shapes import Shapes
from .mailboxing import Pairs, deduplicate, mailboxes_for

# How many questions go down together: at first, at most, and so many that they find this many
# slots. Of these, so many are then looked at together, if they need not be of one question.
_FIRST, _MOST, _SLOTS, _PIECE = 1_024, 65_536, 1_048_576, 262_144
# A group that finds more runs of slots than this goes down again in smaller parts.
_RUNS = 2_097_152
# Bits of each coordinate that tell which volumes are neighbours.
_BITS = 10


@dataclass(frozen=True)
class Candidates:
    """Pairs of volumes and entries of the tree, each once: all pairs of some volumes.

    The volumes are some of those asked about: number i of them is volume `asked[i]`. Certain
    pairs are of cells that lie inside their volume. Both kinds ascend by volume.
    """

    volumes: Shapes
    asked: Ids
    doubtful: Pairs
    certain: Pairs


def candidates(
    tree: Octree, volumes: Shapes, seen: tuple[Ids, Ids] | None = None
) -> Iterator[Candidates]:
    """Yield the items of all cells that each volume touches, but those it has seen.

    For each volume one run of slots may have been seen, given by where they begin and end.
    Neighbours in space go down together, for they meet the same cells and items in the cache. The
    memory in use does not grow with the number of volumes: the more slots they find, the fewer go
    down together.
    """
    boxes = mailboxes_for(len(tree.order))
    order = neighbours_together(tree, volumes)
    first, size = 0, _FIRST
    while first < len(volumes):
        asked = order[first : first + size]
        part = volumes[asked]
        found = _together(descend(tree, part), _RUNS if len(part) > 1 else None)
        if found is None:
            size = max(1, len(part) // 16)
            continue
        slots = found[0].references + found[1].references
        if seen is not None:
            found.append(Found(np.arange(len(part)), seen[0][asked], seen[1][asked], False))
        for portion in portions(found, len(part), _PIECE) if slots > _PIECE else [found]:
            pairs = [expanded(tree, some) for some in portion]
            if seen is not None or tree.straddlers != "keep":
                pairs = deduplicate(pairs, len(tree.order), boxes)
            yield Candidates(part, asked, *pairs[:2])
        first += len(part)
        size = max(1, min(_MOST, len(part) * _SLOTS // max(slots, 1)))


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
    return radix_argsort(morton_codes(places, _BITS), 3 * _BITS)


def _together(walk: Iterator[Found], most: int | None) -> list[Found] | None:
    """Return doubtful and certain runs, both by volume; nothing if they are more than `most`."""
    found: tuple[list[Found], list[Found]] = [NOTHING], [NOTHING]
    count = 0
    for each in walk:
        found[each.certain].append(each)
        count += len(each.numbers)
        if most is not None and count > most:
            return None
    return [by_volume(some) for some in found]


def by_volume(found: list[Found]) -> Found:
    """Return all these runs, sorted by volume; their numbers are below 2**16."""
    numbers, begin, end = (
        np.concatenate([getattr(each, name) for each in found])
        for name in ("numbers", "begin", "end")
    )
    order = np.argsort(numbers.astype(np.uint16), kind="stable")
    return Found(numbers[order], begin[order], end[order], found[-1].certain)


def portions(found: list[Found], volumes: int, size: int) -> Iterator[list[Found]]:
    """Yield the runs of some volumes after the other, of about `size` slots together."""
    slots = sum(np.bincount(some.numbers, some.end - some.begin, volumes) for some in found)
    last = ends_of_runs(np.cumsum(slots) // size)
    cuts = [np.searchsorted(some.numbers, last, "right") for some in found]
    starts: tuple[int, ...] = (0,) * len(found)
    for stops in zip(*cuts, strict=True):
        yield [some[start:stop] for some, start, stop in zip(found, starts, stops, strict=True)]
        starts = stops


def expanded(tree: Octree, found: Found) -> tuple[Ids, Ids]:
    """Return the volumes and entries of runs, pair by pair."""
    counts = found.end - found.begin
    entries = tree.references[concatenated_ranges(found.begin, counts)]
    if len(counts) and found.numbers[0] == found.numbers[-1]:
        return np.broadcast_to(found.numbers[0], len(entries)), entries
    return np.repeat(found.numbers, counts), entries
