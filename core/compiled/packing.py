"""Trees packed for the kernel: a wide BVH from an octree's cells, or from nodes over triangles."""

from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ids, address
from ..octree import Octree
from ..shapes import Triangles
from .door import found
from .questions import as_boxes
from .touches import row_step
from .walks import Walked

# Items of a changing tree that are packed in the time in which NumPy answers a question: its next
# change drops what was packed.
_CHANGING = 64
# Arrays, named as in a structure of the kernel.
Arrays = dict[str, NDArray[Any]]


class Packed(Walked):
    """Triangles or boxes, packed into the kernel's wide tree.

    `arrays` are named as in the kernel's `Tree`; they are not copied, and kept. `cells` and the
    numbers are named as in its `Packing`.
    """

    def __init__(self, arrays: Arrays, cells: Arrays, **numbers: int) -> None:
        super().__init__()
        self._tree, self._kept = tree_of(arrays), [*arrays.values()]
        try:
            self.is_sound = pack(self, self._tree, cells, **numbers)
        except MemoryError:  # it is too large: NumPy answers
            self.is_sound = False

    @classmethod
    def of(cls, tree: Octree) -> Self | None:
        """Return the packed items of an octree; None if it contradicts itself."""
        items, count = tree.arranged, len(tree.order)
        try:
            entries, slices = _each_once(tree)
        except IndexError:
            return None
        cells = {"first_child": _rows(tree.first_child, np.intp), **slices}
        if not len(entries) == len(items) == count or len({*map(len, cells.values())}) > 1:
            return None
        arrays = {"order": _rows(tree.order, np.intp)}
        if isinstance(items, Triangles):
            arrays["vertices"] = _rows(items.vertices.T, np.float64)
            arrays["faces"] = _rows(items.faces.T, np.intp)
        else:
            rows = as_boxes(items)
            arrays |= {name: _rows(array, np.float64) for name, array in rows.items()}
        return cls(arrays, {**cells, "entries": entries}, stop=count)

    @property
    def depth(self) -> int:
        """How deep the packed tree is."""
        return self._depth

    @property
    def bytes(self) -> NDArray[np.uint8]:
        """The packed tree as it stands among the trees of a scene."""
        return np.frombuffer(bytes(self._tree), np.uint8)


def tree_of(arrays: Arrays) -> Any:
    """Return arrays, named as in the kernel's `Tree`, as a tree that is not packed yet."""
    shapes = {name: array.shape for name, array in arrays.items()}
    count = shapes["faces" if "faces" in arrays else "boxes"][1]
    steps = {"vertex_step": "vertices", "face_step": "faces"}
    return found()[1].Tree(
        **{name: address(array) for name, array in arrays.items()},
        **{step: row_step(arrays[name]) for step, name in steps.items() if name in arrays},
        vertex_count=shapes["vertices"][1] if "vertices" in arrays else 0,
        entry_count=count,
        upper=3 * count if shapes.get("boxes", (0,))[0] == 6 else 0,
    )


def pack(walked: Walked, tree: Any, cells: Arrays, **numbers: int) -> bool:
    """Pack what a tree holds; return False if it contradicts itself, or is too large or small."""
    library, package, count = walked._library, walked._package, tree.entry_count
    middles = np.empty((3, count if "entries" in cells else 0), np.float32)
    told = package.Packing(
        **{name: address(array) for name, array in cells.items()},
        middles=address(middles) if middles.size else None,
        cell_count=len(cells.get("begin", ())), **numbers,
    )  # fmt: skip
    # Most often enough: a node for two boxes, a block for six triangles.
    room = count // (2 if tree.boxes else 6) + 2
    while True:
        wide = room if tree.boxes else room // 3 + 1
        nodes, parts = walked._space(package.NODE, wide), np.empty((wide, 5))
        blocks = walked._space(package.BLOCK, 0 if tree.boxes else room)
        depths = np.empty(wide, np.int32)
        state = library.octree_kernel_pack(
            package.byref(tree), package.byref(told), address(nodes), address(blocks),
            len(nodes), len(blocks), address(parts), address(depths),
        )  # fmt: skip
        if state != package.NO_ROOM:
            break
        room *= 2
    if state < 0:
        return False
    # What was not needed of the room is given back.
    nodes, blocks = nodes[: tree.node_count], blocks[: tree.block_count]
    nodes, blocks = walked._space(package.NODE, nodes), walked._space(package.BLOCK, blocks)
    tree.nodes, tree.blocks = address(nodes), address(blocks)
    walked._kept += [nodes, blocks]
    return True


