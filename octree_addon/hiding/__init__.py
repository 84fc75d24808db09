"""Hiding objects, and restoring exactly what was hidden; read plan, memory, then change."""

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
