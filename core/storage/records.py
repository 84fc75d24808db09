"""A tree as a few named arrays, and back: nothing among them that can be derived.

Of the cells they tell which are divided, where, and how many items each holds itself. Walls,
depths, slices and copies follow from that as they did when the tree was built.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..arrays import Floats, Ids, Masks
from ..child_masks import child_masks_of
from ..grid import enlarged
from ..octree import Octree
from ..options import Options
from ..shapes import Boxes, Regions, Shapes, Spheres, Triangles

Arrays = Mapping[str, NDArray[Any]]

NAME, VERSION = "octree", 1
# What each kind of item is made of: the arguments of its constructor.
_MADE_OF: dict[type[Shapes], tuple[str, ...]] = {
    Triangles: ("vertices", "faces"),
    Boxes: ("lower", "upper"),
    Spheres: ("centers", "radii"),
    Regions: ("lower", "upper", "radii"),
}
_EIGHT = np.arange(8)
_IS_UPPER = (_EIGHT >> np.arange(3)[:, None] & 1 == 1)[:, None]


def to_arrays(tree: Octree) -> dict[str, NDArray[Any]]:
    """Return what a tree is made of, whole numbers as narrow as they may be."""
    options = {field.name: getattr(tree, field.name) for field in fields(Options)}
    if tree.bounds is not None:
        options["bounds"] = tree.bounds.rows[:, 0].tolist()
    header = {
        "format": NAME,
        "version": VERSION,
        "kind": type(tree.items).__name__,
        "options": options,
        "outside": tree.outside,
        "slack": tree.slack,
    }
    divided = np.flatnonzero(~tree.is_leaf)
    arrays = {
        "header": np.array(json.dumps(header)),
        **{name: getattr(tree.items, name) for name in _MADE_OF[type(tree.items)]},
        "invalid_items": tree.invalid_items,
        "order": tree.order,
        "slots": tree.references,
        "strays": tree.strays,
        "divided": divided,
        "first_child": tree.first_child[divided],
        "root": tree.cell_rows[:, :1],
        "middles": tree.middle_rows[:, divided],
        "counts": tree.own_end - tree.begin,
    }
    optional = {"ids": tree.ids, "groups": tree.groups}
    arrays |= {name: array for name, array in optional.items() if array is not None}
    return {name: _narrow(array) for name, array in arrays.items()}


def _narrow(array: NDArray[Any]) -> NDArray[Any]:
    if array.dtype.kind != "i" or array.max(initial=0) >= 2**31:
        return array
    return array.astype(np.int32)


def from_arrays(arrays: Arrays) -> Octree:
    """Return the tree that such arrays describe.

    Raises
    ------
    KeyError, TypeError, ValueError
        If an array is missing, of another shape or type, or contradicts the others.
    """
    header = _header(arrays["header"])
    options = _options(header["options"])
    items = _items(header["kind"], arrays)
    invalid = _numbers(arrays, "invalid_items", len(items))
    order = _numbers(arrays, "order", len(items))
    slots = _numbers(arrays, "slots", len(order))
    outside = checks.whole_number("outside", header["outside"], 0)
    arranged = items[order]
    stand = np.bincount(slots, minlength=len(order))
    _see(
        np.array_equal(np.sort(np.concatenate((order, invalid))), np.arange(len(items))),
        "order and invalid_items must name each item once",
    )
    _see(bool(np.isfinite(arranged.limits()).all()), "items in the tree must be finite")
    _see(bool((stand > 0).all()), "slots must name every item of the tree")
    cells = _cells(arrays, options)
    return Octree(
        **vars(options),
        **cells,
        **_slices(arrays, cells["first_child"], outside, len(slots)),
        items=items,
        invalid_items=invalid,
        order=order,
        arranged=arranged,
        references=slots,
        outside=outside,
        copied=stand > 1,
        strays=_numbers(arrays, "strays", len(order)),
        slack=checks.number("slack", header["slack"], 0.0),
        ids=_ids(arrays, len(items)),
        groups=_groups(arrays, len(items)),
    )


def _see(holds: bool, wanted: str) -> None:
    if not holds:
        raise ValueError(wanted)


def _header(text: NDArray[Any]) -> dict[str, Any]:
    header = json.loads(str(text))
    found = header.get("format"), header.get("version")
    _see(found == (NAME, VERSION), f"format must be {NAME} {VERSION}, got {found[0]} {found[1]}")
    return header


def _options(values: dict[str, Any]) -> Options:
    bounds = values.pop("bounds")
    if bounds is not None:
        bounds = Boxes([bounds[:3]], [bounds[3:]])
    return Options.checked(**values, bounds=bounds)


def _items(name: str, arrays: Arrays) -> Shapes:
    kinds = {kind.__name__: kind for kind in _MADE_OF}
    kind = kinds[checks.choice("kind", name, tuple(kinds))]
    return kind(*(arrays[part] for part in _MADE_OF[kind]))


def _numbers(arrays: Arrays, name: str, limit: int) -> Ids:
    return checks.numbers(name, arrays[name], limit)


def _ids(arrays: Arrays, count: int) -> Ids | None:
    if "ids" not in arrays:
        return None
    ids = _numbers(arrays, "ids", np.iinfo(np.intp).max)
    _see(len(ids) == count and bool((np.diff(ids) > 0).all()), "ids must ascend, one for an item")
    return ids


def _groups(arrays: Arrays, count: int) -> Masks | None:
    if "groups" not in arrays:
        return None
    return checks.masks("groups", arrays["groups"], count)


def _rows(arrays: Arrays, name: str, count: int) -> Floats:
    rows = np.ascontiguousarray(checks.floats(name, arrays[name].T, count).T)
    _see(bool(np.isfinite(rows).all()), f"{name} must be finite")
    return rows


def _cells(arrays: Arrays, options: Options) -> dict[str, Any]:
    """Return the cells that come of dividing the root, level after level."""
    middles = _rows(arrays, "middles", 3)
    count = 8 * middles.shape[1] + 1
    child, parent = _family(arrays, count)
    depth, middle = np.zeros(count, np.intp), np.full((3, count), np.nan)
    middle[:, child >= 0] = middles
    rows = np.repeat(_rows(arrays, "root", 6), count, axis=1)
    for inner in _levels(child):
        parts = child[inner, None] + _EIGHT
        depth[parts] = depth[inner, None] + 1
        walls, wall = rows[:, inner, None], middle[:, inner, None]
        rows[:3, parts] = np.where(_IS_UPPER, wall, walls[:3])
        rows[3:, parts] = np.where(_IS_UPPER, walls[3:], wall)
    _see(bool((rows[:3] <= rows[3:]).all()), "middles must lie in their cells")
    _see(int(depth.max()) <= options.max_depth, "cells must not be deeper than max_depth")
    lower, upper = enlarged(rows[:3], rows[3:], options.enlargement)
    return {
        "cell_rows": rows,
        "loose_rows": rows if options.enlargement == 1 else np.concatenate((lower, upper)),
        "middle_rows": middle,
        "node_depth": depth,
        "node_parent": parent,
        "first_child": child,
    }


def _family(arrays: Arrays, count: int) -> tuple[Ids, Ids]:
    """Return the first child of each cell and its parent, -1 where there is none."""
    divided, first = (_numbers(arrays, name, count) for name in ("divided", "first_child"))
    _see(
        len(divided) == len(first) == count // 8
        and bool((np.diff(divided) > 0).all())
        and np.array_equal(np.sort(first), np.arange(1, count, 8))
        and bool((first > divided).all()),
        "divided and first_child must name each cell's eight parts once, behind the cell",
    )
    child, parent = np.full((2, count), -1)
    child[divided] = first
    parent[first[:, None] + _EIGHT] = divided[:, None]
    return child, parent


def _levels(child: Ids) -> Iterator[Ids]:
    """Yield the divided cells of each depth."""
    inner = np.flatnonzero(child[:1] >= 0)
    while len(inner):
        yield inner
        parts = (child[inner, None] + _EIGHT).ravel()
        inner = parts[child[parts] >= 0]


def _slices(arrays: Arrays, child: Ids, outside: int, total: int) -> dict[str, Any]:
    """Return each cell's slice of the slots, in preorder."""
    own = _numbers(arrays, "counts", total + 1)
    below = own.copy()
    levels = list(_levels(child))
    for inner in levels[::-1]:
        below[inner] += below[child[inner, None] + _EIGHT].sum(axis=1)
    _see(len(own) == len(child) and outside + below[0] == total, "counts must add up to the slots")
    begin = np.full(len(own), outside)
    for inner in levels:
        parts = child[inner, None] + _EIGHT
        begin[parts] = (begin + own)[inner, None] + np.cumsum(below[parts], axis=1) - below[parts]
    return {
        "begin": begin,
        "own_end": begin + own,
        "end": begin + below,
        "child_masks": child_masks_of(child, below > 0),
    }
