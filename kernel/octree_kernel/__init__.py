"""The compiled walks of Octree: opens the library beside this file, and tests it before use.

It needs no Python headers and no NumPy: ctypes opens it by its absolute path.
"""

import ctypes
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from ctypes import (
    POINTER,
    Structure,
    byref,
    c_double,
    c_int32,
    c_int64,
    c_uint8,
    c_void_p,
    pointer,
    sizeof,
)
from hashlib import sha256
from itertools import chain, product
from pathlib import Path
from typing import Any

VERSION = "1.3.0"
ABI = 5
_SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
LIBRARY = Path(__file__).resolve().parent / f"octree_kernel{_SUFFIX}"
CLOSEST, ANY = 0, 1
# What packing returns if it needs larger arrays.
TOO_LITTLE_ROOM = -2
# Which size `octree_kernel_size` tells: of a node, of a block, of the scratch of a walk.
NODE, BLOCK, SCRATCH = 0, 1, 2
# Bytes of a part of a tree that is still to be packed.
PART = 40


class Tree(Structure):
    """A packed tree: see `Tree` in kernel.c."""

    _fields_ = [
        *((name, c_void_p) for name in ("nodes", "blocks", "vertices", "faces", "order")),
        *((name, c_void_p) for name in ("boxes", "radii")),
        *((name, c_int64) for name in ("node_count", "block_count", "vertex_count")),
        *((name, c_int64) for name in ("entry_count", "depth")),
        ("center", c_double * 3),
        ("scale", c_double),
    ]


# Bytes of a packed tree among those of a scene.
TREE = sizeof(Tree)


class Scene(Structure):
    """Packed trees that are placed: see `Scene` in kernel.c."""

    _fields_ = [
        ("top", Tree),
        *((name, c_void_p) for name in ("trees", "meshes", "matrices", "inverses", "slacks")),
        ("wanted", c_void_p),
        ("mesh_count", c_int64),
    ]


class Plain(Structure):
    """A tree that is not packed: see `Plain` in kernel.c."""

    _fields_ = [
        ("items", Tree),
        *((name, c_void_p) for name in ("walls", "first_child", "begin", "own_end", "end")),
        *((name, c_void_p) for name in ("references", "strays")),
        *((name, c_int64) for name in ("cell_count", "reference_count", "stray_count")),
        ("slack", c_double),
    ]


class Batch(Structure):
    """Triangles, maybe placed: see `Batch` in sheets.h."""

    _fields_ = [
        *((name, c_void_p) for name in ("vertices", "faces", "entries", "places", "matrices")),
        *((name, c_int64) for name in ("vertex_step", "vertex_count", "face_step")),
        *((name, c_int64) for name in ("face_count", "count", "place_count")),
    ]


class Cells(Structure):
    """An octree of triangles, and room for boxes: see `Cells` in pairs.c."""

    _fields_ = [
        ("items", Batch),
        *((name, c_void_p) for name in ("walls", "first_child", "begin", "end", "references")),
        *((name, c_void_p) for name in ("slots", "held")),
        *((name, c_int64) for name in ("cell_count", "reference_count", "slot_count", "most")),
    ]


class Sheets(Structure):
    """Meshes that are laid out, and placements of them: see `Sheets` in sheets.h."""

    _fields_ = [
        ("triangles", Batch),
        *((name, c_void_p) for name in ("order", "boxes", "firsts", "counts", "are_small")),
        *((name, c_void_p) for name in ("tops", "top_counts", "meshes")),
        *((name, c_int64) for name in ("patch_step", "patch_count", "mesh_count")),
    ]


class Slid(Structure):
    """Pairs of placements, the first of which slides: see `Slid` in slides.c."""

    _fields_ = [
        *((name, c_void_p) for name in ("direction", "rows", "keys", "limits", "gaps")),
        *((name, c_void_p) for name in ("entries", "corners", "are_crossing", "faces")),
        *((name, c_int64) for name in ("count", "key_count", "room", "face_count")),
        *((name, c_int64) for name in ("is_signed", "is_shared", "needs_room")),
    ]


