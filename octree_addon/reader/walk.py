"""The walk through the dependency graph: which objects are seen, and where they show what."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator

import bpy

UNUSED = 2**31 - 1  # what fills up a persistent id


def seen_objects(
    depsgraph: bpy.types.Depsgraph,
    objects: Iterable[bpy.types.Object],
    viewport: bpy.types.SpaceView3D | None,
) -> tuple[dict[int, bpy.types.Object], Counter[str]]:
    """Sort the objects into those that can be seen, by session id, and the rest, by reason."""
    layer, local = depsgraph.view_layer, viewport is not None and viewport.local_view
    in_layer = {item.session_uid for item in layer.objects}
    seen: dict[int, bpy.types.Object] = {}
    unseen: Counter[str] = Counter()
    for item in dict.fromkeys(objects):
        if item.session_uid not in in_layer:
            unseen["in another view layer"] += 1
        elif not item.visible_get(view_layer=layer, viewport=viewport):
            unseen["outside the local view" if local else "hidden"] += 1
        else:
            seen[item.session_uid] = item
    return seen, unseen


def placements(
    depsgraph: bpy.types.Depsgraph, wanted: Container[int]
) -> Iterator[tuple[bpy.types.DepsgraphObjectInstance, bpy.types.Object]]:
    """Yield what the wanted objects show, themselves and their instances, with the object.

    Curves, texts, surfaces and metaballs come twice, as themselves and as an instance of type
    MESH; only entries of that type have triangles. What is yielded dies with the next step.
    """
    for instance in depsgraph.object_instances:
        owner = (instance.parent if instance.is_instance else instance.object).original
        if instance.show_self and owner.session_uid in wanted:
            yield instance, owner


def is_copy(instance: bpy.types.DepsgraphObjectInstance) -> bool:
    """Tell a real instance from the mesh of a curve, text, surface or metaball itself."""
    if not instance.is_instance:
        return False
    itself = instance.object.original == instance.parent.original
    return not itself or instance.persistent_id[1] != UNUSED


def lineage(objects: Iterable[bpy.types.Object]) -> Iterator[int]:
    """Yield the session ids of the objects and of what they are made of and hang on."""
    for item in objects:
        ancestor: bpy.types.Object | None = item
        while ancestor is not None:
            yield ancestor.session_uid
            ancestor = ancestor.parent
        for part in (item.data, item.instance_collection):
            if part is not None:
                yield part.session_uid
