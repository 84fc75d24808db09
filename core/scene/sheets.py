"""Meshes without octrees: triangles along a Morton curve, and a linear BVH over runs of them.

What pairs triangles of placements asks for no cells. To lay all triangles of a mesh along a curve
costs a tenth of an octree, and many meshes are laid out at once.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ids, blocks, gather, radix_argsort
from ..grid import Words, morton_codes
from ..shapes import Triangles
from .growing import Growing, GrownTriangles
from .patches import GrowingPatches, Patches, made_patches

# Bits of a triangle's place along each axis; triangles that are placed on the curve in a step, and
# about how many are laid out together.
_BITS, _PLACED, _TOGETHER = 7, 65_536, 131_072


@dataclass(frozen=True)
class Sheet:
    """A mesh to lay out: its triangles, which of them are finite, and their bounds, (6,)."""

    triangles: Triangles
    valid: Ids
    bounds: Floats


@dataclass(frozen=True)
class Sheets:
    """All meshes that were laid out: entry e is triangle `order[e]` of its mesh.

    The entries of mesh i are those from `firsts[i]` on, its vertices `corner_counts[i]` from
    `corners[i]` on; -1 if it was not laid out.
    """

    arranged: GrownTriangles
    order: Ids
    firsts: Ids
    corners: Ids
    corner_counts: Ids
    patches: Patches


class GrowingSheets:
    """Meshes that are laid out one after the other, each when it is needed."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._vertices, self._faces, self._order = (Growing() for _ in range(3))
        self._tables = {"bounding_spheres": Growing(), "planes": Growing()}
        self._patches = GrowingPatches()
        # Of each mesh the first entry and vertex, how many vertices, and how many triangles.
        self._places: dict[int, tuple[int, ...]] = {}
        self._all: Sheets | None = None

    def __contains__(self, mesh: int) -> bool:
        return mesh in self._places

    def forget(self, mesh: int) -> None:
        """Do without a mesh. Once half of all is gone, nothing is kept."""
        if self._places.pop(mesh, None) is None:
            return
        self._patches.forget(mesh)
        self._all = None
        if 2 * sum(count for *_, count in self._places.values()) < len(self._order):
            self._clear()

    def add(
        self, sheets: dict[int, Sheet], is_wanted: Callable[[int], bool]
    ) -> Generator[None, None, None]:
        """Lay out meshes in steps, as long as they are wanted: not gone, and not here yet.

        Each is made aside and put here at once: whoever asks in between, or drops the steps,
        finds all of it or nothing.
        """
        ends = np.cumsum([len(sheet.valid) for sheet in sheets.values()])
        cuts = np.flatnonzero(np.diff(ends // _TOGETHER)) + 1
        for some in np.split(np.array(list(sheets), np.intp), cuts):
            while left := [number for number in some.tolist() if is_wanted(number)]:
                made = yield from _laid_out([sheets[number] for number in left])
                # Others may have come, or meshes gone, while this one waited.
                if all(map(is_wanted, left)):
                    self._keep(left, made)

    def _keep(self, numbers: list[int], made: Sheets) -> None:
        entry, corner = len(self._order), len(self._vertices)
        for array, rows in (
            (self._vertices, made.arranged.vertices.T),
            (self._faces, made.arranged.faces.T + corner),
            (self._order, made.order),
        ):
            array.put(rows)
            array.keep(rows.shape[-1])
        self._patches.add(numbers, made.patches, entry)
        counts = np.diff(made.firsts, append=len(made.order))
        columns = (entry + made.firsts, corner + made.corners, made.corner_counts, counts)
        places = np.stack(columns, axis=1).tolist()
        self._places.update(zip(numbers, map(tuple, places), strict=True))
        self._all = None

    def sheets(self, born: int) -> Sheets:
        """Return all meshes that were laid out, by number."""
        if self._all is None or len(self._all.firsts) != born:
            places = np.full((3, born), -1)
            for mesh, place in self._places.items():
                places[:, mesh] = place[:3]
            arranged = GrownTriangles(self._vertices.rows, self._faces.rows, self._tables)
            patches = self._patches.of_meshes(born)
            self._all = Sheets(
                arranged, self._order.rows, places[0], places[1], places[2], patches
            )
        return self._all


def _laid_out(sheets: list[Sheet]) -> Generator[None, None, Sheets]:
    """Return meshes laid out alone, numbered from 0; yields while they are made."""
    faces, owners, vertices, corners = _joined(sheets)
    yield
    keys = np.empty(len(owners), np.int64)
    bounds = np.stack([sheet.bounds for sheet in sheets], axis=1)
    for some in blocks(len(owners), _PLACED):
        codes = _codes(vertices, faces[:, some], bounds, owners[some])
        keys[some] = owners[some] << 3 * _BITS | codes
        yield
    order = radix_argsort(keys, 3 * _BITS + len(sheets).bit_length())
    yield
    counts = np.array([len(sheet.valid) for sheet in sheets], np.intp)
    valid = np.concatenate([sheet.valid for sheet in sheets])
    arranged = GrownTriangles(vertices, gather(faces, order), {})
    patches = yield from made_patches(arranged, counts)
    firsts, lengths = np.cumsum(counts) - counts, np.diff(corners, append=vertices.shape[1])
    return Sheets(arranged, valid[order], firsts, corners, lengths, patches)


def _joined(sheets: list[Sheet]) -> tuple[Ids, Ids, Floats, Ids]:
    """Return the finite faces of all, (3, n), whose they are, all vertices, and their starts."""
    lengths = [len(sheet.triangles.vertices) for sheet in sheets]
    starts = np.cumsum([0, *lengths])[:-1]
    vertices = np.concatenate([sheet.triangles.vertices.T for sheet in sheets], axis=1)
    parts = []
    for sheet, start in zip(sheets, starts.tolist(), strict=True):
        faces = sheet.triangles.faces.T
        parts.append(
            (faces if len(sheet.valid) == faces.shape[1] else faces[:, sheet.valid]) + start
        )
    owners = np.repeat(np.arange(len(sheets)), [part.shape[1] for part in parts])
    return np.concatenate(parts, axis=1), owners, vertices, starts


def _codes(vertices: Floats, faces: Ids, bounds: Floats, owners: Ids) -> Words:
    """Return Morton codes of triangles' first corners in the bounds of their meshes."""
    lower, size = bounds[:3], bounds[3:] - bounds[:3]
    scale = np.divide(2**_BITS, size, out=np.zeros(size.shape), where=size > 0)
    places = np.empty((3, faces.shape[1]), np.int64)
    for axis, row in enumerate(vertices):
        places[axis] = (row.take(faces).sum(axis=0) / 3 - lower[axis].take(owners)) * scale[
            axis
        ].take(owners)
    return morton_codes(places.clip(0, 2**_BITS - 1), _BITS)
