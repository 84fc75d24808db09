"""Findings: an audit, the objects that it is about, and what is to become of each finding.

Nothing here holds a reference into Blender: what an audit answers is kept, compared and written
after the scene is gone. The objects stand once in a table of their own, and pairs of the audit are
numbers in it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....core import FINDING_CLASSES, FINDING_MEASURES, Audit
from ...arrays import UNUSED, Flags, Floats, Ids
from .parts import columns_of, faces_of

CONTAINED, DUPLICATE, NEAR = map(FINDING_CLASSES.index, ("contained", "duplicate", "near"))
AREA = FINDING_MEASURES.index("area")
STATUSES = ("new", "reviewed", "ignored", "resolved")
NEW, REVIEWED, IGNORED, RESOLVED = range(len(STATUSES))
UNITS = ("m", "BU")
_SLACK = 1e-6  # what rounding takes from a length


@dataclass(frozen=True, eq=False)
class AuditedObjects:
    """k objects or instances that findings are about.

    Attributes
    ----------
    names : tuple of str
        The name of each object; of an instance, that of its instancer.
    instances : ndarray of int32, shape (k, 8)
        The persistent id of each instance, as Blender has it; all `UNUSED` for an object itself.
    libraries : tuple of str
        The file that each is linked from; empty for what is local.
    guids : tuple of str
        The IFC GlobalId of each, 22 characters; empty where it has none or none is known.
    collections : tuple of str
        The collection that each is grouped by.
    sizes : ndarray of float64, shape (k,)
        The diagonal of the world box of each, in the unit of the findings; 0 if not known.
    uids : ndarray of intp, shape (k,)
        The session id of each object of the open file; 0 if not known.
    """

    names: tuple[str, ...]
    instances: NDArray[np.int32]
    libraries: tuple[str, ...]
    guids: tuple[str, ...]
    collections: tuple[str, ...]
    sizes: Floats
    uids: Ids

    def __len__(self) -> int:
        return len(self.names)

    def persistent_ids(self) -> list[tuple[int, ...]]:
        """Return the persistent id of each, as `numbers_of` does for one."""
        counts = (self.instances != UNUSED).sum(axis=1).tolist()
        rows = self.instances.tolist()
        return [tuple(row[:count]) for row, count in zip(rows, counts, strict=True)]

    def numbers_of(self, number: int) -> list[int]:
        """Return the persistent id of one instance without its unused end; empty for objects."""
        numbers = self.instances[number]
        return numbers[numbers != UNUSED].tolist()

    def take(self, numbers: Ids) -> "AuditedObjects":
        """Return some of the objects, in the order that they are asked for."""
        chosen = numbers.tolist()
        columns: Iterable[Any] = (
            tuple(each[i] for i in chosen) if isinstance(each, tuple) else each[numbers]
            for each in vars(self).values()
        )
        return AuditedObjects(*columns)

    def joined(self, others: "AuditedObjects") -> "AuditedObjects":
        """Return these objects and behind them others."""
        columns: Iterable[Any] = (
            one + other if isinstance(one, tuple) else np.concatenate((one, other))
            for one, other in zip(vars(self).values(), vars(others).values(), strict=True)
        )
        return AuditedObjects(*columns)


@dataclass(frozen=True, eq=False)
class Findings:
    """n findings. Read them; make them with `findings_of`, or have them `checked`.

    Attributes
    ----------
    objects : AuditedObjects
        What the findings are about.
    audit : Audit
        What was found, in `unit`. Its pairs are numbers of objects, the inner one first where one
        is contained in the other; no two findings have the same class and objects. Its faces are
        those of each side, each once; -1 fills up the side with fewer. Bands are NaN if not known.
    statuses : ndarray of intp, shape (n,)
        Places in `STATUSES`.
    reasons : tuple of str
        Why each is ignored; empty if nobody said.
    unit : {"m", "BU"}
        What lengths count in: meters, or Blender units in a scene that has none.
    groups : tuple of str
        The group that the user has put each into, empty for none; no text at all where there are
        no groups.
    """

    objects: AuditedObjects
    audit: Audit
    statuses: Ids
    reasons: tuple[str, ...]
    unit: str = "m"
    groups: tuple[str, ...] = ()

    @property
    def widened(self) -> Flags:
        """Which were judged by more than the stated length: by what coordinates resolve, (n,)."""
        flags: Flags = self.audit.bands > self.audit.band * (1 + _SLACK)
        return flags

    def __len__(self) -> int:
        return len(self.audit)

    def take(self, rows: Ids) -> "Findings":
        """Return some of the findings, in the order that they are asked for."""
        return replace(
            self,
            audit=self.audit.take(rows),
            statuses=self.statuses[rows],
            reasons=tuple(self.reasons[row] for row in rows.tolist()),
            groups=tuple(self.groups[row] for row in rows.tolist()) if self.groups else (),
        )

    def pruned(self) -> "Findings":
        """Return the findings with those objects alone that they are about, in the same order."""
        used, inverse = np.unique(self.audit.pairs, return_inverse=True)
        pairs = inverse.reshape(self.audit.pairs.shape)
        audit = replace(self.audit, pairs=pairs)
        return replace(self, objects=self.objects.take(used), audit=audit)

    def group_of(self, row: int) -> str:
        """Return the group that the user has put a finding into; empty for none."""
        return self.groups[row] if self.groups else ""

    def with_groups(self, groups: Iterable[str]) -> "Findings":
        """Return the findings in other groups."""
        names = tuple(groups)
        return replace(self, groups=names if any(names) else ())

    def class_of(self, row: int) -> str:
        """Return the class of a finding in words."""
        return FINDING_CLASSES[self.audit.classes[row]]

    def measure_of(self, row: int) -> str:
        """Return what decided in words."""
        return FINDING_MEASURES[self.audit.measures[row]]

    def segments_of(self, row: int) -> Floats:
        """Return the line in which the surfaces of a finding cross, piece by piece, (s, 2, 3)."""
        first, last = np.searchsorted(self.audit.segment_findings, (row, row + 1))
        return self.audit.segments[first:last]

    def faces_of(self, row: int, side: int) -> Ids:
        """Return the faces of one object of a finding that are in contact, (c,)."""
        first, last = np.searchsorted(self.audit.face_findings, (row, row + 1))
        faces = self.audit.faces[side, first:last]
        return faces[faces >= 0]

    def with_statuses(self, rows: ArrayLike, status: int, reason: str = "") -> "Findings":
        """Return the findings with a new status of some, and with the reason for it."""
        statuses, reasons = self.statuses.copy(), list(self.reasons)
        chosen = np.atleast_1d(np.asarray(rows, np.intp))
        statuses[chosen] = status
        for row in chosen.tolist():
            reasons[row] = reason
        return replace(self, statuses=statuses, reasons=tuple(reasons))


def audited_objects(
    names: Sequence[str],
    *,
    instances: ArrayLike | None = None,
    libraries: Sequence[str] | None = None,
    guids: Sequence[str] | None = None,
    collections: Sequence[str] | None = None,
    sizes: ArrayLike | None = None,
    uids: ArrayLike | None = None,
) -> AuditedObjects:
    """Check a table of objects and fill in what is not known; see `AuditedObjects`.

    Raises
    ------
    ValueError
        If a column has another length than `names`, or a size is negative or not finite.
    """
    count = len(names)
    unknown = np.full((count, 8), UNUSED)
    made = AuditedObjects(
        tuple(names),
        np.asarray(unknown if instances is None else instances, np.int32),
        _texts("libraries", libraries, count),
        _texts("guids", guids, count),
        _texts("collections", collections, count),
        np.asarray(np.zeros(count) if sizes is None else sizes, np.float64),
        np.asarray(np.zeros(count) if uids is None else uids, np.intp),
    )
    for name, shape in (("instances", (count, 8)), ("sizes", (count,)), ("uids", (count,))):
        _check(name, getattr(made, name), shape)
    if (made.sizes < 0).any():
        raise ValueError(f"sizes must not be below 0, got {made.sizes.min()}")
    return made


def findings_of(
    audit: Audit, objects: AuditedObjects, *, scale: float = 1.0, unit: str = "m"
) -> Findings:
    """Return the findings of an audit: all new, in a unit of length.

    Parameters
    ----------
    audit : Audit
        The answer, in scene units; its placements are numbers of `objects`.
    objects : AuditedObjects
        The placements, with sizes in `unit`.
    scale : float, optional
        How many of `unit` a scene unit is: `scale_length` of a scene that counts in meters.
    unit : {"m", "BU"}, optional
        What the findings count in.

    Raises
    ------
    ValueError
        If the objects are others, or a number is not finite.
    """
    found = audit.turned((audit.inner == 1).nonzero()[0]).scaled(scale)
    values, rows = faces_of(found)
    width = int(values.max(initial=0)) + 1
    codes = np.sort(rows * width + values)
    rows, values = np.divmod(codes[np.diff(codes, prepend=-1) > 0], width)
    faces, owners = columns_of(values, rows, len(found))
    found = replace(found, faces=faces, face_findings=owners)
    return checked(Findings(objects, found, np.full(len(found), NEW), ("",) * len(found), unit))


def checked(findings: Findings) -> Findings:
    """Return findings whose columns fit each other; a `ValueError` names what does not."""
    audit, count = findings.audit, len(findings.objects)
    if findings.unit not in UNITS:
        raise ValueError(f"unit must be one of {', '.join(UNITS)}, got {findings.unit!r}")
    _texts("reasons", findings.reasons, len(findings))
    _texts("groups", findings.groups or None, len(findings))
    _check("statuses", findings.statuses, (len(findings),), len(STATUSES))
    _check_columns(audit, count)
    if not ((audit.lower >= 0) & (audit.lower <= audit.upper)).all():
        raise ValueError("lower and upper must be numbers with 0 <= lower <= upper")
    widths = np.append(audit.bands, audit.band)
    if (widths < 0).any() or np.isinf(widths).any():
        raise ValueError("bands and tolerance must be finite, none below 0, or not known")
    codes = np.sort(pair_codes(audit.classes, audit.pairs, count))
    if (np.diff(codes) == 0).any():
        raise ValueError("Two findings must not have the same class and the same objects")
    return findings


def _check_columns(audit: Audit, objects: int) -> None:
    count, lines, contacts = len(audit), len(audit.segments), audit.faces.shape[1]
    for name, shape, stop in (
        ("classes", (count,), len(FINDING_CLASSES)),
        ("pairs", (2, count), objects),
        ("measures", (count,), len(FINDING_MEASURES)),
        ("segment_findings", (lines,), count),
        ("face_findings", (contacts,), count),
        ("lower", (count,), None),
        ("upper", (count,), None),
        ("places", (count, 3), None),
        ("segments", (lines, 2, 3), None),
    ):
        _check(name, getattr(audit, name), shape, stop)


def _check(
    name: str, array: NDArray[Any], shape: tuple[int, ...], stop: int | None = None
) -> None:
    """Require an array of finite numbers, or of whole numbers below `stop`."""
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite")
    if stop is not None and ((array < 0) | (array >= stop)).any():
        raise ValueError(
            f"{name} must be from 0 to {stop - 1}, got {array.min()} to {array.max()}"
        )


def pair_codes(kinds: Ids, pairs: Ids, count: int) -> Ids:
    """Return a number for each class and unordered pair of some `count` objects, (n,)."""
    low, high = np.sort(pairs, axis=0)
    codes: Ids = (kinds.astype(np.int64) * (count + 1) + low) * (count + 1) + high
    return codes


def _texts(name: str, values: Iterable[str] | None, count: int) -> tuple[str, ...]:
    texts = ("",) * count if values is None else tuple(values)
    if len(texts) != count or not all(isinstance(each, str) for each in texts):
        raise ValueError(f"{name} must be {count} texts, got {texts[:3]!r}")
    return texts
