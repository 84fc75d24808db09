"""glTF files read in plain NumPy: their triangles where they stand, in double precision."""

import json
import struct
from pathlib import Path
from urllib.parse import unquote

import numpy as np

KINDS = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
# Z up from Y up.
UPRIGHT = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])


def read_gltf(path):
    """Return the model and the bytes of its only buffer."""
    content = Path(path).read_bytes()
    if content[:4] != b"glTF":
        model = json.loads(content)
        (buffer,) = model["buffers"]
        return model, (Path(path).parent / unquote(buffer["uri"])).read_bytes()
    _, version, length = struct.unpack_from("<4sII", content)
    assert (version, length) == (2, len(content))
    (size, kind), at = struct.unpack_from("<I4s", content, 12), 20
    assert kind == b"JSON" and size % 4 == 0
    model, at = json.loads(content[at : at + size]), at + size
    size, kind = struct.unpack_from("<I4s", content, at)
    assert kind == b"BIN\0"
    return model, content[at + 8 : at + 8 + size]


def accessor(model, data, number):
    """Return the values of an accessor, (n, k)."""
    each = model["accessors"][number]
    view = model["bufferViews"][each["bufferView"]]
    at = view.get("byteOffset", 0) + each.get("byteOffset", 0)
    width, kind = WIDTHS[each["type"]], KINDS[each["componentType"]]
    assert "byteStride" not in view
    return np.frombuffer(data, kind, each["count"] * width, at).reshape(-1, width)


def place_of(node):
    """Return the matrix of a node in its parent, (4, 4)."""
    if "matrix" in node:
        return np.array(node["matrix"], np.float64).reshape(4, 4).T
    x, y, z, w = node.get("rotation", (0, 0, 0, 1))
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    place = np.eye(4)
    place[:3, :3] = turn * np.array(node.get("scale", (1, 1, 1)))
    place[:3, 3] = node.get("translation", (0, 0, 0))
    return place


def gltf_triangles(path):
    """Return the corners of all triangles of a file, (n, 3, 3), Z up."""
    model, data = read_gltf(path)
    found = [np.empty((0, 3, 3))]

    def walk(number, parent):
        node = model["nodes"][number]
        place = parent @ place_of(node)
        for each in model["meshes"][node["mesh"]]["primitives"] if "mesh" in node else ():
            if each.get("mode", 4) == 4:
                points = accessor(model, data, each["attributes"]["POSITION"]).astype(np.float64)
                faces = accessor(model, data, each["indices"]).reshape(-1, 3)
                corners = (points @ place[:3, :3].T + place[:3, 3])[faces]
                if np.linalg.det(place[:3, :3]) < 0:
                    corners = corners[:, ::-1]
                found.append(corners @ UPRIGHT.T)
        for child in node.get("children", ()):
            walk(child, place)

    for root in model["scenes"][model.get("scene", 0)]["nodes"]:
        walk(root, np.eye(4))
    return np.concatenate(found)


def farthest_corner(found, wanted):
    """Return how far corners are from those that are wanted, triangles in any order, at most.

    Each is held against the one that is nearest, whichever its first corner is.
    """
    turns = np.stack([np.roll(wanted, turn, axis=1) for turn in range(3)])
    taken, most = set(), 0.0
    for each in found:
        apart = np.abs(turns - each).max(axis=(2, 3)).min(axis=0)
        taken.add(int(apart.argmin()))
        most = max(most, float(apart.min()))
    assert len(taken) == len(found) == len(wanted)
    return most


def all_triangles(folder, ending):
    """Return the corners of all triangles of all files of a folder."""
    return np.concatenate([gltf_triangles(path) for path in sorted(folder.glob(f"*{ending}"))])


def open_length(corners):
    """Return the length of edges that one triangle has, vertices of the same bits taken as one."""
    keys = {}
    for start, end in np.stack((corners, np.roll(corners, -1, axis=1)), axis=2).reshape(-1, 2, 3):
        key = tuple(sorted(((start + 0.0).tobytes(), (end + 0.0).tobytes())))
        keys[key] = keys.get(key, 0) + 1
    ends = [np.frombuffer(b"".join(key)).reshape(2, 3) for key, n in keys.items() if n == 1]
    return sum(float(np.linalg.norm(one - other)) for one, other in ends)
