"""Hiding, and bringing back exactly what was; read plan, then change, then memory."""

from .change import hide, restore
from .memory import follow, hidden_counts, is_hiding, uninstall
from .plan import Plan, plan

__all__ = [
    "Plan",
    "follow",
    "hidden_counts",
    "hide",
    "is_hiding",
    "plan",
    "restore",
    "uninstall",
]
