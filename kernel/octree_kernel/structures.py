"""Structures and functions of the kernel: written by bindings.py from its header."""

# fmt: off

from ctypes import POINTER, Structure, c_double, c_int64, c_void_p

ABI = 599027948535284865

DAMAGED = -1
NO_ROOM = -2
GIVEN_UP = -3
IS_LEFT = -4
LOST = -5
MISS = -1
NOT_TAKEN = -2
NOT_PACKED = -3
NODE = 0
BLOCK = 1
SCRATCH = 2
PART = 3
CLOSEST = 0
ANY = 1
ALL = 2
GROUP_PAIRS = 36
MOST_WAITING = 468

class Frame(Structure):
    """See `Frame` in octree_kernel.h."""

    _fields_ = [
        ("center", c_double * 3),
        ("scale", c_double),
    ]

class Tree(Structure):
    """See `Tree` in octree_kernel.h."""

    _fields_ = [
        ("nodes", c_void_p),
        ("blocks", c_void_p),
        ("vertices", c_void_p),
        ("faces", c_void_p),
        ("order", c_void_p),
        ("boxes", c_void_p),
        ("radii", c_void_p),
        ("upper", c_int64),
        ("vertex_step", c_int64),
        ("vertex_count", c_int64),
        ("face_step", c_int64),
        ("entry_count", c_int64),
        ("node_count", c_int64),
        ("block_count", c_int64),
        ("depth", c_int64),
        ("frame", Frame),
    ]

class Packing(Structure):
    """See `Packing` in octree_kernel.h."""

    _fields_ = [
        ("first_child", c_void_p),
        ("child_count", c_void_p),
        ("begin", c_void_p),
        ("own_end", c_void_p),
        ("end", c_void_p),
        ("entries", c_void_p),
        ("middles", c_void_p),
        ("cell_count", c_int64),
        ("root", c_int64),
        ("start", c_int64),
        ("stop", c_int64),
    ]

class Scene(Structure):
    """See `Scene` in octree_kernel.h."""

    _fields_ = [
        ("top", Tree),
        ("trees", c_void_p),
        ("meshes", c_void_p),
        ("matrices", c_void_p),
        ("inverses", c_void_p),
        ("slacks", c_void_p),
        ("wanted", c_void_p),
        ("mesh_count", c_int64),
    ]

class Plain(Structure):
    """See `Plain` in octree_kernel.h."""

    _fields_ = [
        ("items", Tree),
        ("walls", c_void_p),
        ("first_child", c_void_p),
        ("begin", c_void_p),
        ("own_end", c_void_p),
        ("end", c_void_p),
        ("references", c_void_p),
        ("strays", c_void_p),
        ("cell_count", c_int64),
        ("reference_count", c_int64),
        ("stray_count", c_int64),
        ("slack", c_double),
    ]

class Walked(Structure):
    """See `Walked` in octree_kernel.h."""

    _fields_ = [
        ("tree", POINTER(Tree)),
        ("scene", POINTER(Scene)),
        ("plain", POINTER(Plain)),
    ]

class Asked(Structure):
    """See `Asked` in octree_kernel.h."""

    _fields_ = [
        ("origins", c_void_p),
        ("directions", c_void_p),
        ("limits", c_void_p),
        ("limit_step", c_int64),
    ]

class Hits(Structure):
    """See `Hits` in octree_kernel.h."""

    _fields_ = [
        ("items", c_void_p),
        ("places", c_void_p),
        ("distances", c_void_p),
        ("positions", c_void_p),
        ("normals", c_void_p),
        ("weights", c_void_p),
    ]

class Entries(Structure):
    """See `Entries` in octree_kernel.h."""

    _fields_ = [
        ("vertices", c_void_p),
        ("faces", c_void_p),
        ("codes", c_void_p),
        ("first", c_void_p),
        ("last", c_void_p),
        ("depths", c_void_p),
        ("strays", c_void_p),
        ("times", c_void_p),
        ("vertex_count", c_int64),
        ("face_count", c_int64),
        ("entry_count", c_int64),
        ("grid_depth", c_int64),
        ("lower", c_double * 3),
        ("upper", c_double * 3),
        ("step", c_double * 3),
        ("scale", c_double * 3),
    ]

class Level(Structure):
    """See `Level` in octree_kernel.h."""

    _fields_ = [
        ("cells", c_void_p),
        ("slices", c_void_p),
        ("copied", c_void_p),
        ("held", c_void_p),
        ("spread", c_void_p),
        ("allowance", c_void_p),
        ("copies", c_void_p),
        ("count", c_int64),
        ("copy_count", c_int64),
        ("depth", c_int64),
    ]

class Divided(Structure):
    """See `Divided` in octree_kernel.h."""

    _fields_ = [
        ("begin", c_void_p),
        ("end", c_void_p),
        ("first_child", c_void_p),
        ("child_count", c_void_p),
        ("counts", c_void_p),
        ("room", c_int64),
    ]

