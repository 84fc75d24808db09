"""The compiled walks of Octree: opens the library beside this file, and tests it before use.

It needs no Python headers and no NumPy: ctypes opens it by its absolute path.
"""

import ctypes
import sys
from ctypes import (
    POINTER,
    Structure,
    byref,
    c_double,
    c_int32,
    c_int64,
    c_void_p,
    pointer,
    sizeof,
)
from hashlib import sha256
from pathlib import Path

VERSION = "1.2.0"
ABI = 4
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
        *((name, c_void_p) for name in ("nodes", "blocks", "vertices", "faces", "order", "boxes")),
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
    """Triangles, maybe placed: see `Batch` in triangles.h."""

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
    """Meshes that are laid out, and placements of them: see `Sheets` in pairs.c."""

    _fields_ = [
        ("triangles", Batch),
        *((name, c_void_p) for name in ("order", "boxes", "firsts", "counts", "are_small")),
        *((name, c_void_p) for name in ("tops", "top_counts", "meshes")),
        *((name, c_int64) for name in ("patch_step", "patch_count", "mesh_count")),
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


class Target(Structure):
    """Where triangles are drawn: see `Target` in pictures.c."""

    _fields_ = [
        ("numbers", c_void_p),
        ("count", c_int64),
        ("pixels", c_int64),
        ("keys", c_void_p),
        ("flags", c_void_p),
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
        "project": [address, number, *[address] * 3, number, address, number],
        "draw": [POINTER(Target), address, number, address, number, address, number, number],
        "file": [*entries, address, number, number, address, address, number, address],
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
        "search_size": [],
        "join_size": [],
        "join": [POINTER(Cells), address, c_double, number, number, address, number],
        "touching": [POINTER(Batch), address, POINTER(Batch), address, number, address],
        "search": [
            POINTER(Sheets), number, address, number, *[address] * 4, *[number] * 3,
            *[address] * 3,
        ],
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


# A tetrahedron and a sliver, rays, and a digest of what NumPy finds: where they meet, and what is
# nearest to where they begin.
_VERTICES = [0.1, 1.3, 0.2, 0.4, 0.7, 0.1, 0.3, 1.1, 0.6, 0.70001, 0.2, 0.5, 0.4, 1.7, 0.80003]
_FACES = [0, 0, 0, 1, 1, 0, 1, 2, 2, 3, 2, 3, 3, 3, 4]
_ORIGINS = [3.0, 2.9, 2.7, 0.5, 0.4, -2.0, 0.3, -5.0, 0.31, 0.6, 0.4, 0.3]
_DIRECTIONS = [-2.6, -2.4, -2.2, 0.01, 0.03, 1.7, 0.1, 5.7, 0.2, 1.0, 0.0, 0.0]
KNOWN = "16011b0a2d702edc7daa7dddae062a0f1d0c95e8838da6b49a6cfe1a6a5a4f9b"


def tested(library: ctypes.CDLL) -> str:
    """Return what the library answers to the questions of its self-test.

    Parameters
    ----------
    library : CDLL
        The library.

    Returns
    -------
    str
        A digest of all items and all other numbers, to the last bit.
    """
    count, rays = len(_FACES) // 3, len(_ORIGINS) // 3
    vertices, faces = (c_double * 15)(*_VERTICES), (c_int64 * 15)(*_FACES)
    order = (c_int64 * count)(*range(count))
    tree = Tree(
        vertices=ctypes.addressof(vertices), faces=ctypes.addressof(faces),
        order=ctypes.addressof(order), vertex_count=5, entry_count=count,
    )  # fmt: skip
    nodes, blocks = (
        ctypes.create_string_buffer(library.octree_kernel_size(which, 0)) for which in (0, 1)
    )
    first_child, begin, end = (c_int64 * 1)(-1), (c_int64 * 1)(0), (c_int64 * 1)(count)
    entries, middles = (c_int32 * count)(*range(count)), (ctypes.c_float * (3 * count))()
    work, depths = ctypes.create_string_buffer(PART), (c_int32 * 1)()
    if library.octree_kernel_pack(
        byref(tree), nodes, blocks, 1, 1, first_child, begin, end, end, 1, entries, count, middles,
        work, depths,
    ):  # fmt: skip
        return "not packed"
    items, numbers = (c_int64 * rays)(), [(c_double * (size * rays))() for size in (1, 3, 3, 3)]
    found, *others = (ctypes.addressof(array) for array in (items, *numbers))
    hits = Hits(found, None, *others)
    scratch = ctypes.create_string_buffer(library.octree_kernel_size(SCRATCH, tree.depth))
    limit = (c_double * 1)(float("inf"))
    given = [(c_double * 12)(*_ORIGINS), (c_double * 12)(*_DIRECTIONS), limit]
    asked = Asked(*(ctypes.addressof(array) for array in given), 0)
    walked = Walked(pointer(tree))
    library.octree_kernel_cast(
        byref(walked), byref(asked), 0, rays, CLOSEST, 1, tree.depth, scratch, byref(hits)
    )
    near = [(c_int64 * rays)(), (c_int64 * rays)(), (c_double * rays)(), (c_double * (3 * rays))()]
    library.octree_kernel_nearest(
        byref(walked),
        given[0],
        (c_int64 * rays)(*range(rays)),
        0,
        rays,
        1,
        limit[0],
        scratch,
        near[0],
        None,
        *near[1:],
    )
    numbers += near[2:]
    answer = [str(list(items)), str(list(near[0]))]
    answer += [number.hex() for row in numbers for number in row]
    return sha256(" ".join(answer).encode()).hexdigest()
