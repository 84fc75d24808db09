"""What a user can see of a file, as plain values: two snapshots differ if anything was changed."""

from typing import Any

import bpy


def visibility() -> dict[str, Any]:
    """Return every flag by which objects are hidden: of objects, and of view layers."""
    flags = {item.name: (item.hide_viewport, item.hide_render) for item in bpy.data.objects}
    eyes = {
        f"{scene.name}/{layer.name}": {
            item.name: item.hide_get(view_layer=layer) for item in layer.objects
        }
        for scene in bpy.data.scenes
        for layer in scene.view_layers
    }
    return {"flags": flags, "eyes": eyes}


def selection() -> dict[str, Any]:
    """Return what is selected and active in every view layer, and in every mesh."""
    objects = {
        f"{scene.name}/{layer.name}": (
            sorted(item.name for item in layer.objects.selected),
            layer.objects.active and layer.objects.active.name,
        )
        for scene in bpy.data.scenes
        for layer in scene.view_layers
    }
    faces = {mesh.name: [face.select for face in mesh.polygons] for mesh in bpy.data.meshes}
    return {"objects": objects, "faces": faces}


def transforms() -> dict[str, Any]:
    """Return where every object is, and on what it hangs.

    Of an object that nothing evaluates, such as one that the monitor icon hides, Blender forgets
    the world matrix with every undo.
    """
    return {
        item.name: (
            [row[:] for row in item.matrix_basis],
            [row[:] for row in item.matrix_world] if item.visible_get() else None,
            item.parent and item.parent.name,
        )
        for item in bpy.data.objects
    }


def collections() -> dict[str, Any]:
    """Return what every collection holds, and how the scenes show it."""
    every = [*bpy.data.collections, *(scene.collection for scene in bpy.data.scenes)]
    return {
        each.name_full: (
            sorted(each.objects.keys()),
            sorted(each.children.keys()),
            each.hide_viewport,
            each.hide_render,
        )
        for each in every
    }


def attributes() -> dict[str, Any]:
    """Return what meshes and objects carry: attributes, modifiers, custom properties."""
    meshes = {
        mesh.name: {each.name: (each.domain, values_of(each)) for each in mesh.attributes}
        for mesh in bpy.data.meshes
    }
    objects = {
        item.name: (item.modifiers.keys(), sorted(item.keys()), item.data and item.data.name)
        for item in bpy.data.objects
    }
    return {"meshes": meshes, "objects": objects}


def values_of(attribute: Any) -> list[Any]:
    """Return the values of a mesh's attribute, of whatever kind they are."""
    kinds = attribute.data[0].bl_rna.properties if len(attribute.data) else ()
    name = next((name for name in ("value", "vector", "color") if name in kinds), "")
    values = [getattr(element, name) for element in attribute.data] if name else []
    return [value[:] if hasattr(value, "__len__") else value for value in values]


def frames() -> dict[str, Any]:
    """Return where every scene is in time."""
    return {scene.name: (scene.frame_current, scene.frame_subframe) for scene in bpy.data.scenes}


def whole_file() -> dict[str, Any]:
    """Return all of it."""
    kinds = (visibility, selection, transforms, collections, attributes, frames)
    return {kind.__name__: kind() for kind in kinds}