class Batch(Structure):
    """See `Batch` in octree_kernel.h."""

    _fields_ = [
        ("vertices", c_void_p),
        ("faces", c_void_p),
        ("entries", c_void_p),
        ("places", c_void_p),
        ("matrices", c_void_p),
        ("vertex_step", c_int64),
        ("vertex_count", c_int64),
        ("face_step", c_int64),
        ("face_count", c_int64),
        ("count", c_int64),
        ("place_count", c_int64),
    ]

class Pool(Structure):
    """See `Pool` in octree_kernel.h."""

    _fields_ = [
        ("triangles", Batch),
        ("order", c_void_p),
        ("boxes", c_void_p),
        ("first_child", c_void_p),
        ("child_count", c_void_p),
        ("begin", c_void_p),
        ("end", c_void_p),
        ("altitudes", c_void_p),
        ("lowest_items", c_void_p),
        ("roots", c_void_p),
        ("meshes", c_void_p),
        ("node_step", c_int64),
        ("node_count", c_int64),
        ("mesh_count", c_int64),
    ]

class Cells(Structure):
    """See `Cells` in octree_kernel.h."""

    _fields_ = [
        ("items", Batch),
        ("walls", c_void_p),
        ("first_child", c_void_p),
        ("begin", c_void_p),
        ("end", c_void_p),
        ("references", c_void_p),
        ("slots", c_void_p),
        ("held", c_void_p),
        ("cell_count", c_int64),
        ("reference_count", c_int64),
        ("slot_count", c_int64),
        ("most", c_int64),
    ]

class Layer(Structure):
    """See `Layer` in octree_kernel.h."""

    _fields_ = [
        ("first", c_void_p),
        ("last", c_void_p),
        ("lowest", c_void_p),
        ("highest", c_void_p),
        ("count", c_int64),
    ]

class BoxPairs(Structure):
    """See `BoxPairs` in octree_kernel.h."""

    _fields_ = [
        ("one", c_int64 * MOST_WAITING),
        ("other", c_int64 * MOST_WAITING),
        ("level", c_int64 * MOST_WAITING),
        ("share", c_double * MOST_WAITING),
        ("done", c_double),
        ("height", c_int64),
    ]

class Slid(Structure):
    """See `Slid` in octree_kernel.h."""

    _fields_ = [
        ("direction", c_void_p),
        ("rows", c_void_p),
        ("keys", c_void_p),
        ("limits", c_void_p),
        ("gaps", c_void_p),
        ("entries", c_void_p),
        ("corners", c_void_p),
        ("are_crossing", c_void_p),
        ("faces", c_void_p),
        ("count", c_int64),
        ("key_count", c_int64),
        ("room", c_int64),
        ("face_count", c_int64),
        ("is_signed", c_int64),
        ("is_shared", c_int64),
        ("wants_faces", c_int64),
        ("needs_room", c_int64),
    ]

class Cutters(Structure):
    """See `Cutters` in octree_kernel.h."""

    _fields_ = [
        ("corners", c_void_p),
        ("normals", c_void_p),
        ("points", c_void_p),
        ("bounds", c_void_p),
        ("flat", c_void_p),
        ("count", c_int64),
    ]

class Target(Structure):
    """See `Target` in octree_kernel.h."""

    _fields_ = [
        ("numbers", c_void_p),
        ("count", c_int64),
        ("pixels", c_int64),
        ("keys", c_void_p),
        ("flags", c_void_p),
    ]

