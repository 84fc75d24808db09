"""Comparison of two audits: new, still there, resolved; reviewed and ignored carry over."""

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Flags, Ids
from .findings import NEW, RESOLVED, AuditedObjects, Findings, pair_codes
from .ragged import joined

# Numbers that differ by less, in the unit and of the number, were rounded and have not changed.
_SLACK = 1e-6


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
    changed : ndarray of bool, shape (n,)
        Whether it is still there, and its deciding number is certainly another.
    """

    previous: Ids
    is_new: Flags
    resolved: Ids
    changed: Flags


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
    return Comparison(previous, is_new, np.flatnonzero(gone), _changed(old, new, previous))


def _found_again(old: Findings, new: Findings, matching: Ids) -> Ids:
    """Return the old finding that each new one is, or -1, (n,)."""
    count = len(old.objects)
    pairs = matching[new.pairs]
    there = np.flatnonzero(old.statuses != RESOLVED)
    codes = pair_codes(old.kinds[there], old.pairs[:, there], count)
    order = np.argsort(codes)
    # A pair with an unmatched object gets the code of none: `count` is no object's number.
    wanted = pair_codes(new.kinds, np.where(pairs < 0, count, pairs), count)
    spot = np.searchsorted(codes, wanted, sorter=order)
    padded = np.append(order, -1)[spot]
    hits = (new.statuses != RESOLVED) & (np.append(codes, -1)[padded] == wanted)
    return np.where(hits, np.append(there, -1)[padded], -1)


def _changed(old: Findings, new: Findings, previous: Ids) -> Flags:
    if not len(old):
        return np.zeros(len(new), np.bool_)
    slack = _SLACK * (1 + new.upper)
    apart = (new.lower > old.upper[previous] + slack) | (new.upper < old.lower[previous] - slack)
    apart |= new.measures != old.measures[previous]
    return apart & (previous >= 0)


def carried_over(old: Findings, new: Findings, matching: Ids) -> Findings:
    """Return the new findings with the statuses and reasons that they had before.

    Then follow, as resolved, the old findings that are gone, and those that were resolved before
    and have not come back. One that comes back is new again.
    """
    compared = compare(old, new, matching)
    before = np.flatnonzero(compared.previous >= 0)
    statuses, reasons = np.full(len(new), NEW), [""] * len(new)
    statuses[before] = old.statuses[compared.previous[before]]
    for row, source in zip(before.tolist(), compared.previous[before].tolist(), strict=True):
        reasons[row] = old.reasons[source]
    whole = replace(new, statuses=statuses, reasons=tuple(reasons))
    # Those resolved before are found again by comparing as if they were still there.
    as_new = replace(old, statuses=np.full(len(old), NEW))
    gone = compare(as_new, new, matching).resolved
    return _appended(whole, old.take(gone).with_statuses(np.arange(len(gone)), RESOLVED), matching)


def _appended(new: Findings, gone: Findings, matching: Ids) -> Findings:
    """Return findings and behind them others, of objects that the first may have too."""
    if not len(gone):
        return new
    numbers = np.full(len(gone.objects), -1, np.intp)
    matched = np.flatnonzero(matching >= 0)
    numbers[matching[matched]] = matched
    used = np.unique(gone.pairs)
    missing = used[numbers[used] < 0]
    numbers[missing] = len(new.objects) + np.arange(len(missing))
    return replace(
        new,
        objects=_both(new.objects, gone.objects.take(missing)),
        kinds=np.concatenate((new.kinds, gone.kinds)),
        pairs=np.concatenate((new.pairs, numbers[gone.pairs]), axis=1),
        measures=np.concatenate((new.measures, gone.measures)),
        lower=np.concatenate((new.lower, gone.lower)),
        upper=np.concatenate((new.upper, gone.upper)),
        places=np.concatenate((new.places, gone.places)),
        segments=joined(new.segments, gone.segments),
        faces=joined(new.faces, gone.faces),
        statuses=np.concatenate((new.statuses, gone.statuses)),
        reasons=new.reasons + gone.reasons,
        bands=np.concatenate((new.bands, gone.bands)),
    )


def _both(first: AuditedObjects, second: AuditedObjects) -> AuditedObjects:
    return AuditedObjects(
        first.names + second.names,
        np.concatenate((first.instances, second.instances)),
        first.libraries + second.libraries,
        first.guids + second.guids,
        first.collections + second.collections,
        np.concatenate((first.sizes, second.sizes)),
        np.concatenate((first.uids, second.uids)),
    )
