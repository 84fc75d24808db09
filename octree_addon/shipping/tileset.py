"""3D Tiles 1.1: an explicit tileset over chunks, boxes in boxes, errors that fall.

Tiles are Z up and in meters; a viewer turns glTF, which is Y up, by itself. A tile that has no
content has its own size as its error: nothing of it is drawn yet.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Floats
from ..text_formats import json_file
from .georeference import Georeference, to_earth_center

TILESET, ASSET = "tileset.json", {"version": "1.1"}


class ContentTile(NamedTuple):
    """A cell in a tileset that has a file.

    Attributes
    ----------
    code : int
        Its Morton code behind a leading one.
    uri : str
        Its file.
    lower, upper : ndarray of float64, shape (3,)
        The bounds of what it has, and of all below it: Z up, in meters.
    error : float
        How far what it has is from the finest, in meters: more than that of any tile below it.
    """

    code: int
    uri: str
    lower: Floats
    upper: Floats
    error: float = 0.0


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
    contents: Sequence[ContentTile], bits: int, georeference: Georeference | None = None
) -> str:
    """Return a tileset as JSON.

    Parameters
    ----------
    contents : sequence of ContentTile
        At least one. One that has others below it is shown instead of all of these, and so has
        everything that they have, more coarsely.
    bits : int
        By how many bits a code is longer than that of its parent: 3, or 2 of a quadtree.
    georeference : Georeference, optional
        Where the origin of the world is on Earth: the transform of the root.
    """
    above = {each.code: each for each in contents}
    codes = above.keys() - set(_ancestors(above, bits))
    tiles = {code: _content(above.pop(code), ()) for code in codes}
    has_levels = bool(above)
    # From the longest codes up: brothers become the children of one tile.
    while len(tiles) > 1 or next(iter(tiles)) > 1:
        deepest = max(code.bit_length() for code in tiles)
        families: dict[int, list[_Tile]] = {}
        for code in sorted(code for code in tiles if code.bit_length() == deepest):
            families.setdefault(code >> bits, []).append(tiles.pop(code))
        for code, family in families.items():
            if code in above:
                tiles[code] = _content(above[code], family)
            else:
                tiles[code] = family[0] if len(family) == 1 else _joined(family)
    (root,) = tiles.values()
    members = {**root.members, "refine": refinement(has_levels=has_levels)}
    if georeference is not None:
        members["transform"] = root_transform(georeference)
    error = max(root.size, root.members["geometricError"])
    return json_file({"asset": ASSET, "geometricError": error, "root": members})


def refinement(*, has_levels: bool) -> str:
    """Return how tiles are refined: by those below them, or as well by those below them."""
    return "REPLACE" if has_levels else "ADD"


def root_transform(georeference: Georeference) -> list[float]:
    """Return the transform of the root, column by column."""
    matrix: list[float] = to_earth_center(georeference).T.ravel().tolist()
    return matrix


def _ancestors(codes: Iterable[int], bits: int) -> Iterator[int]:
    """Yield the codes of all cells around these."""
    for code in codes:
        yield from (code >> up for up in range(bits, code.bit_length(), bits))


def _content(tile: ContentTile, family: Sequence[_Tile]) -> _Tile:
    error = max(tile.error, _least_error(family)) if family else tile.error
    members: dict[str, Any] = {
        "boundingVolume": {"box": tile_box(tile.lower, tile.upper)},
        "geometricError": error,
        "content": {"uri": tile.uri},
    }
    if family:
        members["children"] = [each.members for each in family]
    return _Tile(members, tile.lower, tile.upper)


def _joined(family: Sequence[_Tile]) -> _Tile:
    lower = np.min([each.lower for each in family], axis=0)
    upper = np.max([each.upper for each in family], axis=0)
    # Of one that fills its parent the box is the same: errors fall all the same.
    members = {
        "boundingVolume": {"box": tile_box(lower, upper)},
        "geometricError": max(float(np.linalg.norm(upper - lower)), _least_error(family)),
        "children": [each.members for each in family],
    }
    return _Tile(members, lower, upper)


def _least_error(family: Sequence[_Tile]) -> float:
    return max(error_above(each.members["geometricError"]) for each in family)


def error_above(error: float) -> float:
    """Return the least error of a tile above one with this error."""
    return float(np.nextafter(error, np.inf))


def tile_box(lower: Floats, upper: Floats) -> list[float]:
    """Return the center of a box and its half axes, in turn."""
    halves = np.diag((upper - lower) / 2)
    return [*((lower + upper) / 2).tolist(), *(halves.ravel() + 0.0).tolist()]
