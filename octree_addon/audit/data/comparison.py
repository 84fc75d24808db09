"""Comparison of two audits: new, still there, resolved; statuses and groups carry over."""

from dataclasses import dataclass, replace

import numpy as np

from ....core import Audit
from ...arrays import Flags, Ids
from .findings import NEW, RESOLVED, Findings, pair_codes


@dataclass(frozen=True, eq=False)
class Comparison:
    """What became of the findings of an older audit.

    Attributes
    ----------
    previous : ndarray of intp, shape (n,)
        The old finding that each new one is, or -1.
    is_new : ndarray of bool, shape (n,)
        Whether it was not there before, or had been resolved.
    resolved : ndarray of intp, shape (r,)
        The old findings that are gone, without those that were so before.
    """

    previous: Ids
    is_new: Flags
    resolved: Ids


def compare(old: Findings, new: Findings, matching: Ids) -> Comparison:
    """Compare two audits by class and objects. O(n log n).

    What either calls resolved is not there.

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
    previous = _found_again(old, new, matching)
    gone = old.statuses != RESOLVED
    gone[previous[previous >= 0]] = False
    is_new = (new.statuses != RESOLVED) & (previous < 0)
    return Comparison(previous, is_new, np.flatnonzero(gone))


def _found_again(old: Findings, new: Findings, matching: Ids) -> Ids:
    """Return the old finding that each new one is, or -1, (n,)."""
    count = len(old.objects)
    pairs = matching[new.audit.pairs]
    there = np.flatnonzero(old.statuses != RESOLVED)
    codes = pair_codes(old.audit.classes[there], old.audit.pairs[:, there], count)
    order = np.argsort(codes)
    # A pair with an unmatched object gets the code of none: `count` is no object's number.
    wanted = pair_codes(new.audit.classes, np.where(pairs < 0, count, pairs), count)
    spot = np.searchsorted(codes, wanted, sorter=order)
    padded = np.append(order, -1)[spot]
    hits = (new.statuses != RESOLVED) & (np.append(codes, -1)[padded] == wanted)
    return np.where(hits, np.append(there, -1)[padded], -1)


def gone_from(old: Findings, new: Findings, matching: Ids) -> Ids:
    """Return the old findings, open or resolved, that the new ones do not have at all, (g,)."""
    before, now = (replace(each, statuses=np.full(len(each), NEW)) for each in (old, new))
    return compare(before, now, matching).resolved


def carried_over(old: Findings, new: Findings, matching: Ids) -> Findings:
    """Return the new findings, those that stay with the statuses and reasons they had before.

    They stay in their groups, even if they were gone and have come back. Then follow, as resolved,
    the old findings that are gone, and those that were resolved before and have not come back. One
    that comes back is new again; its reason is kept, to be offered.
    """
    previous = compare(old, new, matching).previous
    statuses, reasons = new.statuses.copy(), list(new.reasons)
    open_before = replace(old, statuses=np.full(len(old), NEW))
    returned = compare(open_before, new, matching).previous
    for row in np.flatnonzero((previous < 0) & (returned >= 0)).tolist():
        reasons[row] = old.reasons[returned[row]]
    for row in np.flatnonzero(previous >= 0).tolist():
        statuses[row], reasons[row] = old.statuses[previous[row]], old.reasons[previous[row]]
    whole = grouped_as(old, replace(new, statuses=statuses, reasons=tuple(reasons)), matching)
    gone = old.take(gone_from(old, new, matching))
    return _appended(whole, replace(gone, statuses=np.full(len(gone), RESOLVED)), matching)


def grouped_as(old: Findings, new: Findings, matching: Ids) -> Findings:
    """Return the new findings in the groups that the old ones have; their own where they have one.

    Whether they were gone in between does not count.
    """
    if not old.groups:
        return new
    there = replace(old, statuses=np.full(len(old), NEW))
    here = replace(new, statuses=np.full(len(new), NEW))
    previous = compare(there, here, matching).previous.tolist()
    before = (old.groups[each] if each >= 0 else "" for each in previous)
    return new.with_groups(new.group_of(row) or name for row, name in enumerate(before))


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
