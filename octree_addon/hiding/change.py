"""Hide what was planned, and restore exactly what was hidden."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import bpy

from .memory import follow, memories, memory_of
from .plan import Plan
from .view_layer_hiding import is_hidden, set_hidden


def hide(context: bpy.types.Context, plan: Plan) -> int:
    """Hide what was planned, and keep it in the file.

    Parameters
    ----------
    context : bpy.types.Context
        That of the plan.
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
        outdated = list(memory.from_other_frames()) if memory.icon == "MONITOR" else []
        set_hidden(context, memory.layer, objects, memory.icon, False)
        _animate(outdated, context.view_layer)
        memory.records.clear()
        shown[memory.icon] += len(objects)
    follow()
    return +shown


def _animate(objects: Iterable[bpy.types.Object], layer: bpy.types.ViewLayer) -> None:
    """Evaluate the animation of objects, and of what they instance, at the present frame.

    They were not evaluated while hidden; Blender itself catches up at the next frame only.

    Parameters
    ----------
    objects : iterable of bpy.types.Object
        Back in the dependency graph.
    layer : bpy.types.ViewLayer
        Evaluated if any of them is animated.
    """
    animated = [each for each in _owners(objects) if getattr(each, "animation_data", None)]
    for owner in animated:
        owner.update_tag(refresh={"TIME"})
    if animated:
        layer.update()


def _owners(objects: Iterable[bpy.types.Object]) -> Iterator[Any]:
    """Yield what of objects may be animated."""
    for item in objects:
        yield from (item, item.data, getattr(item.data, "shape_keys", None))
        if item.instance_type == "COLLECTION" and item.instance_collection:
            yield from _owners(item.instance_collection.all_objects)