FUNCTIONS = {
    "abi": [],
    "pack": [POINTER(Tree), POINTER(Packing), c_void_p, c_void_p, c_int64, c_int64, c_void_p,
        c_void_p],
    "size": [c_int64, c_int64],
    "cast": [POINTER(Walked), POINTER(Asked), c_int64, c_int64, c_int64, c_int64, c_int64,
        c_void_p, POINTER(Hits)],
    "cast_all": [POINTER(Walked), POINTER(Asked), c_int64, c_int64, c_void_p, c_void_p, c_void_p,
        c_int64, c_void_p],
    "wound": [POINTER(Walked), POINTER(Asked), c_int64, c_int64, c_void_p, c_void_p, c_void_p,
        c_int64, c_void_p, c_void_p],
    "nearest": [POINTER(Walked), c_void_p, c_void_p, c_int64, c_int64, c_int64, c_double, c_void_p,
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p],
    "nearest_in": [POINTER(Walked), c_void_p, c_int64, c_void_p, c_void_p, c_int64, c_int64,
        c_void_p, c_void_p, c_void_p, c_void_p],
    "touch": [POINTER(Walked), c_void_p, c_void_p, c_int64, c_int64, c_int64, c_int64, c_void_p,
        c_void_p, c_int64, c_void_p],
    "bounds": [c_void_p, c_int64, c_void_p, c_int64, c_int64, c_int64, c_void_p, c_void_p],
    "enter": [c_void_p, c_void_p, c_int64, c_int64, c_int64, c_void_p, c_void_p, c_int64, c_void_p,
        c_void_p, c_void_p, c_void_p],
    "count": [c_void_p, c_int64, c_int64, c_int64, c_void_p],
    "sort": [c_void_p, c_void_p, c_int64, c_int64, c_int64, c_void_p, c_void_p, c_void_p, c_int64],
    "classify": [POINTER(Entries), POINTER(Level), c_void_p, c_int64, c_int64, c_int64, c_void_p,
        c_void_p, c_int64, c_void_p, c_int64],
    "judge": [POINTER(Level), c_void_p, c_int64, c_void_p, c_int64, c_void_p, c_void_p],
    "hand_down": [c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_void_p, c_int64, c_int64,
        c_void_p, c_int64],
    "walls": [POINTER(Entries), c_void_p, c_void_p, c_int64, c_void_p],
    "file": [POINTER(Entries), POINTER(Level), c_void_p, c_int64, c_int64, c_void_p, c_void_p,
        c_int64],
    "preorder": [c_void_p, c_void_p, c_int64, c_void_p, c_void_p],
    "slices": [c_void_p, c_void_p, c_void_p, c_int64, c_void_p, c_int64, c_void_p, c_void_p,
        c_void_p],
    "move": [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int64,
        c_double, c_void_p, c_void_p, c_void_p, c_void_p, c_int64, c_int64, c_void_p, c_void_p],
    "refer": [c_void_p, c_int64, c_void_p, c_int64, c_void_p, c_void_p, c_void_p, c_int64,
        c_void_p, c_void_p],
    "outline": [c_void_p, c_int64, c_void_p, c_int64, c_void_p, c_void_p],
    "surround": [c_void_p, c_int64, c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_int64,
        c_void_p],
    "keys": [c_void_p, c_int64, c_void_p, c_int64, c_int64, c_int64, c_void_p, c_void_p, c_int64,
        c_void_p],
    "divide": [c_void_p, c_int64, POINTER(Divided), c_int64],
    "medians": [c_void_p, c_int64, c_void_p, c_int64, c_void_p, c_void_p, c_int64, c_int64,
        c_void_p],
    "runs": [c_void_p, c_int64, c_void_p, c_int64, c_void_p, c_void_p, c_int64, c_int64, c_int64,
        c_void_p, c_void_p],
    "touching": [POINTER(Batch), c_void_p, POINTER(Batch), c_void_p, c_int64, c_void_p],
    "search_size": [],
    "search": [POINTER(Pool), c_int64, c_void_p, c_int64, c_void_p, c_void_p, c_void_p, c_void_p,
        c_int64, c_int64, c_int64, c_void_p, c_void_p, c_void_p],
    "list": [POINTER(Pool), c_void_p, c_int64, c_void_p, c_int64, c_int64, c_int64, c_void_p,
        c_void_p, c_int64, c_void_p, c_void_p],
    "join_size": [],
    "join": [POINTER(Cells), c_void_p, c_double, c_int64, c_int64, c_void_p, c_int64],
    "pair_boxes": [POINTER(Layer), POINTER(Layer), c_void_p, c_void_p, POINTER(BoxPairs), c_int64,
        c_void_p, c_int64],
    "slide_size": [],
    "slide": [POINTER(Pool), POINTER(Slid), c_int64, c_int64, c_void_p],
    "measure": [POINTER(Batch), c_int64, c_double, c_void_p],
    "heights": [c_void_p, c_int64, c_void_p, c_int64, c_int64, c_void_p],
    "beside": [c_void_p, c_int64, POINTER(Cutters), c_void_p, c_void_p, c_int64, c_double,
        c_void_p],
    "cut": [c_void_p, c_int64, POINTER(Cutters), c_void_p, c_double, c_double, c_void_p, c_void_p,
        c_int64],
    "see_cutters": [c_void_p, c_void_p, c_int64, c_double, c_void_p, c_void_p, c_void_p],
    "split": [c_void_p, c_void_p, c_int64, c_int64, c_double, c_void_p, c_void_p, c_void_p,
        c_void_p, c_int64, c_void_p],
    "share": [c_void_p, c_void_p, c_int64, c_double, c_void_p, c_void_p],
    "project": [c_void_p, c_int64, c_int64, c_void_p, c_void_p, c_void_p, c_int64, c_void_p,
        c_int64],
    "draw": [POINTER(Target), POINTER(Target), c_void_p, c_int64, c_void_p, c_int64, c_void_p,
        c_int64, c_int64],
    "quads": [c_void_p, c_int64, c_void_p, c_int64, c_void_p, c_int64, c_int64, c_int64, c_int64,
        c_void_p],
    "sum_words": [c_void_p, c_int64, c_int64, c_void_p],
}
