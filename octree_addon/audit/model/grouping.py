"""Grouping of findings: by hand, by class, by the smaller object, by a pair of collections.

A pipe that crosses twelve beams is one matter, and so is a floor of a building. Groups are made by
what findings share, never by distances between them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ....core import FINDING_CLASSES
from ...arrays import Ids
from .findings import Findings
from .identity import finding_ids, identities, ranks


@dataclass(frozen=True, eq=False)
class Groups:
    """A partition of n findings into g groups: those with the most findings first, or classes.

    Attributes
    ----------
    by : str
        What they share, such as "class".
    of : ndarray of intp, shape (n,)
        The group of each finding.
    names : tuple of str
        What each group is called; two may have the same name.
    keys : tuple of str
        What each is known by between files: ASCII text, each once.
    hand : int
        How many of them, the first ones, the user has made.
    """

    by: str
    of: Ids
    names: tuple[str, ...]
    keys: tuple[str, ...]
    hand: int = 0

    def __len__(self) -> int:
        return len(self.names)

    @property
    def counts(self) -> Ids:
        """How many findings each group has, (g,)."""
        return np.bincount(self.of, minlength=len(self))

    def rows(self) -> list[Ids]:
        """Return the findings of each group, in order. O(n log n)."""
        order = np.argsort(self.of, kind="stable")
        return np.split(order, np.cumsum(self.counts)[:-1]) if len(self) else []


def by_class(findings: Findings) -> Groups:
    """Group by class, the gravest first."""
    distinct, of = np.unique(findings.audit.classes, return_inverse=True)
    names = tuple(FINDING_CLASSES[kind] for kind in distinct.tolist())
    return Groups("class", of.reshape(-1), names, names)


def by_smaller_object(findings: Findings) -> Groups:
    """Group by the smaller of the two objects; of two alike, by the first by identity."""
    known, names = identities(findings.objects), findings.objects.names
    rank, sizes = ranks(known), findings.objects.sizes
    a, b = findings.audit.pairs
    first = (sizes[a] < sizes[b]) | ((sizes[a] == sizes[b]) & (rank[a] <= rank[b]))
    return _groups(
        "smaller object",
        np.where(first, a, b),
        lambda numbers: [names[number] for number in numbers],
        lambda numbers: [known[number] for number in numbers],
    )


def by_collections(findings: Findings) -> Groups:
    """Group by the collections of both objects, in either order."""
    # An array with an empty text of its own: NumPy cannot sort none at all.
    distinct = sorted({"", *findings.objects.collections})
    number = {name: place for place, name in enumerate(distinct)}
    numbers = np.array([number[name] for name in findings.objects.collections], np.intp)
    low, high = np.sort(numbers[findings.audit.pairs], axis=0)

    def names(codes: list[int]) -> list[str]:
        pairs = [divmod(code, len(distinct)) for code in codes]
        return [" / ".join(dict.fromkeys((distinct[a], distinct[b]))) for a, b in pairs]

    return _groups("collections", low * len(distinct) + high, names)


def with_hand_groups(findings: Findings, rest: Groups) -> Groups:
    """Return the groups that the user has made, by name, then others of what is in none of them.

    One of those that has no finding left is not there any more.
    """
    names = sorted(set(findings.groups) - {""})
    if not names:
        return rest
    number = {name: place for place, name in enumerate(names)}
    of = np.array([number.get(name, -1) for name in findings.groups], np.intp)
    is_free = of < 0
    left, places = np.unique(rest.of[is_free], return_inverse=True)
    of[is_free] = len(names) + places.reshape(-1)
    others = left.tolist()
    return Groups(
        rest.by,
        of,
        (*names, *(rest.names[each] for each in others)),
        (*map(ascii, names), *(rest.keys[each] for each in others)),
        len(names),
    )


def by_finding(findings: Findings) -> Groups:
    """Let each finding be a group of its own, known by its id."""
    ids = tuple(finding_ids(findings))
    return Groups("finding", np.arange(len(findings)), ids, ids)


Namer = Callable[[list[int]], list[str]]


def _groups(by: str, numbers: Ids, name: Namer, key: Namer | None = None) -> Groups:
    """Make groups of what has the same number; the most first, then by key."""
    distinct, of, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    names = name(distinct.tolist())
    keys = [ascii(each) for each in names] if key is None else key(distinct.tolist())
    order = sorted(range(len(keys)), key=lambda group: (-counts[group], keys[group]))
    place = np.empty(len(order), np.intp)
    place[order] = np.arange(len(order))
    chosen = tuple(names[group] for group in order), tuple(keys[group] for group in order)
    return Groups(by, place[of.reshape(-1)], *chosen)


GROUPINGS: Mapping[str, Callable[[Findings], Groups]] = {
    "class": by_class,
    "smaller object": by_smaller_object,
    "collections": by_collections,
}
