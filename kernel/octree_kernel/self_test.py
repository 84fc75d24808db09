"""Self-test of the compiled kernel: calls into each source file, and digests of the results."""

import ctypes
import math
from collections.abc import Iterable, Iterator, Sequence
from ctypes import byref, c_double, c_int32, c_int64, c_uint8, pointer
from hashlib import sha256
from itertools import chain, product
from typing import Any

from .structures import (
    BLOCK,
    CLOSEST,
    NODE,
    PART,
    SCRATCH,
    Asked,
    Batch,
    BoxPairs,
    Cells,
    Hits,
    Layer,
    Packing,
    Pool,
    Slid,
    Target,
    Tree,
    Walked,
)

# A tetrahedron and a sliver, rays, a screen projection, and digests of NumPy's results for each
# function.
VERTICES = [0.1, 1.3, 0.2, 0.4, 0.7, 0.1, 0.3, 1.1, 0.6, 0.70001, 0.2, 0.5, 0.4, 1.7, 0.80003]
FACES = [0, 0, 0, 1, 1, 0, 1, 2, 2, 3, 2, 3, 3, 3, 4]
ORIGINS = [3.0, 2.9, 2.7, 0.5, 0.4, -2.0, 0.3, -5.0, 0.31, 0.6, 0.4, 0.3]
DIRECTIONS = [-2.6, -2.4, -2.2, 0.01, 0.03, 1.7, 0.1, 5.7, 0.2, 1.0, 0.0, 0.0]
SCREEN = [6.3, 0.7, -0.3, 0.9, 0.4, 7.1, 0.6, 0.3, 0.03, -0.07, 0.11, 0.9, 0.0, 0.0, 0.0, 1.0]
PIXELS = 12
CORNERS, POLYGONS = [0, 1, 2, 3, 0, 1, 4, 4, 1, 0, 3], [0, 0, 1, 2, 2]
# Placements of surfaces, pairs of them that slide, and the direction: `Along` in shadows.h.
PLACED = [
    [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0],
    [0.72, -0.44, 0.05, 0.04, 0.56, 0.92, 0.11, -0.25, 0.15, 0.01, 0.99, 1.2],
    [1.0, 0.0, 0.0, 0.1, 0.0, 0.0, -1.0, 1.0, 0.0, 1.0, 0.0, -0.2],
]
SLID, WAY = [(1, 0), (0, 1), (1, 2), (2, 0), (0, 0)], [0.25, -0.125, -0.75, 2.0**-48]
# Capsules, by their number in the kernel: some are near the tetrahedron, one pierces a face.
CAPSULE = 6
CAPSULES = [
    [0.1, 0.3, 0.2, 0.9, 0.8, 0.5, 0.05], [0.9, 0.9, 0.8, 0.2, 0.6, 0.1, 0.0],
    [1.4, 0.2, 0.3, 1.5, 0.3, 0.4, 0.1], [0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.3],
]  # fmt: skip
# Levels of boxes, the lowest first: first and last cells on each axis, lowest and highest owners.
BOXES = [
    ([0, 1, 3, 4, 6, 7, 8], [1, 3, 4, 6, 7, 8, 9], [0, 1, 1, 0, 0, 1, 0], [0, 1, 1, 0, 0, 1, 0]),
    ([0, 8], [8, 9], [0, 0], [1, 0]),
    ([0], [9], [0], [1]),
]
KNOWN = {
    "pack": "e3b0c44298fc1c14",
    "cast": "309425145bf8b0ac",
    "nearest": "6452478f28edc616",
    "touch": "435af2208fe2d2fb",
    "bounds": "c13a3467cf727829",
    "enter": "ab4aaffaec7491e9",
    "touching": "3406c2ef840dd4ef",
    "join": "0836a819d837bb88",
    "pair_boxes": "89079449607ce7f6",
    "heights": "a46239c7051a1d76",
    "outline": "e9bc2072075ff4ce",
    "runs": "9aed489b2e843958",
    "slices": "806c85223d02d876",
    "slide": "2e2725b4b089807f",
    "project": "0b83db20abf4a503",
    "draw": "716c731e9079b240",
    "quads": "d7cb758147adad9d",
    "sum_words": "7cb85abf9c770611",
}


# Function name, arguments, and the arguments that receive results.
Question = tuple[str, tuple[Any, ...], tuple[Any, ...]]


def _doubles(numbers: Sequence[float]) -> Any:
    return (c_double * len(numbers))(*numbers)


