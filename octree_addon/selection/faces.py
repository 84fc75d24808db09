"""Selection of found faces: in the meshes in Edit Mode or, in Object Mode, in all meshes."""

from collections import Counter
from typing import Any

import bmesh
import bpy
import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags
from .subjects import Subjects


def select_faces(context: bpy.types.Context, subjects: Subjects, action: str) -> Counter[str]:
    """Select found faces, and switch Edit Mode to face select mode.

    Parameters
    ----------
    context : bpy.types.Context
        The context; its mode decides between the meshes in Edit Mode and the view layer.
    subjects : Subjects
        The faces.
    action : {"REPLACE", "EXTEND", "SUBTRACT"}
        The change of the present selection.

    Returns
    -------
    Counter of str
        `faces`, the faces that were selected or, for `"SUBTRACT"`, deselected; `refused`, the
        meshes that have changed since the question; `unknown`, the meshes in Edit Mode without
        known faces.

    Raises
    ------
    ValueError
        If none of the meshes has known faces. Nothing is changed.
    """
    editing = context.mode == "EDIT_MESH"
    objects = list(context.objects_in_mode if editing else context.view_layer.objects)
    found = subjects.faces(objects)
    data = dict.fromkeys(item.data for item in objects)
    meshes = [mesh for mesh in data if isinstance(mesh, bpy.types.Mesh)]
    known = [mesh for mesh in meshes if mesh.session_uid in found]
    if not known:
        where = "in Edit Mode" if editing else "in the view layer"
        raise ValueError(f"The answer holds no faces of the meshes {where}")
    counts: Counter[str] = Counter(faces=0, unknown=(len(meshes) - len(known)) * editing)
    for mesh in meshes if editing else known:
        wanted = found.get(mesh.session_uid)
        counts.update(_select(mesh, None if wanted is None else wanted != 0, action))
    # In vertex select mode, Edit Mode would also select faces whose vertices all are selected.
    context.tool_settings.mesh_select_mode = (False, False, True)
    return counts


def _select(mesh: bpy.types.Mesh, found: Flags | None, action: str) -> Counter[str]:
    """Write the selection of one mesh, and return the counts; None means no found faces."""
    before, hidden = _edited_flags(mesh) if mesh.is_editmode else _stored_flags(mesh)
    if found is None:
        found = np.zeros_like(before)
    if len(found) != len(before):
        return Counter(refused=1)
    found &= ~hidden
    after = {"REPLACE": found, "EXTEND": before | found, "SUBTRACT": before & ~found}[action]
    if mesh.is_editmode:
        _write_edited(mesh, before, after)
    else:
        _write_stored(mesh, after)
    return Counter(faces=int((before & found if action == "SUBTRACT" else found).sum()))


def _edited_flags(mesh: bpy.types.Mesh) -> tuple[Flags, Flags]:
    """Flag the selected and the hidden faces of a mesh in Edit Mode."""
    edit = bmesh.from_edit_mesh(mesh)
    selected = np.fromiter((face.select for face in edit.faces), np.bool_, len(edit.faces))
    return selected, np.fromiter((face.hide for face in edit.faces), np.bool_, len(edit.faces))


def _stored_flags(mesh: bpy.types.Mesh) -> tuple[Flags, Flags]:
    """Flag the selected and the hidden faces of a mesh in Object Mode."""
    selected, hidden = np.empty((2, len(mesh.polygons)), np.bool_)
    mesh.polygons.foreach_get("select", selected)
    mesh.polygons.foreach_get("hide", hidden)
    return selected, hidden


def _write_edited(mesh: bpy.types.Mesh, before: Flags, after: Flags) -> None:
    edit = bmesh.from_edit_mesh(mesh)
    edit.select_mode = {"FACE"}
    edit.faces.ensure_lookup_table()
    for index in np.flatnonzero(after != before):
        edit.faces[index].select_set(bool(after[index]))
    edit.select_flush_mode()
    bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)


def _write_stored(mesh: bpy.types.Mesh, after: Flags) -> None:
    """Select faces with their edges and vertices, so that Edit Mode keeps the selection."""
    sizes, corners = np.empty(len(after), np.int32), np.empty(len(mesh.loops), np.int32)
    mesh.polygons.foreach_get("loop_total", sizes)
    in_selected = np.repeat(after, sizes)
    layers = (
        ("POINT", ".corner_vert", ".select_vert", len(mesh.vertices)),
        ("EDGE", ".corner_edge", ".select_edge", len(mesh.edges)),
    )
    for domain, corner_name, name, count in layers:
        mesh.attributes[corner_name].data.foreach_get("value", corners)  # type: ignore[attr-defined]
        flags = np.zeros(count, np.bool_)
        flags[corners[in_selected]] = True
        write_attribute(mesh, name, domain, "BOOLEAN", flags)
    write_attribute(mesh, ".select_poly", "FACE", "BOOLEAN", after)


def write_attribute(mesh: Any, name: str, domain: str, kind: str, values: NDArray[Any]) -> None:
    """Write an attribute of a mesh in Object Mode, replacing an attribute of this name."""
    # Removed first: Blender 5.0 may store a layer as one value for all elements, and foreach_set
    # into such a layer fails or crashes.
    if name in mesh.attributes:
        mesh.attributes.remove(mesh.attributes[name])
    mesh.attributes.new(name, kind, domain).data.foreach_set("value", values)
