"""Findings of a clash audit: pairs with a class and an interval of the deciding number."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Flags, Floats, Ids, concatenated_ranges, flagged
from ..records import Record

# Classes by severity, the most severe first; findings are sorted in this order.
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
# Kinds of deciding numbers.
DISTANCE, DEPTH, AREA, LENGTH = range(4)
FINDING_MEASURES = ("distance", "depth", "area", "length")


@dataclass(frozen=True, eq=False)
class Audit(Record):
    """Findings of an audit of a scene: f findings, sorted by class, then by pair.

    A pair of placements has at most one finding of each class, and at most one of the classes
    overlap, contained, duplicate, touching and near. Shared faces are additional findings.

    Attributes
    ----------
    classes : ndarray of intp, shape (f,)
        Classes: indices into `FINDING_CLASSES`.
    pairs : ndarray of intp, shape (2, f)
        Ids of both placements, the smaller first; equal for a self-intersection.
    measures : ndarray of intp, shape (f,)
        Kinds of the deciding numbers: indices into `FINDING_MEASURES`.
    lower, upper : ndarray of float64, shape (f,)
        Bounds of the deciding number, scene units: the least distance of touching and near pairs;
        the depth of overlapping and contained pairs; the length of the crossing line of
        self-intersections and of overlapping surfaces without an inside; the area of shared
        faces; the largest distance between the corners of duplicates, or between their surfaces if
        the triangulations differ.
    places : ndarray of float64, shape (f, 3)
        A point of the finding: the deepest point found, or the middle of the shortest connection,
        of the shared faces, of the crossing line, or of a duplicate's box.
    inner : ndarray of intp, shape (f,)
        The placement of a contained pair that lies in the other, 0 or 1; -1 for other findings.
    are_open : ndarray of bool, shape (2, f)
        Flags of placements whose mesh has no inside: no connected component is closed.
    segments : ndarray of float64, shape (s, 2, 3)
        Segments in which the surfaces of overlapping pairs and self-intersections cross.
    segment_findings : ndarray of intp, shape (s,)
        The finding of each segment, ascending.
    faces : ndarray of intp, shape (2, c)
        Pairs of triangles in contact, as numbers in the meshes of both placements; for near pairs
        the nearest two triangles. Contained and duplicate pairs have none.
    face_findings : ndarray of intp, shape (c,)
        The finding of each pair of triangles, ascending.
    bands : ndarray of float64, shape (f,)
        The band of each finding: `band`, or the single-precision resolution of the pair's
        coordinates if it is coarser.
    band : float
        The stated touch band, scene units; 0 if none was stated.
    band_from : str
        Source of the bands: "given" if a band was stated, else "coordinates".
    clearance : float
        Largest gap of near pairs, scene units.
    self_intersections : bool
        Option of the audit: self-intersections were searched.
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
        """Return the findings with the given numbers.

        Parameters
        ----------
        rows : array_like of int, shape (k,)
            Numbers of findings, in any order.

        Returns
        -------
        Audit
            The k findings, in the order of `rows`.

        Raises
        ------
        ValueError
            If a number is negative, or no less than the number of findings.
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
            One or more audits.

        Returns
        -------
        Audit
            All findings, with the options of the first audit.

        Raises
        ------
        ValueError
            If `audits` is empty, or has an item that is no audit.
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
        """Return all findings, with the placements of some pairs swapped.

        Parameters
        ----------
        rows : array_like of int, shape (k,)
            Numbers of the findings to swap.

        Returns
        -------
        Audit
            All findings.

        Raises
        ------
        ValueError
            If a number is negative, or no less than the number of findings.
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
            Factor of lengths; areas are multiplied by its square.

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


# Attributes with one item per finding, and their axis; attributes with several items per finding,
# the attribute that numbers their findings, and their axis.
_COLUMNS = {
    "classes": -1, "pairs": -1, "measures": -1, "lower": -1, "upper": -1, "places": 0, "inner": -1,
    "are_open": -1, "bands": -1,
}  # fmt: skip
_PARTS = (("segments", "segment_findings", 0), ("faces", "face_findings", -1))


def findings_of(
    number: int, pairs: Ids, measures: Ids | int, lower: Floats, upper: Floats, **known: Any
) -> Audit:
    """Return findings of class `number`, with `known` attributes; their bands are set later."""
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
    """Return an audit without findings."""
    return findings_of(NEAR, np.empty((2, 0), np.intp), DISTANCE, np.empty(0), np.empty(0))
