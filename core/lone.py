"""Questions that come alone: the kernel walks the octree's own arrays, and nothing is packed.

What is asked in a way that has to be looked at first, or of another tree, goes the usual way.
"""

from struct import Struct
from typing import Any, SupportsFloat, SupportsIndex, cast
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import compiled
from .any_octree import AnyOctree
from .arrays import Floats, Ids, address
from .checks import ALL_GROUPS, LONGEST
from .octree import Octree
from .shapes import Shapes, Triangles

# Questions at most: the packed tree takes more at once, and is worth packing.
MOST = 99
# Room for what volumes touch; what does not fit is asked in the usual way.
_ROOM = 4_096
_DOUBLE = np.dtype(np.float64)
_KINDS = {_DOUBLE, np.dtype(np.intp)}
# Rays and the arrays of their answer, as the kernel takes them.
_ASKED, _HITS = Struct("4q"), Struct("6q")
# The items of questions, and what else is told of each: a row of numbers.
Found = tuple[Ids, Floats]


class Lone:
    """The arrays of an octree, as the kernel takes them."""

    def __init__(self, tree: Octree) -> None:
        self.library, package, _ = compiled.found()
        rows = {
            "walls": tree.loose_rows,
            **{name: getattr(tree, name) for name in ("first_child", "begin", "own_end", "end")},
            "references": tree.references,
            "strays": tree.strays,
        }
        items = _arrays_of(tree.arranged)
        items["order"] = tree.order
        # Read as they are: not copied, and alive as long as this.
        self._kept = [*rows.values(), *items.values()]
        told = compiled.tree_of(items)
        cells = {len(rows[name]) for name in ("first_child", "begin", "own_end", "end")}
        self.is_sound = (
            all(array.flags.c_contiguous for array in self._kept)
            and {array.dtype for array in self._kept} <= _KINDS
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
        self._walked = package.Walked(tree, None, plain)
        self.told: int = package.ctypes.addressof(self._walked)


def _arrays_of(items: Shapes) -> dict[str, NDArray[Any]]:
    """Return vertices and faces, (3, v) and (3, n), or boxes, (6, n), and maybe radii, (n,)."""
    if isinstance(items, Triangles):
        return {"vertices": items.vertices.T, "faces": items.faces.T}
    return compiled.as_boxes(items)


# The arrays of octrees, as long as these live; None of those that the kernel cannot take.
_KNOWN: WeakKeyDictionary[Octree, Lone | None] = WeakKeyDictionary()


def _of(tree: AnyOctree, groups: SupportsIndex, count: int) -> Lone | None:
    """Return the arrays of a tree, if few questions ask all its groups."""
    if type(tree) is not Octree or type(groups) is not int or groups != ALL_GROUPS:
        return None
    if compiled.found()[0] is None or not 0 < count <= MOST:
        return None
    tree.require_current()
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


def _is_plain(rows: ArrayLike) -> bool:
    """Tell whether rows of points are an array that needs no conversion."""
    return (
        type(rows) is np.ndarray
        and rows.dtype is _DOUBLE
        and rows.ndim == 2
        and rows.shape[1] == 3
    )


def rays(
    tree: AnyOctree,
    origins: ArrayLike,
    directions: ArrayLike,
    limit: ArrayLike,
    groups: SupportsIndex,
    *,
    any_hit: bool = False,
) -> Found | None:
    """Find items (q,), and distances, positions, normals and weights, one after the other (10 q,).

    Returns None for what is to be asked in the usual way.
    """
    if type(limit) is not float or not (_is_plain(origins) and _is_plain(directions)):
        return None
    starts, towards = cast(Floats, origins), cast(Floats, directions)
    count = len(starts)
    is_mesh = type(tree) is Octree and isinstance(tree.items, Triangles)
    lone = _of(tree, groups, count) if is_mesh else None
    if lone is None or len(towards) != count:
        return None
    # What is asked and what is found stand in one array, of which one address is wanted.
    numbers = np.empty(17 * count + 1)
    numbers[: 3 * count], numbers[3 * count : 6 * count] = starts.ravel(), towards.ravel()
    numbers[6 * count] = limit
    start = address(numbers)
    each = 8 * count  # bytes of a number of each ray
    item = start + 6 * each + 8
    answer = (item, 0, item + each, item + 2 * each, item + 5 * each, item + 8 * each)
    if lone.library.lone_cast(
        lone.told, _ASKED.pack(start, start + 3 * each, item - 8, 0), 0, count, any_hit, 0, 0,
        None, _HITS.pack(item, 0, 0, 0, 0, 0) if any_hit else _HITS.pack(*answer),
    ) < count:  # fmt: skip
        return None
    items = numbers[6 * count + 1 : 7 * count + 1].view(np.intp)
    if compiled.NOT_TAKEN in items.tolist():
        return None
    return compiled.named(cast(Octree, tree), items), numbers[7 * count + 1 :]


def nearest(
    tree: AnyOctree,
    points: ArrayLike,
    count: SupportsIndex,
    limit: SupportsFloat,
    groups: SupportsIndex,
) -> Found | None:
    """Find items (q,), and distances and positions, one after the other (4 q,).

    Returns None for what is to be asked in the usual way.
    """
    if type(limit) is not float or not limit >= 0 or type(count) is not int or count != 1:
        return None
    places = cast(Floats, points)
    many = len(places) if _is_plain(points) else 0
    lone = _of(tree, groups, many)
    if lone is None:
        return None
    found = np.empty(6 * many)
    entry = address(found)
    item, distance, position = entry + 8 * many, entry + 16 * many, entry + 24 * many
    if lone.library.lone_nearest(
        lone.told, places.tobytes(), None, 0, many, 1, limit, None, item, None, entry, distance,
        position,
    ) < many:  # fmt: skip
        return None
    items = found[many : 2 * many].view(np.intp)
    if compiled.NOT_TAKEN in items.tolist():
        return None
    return compiled.named(cast(Octree, tree), items), found[2 * many :]


def volumes(
    tree: AnyOctree, asked: Shapes, groups: SupportsIndex, *, any_hit: bool = False
) -> tuple[Ids, Ids] | None:
    """Find how many items touch each volume, (q,), or whether any does; and which.

    The latter are volumes and items, (2, h), sorted. Returns None for what is to be asked in the
    usual way.
    """
    kind = compiled.volume_kind(asked)
    lone = _of(tree, groups, len(asked)) if kind else None
    if lone is None:
        return None
    given, count = asked.rows, len(asked)
    if not np.isfinite(given).all():
        return None
    found = np.empty(count + _ROOM, np.intp)
    place = address(found)
    reached = lone.library.lone_touch(
        lone.told, given.T.tobytes(), None, 0, count, kind, any_hit, None, place + 8 * count,
        _ROOM, place,
    )  # fmt: skip
    each = found[:count].tolist()
    if reached < count or compiled.NOT_TAKEN in each:
        return None
    counts, total = found[:count], sum(each)
    pairs = np.empty((2, total), np.intp)
    pairs[0] = 0 if count == 1 else np.repeat(np.arange(count), counts)
    pairs[1] = compiled.named(cast(Octree, tree), found[count : count + total])
    return counts, pairs
