"""The triangle pool: the triangles of a scene's meshes along Morton curves, and their nodes.

All queries about the triangles of a scene read these arrays, and the compiled kernel packs its
wide trees from them.

A mesh is indexed when a query first needs it; many small meshes are indexed at once. Rendering
needs no index: its triangles are entered in the order of the mesh, and sorted in place when the
mesh is indexed.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import compiled, tuning
from ..arrays import (
    Floats,
    Ids,
    batched,
    blocks,
    concatenated_ranges,
    gather,
    joined,
    take_columns,
)
from ..boxes import bounds_of_runs
from ..passes import radix_argsort_steps, taken_steps
from ..shapes import Triangles
from ..steps import Steps, between
from ..walkable import Walkable
from .growing import Growing, GrownTriangles
from .nodes import (
    CELL,
    KEY_BITS,
    LEAF,
    Nodes,
    altitudes_of,
    bounds_above,
    divided,
    frames_of,
    inner_radii_of,
    keys_of,
    levels_of,
    medians_order,
)
from .store import Mesh

# The arrays of the pool and, from "boxes" on, of its nodes: leading shape and data type. Below are
# the first entry, first vertex, number of vertices and root of a mesh that is not in the pool.
_ARRAYS = {
    "vertices": ((3,), np.float64),
    "faces": ((3,), np.intp),
    "order": ((), np.intp),
    "boxes": ((6,), np.float64),
    "first_child": ((), np.intp),
    "child_count": ((), np.intp),
    "begin": ((), np.intp),
    "end": ((), np.intp),
    "least_altitude": ((), np.float64),
    "lowest_item": ((), np.intp),
}
_NOWHERE = (-1, -1, -1, -1)


class Layout:
    """Identity of a numbering of entries and vertices: each new numbering has a new object."""


@dataclass(frozen=True)
class Pool:
    """The triangles of all entered meshes: entry e is triangle `order[e]` of its mesh.

    The entries of mesh i begin at `firsts[i]`. Its vertices begin at `corners[i]`; their number is
    `corner_counts[i]`. All three are -1 if the mesh has not been entered. Within one `layout`,
    numbers of entries and vertices are never reused. A mesh without a root is not indexed: its
    entries are reordered when it is indexed.
    """

    arranged: GrownTriangles
    order: Ids
    firsts: Ids
    corners: Ids
    corner_counts: Ids
    nodes: Nodes
    layout: Layout

    @cached_property
    def inner_radii(self) -> Floats:
        """The largest inscribed circle of the triangles of each cell in `nodes.cells`, (c,)."""
        radii = np.empty(len(self.order))
        for some in blocks(len(radii)):
            radii[some] = inner_radii_of(self.arranged.view_of(some))
        widest: Floats = np.maximum.reduceat(radii, self.nodes.begin[self.nodes.cells])
        return widest

    def items(self, entries: Ids) -> Ids:
        """Return the triangle numbers of entries; -1 for entry -1."""
        return np.where(entries >= 0, self.order.take(entries, mode="clip"), -1)

    def entries(self, meshes: Ids, sizes: Ids) -> tuple[Ids, Ids]:
        """Return the entries of meshes, as pairs: the index into `meshes`, and the entry.

        `sizes` are the numbers of finite triangles of the meshes. Pairs are sorted by index, then
        by triangle number.
        """
        each, first, which = np.unique(meshes, return_index=True, return_inverse=True)
        owners = np.repeat(np.arange(len(each)), sizes[first])
        entries = concatenated_ranges(self.firsts[each], sizes[first])
        entries = entries[np.lexsort((self.order[entries], owners))]
        places = concatenated_ranges(np.searchsorted(owners, which), sizes)
        return np.repeat(np.arange(len(meshes)), sizes), entries[places]

    def asked(self, meshes: Ids, slacks: Floats) -> "WalkedNodes":
        """Return the nodes with one root and one slack for each question about these meshes."""
        nodes, count = self.nodes, len(self.order)
        return WalkedNodes(
            straddlers="keep",
            cell_rows=nodes.boxes,
            loose_rows=nodes.boxes,
            first_child=nodes.first_child,
            begin=nodes.begin,
            own_end=nodes.own_end,
            end=nodes.end,
            child_masks=nodes.child_masks,
            order=self.order,
            arranged=self.arranged,
            references=None,
            outside=0,
            copied=np.broadcast_to(False, (count,)),
            strays=self.order[:0],
            content=nodes.columns,
            starts=(nodes.roots[meshes], slacks),
        )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class WalkedNodes(Walkable):
    """Nodes for walks: question i begins at root `starts[0][i]`, with slack `starts[1][i]`.

    Boxes are exact. A slack is a bound of the rounding errors of transforming a question from the
    scene to the space of its mesh.
    """

    arranged: GrownTriangles
    content: Floats
    starts: tuple[Ids, Floats]

    @property
    def roots(self) -> Ids:
        """The root of the mesh of each question, (q,)."""
        return self.starts[0]

    @property
    def slacks(self) -> Floats:
        """The distance by which triangles may lie outside their nodes, for each question, (q,)."""
        return self.starts[1]

    @property
    def content_rows(self) -> Floats:
        """Bounds of the triangles of each node, in column-major order, (6, m)."""
        return self.content


class GrowingPool:
    """A mutable triangle pool, to which meshes are added when queries need them."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._layout = Layout()
        self._arrays = {
            name: Growing(np.empty((*rows, 0), kind)) for name, (rows, kind) in _ARRAYS.items()
        }
        self._tables = {name: Growing(np.empty((4, 0))) for name in ("bounding_spheres", "planes")}
        # By mesh: the four numbers of `_NOWHERE`, then the number of entries.
        self._places: dict[int, tuple[int, ...]] = {}
        self._all: Pool | None = None

    @property
    def numbers(self) -> list[int]:
        """The numbers of the meshes that have been entered."""
        return list(self._places)

    def check(self, meshes: dict[int, Mesh | None]) -> None:
        """Assert that each of these meshes exists, and that its entries and nodes match it."""
        pool = self.pool(1 + max(meshes, default=-1)) if meshes else None
        for number, mesh in meshes.items():
            assert mesh is not None and pool is not None, "a mesh that is gone is entered"
            first, count = int(pool.firsts[number]), len(mesh.valid)
            order = pool.order[first : first + count]
            assert np.array_equal(np.sort(order), mesh.valid), "triangles of another mesh"
            arranged = pool.arranged[first : first + count]
            assert np.array_equal(arranged.rows, mesh.triangles[order].rows), "another mesh"
            if self.has_indexed(number):
                pool.nodes.of(int(pool.nodes.roots[number])).check(arranged, order)

    def has_indexed(self, mesh: int) -> bool:
        """Return whether a mesh is indexed."""
        return self._places.get(mesh, _NOWHERE)[3] >= 0

    def forget(self, mesh: int) -> None:
        """Remove a mesh; clear the pool if less than half of its entries are still in use.

        Cleared meshes are indexed again when needed.
        """
        if self._places.pop(mesh, None) is None:
            return
        self._all = None
        if 2 * sum(count for *_, count in self._places.values()) < len(self._arrays["order"]):
            self._clear()

    def enter(self, meshes: dict[int, Mesh]) -> None:
        """Enter the triangles of meshes that are not in the pool, without indexing them."""
        self._keep(list(meshes), _entered(list(meshes.values())), is_here=False)

    def add(self, meshes: dict[int, Mesh], is_wanted: Callable[[int], bool]) -> Steps[None]:
        """Index meshes in steps; `is_wanted` is False for meshes removed or indexed meanwhile.

        Each batch is built separately and put into the pool at once. So queries between two steps
        find a mesh completely or not at all, even if the steps are dropped.
        """
        sizes = np.array([len(mesh.valid) for mesh in meshes.values()], np.intp)
        new = [mesh for number, mesh in meshes.items() if number not in self._places]
        corners = sum(len(mesh.triangles.vertices) for mesh in new)
        count = sum(len(mesh.valid) for mesh in new)
        for name, more in (("vertices", corners), ("faces", count), ("order", count)):
            self._arrays[name].expect(more)
        ends, numbers, done = np.cumsum(sizes), list(meshes), 0.0
        for some in batched(ends, tuning.current.indexed_together):
            stop = ends[some.stop - 1] / ends[-1]
            while left := [number for number in numbers[some] if is_wanted(number)]:
                is_here = left[0] in self._places
                left = [number for number in left if (number in self._places) == is_here]
                middle = (done + stop) / 2
                made = yield from between(done, middle, _indexed([meshes[each] for each in left]))
                # Repeat if meshes have been indexed, entered or removed meanwhile.
                done = middle
                if all(is_wanted(each) and (each in self._places) == is_here for each in left):
                    self._keep(left, made, is_here=is_here)
            done = stop

    def _keep(self, numbers: list[int], made: Pool, *, is_here: bool) -> None:
        """Append the meshes of `made`, or, if `is_here`, reorder their entries as in `made`."""
        entry, corner, node = (len(self._arrays[each]) for each in ("order", "vertices", "boxes"))
        firsts, corners = entry + made.firsts, corner + made.corners
        if is_here:
            firsts, corners = np.array([self._places[each][:2] for each in numbers]).T
        counts = np.diff(made.firsts, append=len(made.order))
        faces = made.arranged.faces.T + np.repeat(corners - made.corners, counts)
        if is_here:
            self._sort(concatenated_ranges(firsts, counts), faces, made.order)
        else:
            self._append(vertices=made.arranged.vertices.T, faces=faces, order=made.order)
        new = made.nodes
        shifts = (firsts - made.firsts)[np.searchsorted(made.firsts, new.begin, "right") - 1]
        self._append(
            boxes=new.boxes,
            first_child=np.where(new.is_leaf, -1, node + new.first_child),
            child_count=new.child_count,
            begin=shifts + new.begin,
            end=shifts + new.end,
            least_altitude=new.least_altitude,
            lowest_item=new.lowest_item,
        )
        roots = np.where(new.roots < 0, -1, node + new.roots)
        places = np.stack((firsts, corners, made.corner_counts, roots, counts), axis=1)
        self._places.update(zip(numbers, map(tuple, places.tolist()), strict=True))
        self._all = None

    def _append(self, **parts: NDArray[Any]) -> None:
        for name, part in parts.items():
            self._arrays[name].append(part)

    def _sort(self, entries: Ids, faces: Ids, order: Ids) -> None:
        """Replace the faces and the order of entries; truncate tables at the first of these."""
        self._arrays["faces"].put(entries, faces)
        self._arrays["order"].put(entries, order)
        first = int(entries.min())
        self._tables = {name: table.until(first) for name, table in self._tables.items()}

    def pool(self, born: int) -> Pool:
        """Return the pool as a snapshot, for mesh numbers below `born`."""
        if self._all is None or len(self._all.firsts) != born:
            places = np.tile(np.array([_NOWHERE]).T, born)
            if self._places:
                places[:, list(self._places)] = np.array(list(self._places.values())).T[:-1]
            arrays = {name: array.rows for name, array in self._arrays.items()}
            vertices, faces, order = (arrays.pop(name) for name in ("vertices", "faces", "order"))
            firsts, corners, corner_counts, roots = places
            arranged = GrownTriangles(vertices, faces, self._tables)
            nodes = Nodes(**arrays, roots=roots)
            self._all = Pool(arranged, order, firsts, corners, corner_counts, nodes, self._layout)
        return self._all


