"""Saving and loading: a tree as named arrays in an `.npz` archive, nothing that can be derived.

Of the cells a file tells which are divided, where, and how many items each holds itself. Walls,
depths, slices and copies follow from that as they did when the tree was built. Nothing is pickled.
A header names all arrays, and a file is written whole or not at all.
"""

import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from . import checks
from .arrays import Floats, Ids
from .atomic_files import atomic_file
from .cells import CHILDREN, Cells, child_walls
from .octree import Octree, octree_of
from .options import Options
from .shapes import Boxes, Regions, Shapes, Spheres, Triangles

__all__ = ["load", "save"]

Arrays = Mapping[str, NDArray[Any]]

NAME, VERSION = "octree", 1
# The arguments of each kind's constructor.
_MADE_OF: dict[type[Shapes], tuple[str, ...]] = {
    Triangles: ("vertices", "faces"),
    Boxes: ("lower", "upper"),
    Spheres: ("centers", "radii"),
    Regions: ("lower", "upper", "radii"),
}


def save(tree: Octree, path: str | os.PathLike[str], /) -> None:
    """Write a tree and its items to a file; an older file at `path` is replaced.

    Parameters
    ----------
    tree : Octree
        Any octree.
    path : str or PathLike
        The file, used as given: no suffix is added.

    Raises
    ------
    ValueError
        If `tree` is not an Octree or `path` is no path.
    OSError
        If the file cannot be written. An older file is unchanged then.

    Notes
    -----
    The file is a zip archive of arrays, some 40 bytes for a triangle, and not compressed: packing
    a million triangles takes several times as long as to build their tree.
    """
    checks.kind("tree", tree, (Octree,))
    checks.kind("path", path, (str, os.PathLike))
    arrays = _to_arrays(tree)
    with atomic_file(path) as file:
        np.savez(file, **arrays)


def load(path: str | os.PathLike[str], /) -> Octree:
    """Read a tree that `save` wrote.

    Parameters
    ----------
    path : str or PathLike
        The file, used as given.

    Returns
    -------
    Octree
        Query results are equal to those of the saved tree, bit by bit.

    Raises
    ------
    FileNotFoundError
        If there is no file.
    ValueError
        If the file is anything but a saved octree; the message says what is wrong.
    """
    checks.kind("path", path, (str, os.PathLike))
    if Path(path).is_dir():
        raise ValueError(f"{path} must be a saved octree, got a folder")
    with Path(path).open("rb") as file:
        # A file of unknown origin can make its readers stumble in any way.
        try:
            return _read(file)
        except Exception as error:
            raise ValueError(f"{path} must be a saved octree: {error}") from error


def _read(file: BinaryIO) -> Octree:
    if not zipfile.is_zipfile(file):
        raise ValueError("it is no .npz archive, or only the beginning of one")
    file.seek(0)
    with np.load(file, allow_pickle=False) as arrays:
        return _from_arrays(arrays)


def _to_arrays(tree: Octree) -> dict[str, NDArray[Any]]:
    """Return the arrays that define a tree, with integers in the smallest types that fit."""
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
    header["members"] = sorted(arrays)
    narrow = {name: _narrow(array) for name, array in arrays.items()}
    return {"header": np.array(json.dumps(header)), **narrow}


def _narrow(array: NDArray[Any]) -> NDArray[Any]:
    if array.dtype.kind != "i" or array.max(initial=0) >= 2**31:
        return array
    return array.astype(np.int32)


def _from_arrays(arrays: Arrays) -> Octree:
    """Return the tree that such arrays describe.

    An array that is missing, of another shape or type, or in conflict with the others raises
    KeyError, TypeError or ValueError.
    """
    header = _header(arrays["header"])
    _all_there(header, arrays)
    options = _options(header["options"])
    items = _items(header["kind"], arrays)
    invalid = checks.numbers("invalid_items", arrays["invalid_items"], len(items))
    order = checks.numbers("order", arrays["order"], len(items))
    references = checks.numbers("slots", arrays["slots"], len(order))
    arranged = items[order]
    cells = _cells(arrays, options)
    if "ids" not in arrays and options.bounds is not None:
        is_root = np.array_equal(options.bounds.rows, cells.rows[:, :1])
        _require(is_root, "bounds must be the root")
    groups = arrays.get("groups")
    if groups is not None:
        groups = checks.masks("groups", groups, len(items))
    own = checks.numbers("counts", arrays["counts"], len(references) + 1)
    outside = checks.whole_number("outside", header["outside"], 0)
    _require(
        len(own) == len(cells) and outside + own.sum() == len(references),
        "counts must add up to the slots",
    )
    tree = octree_of(
        options,
        cells,
        cells.slices(own, outside),
        references,
        items=items,
        invalid_items=invalid,
        order=order,
        arranged=arranged,
        strays=checks.numbers("strays", arrays["strays"], len(order)),
        slack=checks.number("slack", header["slack"], 0.0),
        ids=_ids(arrays, len(items)),
        groups=groups,
    )
    for holds, promise in tree.promises():
        _require(bool(holds), promise)
    return tree


