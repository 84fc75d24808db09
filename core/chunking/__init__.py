"""Chunks: budgeted cells of a lattice anchored to the world, their meshes and densities."""

from .api import Chunks, chunks, chunks_steps
from .densities import Density, density, density_steps
from .joining import JoinedChunks, joined_chunks
from .meshes import ChunkPolygons, chunk_polygons, interpolated, interpolated_normals

__all__ = [
    "ChunkPolygons",
    "Chunks",
    "Density",
    "JoinedChunks",
    "chunk_polygons",
    "chunks",
    "chunks_steps",
    "density",
    "density_steps",
    "interpolated",
    "interpolated_normals",
    "joined_chunks",
]
