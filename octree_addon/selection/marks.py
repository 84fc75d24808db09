"""Numbers of findings as a custom property of objects, or as an attribute of faces."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np

from .faces import write_attribute
from .subjects import Faces, Subjects

# Names of Blender's own mesh attributes, reserved even in meshes without them.
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
    """Write the numbers of the objects of a view layer into a custom property of each.

    A number of this name and type is replaced. Returns the counts `objects`, which were written,
    and `refused`, which are gone or linked from another file. Raises a `ValueError` if the name is
    empty or belongs to a property of another type; then nothing is changed.
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
        The context with the view layer of the meshes.
    subjects : Subjects
        The faces and their numbers.
    name : str
        Name of the attribute. An integer attribute of faces with this name is replaced.

    Returns
    -------
    Counter of str
        `meshes`, which were written; `refused`, which are gone, in Edit Mode, linked from another
        file, or changed since the question.

    Raises
    ------
    ValueError
        If the name is empty, reserved by Blender, or belongs to a vertex group or to another kind
        of attribute, or if no faces are known. Nothing is changed.
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
    # Attributes have no data in Edit Mode, which an object may be in without being active.
    return not mesh.is_editmode and len(mesh.polygons) == len(values[mesh.session_uid])


def _check_property(item: Any, name: str, value: float) -> None:
    # Registered properties such as "cycles" may be stored with the custom properties.
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
