"""Groups of findings: by the user, by class, by the smaller object, by a pair of collections.

A pipe that crosses twelve beams is one problem of twelve findings. Groups depend on properties
that findings share, never on distances between them.
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
    """A partition of n findings into g groups, most findings first; classes in their own order.

    Attributes
    ----------
    by : str
        The property that a group shares, such as "class".
    of : ndarray of intp, shape (n,)
        The group of each finding.
    names : tuple of str
        Name of each group; two groups may have the same name.
    keys : tuple of str
        Identity of each group across files: ASCII text, each once.
    hand : int
        Number of groups made by the user, which come first.
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
        """Number of findings in each group, (g,)."""
        return np.bincount(self.of, minlength=len(self))

    def rows(self) -> list[Ids]:
        """Return the findings of each group, in order. O(n log n)."""
        order = np.argsort(self.of, kind="stable")
        return np.split(order, np.cumsum(self.counts)[:-1]) if len(self) else []


def by_class(findings: Findings) -> Groups:
    """Return groups by class, the most severe first."""
    distinct, of = np.unique(findings.audit.classes, return_inverse=True)
    names = tuple(FINDING_CLASSES[kind] for kind in distinct.tolist())
    return Groups("class", of.reshape(-1), names, names)


def by_smaller_object(findings: Findings) -> Groups:
    """Return groups by the smaller object; of equal ones, by the first in order of identity."""
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
    """Return groups by the collections of both objects, in either order."""
    # Always with an empty name: NumPy cannot sort a list without texts.
    distinct = sorted({"", *findings.objects.collections})
    number = {name: place for place, name in enumerate(distinct)}
    numbers = np.array([number[name] for name in findings.objects.collections], np.intp)
    low, high = np.sort(numbers[findings.audit.pairs], axis=0)

    def names(codes: list[int]) -> list[str]:
        pairs = [divmod(code, len(distinct)) for code in codes]
        return [" / ".join(dict.fromkeys((distinct[a], distinct[b]))) for a, b in pairs]

    return _groups("collections", low * len(distinct) + high, names)


def with_hand_groups(findings: Findings, rest: Groups) -> Groups:
    """Return the user's groups, by name, then the groups of `rest` for all other findings.

    Groups of `rest` without remaining findings are dropped.
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
    """Return a group for each finding, with its id as name and key."""
    ids = tuple(finding_ids(findings))
    return Groups("finding", np.arange(len(findings)), ids, ids)


Namer = Callable[[list[int]], list[str]]


def _groups(by: str, numbers: Ids, name: Namer, key: Namer | None = None) -> Groups:
    """Return groups of findings with equal numbers; the largest first, then by key."""
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
