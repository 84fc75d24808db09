"""Blend files of chunks: a collection for each cell, to be linked or appended."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy

from ..chunks import CHUNK


def blend_content(items: Sequence[bpy.types.Object], name: str, folder: Path) -> bytes:
    """Return a blend file with the chunks of a cell, unchanged, in a collection."""
    path = folder / f"{name}.blend"
    collections: Any = bpy.data.collections
    homes = [each for each in collections if CHUNK in each]
    alike = (each for each in homes if each[CHUNK] == name and set(each.objects) == set(items))
    home = next(alike, None)
    made = home or bpy.data.collections.new(f"Chunks {name}")
    try:
        if home is None:
            made[CHUNK] = name
            for item in items:
                made.objects.link(item)
        bpy.data.libraries.write(str(path), {made}, fake_user=True)
    finally:
        if home is None:
            bpy.data.collections.remove(made)
    return path.read_bytes()
