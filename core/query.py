"""Questions of volumes: which items touch one, lie inside it, or might."""

from collections.abc import Iterator

import numpy as np

from . import checks
from .arrays import Flags, Ids, runs
from .descend import Found, descend
from .octree import Octree
from .shapes import Boxes, Frusta, Shapes, Spheres
from .touch import lying_inside, touching

VOLUME_KINDS = (Spheres, Boxes, Frusta)

# References that are looked at together, at most.
_PIECE = 262_144


def query(tree: Octree, volumes: Shapes, /, *, relation: str = "touching") -> Ids:
    """Find the items that touch each volume.

    Parameters
    ----------
    tree : Octree
        Any octree.
    volumes : Spheres, Boxes or Frusta
        q questions, asked together.
    relation : {"touching", "inside", "candidates"}
        "touching": the item touches the volume, borders included. "inside": it lies wholly in the
        volume, borders included. "candidates": potential colliders, the items of all cells that
        touch the volume, without a test of their own; the only answer that depends on how the
        tree was built.

    Returns
    -------
    ndarray of intp, shape (2, h)
        [0] volume numbers, [1] item numbers, sorted by volume, then by item, each pair once. No
        hits give (2, 0).

    Raises
    ------
    ValueError
        If a volume is not finite, or `relation` is none of the three.

    Notes
    -----
    O(cells touched + items of the cells that a volume's surface crosses + h log h). A cell that
    lies inside the volume hands over its whole subtree without another test, as with the item
    lists that inner nodes keep in Castle Game Engine (M. Kamburelis, "Castle Game Engine:
    Documentation", chapter on octrees); potential colliders are those of K. Miller, "Octrees for
    Potential Colliders", 2003.
    """
    _check(tree, volumes)
    checks.choice("relation", relation, ("touching", "inside", "candidates"))
    keys = [np.empty(0, np.intp)]
    for found in descend(tree, volumes):
        for numbers, entries in _pieces(tree, found):
            doubted = _doubted(tree, entries, relation, found.certain)
            if doubted is not None:
                keep = _hold(tree, volumes, numbers, entries, relation, doubted)
                numbers, entries = numbers[keep], entries[keep]
            keys.append(numbers * len(tree.items) + tree.order[entries])
    return _sorted_pairs(keys, len(volumes), len(tree.items))


def query_any(tree: Octree, volumes: Shapes, /) -> Flags:
    """Tell which volumes touch any item; each stops at the first that it finds.

    Parameters
    ----------
    tree : Octree
        Any octree.
    volumes : Spheres, Boxes or Frusta
        q questions, asked together.

    Returns
    -------
    ndarray of bool, shape (q,)
        One flag for each volume.

    Raises
    ------
    ValueError
        If a volume is not finite.
    """
    _check(tree, volumes)
    wanted = np.ones(len(volumes), bool)
    for found in descend(tree, volumes, wanted):
        for numbers, entries in _pieces(tree, found):
            open_ = wanted[numbers]
            numbers, entries = numbers[open_], entries[open_]
            doubted = _doubted(tree, entries, "touching", found.certain)
            if doubted is not None:
                numbers = numbers[_hold(tree, volumes, numbers, entries, "touching", doubted)]
            wanted[numbers] = False
    return ~wanted


def query_count(tree: Octree, volumes: Shapes, /) -> Ids:
    """Count the items that touch each volume.

    Parameters
    ----------
    tree : Octree
        Any octree.
    volumes : Spheres, Boxes or Frusta
        q questions, asked together.

    Returns
    -------
    ndarray of intp, shape (q,)
        One number for each volume.

    Raises
    ------
    ValueError
        If a volume is not finite.
    """
    return np.bincount(query(tree, volumes)[0], minlength=len(volumes))


def _check(tree: Octree, volumes: Shapes) -> None:
    checks.kind("tree", tree, (Octree,))
    checks.kind("volumes", volumes, VOLUME_KINDS)
    finite = np.isfinite(volumes.rows).all(axis=0)
    checks.every_row("volumes", "be finite", finite, volumes.rows.T)


def _pieces(tree: Octree, found: Found) -> Iterator[tuple[Ids, Ids]]:
    """Yield the volumes and entries of these runs, pair by pair, in pieces of bounded length."""
    counts = found.end - found.begin
    ends = np.cumsum(counts)
    starts = np.searchsorted(ends, np.arange(0, ends[-1], _PIECE), side="right")
    for start, stop in zip(starts, [*starts[1:], len(ends)], strict=True):
        some = slice(start, stop)
        entries = tree.slots[runs(found.begin[some], counts[some])]
        yield np.repeat(found.numbers[some], counts[some]), entries


def _doubted(tree: Octree, entries: Ids, relation: str, certain: bool) -> Ids | None:
    """Return which of the entries to test; None where a cell vouches for all of them.

    A cell that lies inside a volume vouches for what touches the cell. Only items that stand in
    no other cell are known to lie in it wholly.
    """
    if relation == "candidates":
        return None
    if not certain:
        return np.arange(len(entries))
    if relation == "inside":
        return np.flatnonzero(tree.copied[entries])
    return np.flatnonzero(np.isin(entries, tree.strays)) if len(tree.strays) else None


def _hold(
    tree: Octree, volumes: Shapes, numbers: Ids, entries: Ids, relation: str, doubted: Ids
) -> Flags:
    """Return which pairs hold, after a test of the doubted ones."""
    test = touching if relation == "touching" else lying_inside
    flags = np.ones(len(entries), bool)
    flags[doubted] = test(tree.arranged, entries[doubted], volumes, numbers[doubted])
    return flags


def _sorted_pairs(keys: list[Ids], volumes: int, items: int) -> Ids:
    """Return the pairs with these keys, volume * items + item, in order, each once."""
    if 32 * sum(map(len, keys)) > volumes * items:
        # So many that marking them on a list of all pairs is cheaper than sorting.
        marks = np.zeros(volumes * items, bool)
        for some in keys:
            marks[some] = True
        unique = np.flatnonzero(marks)
    else:
        ordered = np.sort(np.concatenate(keys))
        unique = ordered[np.diff(ordered, prepend=-1) > 0]
    if volumes == 1:
        return np.stack((np.zeros_like(unique), unique))
    return np.stack(np.divmod(unique, max(items, 1)))
