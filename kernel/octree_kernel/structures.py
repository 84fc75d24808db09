"""What the functions of the compiled kernel take: structures, and the types of arguments."""

import ctypes
from ctypes import POINTER, Structure, c_double, c_int64, c_void_p, sizeof

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
        ("upper", c_int64),
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
        ("altitudes", c_void_p),
        *((name, c_void_p) for name in ("tops", "top_counts", "meshes")),
        *((name, c_int64) for name in ("patch_step", "patch_count", "mesh_count")),
    ]


class Slid(Structure):
    """Pairs of placements, the first of which slides: see `Slid` in slides.c."""

    _fields_ = [
        *((name, c_void_p) for name in ("direction", "rows", "keys", "limits", "gaps")),
        *((name, c_void_p) for name in ("entries", "corners", "are_crossing", "faces")),
        *((name, c_int64) for name in ("count", "key_count", "room", "face_count")),
        *((name, c_int64) for name in ("is_signed", "is_shared", "wants_faces", "needs_room")),
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
        *((name, c_void_p) for name in ("strays", "times")),
        *((name, c_int64) for name in ("vertex_count", "face_count", "entry_count")),
        ("grid_depth", c_int64),
        *((name, c_double * 3) for name in ("lower", "step", "scale")),
    ]


class Level(Structure):
    """Cells of one depth: see `Level` in builds.c."""

    _fields_ = [
        *((name, c_void_p) for name in ("cells", "slices", "copied", "held", "spread")),
        *((name, c_void_p) for name in ("allowance", "copies")),
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


def declared(library: ctypes.CDLL) -> ctypes.CDLL:
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
        "classify": [*entries, address, *[number] * 3, address, address, number, address, number],
        "judge": [POINTER(Level), address, number, address, number, address, address],
        "hand_down": [
            address, address, number, *[address] * 3, number, number, address, number,
        ],
        "move": [
            *[address] * 7, number, c_double, *[address] * 4, number, number, address, address,
        ],
        "outline": [address, number, address, number, address, address],
        "surround": [
            address, number, address, address, number, address, address, number, address,
        ],
        "lay_out": [POINTER(Mesh), number, POINTER(Laid)],
        "runs": [
            address, number, address, number, address, address, *[number] * 3, address, address,
        ],
        "preorder": [address, address, number, address, address],
        "walls": [POINTER(Entries), address, address, number, address, address],
        "slices": [*[address] * 3, number, address, number, *[address] * 3],
        "refer": [address, number, address, number, *[address] * 3, number, address, address],
        "project": [address, number, *[address] * 3, number, address, number],
        "draw": [
            POINTER(Target), POINTER(Target), address, number, address, number, address, number,
            number,
        ],
        "file": [*entries, address, number, number, address, address, number],
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
        "cast_all": [*rays, *[address] * 3, number, address],
        "wound": [*rays, *[address] * 3, number, address, address],
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
        prototype = ctypes.PYFUNCTYPE(c_int64, *plain)
        setattr(library, f"lone_{name}", prototype((f"octree_kernel_{name}", library)))
    return library
