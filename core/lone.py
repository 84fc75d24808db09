"""Questions that come alone: the kernel walks the octree's own arrays, and nothing is packed.

What is asked in a way that has to be looked at first, or of another tree, goes the usual way.
"""

from typing import SupportsFloat, SupportsIndex, cast
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from . import compiled
from .any_octree import AnyOctree
from .arrays import Floats, Ids
from .checks import ALL_GROUPS, LONGEST
from .octree import Octree
from .shapes import Triangles

# Questions at most: the packed tree takes more at once, and is worth packing.
MOST = 99
_DOUBLE = np.dtype(np.float64)
# The items of questions, and what else is told of each: a row of numbers.
Found = tuple[Ids, Floats]


class Lone:
    """The arrays of an octree of triangles, as the kernel takes them."""

    def __init__(self, tree: Octree) -> None:
        self.library, package, _ = compiled.found()
        triangles = cast(Triangles, tree.arranged)
        rows = {
            "boxes": tree.loose_rows,
            **{name: getattr(tree, name) for name in ("first_child", "begin", "own_end", "end")},
            "references": tree.references,
            "strays": tree.strays,
        }
        items = {"vertices": triangles.vertices.T, "faces": triangles.faces.T, "order": tree.order}
        # Read as they are: not copied, and alive as long as this.
        self._kept = [*rows.values(), *items.values()]
        cells = {len(rows[name]) for name in ("first_child", "begin", "own_end", "end")}
        self.is_sound = (
            all(array.flags.carray or array.flags.c_contiguous for array in self._kept)
            and all(array.dtype in (_DOUBLE, np.intp) for array in self._kept)
            and cells == {rows["boxes"].shape[1]}
            and items["faces"].shape == (3, len(tree.order))
        )
        addresses = {name: compiled.address(array) for name, array in rows.items()}
        self._plain = package.Plain(
            package.Tree(
                **{name: compiled.address(array) for name, array in items.items()},
                vertex_count=items["vertices"].shape[1],
                entry_count=len(tree.order),
            ),
            **addresses,
            cell_count=len(tree.begin),
            reference_count=len(tree.references),
            stray_count=len(tree.strays),
            slack=tree.slack,
        )
        self.told: int = package.ctypes.addressof(self._plain)


# The arrays of octrees, as long as these live; None of those that the kernel cannot take.
_KNOWN: WeakKeyDictionary[Octree, Lone | None] = WeakKeyDictionary()


def _of(tree: AnyOctree, groups: SupportsIndex, asked: ArrayLike) -> Lone | None:
    """Return the arrays of a tree, if a few plain rows ask all its groups."""
    if type(tree) is not Octree or type(groups) is not int or groups != ALL_GROUPS:
        return None
    if compiled.found()[0] is None:
        return None
    if not _is_plain(asked) or not 0 < len(asked) <= MOST:  # type: ignore[arg-type]
        return None
    tree.require_current()
    try:
        return _KNOWN[tree]
    except KeyError:
        known = _KNOWN[tree] = _made(tree)
        return known


def _made(tree: Octree) -> Lone | None:
    size = np.abs(tree.loose_rows[:, 0]).max(initial=0.0)
    extent = (tree.loose_rows[3:, 0] - tree.loose_rows[:3, 0]).max(initial=0.0)
    if (
        not isinstance(tree.items, Triangles)
        or tree.groups is not None
        or tree.outside
        or not (size <= LONGEST and extent >= 1 / LONGEST)
    ):
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
    lone = _of(tree, groups, origins)
    if lone is None or type(limit) is not float or not _is_plain(directions):
        return None
    starts, towards = cast(Floats, origins), cast(Floats, directions)
    count = len(starts)
    if len(towards) != count:
        return None
    found = np.empty((1 if any_hit else 11) * count)
    if not lone.library.lone_rays(
        lone.told, starts.tobytes(), towards.tobytes(), limit, count, any_hit,
        compiled.address(found),
    ):  # fmt: skip
        return None
    return compiled.named(cast(Octree, tree), found[:count].astype(np.intp)), found[count:]


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
    lone = _of(tree, groups, points)
    if lone is None or type(limit) is not float or not limit >= 0:
        return None
    if type(count) is not int or count != 1:
        return None
    places = cast(Floats, points)
    found = np.empty(5 * len(places))
    if not lone.library.lone_nearest(
        lone.told, places.tobytes(), limit, len(places), compiled.address(found)
    ):
        return None
    items = found[: len(places)].astype(np.intp)
    return compiled.named(cast(Octree, tree), items), found[len(places) :]
