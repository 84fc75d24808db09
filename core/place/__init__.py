"""Distances, and placing: how far placed meshes are apart, and where meshes fit between them."""
