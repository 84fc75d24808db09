"""Volume queries in NumPy: a descent for unique candidates, then exact tests of these."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .. import tuning
from ..arrays import Flags, Ids, blocks, concatenated_ranges, gather, joined
from ..boxes import boxes_meet
from ..descend import NOTHING, Found, descend, expanded, morton_order, nearest_cells, portions
from ..mailboxing import Answers, Pairs, deduplicate, mailboxes_for
from ..rounds import in_rounds
from ..shapes import Shapes
from ..snapshot import Images, IndexSnapshot, VolumePairs
from ..touch import lying_inside, touching
from ..walkable import Walkable

# Pairs of volume and placement that descend together in the first batch, and at most; target of
# references found by a batch. About _PIECE references are expanded together.
_FIRST, _MOST, _REFERENCES, _PIECE = 1_024, 65_536, 1_048_576, 262_144
# For `query_any`: items that a pair tests in the first round; the factor for the next round.
_FEW, _MORE = 8, 8
# Items of one leaf that are tested before all others.
_LOOK = 32
# Pairs whose leaves are looked at together.
_BLOCK = 8_192
# For `query_any`: placements in the first round of a volume; the factor for the next round.
_PLACES, _MORE_PLACES = 1, 8

_NONE = np.empty(0, np.intp)


@dataclass(frozen=True)
class Candidates:
    """Candidates of some pairs of volume and placement: numbers and entries of a tree, each once.

    Number i stands for pair `asked[i]`, all of whose candidates in the tree are given. Certain
    candidates are in cells that lie inside the volume. Both kinds ascend by number.
    """

    tree: Walkable
    asked: Ids
    doubtful: Pairs
    certain: Pairs


def found_by(snapshot: IndexSnapshot, volumes: Shapes, relation: str) -> Ids:
    """Return volumes and the items in the relation, (2, h) or (3, h), sorted."""
    none = VolumePairs(_NONE, _NONE, np.zeros(0, bool))
    parts = [snapshot.answer_of(none, np.empty((2, 0), np.intp))]
    for pairs in snapshot.volume_pairs(volumes):
        (rest,) = (~pairs.whole).nonzero()
        some, answers = pairs[rest], Answers(len(pairs), snapshot.item_limit)
        for found in candidates(snapshot, volumes, some, tight=relation == "candidates"):
            numbers, entries = confirmed(snapshot, volumes, some, found, relation)
            answers.add(rest[found.asked], numbers, found.tree.order[entries])
        parts.append(snapshot.answer_of(pairs, _with_whole(snapshot, pairs, answers.pairs())))
    return parts[1] if len(parts) == 2 else np.concatenate(parts, axis=1)


def counted_by(snapshot: IndexSnapshot, volumes: Shapes) -> Ids:
    """Return the number of items that touch each volume, (q,)."""
    counts = np.zeros(len(volumes), np.intp)
    for pairs in snapshot.volume_pairs(volumes):
        whole, some = pairs[pairs.whole], pairs[~pairs.whole]
        np.add.at(counts, whole.volumes, snapshot.item_counts(whole.rows))
        for found in candidates(snapshot, volumes, some):
            numbers, _ = confirmed(snapshot, volumes, some, found, "touching")
            asked = some.volumes[found.asked]
            np.add.at(counts, asked, np.bincount(numbers, minlength=len(asked)))
    return counts


def any_by(snapshot: IndexSnapshot, volumes: Shapes) -> Flags:
    """Flag the volumes that touch an item; the search of each volume stops at its first hit."""
    flags = np.zeros(len(volumes), bool)
    for pairs in snapshot.volume_pairs(volumes):
        flags[pairs.volumes[pairs.whole]] = True
        for early in in_rounds(pairs.volumes, _PLACES, _MORE_PLACES, lambda of, _: ~flags[of]):
            some = pairs[early]
            flags[some.volumes[any_of(snapshot, volumes, some)]] = True
    return flags


def any_of(snapshot: IndexSnapshot, volumes: Shapes, pairs: VolumePairs) -> Flags:
    """Flag the pairs with an item that touches the volume, testing growing rounds of items."""
    touched, *seen = _looked(snapshot, volumes, pairs)
    (left,) = (~touched).nonzero()
    for found in candidates(snapshot, volumes, pairs, left, seen):
        sure, unsure = vouched(found.tree, found.certain, "touching")
        touched[found.asked[sure[0]]] = True
        for numbers, entries in (unsure, found.doubtful):
            asked = found.asked[numbers]
            for early in in_rounds(asked, _FEW, _MORE, lambda of, _: ~touched[of]):
                some = numbers[early], entries[early]
                held = holding(snapshot, volumes, pairs, found, some, "touching")
                touched[found.asked[held[0]]] = True
    return touched


def _looked(
    snapshot: IndexSnapshot, volumes: Shapes, pairs: VolumePairs
) -> tuple[Flags, Ids, Ids]:
    """Flag the pairs with a touching item in the leaf nearest to the middle of the volume.

    Also returns the begin and end of the tested references of each pair.
    """
    touched, (begin, end) = np.zeros(len(pairs), bool), np.zeros((2, len(pairs)), np.intp)
    for some in blocks(len(pairs), _BLOCK):
        for tree, images in snapshot.local_volumes(volumes, pairs[some]):
            if images.shapes is None:
                continue
            here = some.start + images.pairs
            walls = gather(tree.loose_rows, tree.roots)
            low, high = (np.clip(side, walls[:3], walls[3:]) for side in images.shapes.limits())
            cells = nearest_cells(tree, (low + high) / 2, 1)
            are_met = boxes_meet(gather(tree.loose_rows, cells), np.concatenate((low, high)))
            first = tree.begin[cells]
            last = np.where(are_met, np.minimum(tree.end[cells], first + _LOOK), first)
            begin[here], end[here] = first, last
            run = Found(np.arange(len(cells)), first, last, certain=False)
            for found in _expanded(tree, here, [run, NOTHING]):
                held = holding(snapshot, volumes, pairs, found, found.doubtful, "touching")
                touched[found.asked[held[0]]] = True
    return touched, begin, end


def candidates(
    snapshot: IndexSnapshot,
    volumes: Shapes,
    pairs: VolumePairs,
    some: Ids | None = None,
    seen: Sequence[Ids] = (),
    *,
    tight: bool = False,
) -> Iterator[Candidates]:
    """Yield the items of all cells that each volume touches in its placement, for `some` pairs.

    `seen` is one run of references per pair, begin and end, to leave out.

    The memory in use does not grow with the number of pairs: the more references they find, the
    fewer descend together. For `tight` see `classifier`.
    """
    some = np.arange(len(pairs)) if some is None else some
    ranks = _ranks(snapshot, volumes).take(pairs.volumes[some])
    order = some[np.argsort(ranks, kind="stable")]
    first, size, most_runs = 0, _FIRST, tuning.current.query_runs
    while first < len(order):
        asked = order[first : first + size]
        most = most_runs if len(asked) > 1 else None
        steps = snapshot.local_volumes(volumes, pairs[asked])
        found = [(tree, images, _runs(tree, images, most, tight)) for tree, images in steps]
        if not all(runs for _, _, runs in found):
            size = max(1, len(asked) // 16)
            continue
        references = 0
        for tree, images, runs in found:
            references += sum(each.references for each in runs)
            here = asked[images.pairs]
            if seen:
                begin, end = (each[here] for each in seen)
                runs.append(Found(np.arange(len(here)), begin, end, certain=False))
            yield from _expanded(tree, here, runs)
        first += len(asked)
        size = max(1, min(_MOST, len(asked) * _REFERENCES // max(references, 1)))


def _ranks(snapshot: IndexSnapshot, volumes: Shapes) -> Ids:
    """Return the rank of each volume in Morton order, so that neighbors follow each other."""
    ranks = np.empty(len(volumes), np.intp)
    ranks[morton_order(snapshot.top, volumes)] = np.arange(len(volumes))
    return ranks


def _runs(tree: Walkable, images: Images, most: int | None, tight: bool) -> list[Found]:
    """Return doubtful and certain runs, each sorted by pair; no runs if more than `most`."""
    if images.shapes is None:
        roots = tree.roots
        return [Found(np.arange(len(roots)), tree.begin[roots], tree.end[roots], False), NOTHING]
    found: tuple[list[Found], list[Found]] = [], []
    count = 0
    for each in descend(tree, images.shapes, tight=tight):
        found[each.certain and images.exact].append(each)
        count += len(each.queries)
        if most is not None and count > most:
            return []
    return [_by_volume(some) for some in found]


def _by_volume(found: list[Found]) -> Found:
    """Return the joined runs, sorted by volume; volume numbers must be below 2**16."""
    joined = Found.joined(found or [NOTHING])
    return joined[np.argsort(joined.queries.astype(np.uint16), kind="stable")]


def _expanded(tree: Walkable, asked: Ids, runs: list[Found]) -> Iterator[Candidates]:
    """Yield the pairs in doubtful and certain runs, each once, in portions.

    Pairs that also occur in further runs are left out.
    """
    references = sum(each.references for each in runs)
    for portion in portions(runs, len(asked), _PIECE) if references > _PIECE else [runs]:
        pairs = [expanded(tree, some) for some in portion]
        if len(runs) > 2 or tree.straddlers != "keep":
            pairs = deduplicate(pairs, len(tree.order), mailboxes_for(len(tree.order)))
        yield Candidates(tree, asked, *pairs[:2])


def confirmed(
    snapshot: IndexSnapshot,
    volumes: Shapes,
    pairs: VolumePairs,
    found: Candidates,
    relation: str,
) -> Pairs:
    """Return the candidates in the relation, unordered."""
    if relation == "candidates":
        return joined((found.doubtful, found.certain))
    sure, unsure = vouched(found.tree, found.certain, relation)
    parts = [
        holding(snapshot, volumes, pairs, found, some, relation)
        for some in (found.doubtful, unsure)
    ]
    return joined([*parts, sure])


def holding(
    snapshot: IndexSnapshot,
    volumes: Shapes,
    pairs: VolumePairs,
    found: Candidates,
    some: Pairs,
    relation: str,
) -> Pairs:
    """Return the candidates that pass the exact test."""
    test = touching if relation == "touching" else lying_inside
    numbers, entries = some
    asked = found.asked[numbers]
    items, ids = snapshot.entry_items(found.tree, entries, pairs.rows[asked])
    (held,) = test(items, ids, volumes, pairs.volumes[asked]).nonzero()
    return numbers[held], entries[held]


def vouched(tree: Walkable, certain: Pairs, relation: str) -> tuple[Pairs, Pairs]:
    """Split the items of cells inside a volume into certain hits and items to test.

    Every item of such a cell touches the volume. An item lies inside it for certain only if no
    other cell holds a copy.
    """
    numbers, entries = certain
    doubted = tree.copied[entries] if relation == "inside" else _strays(tree, entries)
    if not doubted.any():
        return certain, (_NONE, _NONE)
    return (numbers[~doubted], entries[~doubted]), (numbers[doubted], entries[doubted])


def _strays(tree: Walkable, entries: Ids) -> Flags:
    return np.isin(entries, tree.strays) if len(tree.strays) else np.zeros(1, bool)


def _with_whole(snapshot: IndexSnapshot, pairs: VolumePairs, found: Ids) -> Ids:
    """Return pairs and items, (2, h): the found ones, and all items of whole pairs."""
    if not pairs.whole.any():
        return found
    (rest,) = (~pairs.whole).nonzero()
    sizes = snapshot.item_counts(pairs.rows)
    counts = np.where(pairs.whole, sizes, np.bincount(found[0], minlength=len(pairs)))
    ends = np.cumsum(counts)
    result = np.empty((2, int(counts.sum())), np.intp)
    cuts = [0, *(np.flatnonzero(np.diff(ends // _PIECE)) + 1).tolist(), len(pairs)]
    for first, stop in pairwise(cuts):
        some = slice(first, stop)
        here = result[:, ends[first] - counts[first] : ends[stop - 1]]
        here[0] = np.repeat(np.arange(first, stop), counts[some])
        if pairs.whole[some].any():
            here[1] = snapshot.first_items(pairs.rows[some], counts[some])
    result[1, concatenated_ranges(ends[rest] - counts[rest], counts[rest])] = found[1]
    return result
