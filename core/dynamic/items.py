"""Item store: the present boxes, spheres and regions, as (7, n) rows of regions."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Floats, Ids, Masks
from ..records import Columns, Frozen
from ..shapes import Boxes, Regions, Shapes, Spheres

KINDS = (Boxes, Spheres, Regions)


@dataclass(frozen=True)
class ItemStore(Frozen, Columns):
    """n items, their ids, ascending, and masks; none if all are in every group.

    `next_id` is the number of ids given so far.
    """

    rows: Floats
    ids: Ids
    next_id: int
    groups: Masks | None

    @classmethod
    def empty(cls) -> "ItemStore":
        """Return no items."""
        return cls(np.empty((7, 0)), np.empty(0, np.intp), 0, None)

    @cached_property
    def shapes(self) -> Boxes | Spheres | Regions:
        """The items as the simplest kind that they all are."""
        return simplest(self.rows)

    def limits(self, numbers: Ids) -> tuple[Floats, Floats]:
        """Return the bounds of some items, (3, k) each."""
        return limits(self.rows[:, numbers])

    def numbers_of(self, ids: ArrayLike) -> Ids:
        """Return the positions of these ids; raise a ValueError that names the first bad id."""
        wanted = checks.numbers("ids", ids, self.next_id, "items")
        if len(self) == self.next_id:
            return wanted
        numbers = np.searchsorted(self.ids, wanted)
        alive = np.append(self.ids, -1)[numbers] == wanted
        checks.every_row("ids", "name living items", alive, wanted)
        return numbers

    def extended(self, rows: Floats, groups: Masks | None) -> "ItemStore":
        """Return the items with more appended, which are in every group if they have no masks."""
        next_id = self.next_id + rows.shape[1]
        ids = np.concatenate((self.ids, np.arange(self.next_id, next_id)))
        if self.groups is not None or groups is not None:
            masks = _masks(self.groups, len(self)), _masks(groups, rows.shape[1])
            groups = np.concatenate(masks)
        return ItemStore(np.concatenate((self.rows, rows), axis=1), ids, next_id, groups)

    def moved(self, numbers: Ids, rows: Floats) -> "ItemStore":
        """Return the items after some of them have changed."""
        changed = self.rows.copy()
        changed[:, numbers] = rows
        return ItemStore(changed, self.ids, self.next_id, self.groups)

    def check(self) -> None:
        """Assert that ids ascend and items are finite."""
        assert len(self) == self.rows.shape[1]
        assert (np.diff(self.ids) > 0).all() and self.ids.max(initial=-1) < self.next_id
        assert np.isfinite(limits(self.rows)).all()


def _masks(groups: Masks | None, count: int) -> Masks:
    return np.full(count, checks.ALL_GROUPS, np.uint32) if groups is None else groups


def limits(rows: Floats) -> tuple[Floats, Floats]:
    """Return the bounds of items (7, k), (3, k) each."""
    return rows[:3] - rows[6], rows[3:6] + rows[6]


def simplest(rows: Floats) -> Boxes | Spheres | Regions:
    """Return items (7, k) as boxes if none is round, as spheres if all are points within."""
    if not rows[6].max(initial=0.0):
        return Boxes.from_rows(rows[:6])
    if np.array_equal(rows[:3], rows[3:6]):
        return Spheres.from_rows(rows[3:])
    return Regions.from_rows(rows)


def rows_of(items: Shapes) -> Floats:
    """Return finite boxes, spheres or regions as (7, k) rows, or raise a ValueError."""
    checks.kind("items", items, KINDS)
    if isinstance(items, Boxes):
        finite = np.isfinite(items.rows)
    else:
        with np.errstate(over="ignore"):
            finite = np.isfinite(items.bounds().rows)
    if not finite.all():
        checks.every_row("items", "be finite", finite.all(axis=0), items.rows.T)
    if isinstance(items, Regions):
        return items.rows
    if isinstance(items, Spheres):
        return np.concatenate((items.rows[:3], items.rows))
    return np.concatenate((items.rows, np.zeros((1, len(items)))))
