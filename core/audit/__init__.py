"""Clash audit: classes of pairs of placed meshes, by distances, depths and shared areas."""

from .api import audit, audit_again, audit_again_steps, audit_steps
from .findings import CLASSES, MEASURES, Audit

__all__ = [
    "CLASSES",
    "MEASURES",
    "Audit",
    "audit",
    "audit_again",
    "audit_again_steps",
    "audit_steps",
]
