"""Volume queries: candidates of the descent, each once, then exact tests; early out for any.

For `query_any` every volume first tests some items of the one leaf around its middle. Volumes that
find none descend the tree like any query, and test more and more of what they find there.
"""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np

from . import checks, compiled, lone, tuning
from .any_octree import AnyOctree
from .arrays import Flags, Floats, Ids, blocks, gather, joined
from .child_masks import POPCOUNT
from .descend import NOTHING, Found, descend, expanded, morton_order, portions
from .groups import ALL_GROUPS, in_groups
from .mailboxing import Answers, Pairs, deduplicate, mailboxes_for
from .octree import Octree, as_octree
from .rounds import in_rounds
from .shapes import Boxes, Capsules, Frusta, HalfSpaces, OrientedBoxes, Regions, Shapes, Spheres
from .touch import lying_inside, touching
from .walkable import Walkable

VOLUME_KINDS = (Spheres, Boxes, Regions, OrientedBoxes, Capsules, HalfSpaces, Frusta)
# Queries that descend together at first, and at most; the references that a batch should find.
# Of these, about _PIECE are expanded together, unless one query found more.
_FIRST, _MOST, _REFERENCES, _PIECE = 1_024, 65_536, 1_048_576, 262_144
# Items of the leaf that are tested, and volumes that test them at a time.
_LOOK, _BLOCK = 32, 8_192
# How many items of all others a volume tests first, and how many times as many the next time.
_START, _MORE = 64, 8

_NONE = np.empty(0, np.intp)


class VolumeQuestions(AnyOctree):
    """An index that answers questions of volumes with octrees of its own."""

    @abstractmethod
    def _query(
        self, volumes: Shapes, relation: str, groups: SupportsIndex, threads: SupportsIndex | None
    ) -> Ids:
        """Answer `query`."""

    @abstractmethod
    def _query_any(
        self, volumes: Shapes, groups: SupportsIndex, threads: SupportsIndex | None
    ) -> Flags:
        """Answer `query_any`."""

    @abstractmethod
    def _query_count(
        self, volumes: Shapes, groups: SupportsIndex, threads: SupportsIndex | None
    ) -> Ids:
        """Answer `query_count`."""


def query(
    tree: AnyOctree,
    volumes: Shapes,
    /,
    *,
    relation: str = "touching",
    groups: SupportsIndex = ALL_GROUPS,
    threads: SupportsIndex | None = None,
) -> Ids:
    """Find the items that touch each volume.

    Parameters
    ----------
    tree : Octree or SceneOctree
        Any octree.
    volumes : Spheres, Boxes, Regions, OrientedBoxes, Capsules, HalfSpaces or Frusta
        q questions, asked together.
    relation : {"touching", "inside", "candidates"}
        "touching": the item touches the volume, borders included. "inside": it lies wholly in the
        volume, borders included. "candidates": potential colliders, the items of all cells that
        touch the volume, without a test of their own; the only answer that depends on how the
        tree was built, and none that a scene gives: see `objects_touching`. "objects" is the
        older spelling of `objects_touching`.
    groups : int
        A mask of 32 bits: items with a mask that shares none of them are not there.
    threads : int or None
        Across how many threads the compiled kernel may walk; None as `use_threads` tells. The
        same bits for any number.

    Returns
    -------
    ndarray of intp, shape (2, h)
        [0] volume numbers, [1] item numbers, sorted by volume, then by item, each pair once. No
        hits give (2, 0). Of a `SceneOctree`, (3, h): volumes, placements and triangles of their
        meshes, sorted in this order.

    Raises
    ------
    ValueError
        If a volume is not finite or a frustum is flat, `relation` is none of the three or
        asks a `SceneOctree` for candidates, `groups` is no mask, or `threads` are fewer than 1.

    Notes
    -----
    O(cells touched + items of the cells that a volume's surface crosses + h log h). A cell that
    lies inside the volume hands over its whole subtree without another test, as with the item
    lists that inner nodes keep in Castle Game Engine (M. Kamburelis, "Castle Game Engine:
    Documentation", chapter on octrees); potential colliders are those of K. Miller, "Octrees for
    Potential Colliders", 2003.
    """
    found = None
    if relation == "touching":
        alone = lone.volumes(tree, volumes, groups, threads)
        found = None if alone is None else alone[1]
    elif relation == "inside":
        found = lone.inside(tree, volumes, groups, threads)
    if found is not None:
        return found
    if isinstance(tree, VolumeQuestions):
        return tree._query(volumes, relation, groups, threads)
    tree = checked(tree, volumes)
    checks.choice("relation", relation, ("touching", "inside", "candidates"))
    tree = in_groups(tree, groups)
    answers = Answers(len(volumes), len(tree.items))
    left = _walked(tree, volumes, relation, compiled.threads_of(threads), answers)
    for some in candidates(tree, volumes if left is None else volumes[left]):
        queries, entries = confirmed(tree, some, relation)
        asked = some.asked if left is None else left[some.asked]
        answers.add(asked, queries, tree.order[entries])
    pairs = answers.pairs()
    pairs[1] = tree.named(pairs[1])
    return pairs


