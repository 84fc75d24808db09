"""Volume queries: items that touch volumes or lie inside them, their counts, and any-hit flags."""

from typing import SupportsIndex

import numpy as np

from .. import checks, compiled, lone
from ..arrays import Flags, Ids, concatenated_ranges
from ..checks import ALL_GROUPS
from ..descend import morton_order
from ..shapes import Boxes, Capsules, Frusta, HalfSpaces, OrientedBoxes, Regions, Shapes, Spheres
from ..snapshot import IndexSnapshot, PlacedIndex, snapshot_of
from ..touch import lying_inside
from ..walkable import AnyOctree
from .walked import any_by, counted_by, found_by

VOLUME_KINDS = (Spheres, Boxes, Regions, OrientedBoxes, Capsules, HalfSpaces, Frusta)
RELATIONS = ("touching", "inside", "candidates")


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
        q volumes.
    relation : {"touching", "inside", "candidates"}
        "touching": the item touches the volume, borders included. "inside": the item lies wholly
        in the volume, borders included. "candidates": potential colliders, the items of all cells
        that touch the volume, without exact tests. Only candidates depend on how the tree was
        built. Scenes have no candidates: see `objects_touching`.
    groups : int
        A mask of 32 bits: items whose mask shares no bit with `groups` are ignored.
    threads : int or None
        Number of threads of the compiled kernel; None for the setting of `use_threads`. Results
        are the same bits for any number.

    Returns
    -------
    ndarray of intp, shape (2, h)
        [0] volume numbers, [1] item numbers, sorted by volume, then by item, each pair once. No
        hits give (2, 0). For a `SceneOctree`, (3, h): volumes, placements and triangles of their
        meshes, sorted in this order.

    Raises
    ------
    ValueError
        If a volume is not finite or a frustum is flat, `relation` is unknown or
        "candidates" for a `SceneOctree`, `groups` is no mask, or `threads` is below 1.

    Notes
    -----
    O(cells touched + items of the cells that a volume's surface crosses + h log h). The whole
    subtree of a cell inside the volume is reported without further tests, like the item lists of
    inner nodes in Castle Game Engine (M. Kamburelis, "Castle Game Engine: Documentation", chapter
    on octrees). Potential colliders are those of K. Miller, "Octrees for Potential Colliders",
    2003.
    """
    alone = lone.volumes(tree, volumes, groups, threads) if relation == "touching" else None
    if alone is not None:
        return alone[1]
    checks.choice("relation", relation, RELATIONS)
    if relation == "candidates" and isinstance(tree, PlacedIndex):
        raise ValueError(
            "relation must be touching or inside for a scene, which has no cells of its own"
            f" (see objects_touching), got {relation!r}"
        )
    snapshot = _asked(tree, volumes, groups)
    touched = _touched(snapshot, volumes, relation, threads)
    if touched is None:
        return found_by(snapshot, volumes, relation)
    counts, *found = touched
    numbers = np.repeat(np.arange(len(counts)), np.maximum(counts, 0))
    pairs = np.stack((numbers, *snapshot.ids_of(*found)))
    (left,) = (counts < 0).nonzero()
    if len(left):
        others = found_by(snapshot, volumes[left], relation)
        others[0] = left[others[0]]
        pairs = np.concatenate((pairs, others), axis=1)
        pairs = pairs[:, np.argsort(pairs[0], kind="stable")]
    return pairs


def query_any(
    tree: AnyOctree,
    volumes: Shapes,
    /,
    *,
    groups: SupportsIndex = ALL_GROUPS,
    threads: SupportsIndex | None = None,
) -> Flags:
    """Flag the volumes that touch any item; the search of each volume stops at its first hit.

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
    snapshot = _asked(tree, volumes, groups)
    touched = _touched(snapshot, volumes, "touching", threads, any_hit=True)
    if touched is None:
        return any_by(snapshot, volumes)
    counts = touched[0]
    return compiled.repaired(counts > 0, counts < 0, lambda left: any_by(snapshot, volumes[left]))


def query_count(
    tree: AnyOctree,
    volumes: Shapes,
    /,
    *,
    groups: SupportsIndex = ALL_GROUPS,
    threads: SupportsIndex | None = None,
) -> Ids:
    """Count the items that touch each volume, at the cost of finding them.

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
    snapshot = _asked(tree, volumes, groups)
    touched = _touched(snapshot, volumes, "touching", threads)
    if touched is None:
        return counted_by(snapshot, volumes)
    counts = touched[0]
    return compiled.repaired(counts, counts < 0, lambda left: counted_by(snapshot, volumes[left]))


# Item counts of volumes, (q,), then rows of placements and items, sorted by volume.
_Touched = tuple[Ids, Ids, Ids]


def _touched(
    snapshot: IndexSnapshot,
    volumes: Shapes,
    relation: str,
    threads: SupportsIndex | None,
    *,
    any_hit: bool = False,
) -> _Touched | None:
    """Run the kernel for the items of each volume; return None if NumPy must answer instead.

    The kernel tests `touching` exactly. For `inside` it finds the items near each volume, and
    NumPy tests these. A count is negative if the kernel left the volume to NumPy; with `any_hit`
    it is 1 at most.
    """
    several = compiled.threads_of(threads)
    if relation == "candidates" or not compiled.volume_kind(volumes):
        return None  # the octree's cells exclude more items than boxes around the volumes
    exactly = relation == "touching"
    asked = compiled.VolumesAsked.of(volumes, several, exactly=exactly)

    def lie_inside(numbers: Ids, rows: Ids, items: Ids) -> Flags:
        return lying_inside(*snapshot.numbered_items(rows, items), volumes, numbers)

    few = snapshot.fast_path(len(volumes)) if exactly else None
    found = None if few is None else few.touched(asked.rows, asked.kind, any_hit=any_hit)
    if found is not None:
        return found[0], *compiled.split(found[1])
    packed = snapshot.packed(len(volumes))
    if packed is None:
        return None
    confirm = None if exactly else lie_inside
    turns = morton_order(snapshot.top, volumes)
    touched = packed.touched(asked, turns, any_hit=any_hit, confirm=confirm)
    return touched and _in_order(turns, *touched)


def _in_order(turns: Ids, counts: Ids, rows: Ids, items: Ids) -> _Touched:
    """Sort the rows and items of volumes, given in query order, by volume number."""
    each = np.maximum(counts, 0)
    if len(rows) and (turns[1:] < turns[:-1]).any():
        places = concatenated_ranges((np.cumsum(each) - each)[turns], each[turns])
        in_turns, rows, items = (rows, items), np.empty_like(rows), np.empty_like(items)
        rows[places], items[places] = in_turns
    return counts, rows, items


def _asked(tree: AnyOctree, volumes: Shapes, groups: SupportsIndex) -> IndexSnapshot:
    """Check the volumes and return the snapshot of the tree."""
    snapshot = snapshot_of(tree, groups)
    check_volumes(volumes)
    return snapshot


def check_volumes(volumes: Shapes, name: str = "volumes") -> None:
    """Check that volumes are of a known kind, finite and solid."""
    checks.kind(name, volumes, VOLUME_KINDS)
    finite = np.isfinite(volumes.rows).all(axis=0)
    checks.every_row(name, "be finite", finite, volumes.rows.T)
    if isinstance(volumes, Frusta):
        checks.every_row(name, "enclose a volume", volumes.is_solid, volumes.rows.T)
