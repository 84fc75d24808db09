"""Comparison of two audits: new, remaining and resolved findings; statuses carry over."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ....core import Audit
from ...arrays import Flags, Ids
from .findings import RESOLVED, Findings, pair_codes


@dataclass(frozen=True, eq=False)
class Comparison:
    """An older and a newer audit, joined by class and objects.

    Resolved findings of either audit count as absent, except in `matched` and `gone`.

    Attributes
    ----------
    old, new : Findings
        Findings of both audits, in one unit.
    matching : ndarray of intp, shape (k,)
        The old object that equals each new one, or -1.
    matched : ndarray of intp, shape (n,)
        The old finding with the class and objects of each new one, whatever their statuses; or -1.
    """

    old: Findings
    new: Findings
    matching: Ids
    matched: Ids

    @cached_property
    def previous(self) -> Ids:
        """The old finding that equals each new one, or -1; neither is resolved, (n,)."""
        is_there = np.append(self.old.statuses != RESOLVED, False)[self.matched]
        return np.where(is_there & (self.new.statuses != RESOLVED), self.matched, -1)

    @property
    def is_new(self) -> Flags:
        """Flags of new findings that were absent or resolved before, (n,)."""
        flags: Flags = (self.new.statuses != RESOLVED) & (self.previous < 0)
        return flags

    @property
    def resolved(self) -> Ids:
        """The old findings that are absent now and were not resolved before, (r,)."""
        was_there = self.old.statuses != RESOLVED
        was_there[self.previous[self.previous >= 0]] = False
        return np.flatnonzero(was_there)

    @cached_property
    def gone(self) -> Ids:
        """The old findings, of any status, that no new finding matches, (g,)."""
        return np.setdiff1d(np.arange(len(self.old)), self.matched)

    def row_again(self, row: int) -> int | None:
        """Return the row in `history` of an old finding; None for an invalid row."""
        if not 0 <= row < len(self.old):
            return None
        (found,) = (np.append(self.matched, self.gone) == row).nonzero()
        return int(found[0])

    def judged(self) -> Findings:
        """Return the new findings with the statuses, reasons and groups of the old ones.

        A resolved finding that returns is new again. Its reason stays, as a default for the user.
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
        """Return the new findings in their own groups, or else in those of the old findings.

        Findings that were resolved in between keep their group.
        """
        if not self.old.groups:
            return self.new
        before = (self.old.groups[each] if each >= 0 else "" for each in self.matched.tolist())
        return self.new.with_groups(
            self.new.group_of(row) or name for row, name in enumerate(before)
        )

    def history(self, is_unknown: Flags | None = None) -> Findings:
        """Return the findings of `judged`, followed by the old ones that are gone, as resolved.

        Parameters
        ----------
        is_unknown : ndarray of bool, optional
            Flags of old findings that keep their status, because their objects were not audited.
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
        Findings of both audits, in one unit.
    matching : ndarray of intp, shape (k,)
        The old object that equals each new one, or -1, as `match_objects` returns.

    Raises
    ------
    ValueError
        If the audits have different units.
    """
    if old.unit != new.unit:
        raise ValueError(f"Both audits must have one unit, got {old.unit} and {new.unit}")
    count = len(old.objects)
    codes = pair_codes(old.audit.classes, old.audit.pairs, count)
    order = np.argsort(codes)
    pairs = matching[new.audit.pairs]
    # A pair with an unmatched object gets a code that no old pair has, from number `count`.
    wanted = pair_codes(new.audit.classes, np.where(pairs < 0, count, pairs), count)
    spot = np.searchsorted(codes, wanted, sorter=order)
    matched = np.append(order, -1)[spot]
    is_same = np.append(codes, -1)[matched] == wanted
    return Comparison(old, new, matching, np.where(is_same, matched, -1))


def _appended(new: Findings, gone: Findings, matching: Ids) -> Findings:
    """Return findings followed by others, without duplicate rows for objects of both."""
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