def _indexed(meshes: list[Mesh]) -> Steps[Pool]:
    """Return a pool of these meshes, indexed and numbered from 0; yield the fraction done."""
    made, counts = _entered(meshes), [len(mesh.valid) for mesh in meshes]
    vertices, faces = made.arranged.vertices.T, made.arranged.faces.T
    owners = np.repeat(np.arange(len(meshes)), counts)
    yield 0.1
    keys, order = yield from between(0.1, 0.4, _sorted_keys(meshes, vertices, faces, owners))
    kernel = compiled.arranger()
    divide = divided if kernel is None else kernel.divided
    steps = divide(levels_of(keys), made.firsts, made.firsts + counts)
    nodes = yield from between(0.4, 0.5, steps)
    yield from between(0.5, 0.7, _cut_at_medians(nodes, vertices, faces, order))
    faces = yield from between(0.7, 0.8, taken_steps(faces, order))
    order = yield from between(0.8, 0.85, taken_steps(made.order, order))
    arranged = GrownTriangles(vertices, faces, {})
    begin, end, first_child, child_count = nodes
    bounding = _bounds_of(nodes, arranged, order)
    boxes, altitudes, lowest = yield from between(0.85, 1.0, bounding)
    roots = np.arange(len(meshes))
    found = Nodes(boxes, first_child, child_count, begin, end, altitudes, lowest, roots)
    return replace(made, arranged=arranged, order=order, nodes=found)


