"""Groups by hand: named groups of rows that the user makes, stored as JSON beside the rows."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..arrays import Ids
from .rows import Rows

HandGroups = Mapping[str, Sequence[int]]


def groups_in(text: str) -> dict[str, list[int]]:
    """Read the rows of each group, by its name; no group if the text is damaged."""
    try:
        read = json.loads(text or "{}")
        return {str(name): [int(row) for row in rows] for name, rows in read.items()}
    except (ValueError, TypeError, AttributeError):
        return {}


def groups_text(groups: HandGroups) -> str:
    """Write groups as JSON, without empty groups; empty if no group is left."""
    kept = {name: sorted(rows) for name, rows in groups.items() if rows}
    return json.dumps(kept) if kept else ""


def grouped(groups: HandGroups, rows: Ids, name: str) -> dict[str, list[int]]:
    """Return groups after rows have moved to the group `name`; "" takes them out of all groups."""
    moved = set(rows.tolist())
    left = {each: [row for row in of if row not in moved] for each, of in groups.items()}
    if name:
        left[name] = sorted({*left.get(name, ()), *moved})
    return {each: of for each, of in left.items() if of}


def carried_groups(groups: HandGroups, old: Rows, new: Rows) -> dict[str, list[int]]:
    """Carry groups over from old rows to the new rows with the same objects and instances.

    Objects of both are session ids. O(n).
    """
    if not groups:
        return {}
    before = _row_names(old)
    name_of = {before[row]: name for name, of in groups.items() for row in of if row < len(old)}
    found: dict[str, list[int]] = {name: [] for name in groups}
    for row, key in enumerate(_row_names(new)):
        if key in name_of:
            found[name_of[key]].append(row)
    return {name: of for name, of in found.items() if of}


def _row_names(rows: Rows) -> list[Any]:
    """Return a key of the objects and instances of each row, independent of their order."""
    sides = range(len(rows.objects))
    uids = rows.objects.tolist()
    return [
        tuple(sorted((uids[side][row], tuple(rows.numbers_of(row, side))) for side in sides))
        for row in range(len(rows))
    ]