def query_any(
    tree: AnyOctree,
    volumes: Shapes,
    /,
    *,
    groups: SupportsIndex = ALL_GROUPS,
    threads: SupportsIndex | None = None,
) -> Flags:
    """Tell which volumes touch any item; each stops at the first that it finds.

    Parameters
    ----------
    tree, volumes, groups, threads : Octree or SceneOctree, batch, int and int or None
        As for `query`.

    Returns
    -------
    ndarray of bool, shape (q,)
        One flag for each volume.

    Raises
    ------
    ValueError
        As with `query`.
    """
    alone = lone.volumes(tree, volumes, groups, threads, any_hit=True)
    if alone is not None:
        return alone[0] > 0
    if isinstance(tree, VolumeQuestions):
        return tree._query_any(volumes, groups, threads)
    octree = in_groups(checked(tree, volumes), groups)
    touched = _touched(octree, volumes, "touching", compiled.threads_of(threads), any_hit=True)
    if touched is None:
        return any_touched(octree, volumes)
    counts = touched[0]
    return compiled.repaired(
        counts > 0, counts < 0, lambda left: any_touched(octree, volumes[left])
    )


def query_count(
    tree: AnyOctree,
    volumes: Shapes,
    /,
    *,
    groups: SupportsIndex = ALL_GROUPS,
    threads: SupportsIndex | None = None,
) -> Ids:
    """Count the items that touch each volume; costs as much as to find them.

    Parameters
    ----------
    tree, volumes, groups, threads : Octree or SceneOctree, batch, int and int or None
        As for `query`.

    Returns
    -------
    ndarray of intp, shape (q,)
        One number for each volume.

    Raises
    ------
    ValueError
        As with `query`.
    """
    alone = lone.volumes(tree, volumes, groups, threads)
    if alone is not None:
        return alone[0]
    if isinstance(tree, VolumeQuestions):
        return tree._query_count(volumes, groups, threads)
    tree = checked(tree, volumes)
    tree = in_groups(tree, groups)
    touched = _touched(tree, volumes, "touching", compiled.threads_of(threads))
    counts = np.full(len(volumes), -1) if touched is None else touched[0]
    (left,) = (counts < 0).nonzero()
    counts[left] = 0
    for found in candidates(tree, volumes if touched is None else volumes[left]):
        queries, _ = confirmed(tree, found, "touching")
        counts[left[found.asked]] += np.bincount(queries, minlength=len(found.asked))
    return counts


def _touched(
    tree: Octree, volumes: Shapes, relation: str, threads: int, any_hit: bool = False
) -> tuple[Ids, Ids, Ids] | None:
    """Let the kernel find how many items each volume has, which, and in which turns.

    What touches is decided there, of what is near NumPy tells what lies inside. A count is
    negative of a volume that is left to NumPy; any other is at most one for `any_hit`.
    """
    if relation == "candidates" or not compiled.volume_kind(volumes):
        return None  # the octree's cells tell more than the boxes around volumes
    packed = compiled.packed(tree, len(volumes), boxes=True)
    if packed is None:
        return None
    exactly = relation == "touching"
    asked = compiled.VolumesAsked.of(volumes, threads, exactly=exactly)
    turns = morton_order(tree, volumes)

    def confirm(numbers: Ids, items: Ids) -> Flags:
        return lying_inside(tree.items, items, volumes, numbers)

    counts, _, items = packed.touched(
        asked, turns, any_hit=any_hit, confirm=None if exactly else confirm
    )
    return counts, items, turns


def _walked(
    tree: Octree, volumes: Shapes, relation: str, threads: int, answers: Answers
) -> Ids | None:
    """Let the kernel answer; return the volumes that are left to NumPy, or None for all."""
    touched = _touched(tree, volumes, relation, threads)
    if touched is None:
        return None
    counts, items, turns = touched
    taken = turns[counts[turns] >= 0]
    answers.add_sorted(taken, counts[taken], items)
    return np.flatnonzero(counts < 0)


def checked(tree: AnyOctree, volumes: Shapes, name: str = "volumes") -> Octree:
    """Return the tree, if these volumes can be asked about in it."""
    octree = as_octree("tree", tree)
    check_volumes(volumes, name)
    return octree


def check_volumes(volumes: Shapes, name: str = "volumes") -> None:
    """Require that these are volumes, finite and solid."""
    checks.kind(name, volumes, VOLUME_KINDS)
    finite = np.isfinite(volumes.rows).all(axis=0)
    checks.every_row(name, "be finite", finite, volumes.rows.T)
    if isinstance(volumes, Frusta):
        checks.every_row(name, "enclose a volume", volumes.is_solid, volumes.rows.T)


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
    first, size, most_runs = 0, _FIRST, tuning.current.query_runs
    while first < len(volumes):
        asked = order[first : first + size]
        part = volumes[asked]
        found = _together(descend(tree, part), most_runs if len(part) > 1 else None)
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
    found: tuple[list[Found], list[Found]] = [], []
    count = 0
    for each in walk:
        found[each.certain].append(each)
        count += len(each.queries)
        if most is not None and count > most:
            return None
    return [by_volume(some) for some in found]


