"""Counts written as a custom property of objects, or as an attribute of faces."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import bpy
import numpy as np

from ..arrays import Ids
from .faces import write_attribute

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


def mark_objects(layer: bpy.types.ViewLayer, values: Mapping[int, int], name: str) -> Counter[str]:
    """Write a custom property into the objects of a view layer, by session id.

    Counts the `objects` that were written, and `refused`, those that are gone or linked from
    another file. A whole number of this name is replaced. A `ValueError` says that there is no
    name, or another kind of property of that name; then nothing is changed.
    """
    _check(name)
    targets = [item for item in layer.objects if item.session_uid in values and not item.library]
    _check_properties(targets, name)
    for item in targets:
        item[name] = values[item.session_uid]
        item.update_tag()  # for drivers and geometry nodes that read it
    return Counter(objects=len(targets), refused=len(values) - len(targets))


def mark_faces(
    context: bpy.types.Context,
    values: Mapping[int, Ids],
    name: str,
) -> Counter[str]:
    """Write an integer attribute of faces into meshes of the view layer, in Object Mode.

    Parameters
    ----------
    context : bpy.types.Context
        Its view layer has the meshes.
    values : Mapping of int to ndarray of int, shape (polygons,)
        By the session id of the mesh.
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
    if not values:
        raise ValueError("No faces are known: find what the cameras see with Faces turned on")
    targets = [item for item in context.view_layer.objects if _is_meant(item.data, values)]
    _check_attributes(targets, name)
    meshes = list(dict.fromkeys(item.data for item in targets))
    for mesh in meshes:
        write_attribute(mesh, name, "FACE", "INT", values[mesh.session_uid].astype(np.int32))
    return Counter(meshes=len(meshes), refused=len(values) - len(meshes))


def _check(name: str) -> None:
    if not name:
        raise ValueError("A mark needs a name")


def _is_meant(mesh: Any, values: Mapping[int, Ids]) -> bool:
    if not isinstance(mesh, bpy.types.Mesh) or mesh.session_uid not in values or mesh.library:
        return False
    # An object may be in edit mode without being the active one; attributes have no data there.
    return not mesh.is_editmode and len(mesh.polygons) == len(values[mesh.session_uid])


def _check_properties(items: Iterable[Any], name: str) -> None:
    for item in items:
        # Registered properties, such as "cycles", may be stored among custom properties.
        if name in item.bl_rna.properties or type(item.get(name, 0)) is not int:
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