def _require(holds: bool, wanted: str) -> None:
    if not holds:
        raise ValueError(wanted)


def _header(text: NDArray[Any]) -> dict[str, Any]:
    header = json.loads(str(text))
    found = header.get("format"), header.get("version")
    _require(
        found == (NAME, VERSION), f"format must be {NAME} {VERSION}, got {found[0]} {found[1]}"
    )
    return header


def _all_there(header: dict[str, Any], arrays: Arrays) -> None:
    """Require the arrays that the header names: the list of an archive has no checksum."""
    named = {"header", *header["members"]}
    missing, strange = sorted(named - set(arrays)), sorted(set(arrays) - named)
    _require(not missing, f"{', '.join(missing)} must be there")
    _require(not strange, f"{', '.join(strange)} must not be there")


def _options(values: dict[str, Any]) -> Options:
    bounds = values.pop("bounds")
    if bounds is not None:
        corners = checks.floats("bounds", [bounds], 6).reshape(2, 1, 3)
        bounds = Boxes(*corners)
    return Options(**values, bounds=bounds).checked()


def _items(name: str, arrays: Arrays) -> Shapes:
    kinds = {kind.__name__: kind for kind in _MADE_OF}
    kind = kinds[checks.choice("kind", name, tuple(kinds))]
    return kind(*(arrays[part] for part in _MADE_OF[kind]))


def _ids(arrays: Arrays, count: int) -> Ids | None:
    if "ids" not in arrays:
        return None
    ids = checks.numbers("ids", arrays["ids"], checks.MOST)
    _require(
        len(ids) == count and bool((np.diff(ids) > 0).all()), "ids must ascend, one for an item"
    )
    return ids


def _rows(arrays: Arrays, name: str, count: int) -> Floats:
    rows = np.ascontiguousarray(checks.floats(name, arrays[name].T, count).T)
    _require(bool(np.isfinite(rows).all()), f"{name} must be finite")
    return rows


def _cells(arrays: Arrays, options: Options) -> Cells:
    """Return the cells that dividing the root makes, level after level."""
    middles = _rows(arrays, "middles", 3)
    count = 8 * middles.shape[1] + 1
    divided = checks.numbers("divided", arrays["divided"], count)
    first = checks.numbers("first_child", arrays["first_child"], count)
    _require(
        len(divided) == len(first) == count // 8
        and bool((np.diff(divided) > 0).all())
        and np.array_equal(np.sort(first), np.arange(1, count, 8))
        and bool((first > divided).all()),
        "divided and first_child must name each cell's eight parts once, behind the cell",
    )
    parent = np.full(count, -1)
    parent[first[:, None] + CHILDREN] = divided[:, None]
    rows = _walls(_rows(arrays, "root", 6), middles, divided, first)
    _require(bool((rows[:3] <= rows[3:]).all()), "middles must lie in their cells")
    return Cells.of(rows, parent, options.enlargement)


def _walls(root: Floats, middles: Floats, divided: Ids, first: Ids) -> Floats:
    """Return the walls of all cells, (6, m), level by level from those of the root."""
    rank = np.full(8 * len(divided) + 1, -1)
    rank[divided] = np.arange(len(divided))
    rows = np.repeat(root, len(rank), axis=1)
    here = rank[:1]
    while len(here := here[here >= 0]):
        children = (first[here, None] + CHILDREN).ravel()
        rows[:, children] = child_walls(rows[:, divided[here]], middles[:, here])
        here = rank[children]
    return rows
