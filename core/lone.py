"""Octrees as the kernel walks them: their own arrays for few queries (fast path), or packed.

Of few queries, only `count > 1` of `nearest` needs a packed tree. Arguments that need a conversion
take the batch path, which returns here after the conversion.
"""

from typing import Any, SupportsFloat, SupportsIndex, cast
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import compiled
from .arrays import Floats, Ids, address
from .checks import ALL_GROUPS, LONGEST
from .octree import Octree
from .shapes import Shapes, Triangles
from .walkable import AnyOctree

# Most queries of a call that take the fast path; for more queries the tree is packed.
MOST = 99
# Most neighbors per point.
_SEVERAL = 16
# Items that are packed in the time in which NumPy answers one query. A tree that changes loses its
# packed tree at the next change, so packing has to pay before that.
_CHANGING = 64
_DOUBLE = np.dtype(np.float64)
_KINDS = {_DOUBLE, np.dtype(np.intp)}


class Lone(compiled.Few):
    """The arrays of an octree, as the kernel takes them."""

    def __init__(self, tree: Octree) -> None:
        package = compiled.found()[1]
        rows = {
            "walls": tree.loose_rows,
            **{name: getattr(tree, name) for name in ("first_child", "begin", "own_end", "end")},
            "references": tree.references,
            "strays": tree.strays,
        }
        items = _arrays_of(tree.arranged)
        items["order"] = tree.order
        # Read as they are: not copied, and alive as long as this.
        self._arrays = [*rows.values(), *items.values()]
        told = compiled.tree_of(items)
        cells = {len(rows[name]) for name in ("first_child", "begin", "own_end", "end")}
        self.is_sound = (
            all(array.flags.c_contiguous for array in self._arrays)
            and {array.dtype for array in self._arrays} <= _KINDS
            and cells == {rows["walls"].shape[1]}
            and told.entry_count == len(tree.order)
        )
        addresses = {name: address(array) for name, array in rows.items()}
        self._plain = package.Plain(
            told,
            **addresses,
            cell_count=len(tree.begin),
            reference_count=len(tree.references),
            stray_count=len(tree.strays),
            slack=tree.slack,
        )
        tree, plain = package.pointer(self._plain.items), package.pointer(self._plain)
        super().__init__(package.Walked(tree, None, plain))


def _arrays_of(items: Shapes) -> dict[str, NDArray[Any]]:
    """Return vertices and faces, (3, v) and (3, n), or boxes, (6, n), and maybe radii, (n,)."""
    if isinstance(items, Triangles):
        return {"vertices": items.vertices.T, "faces": items.faces.T}
    return compiled.as_boxes(items)


# The arrays of octrees, as long as these live; None if the kernel cannot take a tree.
_KNOWN: WeakKeyDictionary[Octree, Lone | None] = WeakKeyDictionary()

# Packed trees, which live as long as their octrees; None if packing an octree is impossible.
_PACKED_TREES: WeakKeyDictionary[Octree, compiled.Packed | None] = WeakKeyDictionary()


def _of(
    tree: AnyOctree, groups: SupportsIndex, count: int, threads: SupportsIndex | None
) -> Lone | None:
    """Return a tree's arrays for few queries of all groups, or None; check `threads` then."""
    if type(tree) is not Octree or type(groups) is not int or groups != ALL_GROUPS:
        return None
    tree.require_current()
    lone = of(tree, count)
    if threads is not None and lone is not None:
        compiled.threads_of(threads)
    return lone


def of(tree: Octree, count: int) -> Lone | None:
    """Return a tree's arrays for `count` queries; None if the batch path has to answer."""
    if compiled.found()[0] is None or not 0 < count <= MOST:
        return None
    try:
        return _KNOWN[tree]
    except KeyError:
        known = _KNOWN[tree] = _made(tree)
        return known


def _made(tree: Octree) -> Lone | None:
    walls = tree.loose_rows[:, 0].tolist()
    size = max(map(abs, walls))
    extent = max(high - low for low, high in zip(walls[:3], walls[3:], strict=True))
    if tree.groups is not None or tree.outside or not (size <= LONGEST and extent >= 1 / LONGEST):
        return None
    made = Lone(tree)
    return made if made.is_sound else None


def packed_tree(tree: Octree, questions: int) -> compiled.Packed | None:
    """Return the packed tree of an octree, which is packed at the first call.

    Returns None without the compiled kernel, if the tree is empty or cannot be packed, or if the
    tree is a snapshot of a changing tree and has too few `questions` for packing to pay.
    """
    if compiled.found()[0] is None:
        return None
    if tree not in _PACKED_TREES:
        is_soon_gone = tree.ids is not None and questions * _CHANGING < len(tree.order)
        if len(tree.order) == 0 or is_soon_gone:
            return None
        _PACKED_TREES[tree] = compiled.Packed.of(tree)
    known = _PACKED_TREES[tree]
    return known if known is not None and known.is_sound else None


