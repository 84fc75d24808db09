"""Row tree: groups by hand, and folds of instances with the same objects, each with a header.

A row belongs to at most one group by hand, and to at most one fold of instances, which may lie in
that group. Lines of a list are numbers: a line below n is a row, a line n + i is header i.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids
from ..reader import UNUSED
from .rows import Rows


@dataclass(frozen=True, eq=False)
class Folds:
    """The h headers over n rows: first the groups by hand, then the folds of instances.

    Attributes
    ----------
    outer, inner : ndarray of intp, shape (n,)
        The group by hand, and the fold of instances, of each row: an index of a header, or -1.
    names : tuple of str
        The names of the groups by hand.
    keys : tuple of str
        A key for each header, (h,), under which the file stores that the header is open.
    lead : ndarray of intp, shape (h,)
        The representative of each header: the most severe row under it, whose numbers the header
        shows.
    parents : ndarray of intp, shape (h,)
        The group by hand that contains each fold of instances, or -1; -1 for groups.
    """

    outer: Ids
    inner: Ids
    names: tuple[str, ...]
    keys: tuple[str, ...]
    lead: Ids
    parents: Ids

    def __len__(self) -> int:
        return len(self.keys)

    def group_of(self, row: int) -> str:
        """Return the name of the group by hand of a row; empty if it has none."""
        number = int(self.outer[row])
        return self.names[number] if number >= 0 else ""

    def rows_of(self, line: int) -> Ids:
        """Return the rows of a line: the row itself, or all rows under a header."""
        header = line - len(self.outer)
        if header < 0:
            return np.array([line])
        block = self.outer if header < len(self.names) else self.inner
        return np.flatnonzero(block == header)

    def lead_of(self, line: int) -> int:
        """Return the row whose numbers a line shows; -1 if there is no such line."""
        header = line - len(self.outer)
        if header < 0:
            return max(line, -1)
        return int(self.lead[header]) if header < len(self) else -1

    def chain(self, line: int) -> list[int]:
        """Return the lines of the headers that contain a line, the innermost first."""
        count = len(self.outer)
        headers = (
            (self.inner[line], self.outer[line]) if line < count else (self.parents[line - count],)
        )
        return [count + int(each) for each in headers if each >= 0]

    def ordered(self, order: Ids) -> Ids:
        """Sort rows so that each block is contiguous, at the place of its representative."""
        rank = np.empty(len(order), np.intp)
        rank[order] = np.arange(len(order))
        of_inner = np.where(self.inner >= 0, rank[self._lead_under(self.inner)], rank)
        of_outer = np.where(self.outer >= 0, rank[self._lead_under(self.outer)], of_inner)
        return np.lexsort((rank, of_inner, of_outer))

    def _lead_under(self, headers: Ids) -> Ids:
        leads: Ids = np.append(self.lead, 0)[headers]
        return leads

    def lines(self, rows: Ids, opened: frozenset[str]) -> Ids:
        """Return the visible lines for sorted rows, headers included; O(rows), in arrays."""
        outer, inner = self.outer[rows], self.inner[rows]
        is_open = np.array([*(key in opened for key in self.keys), True])  # no header: open
        candidates = np.stack((outer, inner, rows), axis=1) + np.array([1, 1, 0]) * len(self.outer)
        is_shown = np.stack(
            (
                _begins(outer),
                _begins(inner) & is_open[outer],
                is_open[outer] & is_open[inner],
            ),
            axis=1,
        )
        return candidates[is_shown]


def _begins(block: Ids) -> Flags:
    """Flag the first row of each run of equal block numbers, except runs of -1."""
    flags: Flags = (block >= 0) & (block != np.append(-1, block)[:-1])
    return flags


def folds_of(
    rows: Rows, groups: Mapping[str, Sequence[int]], severity: Callable[[Rows], Floats]
) -> Folds:
    """Return the row tree of rows, with the rows of each group by hand by its name.

    Two or more rows of the same group, objects and class form a fold if any of them names an
    instance. O(n log n), in arrays.
    """
    count, names = len(rows), tuple(groups)
    outer = np.full(count, -1, np.intp)
    for number, members in enumerate(groups.values()):
        outer[[row for row in members if row < count]] = number
    codes, inner = _instance_folds(rows, outer)
    inner[inner >= 0] += len(names)
    parents = np.concatenate((np.full(len(names), -1, np.intp), codes[:, 0]))
    keys = [json.dumps([each]) for each in names]
    homes = ("", *names)
    keys += [json.dumps([homes[home + 1], *shared]) for home, *shared in codes.tolist()]
    grave = severity(rows)
    # The last write wins: the most severe row, and the first of several.
    order = np.lexsort((-np.arange(count), grave))
    lead = np.zeros(len(keys), np.intp)
    for block in (outer, inner):
        chosen = order[block[order] >= 0]
        lead[block[chosen]] = chosen
    return Folds(outer, inner, names, tuple(keys), lead, parents)


def _instance_folds(rows: Rows, outer: Ids) -> tuple[Ids, Ids]:
    """Return the shared code of each fold, (f, 4) or (f, 3), and the fold of each row or -1, (n,).

    A code is the group by hand, one number for each side, and the class.
    """
    is_instance = (rows.instances != UNUSED).any(axis=2)
    sides = np.sort(2 * rows.objects + is_instance, axis=0)
    column = rows.column("Class")
    classes = np.zeros(len(rows), np.intp) if column is None else column.values
    shared = np.stack((outer, *sides, classes), axis=1).astype(np.intp)
    codes, code, counts = np.unique(shared, axis=0, return_inverse=True, return_counts=True)
    code = code.reshape(-1)
    # Rows without instances are not folded: their objects are the same in different frames.
    is_folded = (counts > 1) & np.isin(np.arange(len(codes)), code[is_instance.any(axis=0)])
    numbers = np.where(is_folded, np.cumsum(is_folded) - 1, -1)
    return codes[is_folded], numbers[code]
