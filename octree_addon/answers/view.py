"""Rows as a list shows them: filtered, sorted and folded in arrays, once for each wish."""

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
    """The rows of a result as arrays, and the names of their objects; read once a change.

    Attributes
    ----------
    rows : Rows
        Their objects are indices into the lists below.
    uids : list of int
        Session id of each object of the result; 0 if it has left the scene.
    names : list of str
        The name of each, or the last one that it had.
    groups : Mapping of str to sequence of int
        The rows of each group by hand.
    kind : ResultKind
        The kind of the result.
    fitted : dict
        Columns as they fit, by the room and the units that they are told in.
    places : dict
        Where the active row stands in the list, by what that depends on.
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
        """The groups by hand, and what one instancer does."""
        return folds_of(self.rows, self.groups, self.kind.severity)

    @cached_property
    def extremes(self) -> dict[str, tuple[int, ...]]:
        """The rows with the least and the most of each column, by its name."""
        return {each.name: least_and_most(each.values) for each in self.rows.columns}

    def label(self, row: int, side: int) -> str:
        """Return the name of what a row has on one side, such as "Tree" or "Tree #3"."""
        name = self.names[self.rows.objects[side, row]]
        return numbered(name, self.rows.numbers_of(row, side))

    def labels(self, row: int) -> list[str]:
        """Return the names of a row, one or two."""
        return [self.label(row, side) for side in range(len(self.rows.objects))]

    def shown(
        self, search: str, sort: str, reverse: bool, opened: frozenset[str] = frozenset()
    ) -> "ShownRows":
        """Return what is shown in what order, with which folds open; worked out once a wish."""
        wish = search.casefold(), sort, reverse, opened
        if wish not in self._shown:
            self._shown.clear()
            self._shown[wish] = shown_rows(self, *wish)
        return self._shown[wish]

    @property
    def most_lines(self) -> int:
        """How many lines the list has had to show last; 0 if none were asked for."""
        return max((len(each.lines) for each in self._shown.values()), default=0)


def least_and_most(values: NDArray[Any]) -> tuple[int, ...]:
    """Return where the least and the most of some numbers stand; none if none is finite."""
    known = np.flatnonzero(np.isfinite(values))
    if not len(known):
        return ()
    return tuple(int(known[end(values[known])]) for end in (np.argmin, np.argmax))


@dataclass(frozen=True, eq=False)
class ShownRows:
    """What a list shows of n rows under h headers.

    Attributes
    ----------
    rows : ndarray of intp, shape (m,)
        The rows that are shown, or would be if all were open, from top to bottom.
    lines : ndarray of intp, shape (k,)
        What stands on each line: a row, or n and more for a header.
    folds : Folds
        The headers.
    """

    rows: Ids
    lines: Ids
    folds: Folds
    _flags: dict[int, list[int]] = field(default_factory=dict)

    @cached_property
    def counts(self) -> Ids:
        """How many of the rows shown stand under each header, (h,)."""
        blocks = np.concatenate((self.folds.outer[self.rows], self.folds.inner[self.rows]))
        return np.bincount(blocks[blocks >= 0], minlength=len(self.folds))

    @cached_property
    def _places(self) -> Ids:
        places = np.full(len(self.folds.outer) + len(self.folds), -1, np.intp)
        places[self.lines] = np.arange(len(self.lines))
        return places

    def place(self, line: int) -> int:
        """Return where a row or a header stands, or the header that it is folded into; or -1."""
        if not 0 <= line < len(self._places):
            return -1
        found = (int(self._places[each]) for each in (line, *self.folds.chain(line)))
        return next((each for each in found if each >= 0), -1)

    def in_list(self, length: int) -> list[int]:
        """Return which items of a list so long are shown: the first ones, a line each."""
        if length not in self._flags:
            self._flags.clear()
            shown = min(len(self.lines), length)
            self._flags[length] = [_SHOWN] * shown + [0] * (length - shown)
        return self._flags[length]


# Bit by which Blender's lists know an item that is shown: `UIList.bitflag_filter_item`.
_SHOWN = 1 << 30


def shown_rows(
    view: View, search: str, sort: str, reverse: bool, opened: frozenset[str]
) -> ShownRows:
    """Filter, sort and fold; `search` is in lower case. O(n log n), in arrays."""
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
    """Return which rows have a text in a name, in a word or in the name of their group."""
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
    """Return the rows sorted by a column, or as they were found."""
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
        return np.lexsort(by)
    if column is not None:
        return np.argsort(column.values, kind="stable")
    return np.arange(len(view.rows))
