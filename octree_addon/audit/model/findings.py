"""Findings: an audit result, the objects in it, and the status of each finding.

No references to Blender are stored, so findings can be kept, compared and written after their
scene is gone. Each object has one row in a table; the audit's pairs are row numbers.
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
_SLACK = 1e-6  # relative tolerance for rounding of lengths


@dataclass(frozen=True, eq=False)
class AuditedObjects:
    """A table of k objects or instances that findings are about.

    Attributes
    ----------
    names : tuple of str
        The name of each object; of an instance, that of its instancer.
    instances : ndarray of int32, shape (k, 8)
        Blender's persistent id of each instance; all `UNUSED` for an object itself.
    libraries : tuple of str
        The file that each object is linked from; empty for local objects.
    guids : tuple of str
        The IFC GlobalId of each object, 22 characters; empty if there is none or it is unknown.
    collections : tuple of str
        The collection that each object is grouped by.
    sizes : ndarray of float64, shape (k,)
        The diagonal of each object's world bounds, in the unit of the findings; 0 if unknown.
    uids : ndarray of intp, shape (k,)
        The session id of each object in the open file; 0 if unknown.
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
        """Return the persistent ids of all objects, without unused ends."""
        counts = (self.instances != UNUSED).sum(axis=1).tolist()
        rows = self.instances.tolist()
        return [tuple(row[:count]) for row, count in zip(rows, counts, strict=True)]

    def numbers_of(self, number: int) -> list[int]:
        """Return the persistent id of one instance without its unused end; empty for an object."""
        numbers = self.instances[number]
        return numbers[numbers != UNUSED].tolist()

    def take(self, numbers: Ids) -> "AuditedObjects":
        """Return some of the objects, in the given order."""
        chosen = numbers.tolist()
        columns: Iterable[Any] = (
            tuple(each[i] for i in chosen) if isinstance(each, tuple) else each[numbers]
            for each in vars(self).values()
        )
        return AuditedObjects(*columns)

    def joined(self, others: "AuditedObjects") -> "AuditedObjects":
        """Return these objects followed by others."""
        columns: Iterable[Any] = (
            one + other if isinstance(one, tuple) else np.concatenate((one, other))
            for one, other in zip(vars(self).values(), vars(others).values(), strict=True)
        )
        return AuditedObjects(*columns)


@dataclass(frozen=True, eq=False)
class Findings:
    """n findings; read-only. Make them with `findings_of`, or validate them with `checked`.

    Attributes
    ----------
    objects : AuditedObjects
        The objects of the findings.
    audit : Audit
        The core's result in `unit`. Its pairs are numbers of objects, the inner object of a
        contained one first; no two findings have the same class and objects. Its faces are listed
        for each side, each once; -1 fills up the side with fewer faces. Bands are NaN if unknown.
    statuses : ndarray of intp, shape (n,)
        Indices into `STATUSES`.
    reasons : tuple of str
        Why each finding is ignored; empty if no reason was given.
    unit : {"m", "BU"}
        Unit of lengths: meters, or Blender units in a scene without units.
    groups : tuple of str
        The user's group of each finding, an empty name for none; an empty tuple if there are no
        groups at all.
    """

    objects: AuditedObjects
    audit: Audit
    statuses: Ids
    reasons: tuple[str, ...]
    unit: str = "m"
    groups: tuple[str, ...] = ()

    @property
    def widened(self) -> Flags:
        """Flags of findings whose tolerance was widened from the stated one by rounding, (n,)."""
        flags: Flags = self.audit.bands > self.audit.band * (1 + _SLACK)
        return flags

    def __len__(self) -> int:
        return len(self.audit)

    def take(self, rows: Ids) -> "Findings":
        """Return some of the findings, in the given order."""
        return replace(
            self,
            audit=self.audit.take(rows),
            statuses=self.statuses[rows],
            reasons=tuple(self.reasons[row] for row in rows.tolist()),
            groups=tuple(self.groups[row] for row in rows.tolist()) if self.groups else (),
        )

    def pruned(self) -> "Findings":
        """Return the findings without unused objects, in the same order."""
        used, inverse = np.unique(self.audit.pairs, return_inverse=True)
        pairs = inverse.reshape(self.audit.pairs.shape)
        audit = replace(self.audit, pairs=pairs)
        return replace(self, objects=self.objects.take(used), audit=audit)

    def group_of(self, row: int) -> str:
        """Return the user's group of a finding; empty for none."""
        return self.groups[row] if self.groups else ""

    def with_groups(self, groups: Iterable[str]) -> "Findings":
        """Return the findings with other groups."""
        names = tuple(groups)
        return replace(self, groups=names if any(names) else ())

    def class_of(self, row: int) -> str:
        """Return the class of a finding in words."""
        return FINDING_CLASSES[self.audit.classes[row]]

    def measure_of(self, row: int) -> str:
        """Return the measure of a finding in words, such as "depth"."""
        return FINDING_MEASURES[self.audit.measures[row]]

    def segments_of(self, row: int) -> Floats:
        """Return the segments of the line in which a finding's surfaces cross, (s, 2, 3)."""
        first, last = np.searchsorted(self.audit.segment_findings, (row, row + 1))
        return self.audit.segments[first:last]

    def faces_of(self, row: int, side: int) -> Ids:
        """Return the faces of one object of a finding that are in contact, (c,)."""
        first, last = np.searchsorted(self.audit.face_findings, (row, row + 1))
        faces = self.audit.faces[side, first:last]
        return faces[faces >= 0]

    def with_statuses(self, rows: ArrayLike, status: int, reason: str = "") -> "Findings":
        """Return the findings with a new status and reason in some rows."""
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
    """Return a validated table of objects, with defaults for omitted columns.

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
    """Return the findings of an audit, all new, in a unit of length.

    Parameters
    ----------
    audit : Audit
        The core's result in scene units; its placements are numbers of `objects`.
    objects : AuditedObjects
        The audited placements, with sizes in `unit`.
    scale : float, optional
        Length of a scene unit in `unit`: `scale_length` of a scene with metric units.
    unit : {"m", "BU"}, optional
        Unit of the findings.

    Raises
    ------
    ValueError
        If a pair refers to no row of `objects`, or a number is not finite.
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
    """Return findings after validation; raise `ValueError` that names an invalid column."""
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
    """Raise `ValueError` unless an array has finite numbers, or indices below `stop`."""
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite")
    if stop is not None and ((array < 0) | (array >= stop)).any():
        raise ValueError(
            f"{name} must be from 0 to {stop - 1}, got {array.min()} to {array.max()}"
        )


def pair_codes(kinds: Ids, pairs: Ids, count: int) -> Ids:
    """Return a key of each class and unordered pair among `count` objects, (n,)."""
    low, high = np.sort(pairs, axis=0)
    codes: Ids = (kinds.astype(np.int64) * (count + 1) + low) * (count + 1) + high
    return codes


def _texts(name: str, values: Iterable[str] | None, count: int) -> tuple[str, ...]:
    texts = ("",) * count if values is None else tuple(values)
    if len(texts) != count or not all(isinstance(each, str) for each in texts):
        raise ValueError(f"{name} must be {count} texts, got {texts[:3]!r}")
    return texts
