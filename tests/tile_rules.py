"""Rules of 3D Tiles 1.1 that our tilesets keep: boxes in boxes, errors that fall, contents."""

import math

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
