"""Gaps along a direction: distances between surfaces where their projections overlap."""
