"""Selection and collection of found objects."""

from collections import Counter
from collections.abc import Container, Iterable

import bpy

from ..ui import plural
from .subjects import Subjects


def select_objects(layer: bpy.types.ViewLayer, subjects: Subjects, action: str) -> Counter[str]:
    """Select objects in a view layer; an instance selects its instancer.

    `action` is "REPLACE", "EXTEND" or "SUBTRACT". Returns the counts `objects` and `instances`,
    which were selected or, for "SUBTRACT", deselected; `refused`, the objects that are gone,
    hidden or not selectable; and `untouched`, the objects to deselect that were not selected.
    """
    if action == "REPLACE":
        _deselect_others(layer, subjects.objects)
    targets = [item for item in layer.objects if item.session_uid in subjects.objects]
    counts = Counter(refused=len(subjects.objects) - len(targets))
    for item in targets:
        outcome = _select(item, layer, action != "SUBTRACT")
        counts[outcome] += 1
        if outcome == "objects" and subjects.are_instances:
            counts["instances"] += int(subjects.objects[item.session_uid])
    return counts


def _deselect_others(layer: bpy.types.ViewLayer, kept: Container[int]) -> None:
    for item in list(layer.objects.selected):
        if item.session_uid not in kept:
            item.select_set(False, view_layer=layer)


def _select(item: bpy.types.Object, layer: bpy.types.ViewLayer, state: bool) -> str:
    """Select or deselect one object, and return the outcome: a key of the counts."""
    before = item.select_get(view_layer=layer)
    item.select_set(state, view_layer=layer)
    if item.select_get(view_layer=layer) != state:
        return "refused"  # hidden or not selectable: Blender raises no error
    return "objects" if state or before else "untouched"


def found_text(counts: Counter[str], action: str) -> str:
    """Return the report of a selection, such as "12 objects, 340 instances selected"."""
    kind = "face" if "faces" in counts else "object"
    parts = [plural(counts[f"{kind}s"], kind)]
    if counts["instances"]:
        parts.append(plural(counts["instances"], "instance"))
    text = f"{', '.join(parts)} {'deselected' if action == 'SUBTRACT' else 'selected'}"
    if counts["refused"]:
        text += f"; {counts['refused']:,} could not be"
    if counts["unknown"]:
        meshes = "mesh has" if counts["unknown"] == 1 else "meshes have"
        text += f"; {counts['unknown']:,} {meshes} faces only by modifiers"
    return text


def link_to_new(
    scene: bpy.types.Scene, objects: Iterable[bpy.types.Object], name: str
) -> bpy.types.Collection:
    """Link objects into a new collection of the scene; they also stay in their collections.

    If the name is taken, Blender appends a number, so no existing collection changes.
    """
    collection = bpy.data.collections.new(name)
    for item in objects:
        collection.objects.link(item)
    scene.collection.children.link(collection)
    return collection