class Cutters(Structure):
    """Triangles that cut others: see `Cutters` in audits.c."""

    _fields_ = [
        *((name, c_void_p) for name in ("corners", "normals", "points", "bounds", "flat")),
        ("count", c_int64),
    ]


class Walked(Structure):
    """What is walked, a tree, a scene or plain cells: see `Walked` in kernel.c."""

    _fields_ = [("tree", POINTER(Tree)), ("scene", POINTER(Scene)), ("plain", POINTER(Plain))]


class Asked(Structure):
    """Rays as they are asked: see `Asked` in kernel.c."""

    _fields_ = [
        *((name, c_void_p) for name in ("origins", "directions", "limits")),
        ("limit_step", c_int64),
    ]


class Entries(Structure):
    """Sorted items, and how cells are divided: see `Entries` in builds.c."""

    _fields_ = [
        *((name, c_void_p) for name in ("vertices", "faces", "codes", "first", "last", "depths")),
        *((name, c_int64) for name in ("vertex_count", "face_count", "entry_count")),
        ("grid_depth", c_int64),
        *((name, c_double * 3) for name in ("lower", "step", "scale")),
    ]


class Level(Structure):
    """Cells of one depth: see `Level` in builds.c."""

    _fields_ = [
        *((name, c_void_p) for name in ("cells", "slices", "copied", "copies")),
        *((name, c_int64) for name in ("count", "copy_count", "depth")),
    ]


class Mesh(Structure):
    """A mesh that is to be laid out: see `Mesh` in layouts.c."""

    _fields_ = [
        *((name, c_void_p) for name in ("vertices", "faces", "valid")),
        *((name, c_int64) for name in ("vertex_count", "face_count", "valid_count")),
        ("lower", c_double * 3),
        ("scale", c_double),
    ]


class Laid(Structure):
    """Where meshes are laid out: see `Laid` in layouts.c."""

    _fields_ = [
        *((name, c_void_p) for name in ("vertices", "faces", "order", "keys")),
        *((name, c_int64) for name in ("vertex_count", "face_count", "key_count")),
    ]


class Target(Structure):
    """Where triangles are drawn: see `Target` in pictures.c."""

    _fields_ = [
        ("numbers", c_void_p),
        ("count", c_int64),
        ("pixels", c_int64),
        ("keys", c_void_p),
        ("flags", c_void_p),
    ]


class Planes(Structure):
    """Planes around volumes: see `Planes` in outcodes.c."""

    _fields_ = [
        ("rows", c_void_p),
        ("slacks", c_void_p),
        ("volumes", c_int64),
        ("count", c_int64),
    ]


class Hits(Structure):
    """The arrays of an answer: see `Hits` in kernel.c."""

    _fields_ = [
        (name, c_void_p)
        for name in ("items", "places", "distances", "positions", "normals", "weights")
    ]


