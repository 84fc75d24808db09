"""3D Tiles 1.1: an explicit tileset over chunks, boxes in boxes, errors that fall.

Tiles are Z up and in meters; a viewer turns glTF, which is Y up, by itself. Only leaves have
content, so the error of a tile above them is its own size: nothing of it is drawn yet.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Floats
from ..text_formats import json_file
from .georeference import Georeference, to_earth_center

TILESET = "tileset.json"


class LeafTile(NamedTuple):
    """A chunk in a tileset.

    Attributes
    ----------
    code : int
        Its Morton code behind a leading one.
    uri : str
        Its file.
    lower, upper : ndarray of float64, shape (3,)
        The bounds of what it has, Z up, in meters.
    """

    code: int
    uri: str
    lower: Floats
    upper: Floats


class _Tile(NamedTuple):
    """A tile as JSON, and the bounds of its box."""

    members: dict[str, Any]
    lower: Floats
    upper: Floats

    @property
    def size(self) -> float:
        """The diagonal of its box."""
        return float(np.linalg.norm(self.upper - self.lower))


def tileset_text(
    leaves: Sequence[LeafTile], bits: int, georeference: Georeference | None = None
) -> str:
    """Return a tileset as JSON.

    Parameters
    ----------
    leaves : sequence of LeafTile
        At least one; no code lies below another one.
    bits : int
        By how many bits a code is longer than that of its parent: 3, or 2 of a quadtree.
    georeference : Georeference, optional
        Where the origin of the world is on Earth: the transform of the root.
    """
    tiles = {each.code: _leaf(each) for each in leaves}
    # From the longest codes up: brothers become the children of one tile.
    while len(tiles) > 1 or next(iter(tiles)) > 1:
        deepest = max(code.bit_length() for code in tiles)
        families: dict[int, list[_Tile]] = {}
        for code in sorted(code for code in tiles if code.bit_length() == deepest):
            families.setdefault(code >> bits, []).append(tiles.pop(code))
        for code, family in families.items():
            tiles[code] = family[0] if len(family) == 1 else _joined(family)
    (root,) = tiles.values()
    members = {**root.members, "refine": "ADD"}
    if georeference is not None:
        members["transform"] = to_earth_center(georeference).T.ravel().tolist()
    error = max(root.size, root.members["geometricError"])
    return json_file({"asset": {"version": "1.1"}, "geometricError": error, "root": members})


def _leaf(leaf: LeafTile) -> _Tile:
    volume = {"box": _box(leaf.lower, leaf.upper)}
    members = {"boundingVolume": volume, "geometricError": 0.0, "content": {"uri": leaf.uri}}
    return _Tile(members, leaf.lower, leaf.upper)


def _joined(family: Sequence[_Tile]) -> _Tile:
    lower = np.min([each.lower for each in family], axis=0)
    upper = np.max([each.upper for each in family], axis=0)
    # Of one that fills its parent the box is the same: errors fall all the same.
    least = max(np.nextafter(each.members["geometricError"], np.inf) for each in family)
    members = {
        "boundingVolume": {"box": _box(lower, upper)},
        "geometricError": max(float(np.linalg.norm(upper - lower)), float(least)),
        "children": [each.members for each in family],
    }
    return _Tile(members, lower, upper)


def _box(lower: Floats, upper: Floats) -> list[float]:
    """Return the center of a box and its half axes, in turn."""
    halves = np.diag((upper - lower) / 2)
    return [*((lower + upper) / 2).tolist(), *(halves.ravel() + 0.0).tolist()]
