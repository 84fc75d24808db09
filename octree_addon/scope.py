"""Scopes: the objects that a tree or a question is about, and how many triangles are allowed."""

import bpy

from . import trees
from .options import OptionGroup, boolean
from .preferences import limits
from .ui import memory_text, settings_of

# What a triangle takes in an octree, in bytes: its corners, its copies, its share of the cells.
_BYTES = 250


class SizeOptions(OptionGroup):
    """Whether the user has agreed to read as much as there is."""

    any_size: bool = boolean(
        False,
        "Any Size",
        "Go on even if there are more triangles than the preferences allow",
        settings=None,
        options={"HIDDEN", "SKIP_SAVE"},
    )


def chosen_objects(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Return the selected objects, and those in edit mode, each once; hidden ones too."""
    return list(dict.fromkeys([*context.view_layer.objects.selected, *edited_objects(context)]))


def edited_objects(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Return the objects in edit mode; none in other modes."""
    return list(context.objects_in_mode) if context.mode.startswith("EDIT") else []


def visible_objects(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Return what the 3D view shows or, outside a 3D view, the view layer, in its order."""
    layer = context.view_layer
    return [item for item in layer.objects if item.visible_get(view_layer=layer)]


def scoped_objects(
    context: bpy.types.Context, scope: str, collection: bpy.types.Collection | None
) -> list[bpy.types.Object]:
    """Return the objects that a tree is built of, or cameras are tested against, each once.

    `scope` is "SELECTED", "VISIBLE" or "COLLECTION"; the last without a collection is a
    `ValueError`.
    """
    if scope == "SELECTED":
        return chosen_objects(context)
    if scope == "VISIBLE":
        return visible_objects(context)
    if collection is None:
        raise ValueError("Choose the collection to take objects from")
    return list(collection.all_objects)


def current_objects(scene: bpy.types.Scene, layer: bpy.types.ViewLayer) -> list[bpy.types.Object]:
    """Return the objects that the scene's live tree has to hold now, hidden ones too."""
    built_of = settings_of(scene).built_of
    if built_of.scope == "VISIBLE":
        return list(layer.objects)
    if built_of.scope == "COLLECTION" and built_of.collection:
        return list(built_of.collection.all_objects)
    return trees.source_objects(scene)


def viewport_of(context: bpy.types.Context) -> bpy.types.SpaceView3D | None:
    """Return the 3D view that the operator was called from, if it was one."""
    space = context.space_data
    return space if isinstance(space, bpy.types.SpaceView3D) else None


def is_too_much(triangles: int) -> bool:
    """Tell whether a build is so large that the user has to agree to it."""
    return triangles > limits().triangles


def too_much_text(triangles: int) -> str:
    """Say how many triangles there are, and how much memory their octrees take."""
    return f"{triangles:,} triangles, {memory_text(_BYTES * triangles)} of memory"


def refuse_too_much(triangles: int) -> None:
    """Raise a `ValueError` if there are more triangles than the user allows."""
    if is_too_much(triangles):
        raise ValueError(
            f"{triangles:,} triangles are more than the {limits().triangles:,}"
            " that the preferences allow: build of whole objects, or of fewer"
        )
