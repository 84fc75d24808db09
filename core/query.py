"""Questions of volumes: which items touch one, lie inside it, or might."""

import numpy as np

from . import checks
from .arrays import Flags, Ids
from .candidates import Candidates, candidates, expanded
from .descend import descend
from .octree import Octree
from .shapes import (
    Boxes,
    Capsules,
    Frusta,
    HalfSpaces,
    OrientedBoxes,
    Regions,
    Shapes,
    Spheres,
)
from .touch import lying_inside, touching

VOLUME_KINDS = (Spheres, Boxes, Regions, OrientedBoxes, Capsules, HalfSpaces, Frusta)

# `query_any` looks at so many pairs before it asks which questions are still open.
_GLANCE = 16_384


def query(tree: Octree, volumes: Shapes, /, *, relation: str = "touching") -> Ids:
    """Find the items that touch each volume.

    Parameters
    ----------
    tree : Octree
        Any octree.
    volumes : Spheres, Boxes, Regions, OrientedBoxes, Capsules, HalfSpaces or Frusta
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
        If a volume is not finite or a frustum is flat, or `relation` is none of the three.

    Notes
    -----
    O(cells touched + items of the cells that a volume's surface crosses + h log h). A cell that
    lies inside the volume hands over its whole subtree without another test, as with the item
    lists that inner nodes keep in Castle Game Engine (M. Kamburelis, "Castle Game Engine:
    Documentation", chapter on octrees); potential colliders are those of K. Miller, "Octrees for
    Potential Colliders", 2003.
    """
    check_question(tree, volumes)
    checks.choice("relation", relation, ("touching", "inside", "candidates"))
    keys = [np.empty(0, np.intp)]
    for found in candidates(tree, volumes):
        numbers, entries = _confirmed(tree, found, relation)
        items = tree.order[entries]
        if len(volumes) > 1:
            items += found.asked[numbers] * len(tree.items)
        keys.append(items)
    return _sorted_pairs(keys, len(volumes), len(tree.items))


def query_any(tree: Octree, volumes: Shapes, /) -> Flags:
    """Tell which volumes touch any item; each stops at the first that it finds.

    Parameters
    ----------
    tree : Octree
        Any octree.
    volumes : Spheres, Boxes, Regions, OrientedBoxes, Capsules, HalfSpaces or Frusta
        q questions, asked together.

    Returns
    -------
    ndarray of bool, shape (q,)
        One flag for each volume.

    Raises
    ------
    ValueError
        If a volume is not finite or a frustum is flat.
    """
    check_question(tree, volumes)
    asked, wanted = np.arange(len(volumes)), np.ones(len(volumes), bool)
    for found in descend(tree, volumes, wanted):
        for numbers, entries in expanded(tree, found, _GLANCE):
            some = np.flatnonzero(wanted[numbers])
            pairs = Candidates(volumes, asked, numbers[some], entries[some], found.certain)
            wanted[_confirmed(tree, pairs, "touching")[0]] = False
    return ~wanted


def query_count(tree: Octree, volumes: Shapes, /) -> Ids:
    """Count the items that touch each volume; costs as much as to find them.

    Parameters
    ----------
    tree : Octree
        Any octree.
    volumes : Spheres, Boxes, Regions, OrientedBoxes, Capsules, HalfSpaces or Frusta
        q questions, asked together.

    Returns
    -------
    ndarray of intp, shape (q,)
        One number for each volume.

    Raises
    ------
    ValueError
        If a volume is not finite or a frustum is flat.
    """
    return np.bincount(query(tree, volumes)[0], minlength=len(volumes))


def check_question(tree: Octree, volumes: Shapes) -> None:
    """See that these volumes can be asked about in this tree."""
    checks.kind("tree", tree, (Octree,))
    checks.kind("volumes", volumes, VOLUME_KINDS)
    finite = np.isfinite(volumes.rows).all(axis=0)
    checks.every_row("volumes", "be finite", finite, volumes.rows.T)
    if isinstance(volumes, Frusta):
        checks.every_row("volumes", "enclose a volume", volumes.is_solid, volumes.rows.T)


def _confirmed(tree: Octree, found: Candidates, relation: str) -> tuple[Ids, Ids]:
    """Return the pairs for which the relation holds."""
    doubted = _doubted(tree, found.entries, relation, found.certain)
    if doubted is None:
        return found.numbers, found.entries
    test = touching if relation == "touching" else lying_inside
    holds = np.ones(len(found.entries), bool)
    numbers, entries = found.numbers[doubted], found.entries[doubted]
    holds[doubted] = test(tree.arranged, entries, found.volumes, numbers)
    some = np.flatnonzero(holds)
    return found.numbers[some], found.entries[some]


def _doubted(tree: Octree, entries: Ids, relation: str, certain: bool) -> slice | Ids | None:
    """Return which of the entries to test; None where a cell vouches for all of them.

    A cell that lies inside a volume vouches for what touches the cell. Only items that stand in
    no other cell are known to lie in it wholly.
    """
    if relation == "candidates":
        return None
    if not certain:
        return slice(None)
    if relation == "inside":
        return np.flatnonzero(tree.copied[entries])
    return np.flatnonzero(np.isin(entries, tree.strays)) if len(tree.strays) else None


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
