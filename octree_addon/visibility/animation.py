"""Objects that stood still while nothing evaluated them: put where their animation has them."""

from collections.abc import Iterable, Iterator
from typing import Any

import bpy


def animate(objects: Iterable[bpy.types.Object], layer: bpy.types.ViewLayer) -> None:
    """Have keyframes and drivers of objects, and of what they instance, set what they set.

    Blender itself does so at the next change of frame only.

    Parameters
    ----------
    objects : iterable of bpy.types.Object
        In the dependency graph again.
    layer : bpy.types.ViewLayer
        Is evaluated, if any of them is animated.
    """
    animated = [each for each in _owners(objects) if getattr(each, "animation_data", None)]
    for owner in animated:
        owner.update_tag(refresh={"TIME"})
    if animated:
        layer.update()


def _owners(objects: Iterable[bpy.types.Object]) -> Iterator[Any]:
    """Yield what may be animated about objects."""
    for item in objects:
        yield from (item, item.data, getattr(item.data, "shape_keys", None))
        if item.instance_type == "COLLECTION" and item.instance_collection:
            yield from _owners(item.instance_collection.all_objects)
