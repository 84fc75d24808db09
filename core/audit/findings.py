"""Findings of a clash audit: classes of pairs, each with the interval that decided it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Flags, Floats, Ids, ranks_of
from ..records import Record

# Classes, the gravest first: findings are sorted by them.
OVERLAP, CONTAINED, DUPLICATE, COPLANAR_SAME, COPLANAR_OPPOSITE, TOUCHING, NEAR, SELF = range(8)
FINDING_CLASSES = (
    "overlap",
    "contained",
    "duplicate",
    "coplanar same-facing",
    "coplanar opposite-facing",
    "touching",
    "near",
    "self-intersection",
)
# What the deciding number is.
DISTANCE, DEPTH, AREA, LENGTH = range(4)
FINDING_MEASURES = ("distance", "depth", "area", "length")


@dataclass(frozen=True, eq=False)
class Audit(Record):
    """What an audit of a scene found: f findings, sorted by class, then by pair.

    A pair of placements has at most one finding of each class, and at most one that is overlap,
    contained, duplicate, touching or near; shared faces are findings beside it.

    Attributes
    ----------
    classes : ndarray of intp, shape (f,)
        Numbers of `FINDING_CLASSES`.
    pairs : ndarray of intp, shape (2, f)
        Placements, the smaller first; the same one twice for a self-intersection. Of a contained
        pair, `inner` says which lies in the other.
    measures : ndarray of intp, shape (f,)
        What the deciding number is, numbers of `FINDING_MEASURES`.
    lower, upper : ndarray of float64, shape (f,)
        The deciding number lies between these, scene units: the least distance of touching and
        near pairs; the depth of overlapping and contained ones, or, if both are open, the length
        of the line in which they cross, as of self-intersections; the area of shared faces; of
        duplicates, how far their corners are apart at most.
    places : ndarray of float64, shape (f, 3)
        Where to look: the deepest point that is known, the middle of the shortest way, of the
        shared faces, or of the line.
    inner : ndarray of intp, shape (f,)
        0 or 1 where that placement of a contained pair lies in the other, else -1.
    are_open : ndarray of bool, shape (2, f)
        Whether the surface of each has a boundary, so that it has no inside.
    segments : ndarray of float64, shape (s, 2, 3)
        Where surfaces of overlapping pairs, and of self-intersections, cross.
    segment_findings : ndarray of intp, shape (s,)
        The finding that each segment belongs to, ascending.
    faces : ndarray of intp, shape (2, c)
        Triangles in contact, of the meshes of both placements: of all findings but near, contained
        and duplicate; of near ones the nearest two.
    face_findings : ndarray of intp, shape (c,)
        The finding that each pair of triangles belongs to, ascending.
    bands : ndarray of float64, shape (f,)
        The length by which each was judged: `band`, or what the coordinates of the two resolve in
        single precision, if that is more.
    band : float
        The touch band that was stated, scene units; 0 if none was.
    band_from : str
        Where bands come from: "given", or "coordinates" alone.
    clearance : float
        As asked.
    self_intersections : bool
        As asked.
    """

    classes: Ids
    pairs: Ids
    measures: Ids
    lower: Floats
    upper: Floats
    places: Floats
    inner: Ids
    are_open: Flags
    segments: Floats
    segment_findings: Ids
    faces: Ids
    face_findings: Ids
    bands: Floats
    band: float
    band_from: str
    clearance: float
    self_intersections: bool

    def __len__(self) -> int:
        return len(self.classes)


# Arrays with a column, or a row, for each finding; and for each part of one.
_OF_FINDINGS = {
    "classes": -1, "pairs": -1, "measures": -1, "lower": -1, "upper": -1, "places": 0, "inner": -1,
    "are_open": -1, "bands": -1,
}  # fmt: skip
_OF_PARTS = (("segments", "segment_findings", 0), ("faces", "face_findings", -1))


def some_of(audit: Audit, some: Ids) -> dict[str, Any]:
    """Return the arrays of some findings, in this order."""
    numbers = ranks_of(len(audit), some)
    arrays: dict[str, Any] = {
        name: getattr(audit, name).take(some, axis=axis) for name, axis in _OF_FINDINGS.items()
    }
    for name, whose, axis in _OF_PARTS:
        new = numbers[getattr(audit, whose)]
        (kept,) = (new >= 0).nonzero()
        kept = kept[np.argsort(new[kept], kind="stable")]
        arrays[name] = getattr(audit, name).take(kept, axis=axis)
        arrays[whose] = new[kept]
    return arrays


def resized(part: dict[str, Any], scale: float, band: float) -> dict[str, Any]:
    """Return arrays of findings of one band in a space so many times as large."""
    factors = np.where(part["measures"] == AREA, scale * scale, scale)
    return part | {
        "lower": part["lower"] * factors,
        "upper": part["upper"] * factors,
        "places": part["places"] * scale,
        "segments": part["segments"] * scale,
        "bands": np.full(len(factors), band),
    }


def joined_findings(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the arrays of all parts, one after the other."""
    arrays = {
        name: np.concatenate([part[name] for part in parts], axis=axis)
        for name, axis in _OF_FINDINGS.items()
    }
    starts = np.cumsum([0, *(len(part["classes"]) for part in parts)])
    for name, whose, axis in _OF_PARTS:
        arrays[name] = np.concatenate([part[name] for part in parts], axis=axis)
        arrays[whose] = np.concatenate(
            [part[whose] + start for part, start in zip(parts, starts, strict=False)]
        )
    return arrays