def _is_plain(rows: ArrayLike) -> bool:
    """Return whether rows of points are an array that needs no conversion."""
    return (
        type(rows) is np.ndarray
        and rows.dtype is _DOUBLE
        and rows.ndim == 2
        and rows.shape[1] == 3
    )


def _are_ends(limits: ArrayLike, count: int) -> bool:
    """Return whether the ends of rays, one for each, need no conversion."""
    return type(limits) is np.ndarray and limits.dtype is _DOUBLE and limits.shape == (count,)


def _of_rays(
    tree: AnyOctree,
    origins: ArrayLike,
    directions: ArrayLike,
    limits: ArrayLike,
    groups: SupportsIndex,
    threads: SupportsIndex | None,
) -> Lone | None:
    """Return the arrays of a mesh's tree, if few rays that need no conversion ask it."""
    if not (_is_plain(origins) and _is_plain(directions)):
        return None
    count = len(cast(Floats, origins))
    is_mesh = type(tree) is Octree and isinstance(tree.items, Triangles)
    lone = _of(tree, groups, count, threads) if is_mesh else None
    are_ends = type(limits) is float or _are_ends(limits, count)
    return lone if are_ends and len(cast(Floats, directions)) == count else None


def rays(
    tree: AnyOctree,
    origins: ArrayLike,
    directions: ArrayLike,
    limits: ArrayLike,
    groups: SupportsIndex,
    threads: SupportsIndex | None = None,
    *,
    any_hit: bool = False,
) -> compiled.Hits | None:
    """Find the closest item of each ray, or any, as `Few` does.

    Returns None if the batch path has to answer.
    """
    lone = _of_rays(tree, origins, directions, limits, groups, threads)
    if lone is None:
        return None
    asked = cast(Floats, origins), cast(Floats, directions), cast(Floats, limits)
    found = lone.cast(*asked, any_hit=any_hit)
    if found is not None:
        named(cast(Octree, tree), found[0])
    return found


def crossings(
    tree: AnyOctree,
    origins: ArrayLike,
    directions: ArrayLike,
    limits: ArrayLike,
    groups: SupportsIndex,
    threads: SupportsIndex | None = None,
) -> tuple[Ids, Floats] | None:
    """Find rays and the items that they hit, (2, h), and the distances, (h,), sorted.

    Returns None if the batch path has to answer.
    """
    lone = _of_rays(tree, origins, directions, limits, groups, threads)
    if lone is None:
        return None
    found = lone.cast_all(cast(Floats, origins), cast(Floats, directions), cast(Floats, limits))
    return None if found is None else (_pairs(tree, *found[:2]), found[2])


def named(tree: Octree, items: Ids) -> Ids:
    """Replace item numbers, an array of any shape, by the ids of a changing tree, in place."""
    if tree.ids is not None:
        met = items >= 0
        items[met] = tree.named(items[met])
    return items


def _pairs(tree: AnyOctree, counts: Ids, names: Ids) -> Ids:
    """Return pairs of query and item id, (2, h), given the counts per query, (q,), and items."""
    pairs = np.empty((2, len(names)), np.intp)
    pairs[0] = 0 if len(counts) == 1 else np.repeat(np.arange(len(counts)), counts)
    pairs[1] = named(cast(Octree, tree), names)
    return pairs


def nearest(
    tree: AnyOctree,
    points: ArrayLike,
    count: SupportsIndex,
    limit: SupportsFloat,
    groups: SupportsIndex,
    threads: SupportsIndex | None = None,
) -> tuple[Ids, Floats, Floats] | None:
    """Find items and distances, (q, count), and positions, (q, count, 3).

    Returns None if the batch path has to answer. Several of each point are not found in
    cells, which may hold one item twice, but in the packed tree.
    """
    if type(limit) is not float or not limit >= 0 or type(count) is not int:
        return None
    places = cast(Floats, points)
    many = len(places) if _is_plain(points) else 0
    lone: compiled.Few | None = _of(tree, groups, many, threads)
    if lone is None or not 0 < count <= _SEVERAL:
        return None
    octree = cast(Octree, tree)
    if count > 1:
        packed = packed_tree(octree, many)
        lone = None if packed is None else packed.few
    found = None if lone is None else lone.nearest(places, count, limit)
    if found is None:
        return None
    named(octree, found[0])
    return found[:3]


def volumes(
    tree: AnyOctree,
    asked: Shapes,
    groups: SupportsIndex,
    threads: SupportsIndex | None = None,
    *,
    any_hit: bool = False,
) -> tuple[Ids, Ids] | None:
    """Find how many items touch each volume, (q,), or whether any does; and which.

    The second result are volumes and items, (2, h), sorted. Returns None if the batch path has to
    answer.
    """
    kind = compiled.volume_kind(asked)
    lone = _of(tree, groups, len(asked), threads) if kind else None
    if lone is None or not np.isfinite(asked.rows).all():
        return None
    found = lone.touched(asked.rows.T, kind, any_hit=any_hit)
    return None if found is None else (found[0], _pairs(tree, *found))
