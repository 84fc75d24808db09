"""Findings of a clash audit: classes of pairs, each with the interval that decided it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Flags, Floats, Ids, concatenated_ranges, flagged
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
        near pairs; the depth of overlapping and contained ones, or, where surfaces without an
        inside cross, the length of the line in which they do, as of self-intersections; the area
        of shared faces; of duplicates, how far their corners are apart at most.
    places : ndarray of float64, shape (f, 3)
        Where to look: the deepest point that is known, the middle of the shortest way, of the
        shared faces, or of the line.
    inner : ndarray of intp, shape (f,)
        0 or 1 where that placement of a contained pair lies in the other, else -1.
    are_open : ndarray of bool, shape (2, f)
        Whether the mesh of each has no inside: none of its shells is closed.
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
    band: float = 0.0
    band_from: str = "coordinates"
    clearance: float = 0.0
    self_intersections: bool = False

    def __len__(self) -> int:
        return len(self.classes)

    def take(self, rows: ArrayLike) -> "Audit":
        """Return some of the findings.

        Parameters
        ----------
        rows : array_like of int, shape (k,)
            Their numbers, in the order that they are asked for.

        Returns
        -------
        Audit
            These k findings, as they were asked for.

        Raises
        ------
        ValueError
            If a number is not one of a finding.
        """
        some = checks.numbers("rows", rows, len(self))
        arrays = {name: getattr(self, name).take(some, axis=at) for name, at in _COLUMNS.items()}
        for name, owners, axis in _PARTS:
            starts = np.searchsorted(getattr(self, owners), np.arange(len(self) + 1))
            counts = np.diff(starts)[some]
            kept = concatenated_ranges(starts[some], counts)
            arrays[name] = getattr(self, name).take(kept, axis=axis)
            arrays[owners] = np.repeat(np.arange(len(some)), counts)
        return replace(self, **arrays)

    @staticmethod
    def joined(audits: Sequence["Audit"]) -> "Audit":
        """Return the findings of several audits, one after the other.

        Parameters
        ----------
        audits : list or tuple of Audit
            One or more.

        Returns
        -------
        Audit
            Their findings, with the options of the first.

        Raises
        ------
        ValueError
            If these are no audits, or there are none.
        """
        checks.kind("audits", audits, (list, tuple))
        if not audits:
            raise ValueError("audits must be one or more, got none")
        for each in audits:
            checks.kind("audits", each, (Audit,))
        starts = np.cumsum([0, *map(len, audits)])
        arrays = {
            name: np.concatenate([getattr(each, name) for each in audits], axis=axis)
            for name, axis in (_COLUMNS | {name: axis for name, _, axis in _PARTS}).items()
        }
        for _, owners, _ in _PARTS:
            numbers = [getattr(each, owners) for each in audits]
            arrays[owners] = np.concatenate(
                [own + start for own, start in zip(numbers, starts, strict=False)]
            )
        return replace(audits[0], **arrays)

    def turned(self, rows: ArrayLike) -> "Audit":
        """Return the findings with the placements of some pairs in the other order.

        Parameters
        ----------
        rows : array_like of int, shape (k,)
            The numbers of these findings.

        Returns
        -------
        Audit
            All findings.

        Raises
        ------
        ValueError
            If a number is not one of a finding.
        """
        turned = flagged(len(self), checks.numbers("rows", rows, len(self)))
        faces = turned[self.face_findings]
        return replace(
            self,
            pairs=np.where(turned, self.pairs[::-1], self.pairs),
            inner=np.where(turned & (self.inner >= 0), 1 - self.inner, self.inner),
            are_open=np.where(turned, self.are_open[::-1], self.are_open),
            faces=np.where(faces, self.faces[::-1], self.faces),
        )

    def scaled(self, factor: float) -> "Audit":
        """Return the findings in a larger or smaller unit of length.

        Parameters
        ----------
        factor : float
            What lengths are multiplied by; areas by its square.

        Returns
        -------
        Audit
            All findings.

        Raises
        ------
        ValueError
            If the factor is negative or not finite.
        """
        factor = checks.number("factor", factor, 0.0)
        powers = np.where(self.measures == AREA, factor * factor, factor)
        return replace(
            self,
            lower=self.lower * powers,
            upper=self.upper * powers,
            places=self.places * factor,
            segments=self.segments * factor,
            bands=self.bands * factor,
            band=self.band * factor,
            clearance=self.clearance * factor,
        )


# Arrays with a column, or a row, for each finding; and for each part of one.
_COLUMNS = {
    "classes": -1, "pairs": -1, "measures": -1, "lower": -1, "upper": -1, "places": 0, "inner": -1,
    "are_open": -1, "bands": -1,
}  # fmt: skip
_PARTS = (("segments", "segment_findings", 0), ("faces", "face_findings", -1))


def findings_of(
    number: int, pairs: Ids, measures: Ids | int, lower: Floats, upper: Floats, **known: Any
) -> Audit:
    """Return findings of one class, with what is known of them; their bands are set later."""
    count = pairs.shape[1]
    others: dict[str, Any] = {
        "places": np.full((count, 3), np.nan),
        "inner": np.full(count, -1),
        "are_open": np.zeros((2, count), bool),
        "segments": np.empty((0, 2, 3)),
        "segment_findings": np.empty(0, np.intp),
        "faces": np.empty((2, 0), np.intp),
        "face_findings": np.empty(0, np.intp),
        "bands": np.zeros(count),
    }
    classes = np.full(count, number)
    measured = np.broadcast_to(measures, count).astype(np.intp)
    return Audit(classes, pairs, measured, lower, upper, **(others | known))


def nothing() -> Audit:
    """Return no findings."""
    return findings_of(NEAR, np.empty((2, 0), np.intp), DISTANCE, np.empty(0), np.empty(0))
