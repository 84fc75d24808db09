"""Rows as a list shows them: filtered, sorted and folded in arrays, and cached."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Ids
from ..reader import UNUSED
from .folds import Folds, folds_of
from .result_kind import ResultKind
from .rows import Rows, numbered

NAME = "Name"


@dataclass(eq=False)
class View:
    """The rows of a result as arrays, and the names of their objects; a cache.

    Attributes
    ----------
    rows : Rows
        The rows; their objects are indices into `uids` and `names`.
    uids : list of int
        Session id of each object of the result; 0 if the object has left the scene.
    names : list of str
        Name of each object, or the last name of one that has left the scene.
    groups : Mapping of str to sequence of int
        The rows of each group by hand.
    kind : ResultKind
        The kind of the result.
    fitted : dict
        Cached columns that fit the sidebar, by its width and the units of the numbers.
    places : dict
        Cached line of the active row, by row, search, order and open headers.
    """

    rows: Rows
    uids: list[int]
    names: list[str]
    groups: Mapping[str, Sequence[int]] = field(default_factory=dict)
    kind: ResultKind = field(default_factory=lambda: ResultKind(""))
    fitted: dict[Hashable, Any] = field(default_factory=dict)
    places: dict[Hashable, int] = field(default_factory=dict)
    _shown: dict[tuple[str, str, bool, frozenset[str]], "ShownRows"] = field(default_factory=dict)

    @cached_property
    def folds(self) -> Folds:
        """The groups by hand and the folds of instances."""
        return folds_of(self.rows, self.groups, self.kind.severity)

    @cached_property
    def extremes(self) -> dict[str, tuple[int, ...]]:
        """The rows with the least and the greatest value of each column, by column name."""
        return {each.name: least_and_most(each.values) for each in self.rows.columns}

    def label(self, row: int, side: int) -> str:
        """Return the label of one side of a row, such as "Tree" or "Tree #3"."""
        name = self.names[self.rows.objects[side, row]]
        return numbered(name, self.rows.numbers_of(row, side))

    def labels(self, row: int) -> list[str]:
        """Return the labels of the one or two sides of a row."""
        return [self.label(row, side) for side in range(len(self.rows.objects))]

    def shown(
        self, search: str, sort: str, reverse: bool, opened: frozenset[str] = frozenset()
    ) -> "ShownRows":
        """Return the rows and lines to show for a search, an order and open headers; cached."""
        wish = search.casefold(), sort, reverse, opened
        if wish not in self._shown:
            self._shown.clear()
            self._shown[wish] = shown_rows(self, *wish)
        return self._shown[wish]

    @property
    def most_lines(self) -> int:
        """The number of lines that the list showed last; 0 before the first drawing."""
        return max((len(each.lines) for each in self._shown.values()), default=0)


def least_and_most(values: NDArray[Any]) -> tuple[int, ...]:
    """Return the indices of the least and the greatest finite number; empty without any."""
    known = np.flatnonzero(np.isfinite(values))
    if not len(known):
        return ()
    return tuple(int(known[end(values[known])]) for end in (np.argmin, np.argmax))


@dataclass(frozen=True, eq=False)
class ShownRows:
    """The visible part of a list of n rows with h headers.

    Attributes
    ----------
    rows : ndarray of intp, shape (m,)
        The rows that match the search, from top to bottom, those under closed headers included.
    lines : ndarray of intp, shape (k,)
        The content of each line: a row, or n + i for header i.
    folds : Folds
        The headers.
    """

    rows: Ids
    lines: Ids
    folds: Folds
    _flags: dict[int, list[int]] = field(default_factory=dict)

    @cached_property
    def counts(self) -> Ids:
        """The number of matching rows under each header, (h,)."""
        blocks = np.concatenate((self.folds.outer[self.rows], self.folds.inner[self.rows]))
        return np.bincount(blocks[blocks >= 0], minlength=len(self.folds))

    @cached_property
    def _places(self) -> Ids:
        places = np.full(len(self.folds.outer) + len(self.folds), -1, np.intp)
        places[self.lines] = np.arange(len(self.lines))
        return places

    def place(self, line: int) -> int:
        """Return the place of a row or header in the list, or of the closed header above it.

        -1 if neither is shown.
        """
        if not 0 <= line < len(self._places):
            return -1
        found = (int(self._places[each]) for each in (line, *self.folds.chain(line)))
        return next((each for each in found if each >= 0), -1)

    def in_list(self, length: int) -> list[int]:
        """Return the filter flags for a Blender list of `length` items: the first k are shown."""
        if length not in self._flags:
            self._flags.clear()
            shown = min(len(self.lines), length)
            self._flags[length] = [_SHOWN] * shown + [0] * (length - shown)
        return self._flags[length]


# Blender's flag of a list item that passes the filter: `UIList.bitflag_filter_item`.
_SHOWN = 1 << 30


def shown_rows(
    view: View, search: str, sort: str, reverse: bool, opened: frozenset[str]
) -> ShownRows:
    """Filter, sort and fold rows; `search` is casefolded. O(n log n), in arrays."""
    folds = view.folds
    order = sorted_rows(view, sort)
    if len(folds):
        order = folds.ordered(order)
    if reverse:
        order = order[::-1]
    if search:
        order = order[found_rows(view, search)[order]]
    return ShownRows(order, folds.lines(order, opened) if len(folds) else order, folds)


def found_rows(view: View, search: str) -> Flags:
    """Flag the rows with a text in an object name, in a word or in the name of their group."""
    # A list comprehension over the objects, not over the rows.
    hits = np.array([search in name.casefold() for name in view.names], np.bool_)
    found: Flags = hits[view.rows.objects].any(axis=0)
    for column in view.rows.columns:
        if column.words:
            found |= np.array([search in word.casefold() for word in column.words])[column.values]
    in_groups = [*(search in name.casefold() for name in view.folds.names), False]
    found |= np.array(in_groups)[view.folds.outer]
    return found


def sorted_rows(view: View, sort: str) -> Ids:
    """Sort the rows by the column `sort`, or return their original order if it does not exist."""
    column = view.rows.column(sort)
    if sort == NAME:
        distinct = sorted(range(len(view.names)), key=lambda number: view.names[number].casefold())
        rank = np.empty(len(distinct), np.intp)
        rank[distinct] = np.arange(len(distinct))
        used = (view.rows.instances != UNUSED).any(axis=(0, 1))
        # lexsort sorts by the last key first: names, then the numbers from the first level on.
        numbers = view.rows.instances[..., used][::-1, :, ::-1]
        levels = np.concatenate(np.moveaxis(numbers, 2, 1))
        by = [*levels, *rank[view.rows.objects][::-1]]
        return np.lexsort(by)
    if column is not None:
        return np.argsort(column.values, kind="stable")
    return np.arange(len(view.rows))