def _wholes(numbers: Sequence[int]) -> Any:
    return (c_int64 * len(numbers))(*numbers)


def questions(library: ctypes.CDLL) -> Iterator[Question]:
    """Yield calls for the self-test, at least one into each source file."""
    at, count, rays = ctypes.addressof, len(FACES) // 3, len(ORIGINS) // 3
    vertices, faces, order = _doubles(VERTICES), _wholes(FACES), _wholes(range(count))
    tree = Tree(
        vertices=at(vertices), faces=at(faces), order=at(order), vertex_step=5, vertex_count=5,
        face_step=count, entry_count=count,
    )  # fmt: skip
    nodes, blocks = (
        ctypes.create_string_buffer(library.octree_kernel_size(each, 0)) for each in (NODE, BLOCK)
    )
    root, begin, end = _wholes([-1]), _wholes([0]), _wholes([count])
    packing = Packing(at(root), at(begin), at(begin), None, at(end), cell_count=1, stop=count)
    part = ctypes.create_string_buffer(library.octree_kernel_size(PART, 0))
    given = byref(tree), byref(packing), nodes, blocks, 1, 1, part, (c_int32 * 1)()
    yield "pack", given, ()

    walked, turns, limit = Walked(pointer(tree)), _wholes(range(rays)), _doubles([math.inf])
    origins, directions, items = _doubles(ORIGINS), _doubles(DIRECTIONS), _wholes(turns)
    asked = Asked(at(origins), at(directions), at(limit), 0)
    numbers = [_doubles([0.0] * (size * rays)) for size in (1, 3, 3, 3)]
    hits = Hits(at(items), None, *map(at, numbers))
    scratch = ctypes.create_string_buffer(library.octree_kernel_size(SCRATCH, tree.depth))
    given = byref(walked), byref(asked), 0, rays, CLOSEST, 1, tree.depth, scratch, byref(hits)
    yield "cast", given, (items, *numbers)
    given = byref(walked), origins, turns, 0, rays, 1, math.inf, scratch, items, None
    apart, where = numbers[:2]
    yield "nearest", (*given, _wholes(turns), apart, where), (items, apart, where)
    many, names = len(CAPSULES), _wholes([-1] * count * len(CAPSULES))
    given = byref(walked), _doubles([*chain(*CAPSULES)]), None, 0, many, CAPSULE, 0, scratch
    counts = _wholes([0] * many)
    yield "touch", (*given, names, len(names), counts), (names, counts)

    lower, upper = _doubles(VERTICES), _doubles(VERTICES)
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

    names, walls = _wholes([-1] * len(ones)), _doubles([-9.0] * 3 + [9.0] * 3)
    slots = [(_doubles([0.0] * 6 * (1 + count)), _wholes([-1])) for _ in range(2)]
    leaf = [batch, *map(at, (walls, root, begin, end, order))]
    trees = (Cells * 2)(*(Cells(*leaf, *map(at, held), 1, count, 1, count) for held in slots))
    room = ctypes.create_string_buffer(library.octree_kernel_join_size())
    c_int64.from_buffer(room).value = 1  # a pair of cells waits: both roots
    yield "join", (trees, room, 0.0, 1 << 40, 1 << 40, names, len(names)), (names,)

    yield from _boxes()

    corners = [FACES[corner * count : (corner + 1) * count] for corner in range(3)]
    rows = [VERTICES[5 * axis + each] for row in corners for axis in range(3) for each in row]
    heights = _doubles([0.0] * rays)
    yield "heights", (origins, rays, _doubles(rows), count, rays, heights), (heights,)

    flags = (c_uint8 * (5 + count))()
    yield "outline", (vertices, 5, faces, count, flags, None), (flags,)

    starts, counts, rows = _wholes([0, 3]), _wholes([3, 2]), _doubles([0.0] * 12)
    altitudes = _doubles([0.0] * 2)
    given = vertices, 5, faces, count, starts, counts, 2, 0, 2, rows, altitudes
    yield "runs", given, (rows, altitudes)
    yield from _slide(library, batch, order, rows, altitudes)

    own, ends = _wholes([3, 1, 4, 1, 5, 9, 2, 6, 0]), _wholes([0] * 10)
    parents, places, spans = _wholes([-1] + [0] * 8), _wholes(range(9)), _wholes([9] + [1] * 8)
    slices, masks = _wholes([0] * 27), (c_uint8 * 9)()
    given = parents, places, spans, 9, own, 2, ends, slices, masks
    yield "slices", given, (ends, slices, masks)

    clip, keys = _doubles([0.0] * 20), _wholes([0] * PIXELS**2)
    given = vertices, 5, 5, _doubles(SCREEN), begin, end, 1, clip, 5
    yield "project", given, (clip,)
    frame = _wholes([0, 0, PIXELS, PIXELS, 0, PIXELS])
    target = Target(at(frame), 1, len(keys), at(keys), None)
    yield "draw", (byref(target), None, clip, 5, faces, count, order, 0, count), (keys,)

    places, cut = (ctypes.c_float * len(VERTICES))(*VERTICES), _wholes([0] * len(POLYGONS) * 3)
    corners, polygons = ((c_int32 * len(row))(*row) for row in (CORNERS, POLYGONS))
    given = places, 5, corners, len(corners), polygons, len(polygons), 0, len(polygons), 0, cut
    yield "quads", given, (cut,)

    halves = (c_int32 * 2)()
    yield "sum_words", (vertices, len(vertices), 1, halves), (halves,)


