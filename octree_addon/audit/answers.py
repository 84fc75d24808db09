"""Findings from the arrays of an audit: placements become objects, scene units become meters."""

from typing import Protocol

import numpy as np

from ..arrays import Flags, Floats, Ids
from .findings import MEASURES, AuditedObjects, Findings, make_findings
from .ragged import Ragged, by_owner

_AREA = tuple(MEASURES).index("area")


class AuditArrays(Protocol):
    """What the core's audit of a scene answers with, as far as findings need it."""

    @property
    def classes(self) -> Ids:
        """Numbers of classes, (n,)."""

    @property
    def pairs(self) -> Ids:
        """Placements, (2, n)."""

    @property
    def measures(self) -> Ids:
        """What the deciding numbers are, (n,)."""

    @property
    def lower(self) -> Floats:
        """Where they begin, (n,)."""

    @property
    def upper(self) -> Floats:
        """Where they end, (n,)."""

    @property
    def places(self) -> Floats:
        """Where to look, (n, 3)."""

    @property
    def inner(self) -> Ids:
        """Which of a contained pair lies in the other, 0 or 1; else -1, (n,)."""

    @property
    def segments(self) -> Floats:
        """Where surfaces cross, (s, 2, 3)."""

    @property
    def segment_findings(self) -> Ids:
        """The finding of each segment, (s,)."""

    @property
    def faces(self) -> Ids:
        """Triangles in contact, (2, c)."""

    @property
    def face_findings(self) -> Ids:
        """The finding of each pair of triangles, (c,)."""

    @property
    def bands(self) -> Floats:
        """The length by which each was judged, (n,)."""

    @property
    def band(self) -> float:
        """The length that was stated; 0 if none was."""


def findings_of(
    audit: AuditArrays, objects: AuditedObjects, *, scale: float = 1.0, unit: str = "BU"
) -> Findings:
    """Return the findings of an audit.

    Parameters
    ----------
    audit : AuditArrays
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
        If the arrays do not fit each other or the objects.
    """
    count = len(audit.classes)
    turned = np.asarray(audit.inner) == 1
    powers = np.where(np.asarray(audit.measures) == _AREA, scale**2, scale)
    return make_findings(
        objects,
        audit.classes,
        np.where(turned, audit.pairs[::-1], audit.pairs),
        audit.measures,
        audit.lower * powers,
        audit.upper * powers,
        audit.places * scale,
        segments=by_owner(audit.segments * scale, audit.segment_findings, count),
        faces=_faces(audit, turned),
        bands=audit.bands * scale,
        tolerance=audit.band * scale,
        unit=unit,
    )


def _faces(audit: AuditArrays, turned: Flags) -> Ragged:
    """Return the triangles of each finding and side, each once, in order."""
    owners = audit.face_findings
    rows = 2 * owners + np.stack((turned[owners], ~turned[owners]))
    distinct = np.unique(np.stack((rows.ravel(), audit.faces.ravel())), axis=1)
    return by_owner(distinct[1], distinct[0], 2 * len(audit.classes))
