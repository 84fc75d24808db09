"""Rules of 3D Tiles 1.1 that our tilesets keep: boxes in boxes, errors that fall, contents."""

import itertools
import json
import math
import struct

import numpy as np
from gltf_files import gltf_triangles


def tiles_of(tile):
    yield tile
    for child in tile.get("children", ()):
        yield from tiles_of(child)


def bounds(tile):
    box = np.array(tile["boundingVolume"]["box"])
    halves = np.diag(box[3:].reshape(3, 3))
    assert (box[3:].reshape(3, 3) == np.diag(halves)).all()
    assert (halves >= 0).all()
    return box[:3] - halves, box[:3] + halves


def check_tileset(tileset, folder=None):
    """Check the rules of 3D Tiles 1.1 that hold for ours; return the contents."""
    assert tileset["asset"] == {"version": "1.1"}
    root = tileset["root"]
    assert root["refine"] in ("ADD", "REPLACE")
    assert tileset["geometricError"] >= root["geometricError"]
    contents = []
    for tile in tiles_of(root):
        lower, upper = bounds(tile)
        assert 0 <= tile["geometricError"] < math.inf
        children = tile.get("children", [])
        assert children or "content" in tile
        for child in children:
            assert child["geometricError"] < tile["geometricError"]
            assert "transform" not in child
            below, above = bounds(child)
            slack = 1e-9 * np.abs([lower, upper]).max()
            assert (below >= lower - slack).all() and (above <= upper + slack).all()
        if "content" in tile:
            contents.append(tile["content"]["uri"])
            if folder is not None:
                corners = gltf_triangles(folder / contents[-1]).reshape(-1, 3)
                assert (corners >= lower).all() and (corners <= upper).all()
                if not children:
                    room = 1e-4 * np.abs([lower, upper]).max()
                    assert (corners.min(axis=0) - room <= lower).all()
                    assert (corners.max(axis=0) + room >= upper).all()
    assert len(contents) == len(set(contents))
    return contents


def read_subtree(content):
    """Return the head of a binary subtree, and a function that returns the bytes of a view."""
    magic, version, json_size, binary_size = struct.unpack_from("<4sIQQ", content)
    assert (magic, version) == (b"subt", 1)
    assert json_size % 8 == binary_size % 8 == 0
    assert len(content) == 24 + json_size + binary_size
    head = json.loads(content[24 : 24 + json_size])
    assert head["buffers"] == [{"byteLength": binary_size}]

    def view(number):
        each = head["bufferViews"][number]
        assert each["buffer"] == 0 and each["byteOffset"] % 8 == 0
        assert each["byteOffset"] + each["byteLength"] <= binary_size
        start = 24 + json_size + each["byteOffset"]
        return content[start : start + each["byteLength"]]

    return head, view


def availability(said, view, count):
    """Return which of so many there are."""
    if "constant" in said:
        return [bool(said["constant"])] * count
    content = view(said["bitstream"])
    assert len(content) == (count + 7) // 8
    found = [content[number // 8] >> number % 8 & 1 == 1 for number in range(count)]
    assert sum(found) == said["availableCount"]
    assert not any(
        content[number // 8] >> number % 8 & 1 for number in range(count, len(content) * 8)
    )
    return found


def implicit_tiles(tileset, read):
    """Return the tiles of an implicit tileset as explicit ones, by level and coordinates.

    `read` returns the content of a file. Each has `box`, `error` and whether it has `content`.
    """
    root = tileset["root"]
    tiling = root["implicitTiling"]
    axes = {"OCTREE": 3, "QUADTREE": 2}[tiling["subdivisionScheme"]]
    depth, found, waiting = tiling["subtreeLevels"], {}, [(0, *[0] * axes)]

    def below(place, level):
        """Return the places so many levels below one, in Morton order, x lowest."""
        first = [each << level for each in place[1:]]
        bits = range(1 << axes * level)
        return [
            (place[0] + level, *(
                start + sum((code >> axes * bit + axis & 1) << bit for bit in range(level))
                for axis, start in enumerate(first)
            ))
            for code in bits
        ]  # fmt: skip

    while waiting:
        place = waiting.pop()
        head, view = read_subtree(read(named(tiling["subtrees"]["uri"], place)))
        places = [each for level in range(depth) for each in below(place, level)]
        there = availability(head["tileAvailability"], view, len(places))
        (said,) = head["contentAvailability"]
        contents = availability(said, view, len(places))
        assert there[0]
        (table,) = head["propertyTables"]
        assert (head["tileMetadata"], table["class"], table["count"]) == (0, "tile", sum(there))
        boxes, errors = (
            np.frombuffer(view(table["properties"][name]["values"]), "<f8")
            for name in ("box", "error")
        )
        rows = zip(boxes.reshape(-1, 12), errors, strict=True)
        for each, is_there, has_content in zip(places, there, contents, strict=True):
            assert is_there or not has_content
            if is_there:
                assert each[0] < tiling["availableLevels"]
                box, error = next(rows)
                found[each] = {"box": box, "error": error, "content": has_content}
        further = below(place, depth)
        children = availability(head["childSubtreeAvailability"], view, len(further))
        waiting += [each for each, is_there in zip(further, children, strict=True) if is_there]
    return found


def named(template, place):
    """Return a name of a template for a level and coordinates."""
    for name, number in zip(("level", *"xyz"), place, strict=False):
        template = template.replace(f"{{{name}}}", str(number))
    return template


def check_implicit(tileset, read):
    """Check the rules of implicit tiling; return the tiles by level and coordinates."""
    assert tileset["asset"] == {"version": "1.1"}
    root = tileset["root"]
    assert "children" not in root
    assert tileset["geometricError"] >= root["geometricError"]
    found = implicit_tiles(tileset, read)
    assert max(place[0] for place in found) + 1 == root["implicitTiling"]["availableLevels"]
    for place, tile in found.items():
        halves = tile["box"][3:].reshape(3, 3)
        assert (halves == np.diag(np.diag(halves))).all()
        if place[0]:
            above = found[(place[0] - 1, *(each >> 1 for each in place[1:]))]
            assert tile["error"] < above["error"]
            room = 1e-9 * np.abs(above["box"]).max()
            apart = np.abs(tile["box"][:3] - above["box"][:3]) + np.diag(halves)
            assert (apart <= np.diag(above["box"][3:].reshape(3, 3)) + room).all()
        # Who reads no metadata refines at least as early.
        if tile["content"]:
            assert tile["error"] <= root["geometricError"] / 2 ** place[0] * (1 + 1e-9)
        is_lowest = not any((place[0] + 1, *p) in found for p in _children(place))
        assert tile["content"] or not is_lowest
    return found


def _children(place):
    steps = [[2 * each, 2 * each + 1] for each in place[1:]]
    return itertools.product(*steps)
