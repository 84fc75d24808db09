"""Gaps along a direction: how far surfaces are apart where their shadows overlap."""
