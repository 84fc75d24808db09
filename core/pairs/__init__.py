"""Pairs of items that touch: a broad phase over their bounds, then exact tests."""

from .api import overlapping_pairs, overlapping_pairs_steps
from .pairwise import pairs_inside, pairs_touching, pairs_within

__all__ = [
    "overlapping_pairs",
    "overlapping_pairs_steps",
    "pairs_inside",
    "pairs_touching",
    "pairs_within",
]
