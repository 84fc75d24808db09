"""3D Tiles 1.1, implicit tiling: cells by level and coordinates, their availability in subtrees.

Cells divide the root's cube, so files are named by where they are in it. What tiles really have,
their boxes and their errors, is metadata of tiles.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Flags, Floats
from ..text_formats import json_file, json_text
from .georeference import Georeference
from .tileset import ASSET, TILESET, ContentTile, error_above, refinement, root_transform, tile_box

# Levels of a subtree, so that its bits take some kilobytes, by the bits of a code.
_LEVELS = {3: 4, 2: 6}
_SUBTREE = struct.Struct("<4sIQQ")
_CLASS = "tile"
_SCHEMA = {
    "id": "octree",
    "classes": {
        _CLASS: {
            "properties": {
                "box": {
                    "type": "SCALAR",
                    "componentType": "FLOAT64",
                    "array": True,
                    "count": 12,
                    "semantic": "TILE_BOUNDING_BOX",
                },
                "error": {
                    "type": "SCALAR",
                    "componentType": "FLOAT64",
                    "semantic": "TILE_GEOMETRIC_ERROR",
                },
            }
        }
    },
}


class _ImplicitTile(NamedTuple):
    """A tile, with or without content: its bounds, and its error in meters."""

    lower: Floats
    upper: Floats
    error: float
    has_content: bool


def tile_name(code: int, bits: int) -> str:
    """Return the name of the file of a cell: its level from the root, and coordinates there."""
    level, axes = (code.bit_length() - 1) // bits, range(bits)
    places = (sum((code >> bits * up + axis & 1) << up for up in range(level)) for axis in axes)
    return "_".join(map(str, ("tile", level, *places)))


def implicit_files(
    contents: Sequence[ContentTile],
    bits: int,
    root: tuple[Floats, Floats],
    georeference: Georeference | None = None,
) -> dict[str, bytes]:
    """Return a tileset and its subtrees, by name.

    Parameters
    ----------
    contents : sequence of ContentTile
        As for `tileset_text`; each file is `tile_name`.glb.
    bits : int
        3 of an octree, 2 of a quadtree.
    root : tuple of ndarray of float64, shape (3,)
        The corners of the cube that is divided, Z up, in meters.
    georeference : Georeference, optional
        Where the origin of the world is on Earth.
    """
    tiles = _tiles(contents, bits)
    available = max((code.bit_length() - 1) // bits for code in tiles) + 1
    depth = min(_LEVELS[bits], available)
    lower, upper = root
    # Who does not read metadata halves this once a level: never less than was measured.
    error = max(
        float(np.linalg.norm(upper - lower)),
        *(each.error * 2.0 ** ((each.code.bit_length() - 1) // bits) for each in contents),
    )
    places = "_".join(f"{{{name}}}" for name in ("level", *"xyz"[:bits]))
    members: dict[str, Any] = {
        "boundingVolume": {"box": tile_box(lower, upper)},
        "geometricError": error,
        "refine": refinement(has_levels=any(each.error > 0 for each in contents)),
        "content": {"uri": f"tile_{places}.glb"},
        "implicitTiling": {
            "subdivisionScheme": "OCTREE" if bits == 3 else "QUADTREE",
            "subtreeLevels": depth,
            "availableLevels": available,
            "subtrees": {"uri": f"subtree_{places}.subtree"},
        },
    }
    if georeference is not None:
        members["transform"] = root_transform(georeference)
    text = json_file({"asset": ASSET, "schema": _SCHEMA, "geometricError": error, "root": members})
    files = {TILESET: text.encode()}
    for code in _subtree_roots(tiles, bits, depth):
        name = tile_name(code, bits).replace("tile", "subtree", 1)
        files[f"{name}.subtree"] = _subtree(code, tiles, bits, depth)
    return files


def _tiles(contents: Sequence[ContentTile], bits: int) -> dict[int, _ImplicitTile]:
    """Return all tiles that there are by code, those above contents up to the root among them."""
    tiles = {each.code: _ImplicitTile(*each[2:], True) for each in contents}
    for length in range(max(code.bit_length() for code in tiles), 1, -bits):
        families: dict[int, list[_ImplicitTile]] = {}
        for code in [code for code in tiles if code.bit_length() == length]:
            families.setdefault(code >> bits, []).append(tiles[code])
        for code, family in families.items():
            lower = np.min([each.lower for each in family], axis=0)
            upper = np.max([each.upper for each in family], axis=0)
            least = max(error_above(each.error) for each in family)
            known = tiles.get(code)
            own = known.error if known else float(np.linalg.norm(upper - lower))
            tiles[code] = _ImplicitTile(lower, upper, max(own, least), known is not None)
    return tiles


def _subtree_roots(tiles: Mapping[int, _ImplicitTile], bits: int, depth: int) -> list[int]:
    return sorted(code for code in tiles if (code.bit_length() - 1) // bits % depth == 0)


def _subtree(root: int, tiles: Mapping[int, _ImplicitTile], bits: int, depth: int) -> bytes:
    """Return a binary subtree: which tiles, contents and subtrees there are, boxes and errors."""
    codes = list(_codes_below(root, bits, depth))
    there = np.array([code in tiles for code in codes])
    found = [tiles[code] for code in codes if code in tiles]
    has_content = there.copy()
    has_content[there] = [each.has_content for each in found]
    below = [(root << bits * depth) + place for place in range(1 << bits * depth)]
    buffer = _Buffer()
    head: dict[str, Any] = {
        "tileAvailability": buffer.availability(there),
        "contentAvailability": [buffer.availability(has_content)],
        "childSubtreeAvailability": buffer.availability(np.array([c in tiles for c in below])),
    }
    boxes = np.array([tile_box(each.lower, each.upper) for each in found])
    errors = np.array([each.error for each in found])
    columns = {
        "box": {"values": buffer.view(boxes.astype("<f8").tobytes())},
        "error": {"values": buffer.view(errors.astype("<f8").tobytes())},
    }
    head["propertyTables"] = [{"class": _CLASS, "count": len(found), "properties": columns}]
    head["tileMetadata"] = 0
    head = {**buffer.described(), **head}
    text = json_text(head).encode()
    text += b" " * (-len(text) % 8)
    return _SUBTREE.pack(b"subt", 1, len(text), len(buffer.content)) + text + buffer.content


def _codes_below(root: int, bits: int, depth: int) -> Iterator[int]:
    """Yield the codes of the cells of a subtree, level by level, in Morton order."""
    for level in range(depth):
        yield from range(root << bits * level, root + 1 << bits * level)


class _Buffer:
    """The bytes of a subtree, in views that begin at whole multiples of eight."""

    def __init__(self) -> None:
        self.content, self._views = b"", list[dict[str, int]]()

    def view(self, content: bytes) -> int:
        """Append bytes and return the number of their view."""
        view = {"buffer": 0, "byteOffset": len(self.content), "byteLength": len(content)}
        self._views.append(view)
        self.content += content + bytes(-len(content) % 8)
        return len(self._views) - 1

    def availability(self, there: Flags) -> dict[str, int]:
        """Return which of some there are: as a constant, or as bits, the lowest first."""
        count = int(np.count_nonzero(there))
        if count in (0, len(there)):
            return {"constant": int(count > 0)}
        packed = np.packbits(there, bitorder="little").tobytes()
        return {"bitstream": self.view(packed), "availableCount": count}

    def described(self) -> dict[str, Any]:
        """Return what the head of the subtree says of the bytes."""
        return {"buffers": [{"byteLength": len(self.content)}], "bufferViews": self._views}