def _declared(library: ctypes.CDLL) -> ctypes.CDLL:
    """Let ctypes know what the functions take."""
    address, number = c_void_p, c_int64
    rays = [POINTER(Walked), POINTER(Asked), number, number]
    entries = [POINTER(Entries), POINTER(Level)]
    takes = {
        "abi": [],
        "bounds": [address, number, address, *[number] * 3, address, address],
        "enter": [address, address, *[number] * 3, address, address, number, *[address] * 4],
        "count": [address, *[number] * 3, address],
        "sort": [address, address, *[number] * 3, *[address] * 3, number],
        "classify": [
            *entries, address, *[number] * 3, address, address, number, *[address] * 5,
        ],
        "hand_down": [
            address, address, number, *[address] * 3, number, number, address, number,
        ],
        "place": [*[address] * 5, number, address, number, c_double, address],
        "outline": [address, number, address, number, *[address] * 4],
        "lay_out": [POINTER(Mesh), number, POINTER(Laid)],
        "runs": [address, number, address, number, address, address, *[number] * 3, address],
        "slices": [*[address] * 3, number, number, address, address],
        "refer": [address, number, address, number, *[address] * 3, number, *[address] * 3],
        "project": [address, number, *[address] * 3, number, address, number],
        "draw": [
            POINTER(Target), POINTER(Target), address, number, address, number, address, number,
            number,
        ],
        "file": [*entries, address, number, number, address, address, number, address],
        "outcodes": [
            address, number, number, POINTER(Planes), address, number, address, number, number,
            address, number, *[address] * 3,
        ],
        "coded": [address, *[number] * 3, address, number, *[address] * 3],
        "sum_words": [address, number, number, address],
        "quads": [*[address, number] * 3, *[number] * 3, address],
        "size": [number, number],
        "pack": [
            POINTER(Tree), address, address, number, number, *[address] * 4, number, address,
            number, *[address] * 3,
        ],
        "cast": [*rays, number, number, number, address, POINTER(Hits)],
        "cast_all": [*rays, *[address] * 4, number, address],
        "touch": [
            POINTER(Walked), address, address, *[number] * 4, address, address, number, address,
        ],
        "measure": [POINTER(Batch), number, c_double, address],
        "heights": [address, number, address, number, number, address],
        "beside": [
            address, number, POINTER(Cutters), address, address, number, c_double, address,
        ],
        "cut": [
            address, number, POINTER(Cutters), address, c_double, c_double, address, address,
            number,
        ],
        "see_cutters": [address, address, number, c_double, *[address] * 3],
        "split": [
            address, address, number, number, c_double, *[address] * 4, number, address,
        ],
        "share": [address, address, number, c_double, address, address],
        "search_size": [],
        "join_size": [],
        "join": [POINTER(Cells), address, c_double, number, number, address, number],
        "touching": [POINTER(Batch), address, POINTER(Batch), address, number, address],
        "search": [
            POINTER(Sheets), number, address, number, *[address] * 4, *[number] * 3,
            *[address] * 3,
        ],
        "slide_size": [],
        "slide": [POINTER(Sheets), POINTER(Slid), number, number, address],
        "nearest": [
            POINTER(Walked), address, address, number, number, number, c_double, *[address] * 6,
        ],
        "nearest_in": [
            POINTER(Walked), address, number, address, address, number, number, *[address] * 4,
        ],
    }  # fmt: skip
    for name, arguments in takes.items():
        function = getattr(library, f"octree_kernel_{name}")
        function.argtypes, function.restype = arguments, c_int64
    # Of lone questions, which take microseconds: less than to let other threads of Python go on.
    # Structures are given by their addresses, or as the bytes they are.
    for name in ("cast", "nearest", "touch"):
        plain = (c_double if each is c_double else number if each is number else address
                 for each in takes[name])  # fmt: skip
        declared = ctypes.PYFUNCTYPE(c_int64, *plain)
        setattr(library, f"lone_{name}", declared((f"octree_kernel_{name}", library)))
    return library


def opened(path: Path = LIBRARY) -> ctypes.CDLL:
    """Return the library.

    Parameters
    ----------
    path : Path
        The file, by its absolute path.

    Returns
    -------
    CDLL
        Its functions, with the types of their arguments.

    Raises
    ------
    OSError
        If there is none, it is damaged, for another machine or of another version, or its
        arithmetic is not what it has to be.
    """
    if not path.is_file():
        raise OSError(f"{path} is not there: make kernel, or pip install ./kernel, makes it")
    whole = path.with_name(f"{path.name}.sha256")
    if not whole.is_file() or whole.read_text() != sha256(path.read_bytes()).hexdigest():
        raise OSError(f"{path} is damaged: install it anew")  # to open it might crash
    try:
        library = _declared(ctypes.CDLL(str(path)))
        abi = library.octree_kernel_abi()
    except AttributeError as error:
        raise OSError(
            f"{path} is of another version: {error}; restart Python or Blender"
        ) from error
    if abi != ABI:
        raise OSError(f"{path} has the interface {abi} and not {ABI}: restart Python or Blender")
    if tested(library) != KNOWN:
        raise OSError(f"{path} does not compute as it has to on this machine")
    return library


