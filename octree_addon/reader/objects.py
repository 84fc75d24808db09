"""Selection of the objects to read: the visible ones, and the reasons to skip others."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import bpy

from .layers import outside_views

# Custom property that marks objects made by *Make Real*, which are not part of the scene.
NOT_SCENE = "octree_cells"
# Types of modifiers that can make instances.
MAKERS = {"NODES", "PARTICLE_SYSTEM"}


def counts_as_scene(item: Any) -> bool:
    """Return whether an object, original or evaluated, belongs to the scene that is read.

    Objects made of cells by *Make Real* do not. They are marked by a custom property, which is
    saved, copied and appended with them; without the property an object counts.
    """
    return NOT_SCENE not in item


def seen_objects(
    depsgraph: bpy.types.Depsgraph,
    objects: Iterable[bpy.types.Object],
    viewport: bpy.types.SpaceView3D | None,
) -> tuple[dict[int, bpy.types.Object], Counter[str]]:
    """Return the visible objects by session id, and the number of skipped objects by reason.

    Local view is considered only if a `viewport` is given.
    """
    layer, local = depsgraph.view_layer, viewport is not None and viewport.local_view
    in_layer = {item.session_uid for item in layer.objects}
    seen: dict[int, bpy.types.Object] = {}
    unseen: Counter[str] = Counter()
    with outside_views():
        for item in dict.fromkeys(objects):
            if item.session_uid not in in_layer:
                unseen["in another view layer"] += 1
            elif not counts_as_scene(item):
                unseen["made of cells"] += 1
            elif not item.visible_get(view_layer=layer, viewport=viewport):
                unseen["outside the local view" if local else "hidden"] += 1
            else:
                seen[item.session_uid] = item
    return seen, unseen


def may_instance(item: bpy.types.Object) -> bool:
    """Return whether an object can have instances, by its instancing type or its modifiers."""
    return item.instance_type != "NONE" or any(each.type in MAKERS for each in item.modifiers)


def dependencies(objects: Iterable[bpy.types.Object]) -> Iterator[int]:
    """Yield the session ids of objects, their ancestors, data and instanced collections."""
    for item in objects:
        ancestor: bpy.types.Object | None = item
        while ancestor is not None:
            yield ancestor.session_uid
            ancestor = ancestor.parent
        for part in (item.data, item.instance_collection):
            if part is not None:
                yield part.session_uid
