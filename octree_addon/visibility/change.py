"""Hide what was planned, and bring back exactly what was."""

from collections import Counter

import bpy

from . import watch
from .animation import animate
from .icons import is_hidden, set_hidden
from .memory import memories, memory_of
from .plan import Plan


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
    watch.follow()
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
    watch.follow()
    return +shown