# A tetrahedron and a sliver, and rays; how vertices are put on a screen; and digests of what NumPy
# answers where each function is asked.
_VERTICES = [0.1, 1.3, 0.2, 0.4, 0.7, 0.1, 0.3, 1.1, 0.6, 0.70001, 0.2, 0.5, 0.4, 1.7, 0.80003]
_FACES = [0, 0, 0, 1, 1, 0, 1, 2, 2, 3, 2, 3, 3, 3, 4]
_ORIGINS = [3.0, 2.9, 2.7, 0.5, 0.4, -2.0, 0.3, -5.0, 0.31, 0.6, 0.4, 0.3]
_DIRECTIONS = [-2.6, -2.4, -2.2, 0.01, 0.03, 1.7, 0.1, 5.7, 0.2, 1.0, 0.0, 0.0]
_SCREEN = [6.3, 0.7, -0.3, 0.9, 0.4, 7.1, 0.6, 0.3, 0.03, -0.07, 0.11, 0.9, 0.0, 0.0, 0.0, 1.0]
_PIXELS = 12
_CORNERS, _POLYGONS = [0, 1, 2, 3, 0, 1, 4, 4, 1, 0, 3], [0, 0, 1, 2, 2]
_PLANES = [0.8, -0.6, 0.1, 0.05, -0.3, 0.2, 0.9, -0.15]
KNOWN = {
    "pack": "e3b0c44298fc1c14",
    "cast": "309425145bf8b0ac",
    "nearest": "6452478f28edc616",
    "bounds": "c13a3467cf727829",
    "enter": "ab4aaffaec7491e9",
    "touching": "3406c2ef840dd4ef",
    "heights": "2bc4b881e57b4eeb",
    "runs": "7b6a4eb63e924cf9",
    "slices": "2f705c6a4e6b59b7",
    "project": "0b83db20abf4a503",
    "draw": "716c731e9079b240",
    "outcodes": "e5c774d902bc5b0f",
    "quads": "d7cb758147adad9d",
    "sum_words": "7cb85abf9c770611",
}


def _doubles(numbers: Sequence[float]) -> Any:
    return (c_double * len(numbers))(*numbers)


def _wholes(numbers: Sequence[int]) -> Any:
    return (c_int64 * len(numbers))(*numbers)