def by_volume(found: list[Found]) -> Found:
    """Return all these runs, sorted by volume; their numbers are below 2**16."""
    joined = Found.joined(found or [NOTHING])
    return joined[np.argsort(joined.queries.astype(np.uint16), kind="stable")]


def confirmed(tree: Octree, found: Candidates, relation: str) -> Pairs:
    """Return the pairs for which the relation holds, in no order."""
    if relation == "candidates":
        return joined((found.doubtful, found.certain))
    sure, unsure = vouched(tree, found.certain, relation)
    parts = [holding(tree, found.volumes, some, relation) for some in (found.doubtful, unsure)]
    return joined([*parts, sure])


def holding(tree: Octree, volumes: Shapes, pairs: Pairs, relation: str = "touching") -> Pairs:
    """Return those of the pairs that pass the test; their volumes ascend."""
    test = touching if relation == "touching" else lying_inside
    queries, entries = pairs
    return chosen(pairs, test(tree.arranged, entries, volumes, queries).nonzero()[0])


def vouched(tree: Walkable, certain: Pairs, relation: str) -> tuple[Pairs, Pairs]:
    """Split the items of cells inside a volume: those that are sure, and those to be tested.

    Such a cell vouches for what touches the cell. Only items that stand in no other cell are
    known to lie in it wholly.
    """
    doubted = tree.copied[certain[1]] if relation == "inside" else _strays(tree, certain[1])
    if not doubted.any():
        return certain, (_NONE, _NONE)
    return chosen(certain, (~doubted).nonzero()[0]), chosen(certain, doubted.nonzero()[0])


def _strays(tree: Walkable, entries: Ids) -> Flags:
    return np.isin(entries, tree.strays) if len(tree.strays) else np.zeros(1, bool)


def chosen(pairs: Pairs, some: Ids) -> Pairs:
    """Return some of the pairs."""
    return pairs[0][some], pairs[1][some]


def _likeliest() -> Ids:
    """Return for a child mask and a child the one that is set and nearest to it."""
    children = np.arange(8)
    apart = POPCOUNT[children[:, None] ^ children]
    is_set = np.arange(256)[:, None] >> children & 1 == 1
    return np.where(is_set[:, None], apart, 8).argmin(axis=2)


_LIKELIEST = _likeliest()


def any_touched(tree: Octree, volumes: Shapes) -> Flags:
    """Return which volumes touch any item; no pair is tested twice."""
    touched = np.zeros(len(volumes), bool)
    begin, end = _first_looks(tree, volumes)
    for some in blocks(len(volumes), _BLOCK):
        queries = np.arange(some.start, some.stop)
        look = Found(queries, begin[some], end[some], certain=False)
        touched[holding(tree, volumes, expanded(tree, look))[0]] = True
    still = np.flatnonzero(~touched)
    for found in candidates(tree, volumes[still], seen=(begin[still], end[still])):
        touched[still[found.asked[_hits(tree, found)]]] = True
    return touched


def _first_looks(tree: Octree, volumes: Shapes) -> tuple[Ids, Ids]:
    """Return where each volume looks first: a run of references."""
    root = tree.cell_rows[:, :1]
    lower, upper = (np.clip(side, root[:3], root[3:]) for side in volumes.limits())
    cells = _leaves_at(tree, (lower + upper) / 2)
    begin = tree.begin[cells]
    return begin, np.minimum(tree.own_end[cells], begin + _LOOK)


def _leaves_at(tree: Octree, places: Floats) -> Ids:
    """Return for each place (3, n) the cell that it lies in, or one beside it that holds items."""
    cells = np.zeros(places.shape[1], np.intp)
    while True:
        occupied = tree.child_masks[cells]
        if not occupied.any():
            return cells
        above = places >= gather(tree.middle_rows, cells)
        child = np.packbits(above, axis=0, bitorder="little")[0]
        below = tree.first_child[cells] + _LIKELIEST[occupied, child]
        cells = np.where(occupied > 0, below, cells)


def _hits(tree: Octree, found: Candidates) -> Ids:
    """Return the volumes that touch an item, having tested more and more of them."""
    touched = np.zeros(len(found.asked), bool)
    sure, unsure = vouched(tree, found.certain, "touching")
    touched[sure[0]] = True
    touched[holding(tree, found.volumes, unsure)[0]] = True
    for early in in_rounds(found.doubtful[0], _START, _MORE, lambda of, _: ~touched[of]):
        touched[holding(tree, found.volumes, chosen(found.doubtful, early))[0]] = True
    return np.flatnonzero(touched)
