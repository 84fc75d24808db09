"""Hiding, and bringing back exactly what was; read plan, then change, then memory."""

from .change import hide, restore
from .memory import hidden_counts, is_hiding
from .plan import Plan, plan
from .watch import follow, uninstall

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
