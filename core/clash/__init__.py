"""Clash audit: pairs of placed meshes, classified by distance, depth and shared area."""

from .api import audit, audit_again, audit_again_steps, audit_steps
from .components import connected_components
from .findings import FINDING_CLASSES, FINDING_MEASURES, Audit
from .over_frames import ContactIntervals, ContactTracker
from .support import Supports, supports, supports_steps

__all__ = [
    "FINDING_CLASSES",
    "FINDING_MEASURES",
    "Audit",
    "ContactIntervals",
    "ContactTracker",
    "Supports",
    "audit",
    "audit_again",
    "audit_again_steps",
    "audit_steps",
    "connected_components",
    "supports",
    "supports_steps",
]
