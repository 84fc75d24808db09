"""Meshes without octrees: triangles along a Morton curve, and a linear BVH over runs of them.

Questions about pairs of placements need no cells. Sorting the triangles of a mesh along a curve
costs a tenth of an octree, and many meshes are sorted at once.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass

import numpy as np

from .. import compiled, tuning
from ..arrays import Floats, Ids, blocks
from ..grid import Words, morton_codes
from ..passes import radix_argsort_steps, taken_steps
from .growing import Growing, GrownTriangles
from .patches import Patches, made_patches
from .store import Mesh

# Bits of a triangle's place along each axis.
_BITS = 10
# The arrays of all sheets and, since "rows", of their patches, and what a mesh that was not laid
# out has for its first entry, first vertex, vertices, first of the largest patches, and these.
_ARRAYS = ("vertices", "faces", "order", "rows", "altitudes", "firsts", "counts", "are_small")
_NOWHERE = (-1, -1, -1, 0, 0)


class Layout:
    """Identity of a numbering of entries and vertices: a new numbering is a new object."""


@dataclass(frozen=True)
class Sheets:
    """All meshes that were laid out: entry e is triangle `order[e]` of its mesh.

    The entries of mesh i are those from `firsts[i]` on, its vertices `corner_counts[i]` from
    `corners[i]` on; -1 if it was not laid out. In one `layout` these numbers are never given
    again.
    """

    arranged: GrownTriangles
    order: Ids
    firsts: Ids
    corners: Ids
    corner_counts: Ids
    patches: Patches
    layout: Layout


class GrowingSheets:
    """Meshes that are laid out one after the other, each when it is needed."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._layout = Layout()
        self._arrays = {name: Growing() for name in _ARRAYS}
        self._tables = {"bounding_spheres": Growing(), "planes": Growing()}
        # Of each mesh what `_NOWHERE` is of others, and how many triangles it has.
        self._places: dict[int, tuple[int, ...]] = {}
        self._all: Sheets | None = None

    def __contains__(self, mesh: int) -> bool:
        return mesh in self._places

    def forget(self, mesh: int) -> None:
        """Remove a mesh. Once half of all is gone, all are dropped, and made again when needed."""
        if self._places.pop(mesh, None) is None:
            return
        self._all = None
        if 2 * sum(count for *_, count in self._places.values()) < len(self._arrays["order"]):
            self._clear()

    def add(
        self, meshes: dict[int, Mesh], is_wanted: Callable[[int], bool]
    ) -> Generator[object, None, None]:
        """Lay out meshes in steps, as long as they are wanted: not gone, and not here yet.

        Each is made aside and put here at once: whoever asks in between, or drops the steps,
        finds all of it or nothing.
        """
        ends = np.cumsum([len(mesh.valid) for mesh in meshes.values()])
        wanted = {
            "vertices": sum(len(mesh.triangles.vertices) for mesh in meshes.values()),
            **dict.fromkeys(("faces", "order"), sum(len(mesh.valid) for mesh in meshes.values())),
        }
        for name, count in wanted.items():
            self._arrays[name].expect(count)
        cuts = np.flatnonzero(np.diff(ends // tuning.current.sheets_together)) + 1
        for some in np.split(np.array(list(meshes), np.intp), cuts):
            while left := [number for number in some.tolist() if is_wanted(number)]:
                made = yield from _laid_out([meshes[number] for number in left])
                # Others may have come, or meshes gone, while this one waited.
                if all(map(is_wanted, left)):
                    self._keep(left, made)

    def _keep(self, numbers: list[int], made: Sheets) -> None:
        entry, corner, patch = (len(self._arrays[each]) for each in ("order", "vertices", "rows"))
        new, counts = made.patches, np.diff(made.firsts, append=len(made.order))
        faces = made.arranged.faces.T
        faces += corner  # nobody else has them
        parts = (
            made.arranged.vertices.T,
            faces,
            made.order,
            new.rows,
            new.altitudes,
            new.firsts + np.where(new.are_small, entry, patch),
            new.counts,
            new.are_small,
        )
        for array, part in zip(self._arrays.values(), parts, strict=True):
            array.append(part)
        columns = (
            entry + made.firsts,
            corner + made.corners,
            made.corner_counts,
            patch + new.tops,
            new.top_counts,
            counts,
        )
        places = np.stack(columns, axis=1).tolist()
        self._places.update(zip(numbers, map(tuple, places), strict=True))
        self._all = None

    def sheets(self, born: int) -> Sheets:
        """Return all meshes that were laid out, by number."""
        if self._all is None or len(self._all.firsts) != born:
            places = np.tile(np.array([_NOWHERE]).T, born)
            for mesh, place in self._places.items():
                places[:, mesh] = place[:-1]
            vertices, faces, order, *parts = (array.rows for array in self._arrays.values())
            firsts, corners, corner_counts, *tops = places
            arranged = GrownTriangles(vertices, faces, self._tables)
            patches = Patches(*parts, *tops)
            self._all = Sheets(
                arranged, order, firsts, corners, corner_counts, patches, self._layout
            )
        return self._all


def _laid_out(meshes: list[Mesh]) -> Generator[object, None, Sheets]:
    """Lay out these meshes alone, numbered from 0; yields while they are made."""
    counts = np.array([len(mesh.valid) for mesh in meshes], np.intp)
    lengths = np.array([len(mesh.triangles.vertices) for mesh in meshes], np.intp)
    frames = _frames(np.stack([mesh.bounds for mesh in meshes], axis=1))
    kernel = compiled.arranger()
    # What is larger would take too long at once.
    if kernel is not None and counts.sum() <= 2 * tuning.current.sheets_together:
        given = [(mesh.triangles, mesh.valid) for mesh in meshes]
        vertices, faces, order = kernel.laid_out(given, frames)
        yield None
    else:
        vertices, faces, order = yield from _sorted(meshes, frames)
    arranged = GrownTriangles(vertices, faces, {})
    patches = yield from made_patches(arranged, counts)
    firsts, corners = np.cumsum(counts) - counts, np.cumsum(lengths) - lengths
    return Sheets(arranged, order, firsts, corners, lengths, patches, Layout())


def _sorted(
    meshes: list[Mesh], frames: Floats
) -> Generator[object, None, tuple[Floats, Ids, Ids]]:
    """Return vertices, faces (3, n) and the numbers (n,) of triangles along the curves."""
    faces, owners, vertices = _all_faces(meshes)
    yield None
    keys = np.empty(len(owners), np.int64)
    for some in blocks(len(owners), tuning.current.triangles_placed):
        codes = _codes(vertices, faces[:, some], frames, owners[some])
        keys[some] = owners[some] << 3 * _BITS | codes
        yield None
    order = yield from radix_argsort_steps(keys, 3 * _BITS + len(meshes).bit_length())
    valid = np.concatenate([mesh.valid for mesh in meshes])
    taken = yield from taken_steps(faces, order)
    return vertices, taken, (yield from taken_steps(valid, order))


def _all_faces(meshes: list[Mesh]) -> tuple[Ids, Ids, Floats]:
    """Return finite faces, (3, n), the mesh of each, and all vertices."""
    lengths = [len(mesh.triangles.vertices) for mesh in meshes]
    starts = np.cumsum([0, *lengths])[:-1]
    vertices = np.concatenate([mesh.triangles.vertices.T for mesh in meshes], axis=1)
    parts = []
    for mesh, start in zip(meshes, starts.tolist(), strict=True):
        faces = mesh.triangles.faces.T
        parts.append(faces if len(mesh.valid) == faces.shape[1] else faces[:, mesh.valid])
        if start:
            parts[-1] = parts[-1] + start
    owners = np.repeat(np.arange(len(meshes)), [part.shape[1] for part in parts])
    if len(meshes) == 1:  # millions are not copied
        return parts[0], owners, meshes[0].triangles.vertices.T
    return np.concatenate(parts, axis=1), owners, vertices


def _frames(bounds: Floats) -> Floats:
    """Return where curves through bounds (6, m) begin, and how many places a unit has, (4, m)."""
    # Cells are cubes: in those as flat as a landscape a run would follow a line of equal height.
    size = (bounds[3:] - bounds[:3]).max(axis=0)
    scale = np.divide(2**_BITS, size, out=np.zeros(size.shape), where=size > 0)
    return np.concatenate((bounds[:3], scale[None]))


def _codes(vertices: Floats, faces: Ids, frames: Floats, owners: Ids) -> Words:
    """Return Morton codes of triangles' middles in the frames of their meshes."""
    places, scales = np.empty((3, faces.shape[1]), np.int64), frames[3].take(owners)
    for axis, row in enumerate(vertices):
        middles = row.take(faces).sum(axis=0) / 3
        along = (middles - frames[axis].take(owners)) * scales
        # What is no number, by an overflow, has place 0.
        places[axis] = np.fmin(np.fmax(along, 0), 2**_BITS - 1)
    return morton_codes(places, _BITS)
