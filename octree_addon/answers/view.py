"""Rows as a list shows them: filtered and sorted in arrays, once for each wish."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..arrays import Ids
from ..reader import UNUSED
from .rows import Rows, numbered

NAME = "Name"


@dataclass(eq=False)
class View:
    """The rows of a result as arrays, and the names of their objects; read once a change.

    Attributes
    ----------
    rows : Rows
        Their objects are indices into the lists below.
    uids : list of int
        Session id of each object of the result; 0 if it has left the scene.
    names : list of str
        The name of each, or the last one that it had.
    """

    rows: Rows
    uids: list[int]
    names: list[str]
    _shown: dict[tuple[str, str, bool], "ShownRows"] = field(default_factory=dict)

    @cached_property
    def extremes(self) -> dict[str, tuple[int, ...]]:
        """The rows with the least and the most of each column, by its name."""
        return {
            each.name: (int(each.values.argmin()), int(each.values.argmax()))
            if len(each.values)
            else ()
            for each in self.rows.columns
        }

    def label(self, row: int, side: int) -> str:
        """Return the name of what a row has on one side, such as "Tree" or "Tree #3"."""
        name = self.names[self.rows.objects[side, row]]
        return numbered(name, self.rows.numbers_of(row, side))

    def labels(self, row: int) -> list[str]:
        """Return the names of a row, one or two."""
        return [self.label(row, side) for side in range(len(self.rows.objects))]

    def shown(self, search: str, sort: str, reverse: bool) -> "ShownRows":
        """Return which rows are shown and in what order; worked out once for each wish."""
        wish = search.casefold(), sort, reverse
        if wish not in self._shown:
            self._shown.clear()
            self._shown[wish] = shown_rows(self, *wish)
        return self._shown[wish]


@dataclass(frozen=True, eq=False)
class ShownRows:
    """What a list shows of n rows.

    Attributes
    ----------
    rows : ndarray of intp, shape (m,)
        The rows that are shown, from top to bottom.
    flags : list of int
        For each row whether it is shown; empty if all are.
    places : list of int
        Where each row stands among all; empty if they stand as they are.
    """

    rows: Ids
    flags: list[int]
    places: list[int]

    def in_list(self, count: int, length: int) -> tuple[list[int], list[int]]:
        """Return flags and places for a list that is longer than the rows, (count,), are."""
        if length == count:
            return self.flags, self.places
        beyond = range(count, length)
        flags = self.flags or [_SHOWN] * count
        return flags + [0] * len(beyond), [*(self.places or range(count)), *beyond]


# Bit by which Blender's lists know a row that is shown: `UIList.bitflag_filter_item`.
_SHOWN = 1 << 30


def shown_rows(view: View, search: str, sort: str, reverse: bool) -> ShownRows:
    """Filter and sort; `search` is in lower case. O(n log n), in arrays."""
    count = len(view.rows)
    order = sorted_rows(view, sort, reverse)
    places: list[int] = []
    if order is None:
        order = np.arange(count)
    else:
        where = np.empty(count, np.intp)
        where[order] = np.arange(count)
        places = where.tolist()
    if not search:
        return ShownRows(order, [], places)
    # A list comprehension over the objects, not over the rows.
    hits = np.array([search in name.casefold() for name in view.names], np.bool_)
    found = hits[view.rows.objects].any(axis=0)
    for column in view.rows.columns:
        if column.words:
            found |= np.array([search in word.casefold() for word in column.words])[column.values]
    return ShownRows(order[found[order]], np.where(found, _SHOWN, 0).tolist(), places)


def sorted_rows(view: View, sort: str, reverse: bool) -> Ids | None:
    """Return the rows sorted by a column; None if they are to stand as they were found."""
    column = view.rows.column(sort)
    if sort == NAME:
        distinct = sorted(range(len(view.names)), key=lambda number: view.names[number].casefold())
        rank = np.empty(len(distinct), np.intp)
        rank[distinct] = np.arange(len(distinct))
        used = (view.rows.instances != UNUSED).any(axis=(0, 1))
        # The last key is the first to sort by: names, then the numbers from the first level on.
        numbers = view.rows.instances[..., used][::-1, :, ::-1]
        levels = np.concatenate(np.moveaxis(numbers, 2, 1))
        by = [*levels, *rank[view.rows.objects][::-1]]
        order = np.lexsort(by)
    elif column is not None:
        order = np.argsort(column.values, kind="stable")
    else:
        return np.arange(len(view.rows))[::-1] if reverse else None
    return order[::-1] if reverse else order