def _boxes() -> Iterator[Question]:
    """Pair boxes of two owners among themselves, of two levels below a root."""
    levels = [[*map(_words, level[:2], (0, 1 << 20)), *map(_wholes, level[2:])] for level in BOXES]
    layers = (Layer * len(levels))(
        *(Layer(*map(ctypes.addressof, level), len(level[0])) for level in levels)
    )
    order, found = _wholes(range(len(levels[0][0]))), _wholes([-1] * 80)
    waiting = BoxPairs(height=1)
    waiting.level[0], waiting.share[0] = len(levels) - 1, 1.0
    yield "pair_boxes", (layers, layers, order, order, byref(waiting), 99, found, 40), (found,)


def _words(cells: Sequence[int], guard: int) -> Any:
    """Return words of cells with the same number along each axis."""
    return _wholes([sum((cell | guard) << 21 * axis for axis in range(3)) for cell in cells])


def _slide(
    library: ctypes.CDLL, triangles: Batch, order: Any, rows: Any, altitudes: Any
) -> Iterator[Question]:
    """Yield a call that slides surfaces indexed as two leaves below one root."""
    at, count, numbers = ctypes.addressof, len(SLID), [0] * 10
    ends = [(around(pair), *pair) for pair, around in zip(
        zip(rows[::2], rows[1::2], strict=True), [min] * 3 + [max] * 3, strict=True
    )]  # fmt: skip
    kept = [
        order, _doubles([*chain(*ends)]), _wholes([1, -1, -1]), _wholes([2, 0, 0]),
        _wholes([0, 0, 3]), _wholes([5, 3, 5]), _doubles([min(altitudes), *altitudes]),
        _wholes([min(order), min(order[:3]), min(order[3:])]), _wholes([0]),
        _wholes([0] * len(PLACED)),
    ]  # fmt: skip
    placed = _doubles([*chain(*zip(*PLACED, strict=True))])
    triangles.matrices, triangles.place_count = at(placed), len(PLACED)
    pool = Pool(triangles, *map(at, kept), node_step=3, node_count=3, mesh_count=1)
    asked = [_doubles(WAY), _wholes([*chain(*zip(*SLID, strict=True))]), _wholes(numbers),
             _doubles([math.inf])]  # fmt: skip
    found = [_doubles([0.0] * count), _wholes(numbers), _wholes([0] * count),
             (c_uint8 * count)(), _wholes([-1] * 3 * count)]  # fmt: skip
    slid = Slid(*map(at, (*asked, *found)), count=count, key_count=1, room=count)
    room = ctypes.create_string_buffer(library.octree_kernel_slide_size())
    yield "slide", (byref(pool), byref(slid), 0, 1 << 40, room), (*found,)


def tested(library: ctypes.CDLL) -> dict[str, str]:
    """Run the self-test and return digests of the results.

    Parameters
    ----------
    library : CDLL
        The library.

    Returns
    -------
    dict of str to str
        A digest of all result bits for each called function.
    """
    digests = {}
    for name, given, found in questions(library):
        reached = getattr(library, f"octree_kernel_{name}")(*given)
        digests[name] = "it refuses" if reached < 0 else digest(chain(*found))
    return digests


def digest(numbers: Iterable[float]) -> str:
    """Return a short digest of numbers, to the last bit.

    Parameters
    ----------
    numbers : iterable of float
        The numbers. The sign of NaN is ignored.

    Returns
    -------
    str
        Sixteen digits.
    """
    return sha256(" ".join(float(each).hex() for each in numbers).encode()).hexdigest()[:16]