def _questions(library: ctypes.CDLL) -> Iterator[tuple[str, tuple[Any, ...], tuple[Any, ...]]]:
    """Yield functions, what they are given, and of that what they fill: some of each file."""
    at, count, rays = ctypes.addressof, len(_FACES) // 3, len(_ORIGINS) // 3
    vertices, faces, order = _doubles(_VERTICES), _wholes(_FACES), _wholes(range(count))
    tree = Tree(
        vertices=at(vertices), faces=at(faces), order=at(order), vertex_count=5, entry_count=count
    )
    nodes, blocks = (
        ctypes.create_string_buffer(library.octree_kernel_size(each, 0)) for each in (NODE, BLOCK)
    )
    entries, middles = (c_int32 * count)(*range(count)), (ctypes.c_float * (3 * count))()
    root, begin, end = _wholes([-1]), _wholes([0]), _wholes([count])
    given = nodes, blocks, 1, 1, root, begin, end, end, 1, entries, count, middles
    yield "pack", (byref(tree), *given, ctypes.create_string_buffer(PART), (c_int32 * 1)()), ()

    walked, turns, limit = Walked(pointer(tree)), _wholes(range(rays)), _doubles([math.inf])
    origins, directions, items = _doubles(_ORIGINS), _doubles(_DIRECTIONS), _wholes(turns)
    asked = Asked(at(origins), at(directions), at(limit), 0)
    numbers = [_doubles([0.0] * (size * rays)) for size in (1, 3, 3, 3)]
    hits = Hits(at(items), None, *map(at, numbers))
    scratch = ctypes.create_string_buffer(library.octree_kernel_size(SCRATCH, tree.depth))
    given = byref(walked), byref(asked), 0, rays, CLOSEST, 1, tree.depth, scratch, byref(hits)
    yield "cast", given, (items, *numbers)
    given = byref(walked), origins, turns, 0, rays, 1, math.inf, scratch, items, None
    apart, where = numbers[:2]
    yield "nearest", (*given, _wholes(turns), apart, where), (items, apart, where)

    lower, upper = _doubles(_VERTICES), _doubles(_VERTICES)
    yield "bounds", (vertices, 5, faces, count, 0, count, lower, upper), (lower, upper)
    starts, scale, depth = _doubles([-0.1] * 3 + [-0.3] * 3), _doubles([310.7, 97.1, 55.3]), 9
    cells, depths = [_wholes(order) for _ in range(3)], (c_uint8 * count)()
    given = lower, upper, count, 0, count, starts, scale, depth
    yield "enter", (*given, *cells, depths), (*cells, depths)

    batch = Batch(at(vertices), at(faces), vertex_step=5, vertex_count=5, face_step=count,
                  face_count=count, count=count)  # fmt: skip
    ones, others = (_wholes(side) for side in zip(*product(range(count), repeat=2), strict=True))
    flags = (c_uint8 * len(ones))()
    yield "touching", (byref(batch), ones, byref(batch), others, len(ones), flags), (flags,)

    corners = [_FACES[corner * count : (corner + 1) * count] for corner in range(3)]
    rows = [_VERTICES[5 * axis + each] for row in corners for axis in range(3) for each in row]
    heights = _doubles([0.0] * rays)
    yield "heights", (origins, rays, _doubles(rows), count, rays, heights), (heights,)

    starts, counts, rows = _wholes([0, 3]), _wholes([3, 2]), _doubles([0.0] * 12)
    yield "runs", (vertices, 5, faces, count, starts, counts, 2, 0, 2, rows), (rows,)

    own, ends = _wholes([3, 1, 4, 1, 5, 9, 2, 6, 5]), _wholes([0] * 10)
    places, spans, slices = _wholes(range(9)), _wholes([9] + [1] * 8), _wholes([0] * 27)
    yield "slices", (places, spans, own, 9, 2, ends, slices), (ends, slices)

    clip, keys = _doubles([0.0] * 20), _wholes([0] * _PIXELS**2)
    given = vertices, 5, _doubles(_SCREEN), begin, end, 1, clip, 5
    yield "project", given, (clip,)
    frame = _wholes([0, 0, _PIXELS, _PIXELS, 0, _PIXELS])
    target = Target(at(frame), 1, len(keys), at(keys), None)
    yield "draw", (byref(target), None, clip, 5, faces, count, order, 0, count), (keys,)

    rows, slacks, codes = _doubles(_PLANES), _doubles([0.001] * 2), (c_uint8 * 5)()
    planes, is_open = Planes(at(rows), at(slacks), 1, 2), (c_uint8 * 3)(1, 1, 1)
    given = vertices, 5, 5, byref(planes), begin, 1, order, 3, 2, None, 0, is_open
    yield "outcodes", (*given, codes, None), (codes,)

    places, cut = (ctypes.c_float * len(_VERTICES))(*_VERTICES), _wholes([0] * len(_POLYGONS) * 3)
    corners, polygons = ((c_int32 * len(row))(*row) for row in (_CORNERS, _POLYGONS))
    given = places, 5, corners, len(corners), polygons, len(polygons), 0, len(polygons), 0, cut
    yield "quads", given, (cut,)

    halves = (c_int32 * 2)()
    yield "sum_words", (vertices, len(vertices), 1, halves), (halves,)


def tested(library: ctypes.CDLL) -> dict[str, str]:
    """Return what the library answers to the questions of its self-test.

    Parameters
    ----------
    library : CDLL
        The library.

    Returns
    -------
    dict of str to str
        Of each function that is asked a digest of all numbers, to the last bit.
    """
    digests = {}
    for name, given, found in _questions(library):
        reached = getattr(library, f"octree_kernel_{name}")(*given)
        digests[name] = "it refuses" if reached < 0 else digest(chain(*found))
    return digests


def digest(numbers: Iterable[float]) -> str:
    """Return a short digest of numbers, to the last bit.

    Parameters
    ----------
    numbers : iterable of float
        The numbers. Of what is no number, the sign is nothing.

    Returns
    -------
    str
        Sixteen digits.
    """
    return sha256(" ".join(float(each).hex() for each in numbers).encode()).hexdigest()[:16]
