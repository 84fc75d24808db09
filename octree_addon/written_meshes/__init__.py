"""Mesh writers: new meshes from arrays, and sound copies of unsound meshes.

Read topology, assembly, groups and layers, then copies.
"""

from .assembly import Blend, ChunkArrays, chunk_arrays, loose_parts, whole_arrays
from .copies import SoundCopy, sound_copy
from .groups import blended_groups, write_groups
from .layers import chunk_positions, keep_normals, write_keys, write_mesh
from .topology import new_mesh, require_valid

__all__ = [
    "Blend",
    "ChunkArrays",
    "SoundCopy",
    "blended_groups",
    "chunk_arrays",
    "chunk_positions",
    "keep_normals",
    "loose_parts",
    "new_mesh",
    "require_valid",
    "sound_copy",
    "whole_arrays",
    "write_groups",
    "write_keys",
    "write_mesh",
]
