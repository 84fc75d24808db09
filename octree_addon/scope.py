"""Scopes: the objects of a tree or a question, and the limit on their triangles."""

import bpy

from . import trees
from .options import OptionGroup, boolean
from .preferences import limits
from .ui import memory_text, settings_of

# Bytes per triangle of an octree: corners, copies in several cells, and a part of the cells.
_BYTES = 250


class SizeOptions(OptionGroup):
    """Consent to exceed the triangle limit of the preferences."""

    any_size: bool = boolean(
        False,
        "Any Size",
        "Go on even if there are more triangles than the preferences allow",
        settings=None,
        options={"HIDDEN", "SKIP_SAVE"},
    )


def chosen_objects(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Return the selected objects and those in Edit Mode, each once, hidden ones included."""
    return list(dict.fromkeys([*context.view_layer.objects.selected, *edited_objects(context)]))


def edited_objects(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Return the objects in an edit mode; empty in other modes."""
    return list(context.objects_in_mode) if context.mode.startswith("EDIT") else []


def visible_objects(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Return the visible objects of the view layer, in its order.

    In the context of a 3D view, objects that this view does not show are left out.
    """
    layer = context.view_layer
    return [item for item in layer.objects if item.visible_get(view_layer=layer)]


def scoped_objects(
    context: bpy.types.Context, scope: str, collection: bpy.types.Collection | None
) -> list[bpy.types.Object]:
    """Return the objects of a scope, each once.

    `scope` is "SELECTED", "VISIBLE" or "COLLECTION". Raises a `ValueError` for "COLLECTION" if
    `collection` is None.
    """
    if scope == "SELECTED":
        return chosen_objects(context)
    if scope == "VISIBLE":
        return visible_objects(context)
    if collection is None:
        raise ValueError("Choose the collection to take objects from")
    return list(collection.all_objects)


def current_objects(scene: bpy.types.Scene, layer: bpy.types.ViewLayer) -> list[bpy.types.Object]:
    """Return the objects that the scene's live tree should hold now, hidden ones included."""
    built_of = settings_of(scene).built_of
    if built_of.scope == "VISIBLE":
        return list(layer.objects)
    if built_of.scope == "COLLECTION" and built_of.collection:
        return list(built_of.collection.all_objects)
    return trees.source_objects(scene)


def viewport_of(context: bpy.types.Context) -> bpy.types.SpaceView3D | None:
    """Return the 3D view of the context; None if the context is no 3D view."""
    space = context.space_data
    return space if isinstance(space, bpy.types.SpaceView3D) else None


def is_too_much(triangles: int) -> bool:
    """Return whether triangles exceed the limit, so that the user must agree."""
    return triangles > limits().triangles


def too_much_text(triangles: int) -> str:
    """Return a text with the number of triangles and the estimated memory of their octree."""
    return f"{triangles:,} triangles, {memory_text(_BYTES * triangles)} of memory"


def refuse_too_much(triangles: int) -> None:
    """Raise a `ValueError` if triangles exceed the limit of the preferences."""
    if is_too_much(triangles):
        raise ValueError(
            f"{triangles:,} triangles are more than the {limits().triangles:,}"
            " that the preferences allow: build of whole objects, or of fewer"
        )
