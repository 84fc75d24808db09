"""Candidates: pairs of query and item that the descent leaves, each once, then exact tests."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Ids
from ..descend import NOTHING, Found, descend, expanded, morton_order, portions
from ..mailboxing import Pairs, deduplicate, mailboxes_for
from ..octree import Octree
from ..shapes import Shapes
from ..touch import lying_inside, touching

# Queries that descend together at first, and at most; the references that a batch should find.
# Of these, about _PIECE are expanded together, unless one query found more.
_FIRST, _MOST, _REFERENCES, _PIECE = 1_024, 65_536, 1_048_576, 262_144
# A batch that finds more runs of references than this descends again in smaller parts.
_RUNS = 2_097_152

_NONE = np.empty(0, np.intp)


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

    For each volume one run of references may have been seen, given by where they begin and end.
    The memory in use does not grow with the number of volumes: the more references they find, the
    fewer descend together.
    """
    mailboxes = mailboxes_for(len(tree.order))
    order = morton_order(tree, volumes)
    first, size = 0, _FIRST
    while first < len(volumes):
        asked = order[first : first + size]
        part = volumes[asked]
        found = _together(descend(tree, part), _RUNS if len(part) > 1 else None)
        if found is None:
            size = max(1, len(part) // 16)
            continue
        references = found[0].references + found[1].references
        if seen is not None:
            found.append(Found(np.arange(len(part)), seen[0][asked], seen[1][asked], False))
        for portion in portions(found, len(part), _PIECE) if references > _PIECE else [found]:
            pairs = [expanded(tree, some) for some in portion]
            if seen is not None or tree.straddlers != "keep":
                pairs = deduplicate(pairs, len(tree.order), mailboxes)
            yield Candidates(part, asked, *pairs[:2])
        first += len(part)
        size = max(1, min(_MOST, len(part) * _REFERENCES // max(references, 1)))


def _together(walk: Iterator[Found], most: int | None) -> list[Found] | None:
    """Return doubtful and certain runs, both by volume; nothing if they are more than `most`."""
    found: tuple[list[Found], list[Found]] = [NOTHING], [NOTHING]
    count = 0
    for each in walk:
        found[each.certain].append(each)
        count += len(each.queries)
        if most is not None and count > most:
            return None
    return [by_volume(some) for some in found]


def by_volume(found: list[Found]) -> Found:
    """Return all these runs, sorted by volume; their numbers are below 2**16."""
    queries, begin, end = (
        np.concatenate([getattr(each, name) for each in found])
        for name in ("queries", "begin", "end")
    )
    order = np.argsort(queries.astype(np.uint16), kind="stable")
    return Found(queries[order], begin[order], end[order], found[-1].certain)


def confirmed(tree: Octree, found: Candidates, relation: str) -> Pairs:
    """Return the pairs for which the relation holds, in no order."""
    if relation == "candidates":
        return _joined(found.doubtful, found.certain)
    sure, unsure = vouched(tree, found.certain, relation)
    parts = [holding(tree, found.volumes, some, relation) for some in (found.doubtful, unsure)]
    return _joined(*parts, sure)


def holding(tree: Octree, volumes: Shapes, pairs: Pairs, relation: str = "touching") -> Pairs:
    """Return those of the pairs that pass the test; their volumes ascend."""
    test = touching if relation == "touching" else lying_inside
    queries, entries = pairs
    return chosen(pairs, test(tree.arranged, entries, volumes, queries).nonzero()[0])


def vouched(tree: Octree, certain: Pairs, relation: str) -> tuple[Pairs, Pairs]:
    """Split the items of cells inside a volume: those that are sure, and those to be tested.

    Such a cell vouches for what touches the cell. Only items that stand in no other cell are
    known to lie in it wholly.
    """
    doubted = tree.copied[certain[1]] if relation == "inside" else _strays(tree, certain[1])
    if not doubted.any():
        return certain, (_NONE, _NONE)
    return chosen(certain, (~doubted).nonzero()[0]), chosen(certain, doubted.nonzero()[0])


def _strays(tree: Octree, entries: Ids) -> Flags:
    return np.isin(entries, tree.strays) if len(tree.strays) else np.zeros(1, bool)


def chosen(pairs: Pairs, some: Ids) -> Pairs:
    """Return some of the pairs."""
    return pairs[0][some], pairs[1][some]


def _joined(*parts: Pairs) -> Pairs:
    queries, entries = zip(*parts, strict=True)
    return np.concatenate(queries), np.concatenate(entries)
