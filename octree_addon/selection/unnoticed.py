"""Writing without putting the tree out of date."""

from collections.abc import Iterator
from contextlib import contextmanager

import bpy

from ..trees import BuiltTree


@contextmanager
def unnoticed(built: BuiltTree | None, layer: bpy.types.ViewLayer) -> Iterator[None]:
    """Keep our own writing from putting the tree, if there is one, out of date.

    There is no way to tell Blender that nothing but a selection or an attribute has changed, or
    that a value is back where it was.
    """
    stale = built is not None and built.stale
    try:
        yield
    finally:
        layer.update()
        if built is not None:
            built.stale = stale
