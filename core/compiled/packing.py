"""Trees packed for the kernel: wide BVHs made of an octree's cells, or of a mesh's nodes."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ids, address
from ..octree import Octree
from ..shapes import Triangles
from .door import found
from .touches import row_step
from .walks import Walked, as_boxes

# Arrays by the names of the fields of a structure in the kernel.
Arrays = dict[str, NDArray[Any]]


class Packed(Walked):
    """Triangles or boxes, packed into the kernel's wide tree.

    `arrays` are named as in the kernel's `Tree`; they are kept, not copied. `cells` and `numbers`
    are named as in the kernel's `Packing`. `is_sound` is False if packing has failed.
    """

    def __init__(self, arrays: Arrays, cells: Arrays, **numbers: int) -> None:
        super().__init__()
        self._tree, self._kept = tree_of(arrays), [*arrays.values()]
        try:
            self.is_sound = pack(self, self._tree, cells, **numbers)
        except MemoryError:  # too large to pack: NumPy answers
            self.is_sound = False

    @classmethod
    def of(cls, tree: Octree) -> Self | None:
        """Return the packed items of an octree; None if its arrays contradict each other."""
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
        """Depth of the packed tree."""
        return self._depth

    @property
    def bytes(self) -> NDArray[np.uint8]:
        """Bytes of the kernel's `Tree` structure, for the array of trees of a scene."""
        return np.frombuffer(bytes(self._tree), np.uint8)


def tree_of(arrays: Arrays) -> Any:
    """Return the kernel's `Tree` over arrays with the names of its fields, not packed yet."""
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
    """Pack the entries of a tree; return False if packing fails.

    Packing fails if there are no entries or too many, if the arrays contradict each other, or if
    coordinates are too large or too small.
    """
    library, package, count = walked._library, walked._package, tree.entry_count
    middles = np.empty((3, count if "entries" in cells else 0), np.float32)
    told = package.Packing(
        **{name: address(array) for name, array in cells.items()},
        middles=address(middles) if middles.size else None,
        cell_count=len(cells.get("begin", ())), **numbers,
    )  # fmt: skip
    # Usually enough: a node for two boxes, a block for six triangles.
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
    # Copies of the used nodes and blocks replace the larger arrays.
    nodes, blocks = nodes[: tree.node_count], blocks[: tree.block_count]
    nodes, blocks = walked._space(package.NODE, nodes), walked._space(package.BLOCK, blocks)
    tree.nodes, tree.blocks = address(nodes), address(blocks)
    walked._kept += [nodes, blocks]
    return True


class Placed(Walked):
    """Placed trees: a packed tree over the boxes of placements; packed meshes are added later.

    Placements (n,) have numbers of meshes, matrices (n, 12), inverses (n, 9), slacks (n,) and
    boxes (6, n); `rows` are the placements that exist. `wanted` (count,) is 1 for each mesh that
    a query has reached before its tree was added.
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
        """Add the packed tree of a mesh; a tree that is not sound makes the scene not sound."""
        if not tree.is_sound:
            self.is_sound = False
            return
        # The depth grows first: a walk must have room for every tree that it can reach.
        self._deepest = max(self._deepest, tree.depth)
        self._trees[number] = tree.bytes
        self._kept += tree._kept


def _rows(array: NDArray[Any], kind: type[np.generic]) -> NDArray[Any]:
    return np.ascontiguousarray(array, dtype=kind)


def _each_once(tree: Octree) -> tuple[NDArray[np.int32], dict[str, Ids]]:
    """Return the entries in the order of cells, each in its first cell only, and their slices.

    The entries of a cell's subtree are from `begin` to `end`, the cell's own entries from `begin`
    to `own_end`, (m,) each.
    """
    references, count = tree.references, len(tree.order)
    where = np.arange(len(references))
    first = np.full(count, -1)
    first[references[::-1]] = where[::-1]
    is_first = first[references] == where
    before = np.append(0, np.cumsum(is_first))
    slices = {name: before[getattr(tree, name)] for name in ("begin", "own_end", "end")}
    return references[is_first].astype(np.int32), slices
