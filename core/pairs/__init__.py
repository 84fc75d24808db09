"""Pairs of items that touch: bounds that meet in a cell, then exact tests."""

from .questions import overlapping_pairs

__all__ = ["overlapping_pairs"]
