"""Comparison of two audits: new, still there, resolved; statuses and groups carry over."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ....core import Audit
from ...arrays import Flags, Ids
from .findings import RESOLVED, Findings, pair_codes


@dataclass(frozen=True, eq=False)
class Comparison:
    """An older and a newer audit, joined by class and objects.

    A finding that either audit calls resolved is not there, except for `matched` and `gone`.

    Attributes
    ----------
    old, new : Findings
        The audits, in one unit.
    matching : ndarray of intp, shape (k,)
        The old object that each new one is, or -1.
    matched : ndarray of intp, shape (n,)
        The old finding of the same class and objects as each new one, whatever their statuses, or
        -1.
    """

    old: Findings
    new: Findings
    matching: Ids
    matched: Ids

    @cached_property
    def previous(self) -> Ids:
        """The old finding that each new one is, or -1, (n,)."""
        is_there = np.append(self.old.statuses != RESOLVED, False)[self.matched]
        return np.where(is_there & (self.new.statuses != RESOLVED), self.matched, -1)

    @property
    def is_new(self) -> Flags:
        """Whether each new finding was not there before, or had been resolved, (n,)."""
        flags: Flags = (self.new.statuses != RESOLVED) & (self.previous < 0)
        return flags

    @property
    def resolved(self) -> Ids:
        """The old findings that are gone, without those that were resolved before, (r,)."""
        was_there = self.old.statuses != RESOLVED
        was_there[self.previous[self.previous >= 0]] = False
        return np.flatnonzero(was_there)

    @cached_property
    def gone(self) -> Ids:
        """The old findings, open or resolved, that the new ones do not have at all, (g,)."""
        return np.setdiff1d(np.arange(len(self.old)), self.matched)

    def row_again(self, row: int) -> int | None:
        """Return which finding of the history an old one is; None for a row that is none."""
        if not 0 <= row < len(self.old):
            return None
        (found,) = (np.append(self.matched, self.gone) == row).nonzero()
        return int(found[0])

    def judged(self) -> Findings:
        """Return the new findings with the judgments of the old ones.

        Findings that stay keep status and reason. One that was resolved and comes back is new
        again; its reason is kept, to be offered.
        """
        old, matched = self.old, self.matched
        statuses, reasons = self.new.statuses.copy(), list(self.new.reasons)
        stays = self.previous >= 0
        statuses[stays] = old.statuses[matched[stays]]
        returns = (self.new.statuses != RESOLVED) & (matched >= 0)
        for row in np.flatnonzero(returns).tolist():
            reasons[row] = old.reasons[matched[row]]
        return replace(self.grouped(), statuses=statuses, reasons=tuple(reasons))

    def grouped(self) -> Findings:
        """Return the new findings in the groups of the old ones, or in their own if they have one.

        Groups stay with findings that were gone in between.
        """
        if not self.old.groups:
            return self.new
        before = (self.old.groups[each] if each >= 0 else "" for each in self.matched.tolist())
        return self.new.with_groups(
            self.new.group_of(row) or name for row, name in enumerate(before)
        )

    def history(self, is_unknown: Flags | None = None) -> Findings:
        """Return the judged findings, and behind them the old ones that are gone, as resolved.

        Parameters
        ----------
        is_unknown : ndarray of bool, optional
            Old findings that keep their status, since nobody has looked at them.
        """
        gone = self.old.take(self.gone)
        statuses = np.full(len(gone), RESOLVED)
        if is_unknown is not None:
            statuses = np.where(is_unknown[self.gone], gone.statuses, statuses)
        return _appended(self.judged(), replace(gone, statuses=statuses), self.matching)


def compare(old: Findings, new: Findings, matching: Ids) -> Comparison:
    """Compare two audits by class and objects. O(n log n).

    Parameters
    ----------
    old, new : Findings
        The answers, in one unit.
    matching : ndarray of intp, shape (k,)
        Which old object each new one is, or -1, as `match_objects` tells.

    Raises
    ------
    ValueError
        If they count in different units.
    """
    if old.unit != new.unit:
        raise ValueError(f"Both audits must have one unit, got {old.unit} and {new.unit}")
    count = len(old.objects)
    codes = pair_codes(old.audit.classes, old.audit.pairs, count)
    order = np.argsort(codes)
    pairs = matching[new.audit.pairs]
    # A pair with an unmatched object gets the code of none: `count` is no object's number.
    wanted = pair_codes(new.audit.classes, np.where(pairs < 0, count, pairs), count)
    spot = np.searchsorted(codes, wanted, sorter=order)
    matched = np.append(order, -1)[spot]
    is_same = np.append(codes, -1)[matched] == wanted
    return Comparison(old, new, matching, np.where(is_same, matched, -1))


def _appended(new: Findings, gone: Findings, matching: Ids) -> Findings:
    """Return findings and behind them others, of objects that the first may have too."""
    if not len(gone):
        return new
    numbers = np.full(len(gone.objects), -1, np.intp)
    matched = np.flatnonzero(matching >= 0)
    numbers[matching[matched]] = matched
    used = np.unique(gone.audit.pairs)
    missing = used[numbers[used] < 0]
    numbers[missing] = len(new.objects) + np.arange(len(missing))
    renumbered = replace(gone.audit, pairs=numbers[gone.audit.pairs])
    return replace(
        new,
        objects=new.objects.joined(gone.objects.take(missing)),
        audit=Audit.joined([new.audit, renumbered]),
        statuses=np.concatenate((new.statuses, gone.statuses)),
        reasons=new.reasons + gone.reasons,
    ).with_groups(each.group_of(row) for each in (new, gone) for row in range(len(each)))
