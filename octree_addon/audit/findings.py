"""Findings of a clash audit: flat columns of classes, pairs, intervals, places and statuses.

Nothing here holds a reference into Blender: what an audit answers is kept, compared and written
after the scene is gone. A finding is a class and one or two objects; the objects stand once in a
table of their own, and a finding names them by their numbers in it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Flags, Floats, Ids
from .ragged import Ragged, checked, no_values

# The gravest first. The numbers of classes and measures are those of the core's audit.
CLASSES = (
    "overlap",
    "contained",
    "duplicate",
    "coplanar same-facing",
    "coplanar opposite-facing",
    "touching",
    "near",
    "self-intersection",
)
STATUSES = ("new", "reviewed", "ignored", "resolved")
NEW, REVIEWED, IGNORED, RESOLVED = range(len(STATUSES))
# What the deciding number is, and the power of the unit of length that it counts in. Open
# surfaces, which have no inside, overlap by the length of the line in which they cross.
MEASURES = {"distance": 1, "depth": 1, "area": 2, "length": 1}
UNITS = ("m", "BU")
_SLACK = 1e-6  # what rounding takes from a length
UNUSED = 2**31 - 1  # what fills up the persistent id of an instance

PersistentIds = NDArray[np.int32]


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
    instances: PersistentIds
    libraries: tuple[str, ...]
    guids: tuple[str, ...]
    collections: tuple[str, ...]
    sizes: Floats
    uids: Ids

    def __len__(self) -> int:
        return len(self.names)

    def numbers_of(self, number: int) -> list[int]:
        """Return the persistent id of one instance without its unused end; empty for objects."""
        numbers = self.instances[number]
        return numbers[numbers != UNUSED].tolist()

    def take(self, numbers: Ids) -> "AuditedObjects":
        """Return some of the objects, in the order that they are asked for."""
        chosen = numbers.tolist()
        texts = (self.names, self.libraries, self.guids, self.collections)
        names, libraries, guids, collections = (tuple(each[i] for i in chosen) for each in texts)
        arrays = self.sizes[numbers], self.uids[numbers]
        return AuditedObjects(
            names, self.instances[numbers], libraries, guids, collections, *arrays
        )


@dataclass(frozen=True, eq=False)
class Findings:
    """n findings. Read them; make them with `make_findings`.

    Attributes
    ----------
    objects : AuditedObjects
        What the findings are about.
    kinds : ndarray of intp, shape (n,)
        The class of each, a place in `CLASSES`.
    pairs : ndarray of intp, shape (2, n)
        The numbers of its objects: the inner one first where one is contained in the other, the
        same twice for a self-intersection. No two findings have the same class and objects.
    measures : ndarray of intp, shape (n,)
        What decided: a place among `MEASURES`.
    lower, upper : ndarray of float64, shape (n,)
        Between which numbers it lies, in `unit` or its square.
    places : ndarray of float64, shape (n, 3)
        Where to look, in world coordinates.
    segments : Ragged of float64, n rows of shape (2, 3)
        The line in which the surfaces cross, piece by piece.
    faces : Ragged of intp, 2 n rows
        The faces in contact: those of finding i on side s stand in row 2 i + s.
    statuses : ndarray of intp, shape (n,)
        Places in `STATUSES`.
    reasons : tuple of str
        Why each is ignored; empty if nobody said.
    bands : ndarray of float64, shape (n,)
        The length by which each was judged; NaN if not known.
    tolerance : float
        The length that was stated; 0 if none was, NaN if not known.
    unit : {"m", "BU"}
        What lengths count in: meters, or Blender units in a scene that has none.
    """

    objects: AuditedObjects
    kinds: Ids
    pairs: Ids
    measures: Ids
    lower: Floats
    upper: Floats
    places: Floats
    segments: Ragged
    faces: Ragged
    statuses: Ids
    reasons: tuple[str, ...]
    bands: Floats
    tolerance: float
    unit: str = "m"

    @property
    def widened(self) -> Flags:
        """Which were judged by more than the stated length: by what coordinates resolve, (n,)."""
        return are_widened(self.bands, self.tolerance)

    def __len__(self) -> int:
        return len(self.kinds)

    def take(self, rows: Ids) -> "Findings":
        """Return some of the findings, in the order that they are asked for."""
        both = (2 * rows[:, None] + (0, 1)).ravel()
        return replace(
            self,
            kinds=self.kinds[rows],
            pairs=self.pairs[:, rows],
            measures=self.measures[rows],
            lower=self.lower[rows],
            upper=self.upper[rows],
            places=self.places[rows],
            segments=self.segments.take(rows),
            faces=self.faces.take(both),
            statuses=self.statuses[rows],
            reasons=tuple(self.reasons[row] for row in rows.tolist()),
            bands=self.bands[rows],
        )

    def class_of(self, row: int) -> str:
        """Return the class of a finding in words."""
        return CLASSES[self.kinds[row]]

    def measure_of(self, row: int) -> str:
        """Return what decided in words."""
        return tuple(MEASURES)[self.measures[row]]

    def with_statuses(self, rows: ArrayLike, status: int, reason: str = "") -> "Findings":
        """Return the findings with a new status of some, and with the reason for it."""
        statuses, reasons = self.statuses.copy(), list(self.reasons)
        chosen = np.atleast_1d(np.asarray(rows, np.intp))
        statuses[chosen] = status
        for row in chosen.tolist():
            reasons[row] = reason
        return replace(self, statuses=statuses, reasons=tuple(reasons))


def are_widened(bands: Floats, tolerance: float) -> Flags:
    """Return which bands are wider than the length that was stated, (n,)."""
    flags: Flags = bands > tolerance * (1 + _SLACK)
    return flags


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
    unknown = np.full((count, 8), UNUSED, np.int32)
    chosen = unknown if instances is None else np.asarray(instances, np.int32)
    return AuditedObjects(
        tuple(names),
        _shaped("instances", chosen, (count, 8), np.int32),
        _texts("libraries", libraries, count),
        _texts("guids", guids, count),
        _texts("collections", collections, count),
        _sizes(np.zeros(count) if sizes is None else sizes, count),
        _shaped("uids", np.zeros(count, np.intp) if uids is None else uids, (count,), np.intp),
    )


def make_findings(
    objects: AuditedObjects,
    kinds: ArrayLike,
    pairs: ArrayLike,
    measures: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    places: ArrayLike,
    *,
    segments: Ragged | None = None,
    faces: Ragged | None = None,
    statuses: ArrayLike | None = None,
    reasons: Sequence[str] | None = None,
    bands: ArrayLike | None = None,
    tolerance: float = np.nan,
    unit: str = "m",
) -> Findings:
    """Check findings, and fill in what is not known; see `Findings`.

    Raises
    ------
    ValueError
        If the columns do not fit each other, a number is not finite or not in its range, or two
        findings have the same class and objects.
    """
    classes = np.asarray(kinds, np.intp).reshape(-1)
    count = len(classes)
    low = _shaped("lower", lower, (count,), np.float64)
    high = _shaped("upper", upper, (count,), np.float64)
    if not (np.isfinite(high).all() and (low >= 0).all() and (low <= high).all()):
        raise ValueError("lower and upper must be finite, with 0 <= lower <= upper")
    where = _shaped("places", places, (count, 3), np.float64)
    if not np.isfinite(where).all():
        raise ValueError("places must be finite")
    if unit not in UNITS:
        raise ValueError(f"unit must be one of {', '.join(UNITS)}, got {unit!r}")
    both = _numbers("pairs", pairs, (2, count), len(objects))
    _must_be_distinct(objects, _numbers("kinds", classes, (count,), len(CLASSES)), both)
    widths = _shaped("bands", np.full(count, np.nan) if bands is None else bands, (count,), float)
    if (widths < 0).any() or np.isinf(widths).any() or tolerance < 0 or np.isinf(tolerance):
        raise ValueError("bands and tolerance must be finite, none below 0, or not known")
    lines = no_values(count, (2, 3), np.float64) if segments is None else segments
    contacts = no_values(2 * count, (), np.intp) if faces is None else faces
    states = np.full(count, NEW) if statuses is None else statuses
    return Findings(
        objects,
        classes,
        both,
        _numbers("measures", measures, (count,), len(MEASURES)),
        low,
        high,
        where,
        checked(lines, "segments", count, (2, 3)),
        checked(contacts, "faces", 2 * count, ()),
        _numbers("statuses", states, (count,), len(STATUSES)),
        _texts("reasons", reasons, count),
        widths,
        float(tolerance),
        unit,
    )


def no_findings(unit: str = "m") -> Findings:
    """Return the answer to an audit that found nothing."""
    return make_findings(
        audited_objects(()), (), np.empty((2, 0)), (), (), (), np.empty((0, 3)), unit=unit
    )


def pair_codes(kinds: Ids, pairs: Ids, count: int) -> Ids:
    """Return a number for each class and unordered pair of some `count` objects, (n,)."""
    low, high = np.sort(pairs, axis=0)
    codes: Ids = (kinds.astype(np.int64) * (count + 1) + low) * (count + 1) + high
    return codes


def _must_be_distinct(objects: AuditedObjects, kinds: Ids, pairs: Ids) -> None:
    codes = np.sort(pair_codes(kinds, pairs, len(objects)))
    if (np.diff(codes) == 0).any():
        raise ValueError("Two findings must not have the same class and the same objects")


def _shaped(name: str, values: ArrayLike, shape: tuple[int, ...], kind: Any) -> NDArray[Any]:
    array: NDArray[Any] = np.asarray(values, kind)
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {array.shape}")
    return array


def _numbers(name: str, values: ArrayLike, shape: tuple[int, ...], stop: int) -> Ids:
    array = _shaped(name, values, shape, np.intp)
    if ((array < 0) | (array >= stop)).any():
        raise ValueError(
            f"{name} must be from 0 to {stop - 1}, got {array.min()} to {array.max()}"
        )
    return array


def _texts(name: str, values: Iterable[str] | None, count: int) -> tuple[str, ...]:
    texts = ("",) * count if values is None else tuple(values)
    if len(texts) != count or not all(isinstance(each, str) for each in texts):
        raise ValueError(f"{name} must be {count} texts, got {texts[:3]!r}")
    return texts


def _sizes(values: ArrayLike, count: int) -> Floats:
    sizes = np.asarray(values, np.float64)
    if sizes.shape != (count,) or not np.isfinite(sizes).all() or (sizes < 0).any():
        raise ValueError(f"sizes must be {count} finite numbers, none below 0, got {sizes}")
    return sizes
