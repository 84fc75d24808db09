"""Objects gathered in a collection."""

from collections.abc import Iterable

import bpy


def collect(
    scene: bpy.types.Scene, objects: Iterable[bpy.types.Object], name: str
) -> bpy.types.Collection:
    """Link objects into a new collection of the scene; they stay where they are as well.

    Parameters
    ----------
    scene : bpy.types.Scene
        Where the collection goes, at the top.
    objects : iterable of bpy.types.Object
        What goes into it.
    name : str
        Its name; Blender adds a number if that is taken.

    Returns
    -------
    bpy.types.Collection
        The new one: what a user made is never emptied.
    """
    collection = bpy.data.collections.new(name)
    for item in objects:
        collection.objects.link(item)
    scene.collection.children.link(collection)
    return collection
