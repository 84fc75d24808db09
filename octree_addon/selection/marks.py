"""Counts written as a custom property of objects, or as an attribute of faces."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np

from .faces import write_attribute
from .subjects import Faces, Subjects

# Blender's own attributes of meshes; not every mesh has them yet.
_BLENDERS_OWN = {
    "bevel_weight_edge",
    "bevel_weight_vert",
    "crease_edge",
    "crease_vert",
    "custom_normal",
    "material_index",
    "position",
    "sharp_edge",
    "sharp_face",
}


def mark_objects(layer: bpy.types.ViewLayer, subjects: Subjects, name: str) -> Counter[str]:
    """Write the numbers of objects into a custom property of theirs, in a view layer.

    Counts the `objects` that were written, and `refused`, those that are gone or linked from
    another file. A number of this name and kind is replaced. A `ValueError` says that there is no
    name, or another kind of property of that name; then nothing is changed.
    """
    _check(name)
    values = subjects.objects
    targets = [item for item in subjects.among(layer.objects) if not item.library]
    for item in targets:
        _check_property(item, name, values[item.session_uid])
    for item in targets:
        item[name] = values[item.session_uid]
        item.update_tag()  # for drivers and geometry nodes that read it
    return Counter(objects=len(targets), refused=len(values) - len(targets))


def mark_faces(
    context: bpy.types.Context,
    subjects: Subjects,
    name: str,
) -> Counter[str]:
    """Write the numbers of faces into an integer attribute of their meshes, in Object Mode.

    Parameters
    ----------
    context : bpy.types.Context
        Its view layer has the meshes.
    subjects : Subjects
        What is marked.
    name : str
        Of the attribute; one of that name and kind is replaced.

    Returns
    -------
    Counter of str
        `meshes` that were written; `refused`, those that are gone, have changed since or are
        linked from another file.

    Raises
    ------
    ValueError
        If there is no name, nothing to write, or another kind of attribute or a vertex group
        of that name, or if the name is one of Blender's own. Nothing is changed.
    """
    _check(name)
    objects = list(context.view_layer.objects)
    values = subjects.faces(objects)
    if not values:
        raise ValueError("No faces are known: turn on Faces, or modifiers change them all")
    targets = [item for item in objects if _is_meant(item.data, values)]
    _check_attributes(targets, name)
    meshes = list(dict.fromkeys(item.data for item in targets))
    for mesh in meshes:
        write_attribute(mesh, name, "FACE", "INT", values[mesh.session_uid].astype(np.int32))
    return Counter(meshes=len(meshes), refused=len(values) - len(meshes))


def _check(name: str) -> None:
    if not name:
        raise ValueError("A mark needs a name")


def _is_meant(mesh: Any, values: Faces) -> bool:
    if not isinstance(mesh, bpy.types.Mesh) or mesh.session_uid not in values or mesh.library:
        return False
    # An object may be in edit mode without being the active one; attributes have no data there.
    return not mesh.is_editmode and len(mesh.polygons) == len(values[mesh.session_uid])


def _check_property(item: Any, name: str, value: float) -> None:
    # Registered properties, such as "cycles", may be stored among custom properties.
    if name in item.bl_rna.properties or type(item.get(name, value)) is not type(value):
        raise ValueError(f"{item.name} has a property {name} of another kind")


def _check_attributes(items: Iterable[Any], name: str) -> None:
    if name.startswith(".") or name in _BLENDERS_OWN:
        raise ValueError(f"{name} is the name of an attribute of Blender's own")
    for item in items:
        present = item.data.attributes.get(name)
        if present and (present.data_type, present.domain) != ("INT", "FACE"):
            raise ValueError(f"{item.data.name} has an attribute {name} of another kind")
        if name in item.vertex_groups:
            raise ValueError(f"{item.data.name} has a vertex group {name}")