def _sorted_keys(
    meshes: list[Mesh], vertices: Floats, faces: Ids, owners: Ids
) -> Steps[tuple[Ids, Ids]]:
    """Return sorted keys of faces, with the mesh in the high bits, and the order that sorts."""
    keys, kernel = np.empty(len(owners), np.int64), compiled.arranger()
    triangles = GrownTriangles(vertices, faces, {})
    frames = frames_of(np.stack([mesh.bounds for mesh in meshes], axis=1))
    for some in blocks(len(owners), tuning.current.triangles_placed):
        if kernel is not None:
            kernel.keys(vertices, faces, some, frames, owners, keys)
        else:
            here = take_columns(frames, owners[some])
            keys[some] = owners[some] << KEY_BITS | keys_of(triangles[some], here)
        yield 0.4 * some.stop / len(owners)
    builder, bits = compiled.builder(), KEY_BITS + (len(meshes) - 1).bit_length()
    if builder is not None:
        return (yield from between(0.4, 1.0, builder.sorted_steps(keys, None, bits)))
    order = yield from between(0.4, 1.0, radix_argsort_steps(keys, bits))
    return keys[order], order


def _cut_at_medians(nodes: Ids, vertices: Floats, faces: Ids, order: Ids) -> Steps[None]:
    """Sort the entries of nodes of up to `CELL` in place, so that leaves are cut at medians."""
    begin, sizes, kernel = nodes[0], nodes[1] - nodes[0], compiled.arranger()
    (cells,) = ((sizes > LEAF) & (sizes <= CELL)).nonzero()
    begins, sizes, triangles = begin[cells], sizes[cells], GrownTriangles(vertices, faces, {})
    for some in blocks(len(cells), 1 + tuning.current.triangles_placed // CELL):
        if kernel is not None:
            kernel.medians(vertices, faces, begins, sizes, some, order)
        else:
            entries = concatenated_ranges(begins[some], sizes[some])
            low, high = triangles[order[entries]].limits()
            order[entries] = order[entries][medians_order(low / 2 + high / 2, sizes[some])]
        yield some.stop / len(cells)


def _bounds_of(nodes: Ids, triangles: Triangles, order: Ids) -> Steps[tuple[Floats, Floats, Ids]]:
    """Return boxes (6, m), least altitudes and lowest items (m,) of nodes (4, m)."""
    (leaves,) = (nodes[2] < 0).nonzero()
    leaves = leaves[np.argsort(nodes[0, leaves])]
    starts, counts = nodes[0, leaves], nodes[1, leaves] - nodes[0, leaves]
    boxes, least = np.empty((6, len(leaves))), np.empty(len(leaves))
    kernel = compiled.arranger()
    for some in blocks(len(leaves), tuning.current.leaves_together):
        if kernel is not None:
            kernel.runs(triangles, starts, counts, some, boxes, least)
        else:
            begin = int(starts[some.start])
            part = triangles[begin : int(starts[some.stop - 1] + counts[some.stop - 1])]
            boxes[:, some] = bounds_of_runs(*part.limits(), starts[some] - begin)
            least[some] = np.minimum.reduceat(altitudes_of(part), starts[some] - begin)
        yield some.stop / len(leaves)
    lowest = np.minimum.reduceat(order, starts)
    return bounds_above(nodes, leaves, boxes, least, lowest)


def _entered(meshes: list[Mesh]) -> Pool:
    """Return a pool of the finite triangles of these meshes, numbered from 0, not indexed."""
    parts = [
        (each.vertices.T, each.faces.T if len(valid) == len(each) else gather(each.faces.T, valid))
        for each, valid in ((mesh.triangles, mesh.valid) for mesh in meshes)
    ]
    lengths, counts = np.array([[rows.shape[1] for rows in part] for part in parts], np.intp).T
    firsts, corners = np.cumsum(counts) - counts, np.cumsum(lengths) - lengths
    vertices, faces = parts[0] if len(parts) == 1 else joined(parts)  # a single mesh is not copied
    if len(parts) > 1:
        faces += np.repeat(corners, counts)
    order = np.concatenate([mesh.valid for mesh in meshes])
    arranged = GrownTriangles(vertices, faces, {})
    return Pool(arranged, order, firsts, corners, lengths, Nodes.none(len(meshes)), Layout())
