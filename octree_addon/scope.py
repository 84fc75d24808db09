"""Which objects a tree, or a question, is about."""

import bpy

from . import trees
from .ui import settings_of


def chosen_objects(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Return the selected objects, and those in edit mode, selected or not.

    Parameters
    ----------
    context : bpy.types.Context
        Its view layer and mode.

    Returns
    -------
    list of bpy.types.Object
        Each once; hidden ones too.
    """
    return list(dict.fromkeys([*context.view_layer.objects.selected, *edited_objects(context)]))


def edited_objects(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Return the objects in edit mode.

    Parameters
    ----------
    context : bpy.types.Context
        Its view layer and mode.

    Returns
    -------
    list of bpy.types.Object
        Empty in other modes.
    """
    return list(context.objects_in_mode) if context.mode.startswith("EDIT") else []


def visible_objects(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Return what the 3D view shows or, outside a 3D view, the view layer.

    Parameters
    ----------
    context : bpy.types.Context
        Its view layer and 3D view.

    Returns
    -------
    list of bpy.types.Object
        In the order of the view layer.
    """
    layer = context.view_layer
    return [item for item in layer.objects if item.visible_get(view_layer=layer)]


def scoped_objects(
    context: bpy.types.Context, scope: str, collection: bpy.types.Collection | None
) -> list[bpy.types.Object]:
    """Return the objects that a tree is to be built of, or cameras are asked about.

    Parameters
    ----------
    context : bpy.types.Context
        Its view layer and mode.
    scope : {"SELECTED", "VISIBLE", "COLLECTION"}
        Which ones.
    collection : bpy.types.Collection or None
        For "COLLECTION".

    Returns
    -------
    list of bpy.types.Object
        Each once.

    Raises
    ------
    ValueError
        If a collection is wanted and none is given.
    """
    if scope == "SELECTED":
        return chosen_objects(context)
    if scope == "VISIBLE":
        return visible_objects(context)
    if collection is None:
        raise ValueError("Choose the collection whose objects are meant")
    return list(collection.all_objects)


def current_objects(scene: bpy.types.Scene, layer: bpy.types.ViewLayer) -> list[bpy.types.Object]:
    """Return the objects that a tree that follows the scene is about now.

    Parameters
    ----------
    scene : bpy.types.Scene
        Whose tree it is; remembers of what it was built.
    layer : bpy.types.ViewLayer
        Of that scene.

    Returns
    -------
    list of bpy.types.Object
        Hidden ones too.
    """
    built_of = settings_of(scene).built_of
    if built_of.scope == "VISIBLE":
        return list(layer.objects)
    if built_of.scope == "COLLECTION" and built_of.collection:
        return list(built_of.collection.all_objects)
    return trees.source_objects(scene)
