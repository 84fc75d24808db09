"""Placements of meshes: matrices, inverse matrices with error bounds, and bounding boxes."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Flags, Floats, Ids, batched, concatenated_ranges, cross, flagged, gather
from ..boxes import bounds_of_runs, boxes_grown, magnitudes, middles_and_halves
from ..compiled import arranger
from ..records import Columns, Frozen
from .store import Table

# Placed parts of meshes whose bounds are computed together.
_TOGETHER = 65_536
# Largest relative error of an inverse; a matrix with a larger one counts as not invertible.
_FLAT = 2.0**-12
# Enlargement of boxes, relative to their coordinates, so that rays from far away do not miss them
# because of rounding.
_GROWN = 2.0**-40
# Relative error that a few roundings leave in sums of products.
_ROUNDING = 2.0**-47
# Rounding error of a gap between boxes, relative to the gap and to the largest coordinate.
GAP_ROUNDING = 2.0**-44


@dataclass(frozen=True)
class Placements(Frozen, Columns):
    """A batch of n placements of meshes, sorted by id; `born` is the next id.

    Attributes
    ----------
    ids, meshes : ndarray of intp, shape (n,)
        Ids, ascending, and the number of the mesh of each placement.
    matrices : ndarray of float64, shape (12, n)
        Three rows of four elements.
    inverses : ndarray of float64, shape (9, n)
        Inverses of the first three columns; NaN for a matrix without an inverse.
    most, least : ndarray of float64, shape (n,)
        Bounds of the factors by which lengths are stretched.
    slacks : ndarray of float64, shape (n,)
        Error bounds, in the space of the mesh, of points that are placed and transformed back.
    boxes : ndarray of float64, shape (6, n)
        Bounding boxes of the placed meshes, enlarged against rounding.
    is_there : ndarray of bool, shape (n,)
        Flags of the placements that queries can find: with a finite matrix, a finite box, and a
        mesh with triangles.
    """

    ids: Ids
    meshes: Ids
    matrices: Floats
    inverses: Floats
    most: Floats
    least: Floats
    slacks: Floats
    boxes: Floats
    is_there: Flags
    born: int

    @classmethod
    def of(cls, first: int, meshes: Ids, matrices: Floats, table: Table) -> "Placements":
        """Return new placements of meshes in the table, with ids from `first` on."""
        bounds = table.bounds[:, meshes]
        finite = np.isfinite(matrices).all(axis=0)
        some = np.where(finite, matrices, 0.0)
        is_there = finite & (bounds[0] <= bounds[3])
        held = np.where(is_there, bounds, 0.0)
        with np.errstate(all="ignore"):
            inverses, wrong = _inverses(some)
            most, least = _stretches(some)
            reach = _reach(some, held)
            boxes = boxes_grown(_boxes(some, meshes, table), reach * _GROWN)
            slacks = _slacks(inverses, wrong, reach, held)
        is_there &= np.isfinite(boxes).all(axis=0)
        # Placements that cannot be found temporarily take the position of the first valid one.
        stand_in = boxes[:3, np.argmax(is_there), None] if is_there.any() else np.zeros((3, 1))
        boxes = np.where(is_there, boxes, np.tile(stand_in, (2, 1)))
        ids = np.arange(first, first + len(meshes))
        born = first + len(meshes)
        return cls(ids, meshes, matrices, inverses, most, least, slacks, boxes, is_there, born)

    def rows_of(self, ids: ArrayLike, *, once: bool = False, name: str = "ids") -> Ids:
        """Return the rows of these ids, or raise a ValueError that names the first invalid id."""
        wanted = checks.numbers(name, ids, self.born, "placements")
        rows = np.searchsorted(self.ids, wanted)
        alive = np.append(self.ids, -1)[rows] == wanted
        checks.every_row(name, "name living placements", alive, wanted)
        if once:
            seen = np.bincount(rows, minlength=len(self))
            checks.every_row(name, "not repeat", seen[rows] == 1, wanted)
        return rows

    def rows_named(self, ids: Ids) -> Ids:
        """Return the rows of ids that are known to be valid."""
        return ids if len(self.ids) == self.born else np.searchsorted(self.ids, ids)

    def stand_at(self, rows: Ids, matrices: Floats) -> Flags:
        """Flag the placements in these rows that already have these matrices."""
        flags = np.ones(len(rows), bool)
        for old, new in zip(self.matrices, matrices, strict=True):
            held = old.take(rows)
            flags &= (held == new) | ((held != held) & (new != new))
        return flags

    def boxes_of(self, pairs: Ids) -> tuple[Floats, Floats]:
        """Return the boxes of the two rows of pairs, (2, p): (6, p) each."""
        return self.boxes[:, pairs[0]], self.boxes[:, pairs[1]]

    def boxes_around(self, rows: Ids, boxes: Floats) -> Floats:
        """Return bounds, (6, h), of boxes (6, h) in the spaces of the meshes in these rows."""
        matrices = gather(self.matrices, rows)
        return boxes_grown(_placed(matrices, boxes), _reach(matrices, boxes) * _GROWN)

    def moved(self, rows: Ids, new: "Placements") -> "Placements":
        """Return the placements with some rows replaced by those of `new`; ids stay."""
        changed = {}
        for name, value in vars(self).items():
            if name not in ("born", "ids"):
                changed[name] = value.copy()
                changed[name][..., rows] = getattr(new, name)
        return replace(self, **changed)

    def there_only(self, ids: Ids) -> "Placements":
        """Return the same placements, with only these ids visible to queries."""
        flags = flagged(len(self), self.rows_named(ids))
        return replace(self, is_there=self.is_there & flags)

    def scaled(self, scale: float) -> "Placements":
        """Return the same placements in a space scaled by a power of two.

        Values near the sizes that the scale was chosen for are scaled exactly. Much larger values
        may become infinite.
        """
        with np.errstate(over="ignore"):
            return replace(
                self,
                matrices=self.matrices * scale,
                inverses=self.inverses / scale,
                most=self.most * scale,
                least=self.least * scale,
                boxes=self.boxes * scale,
            )


def gap_slacks(ones: Floats, others: Floats) -> Floats:
    """Return bounds, (p,), of the rounding errors of gaps between boxes, (6, p) each."""
    largest = np.maximum(np.abs(ones), np.abs(others)).max(axis=0, initial=0.0)
    slacks: Floats = largest * GAP_ROUNDING
    return slacks


def _grid(matrices: Floats) -> Floats:
    """Return the linear parts of matrices, (3 rows, 3 columns, n)."""
    return matrices.reshape(3, 4, -1)[:, :3]


def _inverses(matrices: Floats) -> tuple[Floats, Floats]:
    """Return inverses (9, n), and relative errors, (n,), of coordinates transformed and back.

    Inverses are made from cofactors, of matrices whose columns are scaled to about one. Errors are
    bounded by multiplying inverses and matrices.
    """
    grid = _grid(matrices)
    scale = np.ldexp(1.0, -np.frexp(np.abs(grid).max(axis=0))[1])
    x, y, z = (grid * scale).swapaxes(0, 1)
    rows = np.stack([cross(a, b) for a, b in ((y, z), (z, x), (x, y))])
    rows /= (x * rows[0]).sum(axis=0)
    rows *= scale[:, None]
    back = np.einsum("ijn,jkn->ikn", rows, grid) - np.eye(3)[:, :, None]
    sizes = np.einsum("ijn,jkn->ikn", np.abs(rows), np.abs(grid))
    wrong = np.abs(back).sum(axis=1).max(axis=0) + sizes.sum(axis=1).max(axis=0) * 2.0**-50
    known = wrong < _FLAT  # False for NaN
    return np.where(known, rows, np.nan).reshape(9, -1), wrong


def _stretches(matrices: Floats) -> tuple[Floats, Floats]:
    """Return bounds of singular values, (n,) each: the largest rounded up, the smallest down."""
    values = np.linalg.svd(_grid(matrices).transpose(2, 0, 1), compute_uv=False)
    return values[:, 0] * (1 + 2.0**-40), np.maximum(values[:, 2] - values[:, 0] * 2.0**-40, 0.0)


def _reach(matrices: Floats, bounds: Floats) -> Floats:
    """Return upper bounds of placed coordinates and of all terms in their sums, (3, n)."""
    size = magnitudes(bounds)
    return (np.abs(_grid(matrices)) * size).sum(axis=1) + np.abs(matrices[3::4])


def _boxes(matrices: Floats, meshes: Ids, table: Table) -> Floats:
    """Return the bounds of all placed parts of each mesh, (6, n); every mesh has parts."""
    if (kernel := arranger()) is not None:
        parts = table.parts, table.part_starts, table.part_counts
        return kernel.surrounded(*parts, meshes, matrices)
    boxes, counts = np.empty((6, len(meshes))), table.part_counts[meshes]
    ends, each = np.cumsum(counts), np.arange(len(meshes))
    for some in batched(ends, _TOGETHER):
        places = concatenated_ranges(table.part_starts[meshes[some]], counts[some])
        owners = np.repeat(each[some], counts[some])
        starts = np.cumsum(counts[some]) - counts[some]
        sides = _placed(gather(matrices, owners), gather(table.parts, places))
        boxes[:, some] = bounds_of_runs(sides[:3], sides[3:], starts)
    return boxes


def _placed(matrices: Floats, parts: Floats) -> Floats:
    """Return the bounds of placed boxes, (6, k)."""
    middle, half = middles_and_halves(parts)
    center: Floats = np.empty(middle.shape)
    extent: Floats = np.empty(half.shape)
    for axis in range(3):
        x, y, z, shift = matrices[4 * axis : 4 * axis + 4]
        center[axis] = x * middle[0] + y * middle[1] + z * middle[2] + shift
        extent[axis] = np.abs(x) * half[0] + np.abs(y) * half[1] + np.abs(z) * half[2]
    return boxes_grown(center, extent)


def _slacks(inverses: Floats, wrong: Floats, reach: Floats, bounds: Floats) -> Floats:
    """Return error bounds of points that are placed and transformed back, in the mesh, (n,)."""
    size = np.abs(bounds).max(axis=0)
    there = np.abs(inverses.reshape(3, 3, -1) * reach).sum(axis=1).max(axis=0)
    return _ROUNDING * (there + size) + wrong * size