class Placed(Walked):
    """Packed trees that are placed: their boxes are packed, trees are put in when wanted.

    Placements (n,) have numbers of trees, matrices (n, 12), inverses (n, 9), slacks, and boxes
    (6, n); `rows` are those that are there. `wanted`, for each of `count` trees, is 1 where a
    question has come to one that is missing.
    """

    def __init__(
        self,
        numbers: Ids,
        matrices: Floats,
        inverses: Floats,
        slacks: Floats,
        boxes: Floats,
        rows: Ids,
        count: int,
    ) -> None:
        super().__init__()
        package, self._deepest = self._package, 0
        size = package.ctypes.sizeof(package.Tree)
        self._trees, self.wanted = np.zeros((count, size), np.uint8), np.zeros(count, np.uint8)
        kept = {
            "trees": self._trees,
            "meshes": _rows(numbers, np.intp),
            "matrices": _rows(matrices, np.float64),
            "inverses": _rows(inverses, np.float64),
            "slacks": _rows(slacks, np.float64),
            "wanted": self.wanted,
        }
        sides = _rows(boxes, np.float64)
        self._kept = [*kept.values(), sides]
        places = {name: address(array) for name, array in kept.items()}
        top = tree_of({"boxes": sides})
        self._scene = package.Scene(**places, top=top, mesh_count=count)
        entries = {"entries": rows.astype(np.int32)}
        self.is_sound = pack(self, self._scene.top, entries, root=-1, stop=len(rows))

    @property
    def _depth(self) -> int:
        return int(self._scene.top.depth) + self._deepest + 2

    def put(self, number: int, tree: Packed) -> None:
        """Put a packed tree in; if it is not sound, the whole is not."""
        if not tree.is_sound:
            self.is_sound = False
            return
        # First the depth: a walk must find room for every tree that it can reach.
        self._deepest = max(self._deepest, tree.depth)
        self._trees[number] = tree.bytes
        self._kept += tree._kept


def _rows(array: NDArray[Any], kind: type[np.generic]) -> NDArray[Any]:
    return np.ascontiguousarray(array, dtype=kind)


def _each_once(tree: Octree) -> tuple[NDArray[np.int32], dict[str, Ids]]:
    """Return the entries in the order of the cells, each in its first; and where cells hold them.

    Those of a cell are from `begin` to `end`, its own to `own_end`, each (m,).
    """
    references, count = tree.references, len(tree.order)
    where = np.arange(len(references))
    first = np.full(count, -1)
    first[references[::-1]] = where[::-1]
    is_first = first[references] == where
    before = np.append(0, np.cumsum(is_first))
    slices = {name: before[getattr(tree, name)] for name in ("begin", "own_end", "end")}
    return references[is_first].astype(np.int32), slices


# The packed trees, as long as their octrees live.
_PACKED_TREES: WeakKeyDictionary[Octree, Packed | None] = WeakKeyDictionary()


def packed(tree: Octree, questions: int) -> Packed | None:
    """Return the packed tree, made at the first question; None without a kernel, or if empty.

    The snapshot of a tree that changes is packed for many questions only.
    """
    if found()[0] is None:
        return None
    if tree not in _PACKED_TREES:
        is_soon_gone = tree.ids is not None and questions * _CHANGING < len(tree.order)
        if len(tree.order) == 0 or is_soon_gone:
            return None
        _PACKED_TREES[tree] = Packed.of(tree)
    known = _PACKED_TREES[tree]
    return known if known is not None and known.is_sound else None
