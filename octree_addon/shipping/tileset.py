"""3D Tiles 1.1: an explicit tileset of chunks, with nested boxes and errors that fall downward.

Tiles are Z up and in meters; viewers rotate glTF, which is Y up. The error of a tile without
content is its own size, since it draws nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Floats
from ..text_formats import json_file
from .georeference import Georeference, to_earth_center

TILESET, ASSET = "tileset.json", {"version": "1.1"}


class ContentTile(NamedTuple):
    """A cell with a file, as content of a tileset.

    Attributes
    ----------
    code : int
        Morton code of the cell, with a leading one.
    uri : str
        Name of the file.
    lower, upper : ndarray of float64, shape (3,)
        Bounds of the contents of the cell and of all cells below it: Z up, in meters.
    error : float
        Distance between the contents and the finest level, in meters; larger than that of any
        tile below.
    """

    code: int
    uri: str
    lower: Floats
    upper: Floats
    error: float = 0.0


class _Tile(NamedTuple):
    """A tile as members of a JSON object, and the bounds of its box."""

    members: dict[str, Any]
    lower: Floats
    upper: Floats

    @property
    def size(self) -> float:
        """Length of the diagonal of the box."""
        return float(np.linalg.norm(self.upper - self.lower))


def tileset_text(
    contents: Sequence[ContentTile], bits: int, georeference: Georeference | None = None
) -> str:
    """Return a tileset as JSON.

    Parameters
    ----------
    contents : sequence of ContentTile
        At least one tile. A tile with others below it replaces them, so it must hold the same
        contents in a coarser form.
    bits : int
        Number of bits by which the code of a child is longer: 3, or 2 in a quadtree.
    georeference : Georeference, optional
        Location of the world origin on Earth, from which the transform of the root follows.
    """
    above = {each.code: each for each in contents}
    codes = above.keys() - set(_ancestors(above, bits))
    tiles = {code: _content(above.pop(code), ()) for code in codes}
    has_levels = bool(above)
    # From the longest codes up, siblings become the children of one tile.
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
    """Return how the tiles below refine a tile: they replace it, or are added to it."""
    return "REPLACE" if has_levels else "ADD"


def root_transform(georeference: Georeference) -> list[float]:
    """Return the transform of the root tile as 16 numbers, column by column."""
    matrix: list[float] = to_earth_center(georeference).T.ravel().tolist()
    return matrix


def _ancestors(codes: Iterable[int], bits: int) -> Iterator[int]:
    """Yield the codes of all ancestors of cells, up to the root."""
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
    # A child that fills its parent has an equal box, yet the parent's error must be larger.
    members = {
        "boundingVolume": {"box": tile_box(lower, upper)},
        "geometricError": max(float(np.linalg.norm(upper - lower)), _least_error(family)),
        "children": [each.members for each in family],
    }
    return _Tile(members, lower, upper)


def _least_error(family: Sequence[_Tile]) -> float:
    return max(error_above(each.members["geometricError"]) for each in family)


def error_above(error: float) -> float:
    """Return the smallest allowed error of the parent of a tile with this error."""
    return float(np.nextafter(error, np.inf))


def tile_box(lower: Floats, upper: Floats) -> list[float]:
    """Return a box as 3D Tiles store it: the center, then the three half axes."""
    halves = np.diag((upper - lower) / 2)
    return [*((lower + upper) / 2).tolist(), *(halves.ravel() + 0.0).tolist()]
