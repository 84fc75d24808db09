"""Pairs of items that touch: bounds that meet in a cell, then exact tests."""

from .api import overlapping_pairs

__all__ = ["overlapping_pairs"]
