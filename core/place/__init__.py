"""Distances between placed meshes, and poses in which a mesh fits between them."""
