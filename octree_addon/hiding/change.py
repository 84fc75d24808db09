"""Objects that stood still while nothing evaluated them: put where their animation has them."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import bpy

from .memory import follow, memories, memory_of
from .plan import Plan
from .view_layer_hiding import is_hidden, set_hidden


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


def hide(context: bpy.types.Context, plan: Plan) -> int:
    """Hide what was planned, and have the file remember it.

    Parameters
    ----------
    context : bpy.types.Context
        The one that was planned in.
    plan : Plan
        From `plan`.

    Returns
    -------
    int
        How many objects are hidden now that were not before.
    """
    layer = context.view_layer
    memory = memory_of(layer, plan.icon)
    before = list(memory.objects())
    set_hidden(context, layer, plan.objects, plan.icon, True)
    hidden = [item for item in plan.objects if is_hidden(item, layer, plan.icon)]
    memory.keep([*before, *hidden])
    follow()
    return len(hidden)


def restore(context: bpy.types.Context) -> Counter[str]:
    """Show again what `hide` has hidden in the scene, in all its view layers.

    What the user has shown meanwhile stays as it is.

    Parameters
    ----------
    context : bpy.types.Context
        Of the scene.

    Returns
    -------
    Counter of str
        How many objects are shown again, by icon.
    """
    shown: Counter[str] = Counter()
    for memory in memories(context.scene):
        objects = list(memory.objects())
        late = list(memory.from_other_frames()) if memory.icon == "MONITOR" else []
        set_hidden(context, memory.layer, objects, memory.icon, False)
        animate(late, context.view_layer)
        memory.records.clear()
        shown[memory.icon] += len(objects)
    follow()
    return +shown
