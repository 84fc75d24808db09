"""Answers as selected faces: of the meshes in Edit Mode or, in Object Mode, of all."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import bmesh
import bpy
import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags
from .objects import FoundItems


def select_faces(context: bpy.types.Context, answer: FoundItems, action: str) -> Counter[str]:
    """Select the faces of an answer, and switch Edit Mode to face select mode.

    Parameters
    ----------
    context : bpy.types.Context
        Its mode says in which meshes.
    answer : FoundItems
        What is wanted.
    action : {"REPLACE", "EXTEND", "SUBTRACT"}
        How the present selection changes.

    Returns
    -------
    Counter of str
        `faces` that were selected or, for `"SUBTRACT"`, deselected; `refused`, the meshes
        that have changed since the question was asked; `unknown`, the meshes in Edit Mode of which
        no faces are known.

    Raises
    ------
    ValueError
        If no mesh in question has faces, or whole objects were asked. Nothing is changed.
    """
    objects = _objects(context)
    return _select_all(context, objects, _wanted(answer, objects), action)


def select_polygons(
    context: bpy.types.Context,
    polygons: Mapping[int, Flags],
    action: str,
) -> Counter[str]:
    """Select faces by mesh (its session id) and polygon flags, as `select_faces` does.

    A `ValueError` says that no mesh in question has any; then nothing is changed.
    """
    objects = _objects(context)
    meshes = [item.data for item in objects if isinstance(item.data, bpy.types.Mesh)]
    wanted = {mesh: polygons[mesh.session_uid] for mesh in meshes if mesh.session_uid in polygons}
    return _select_all(context, objects, wanted, action)


def _objects(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Return the objects in Edit Mode, or else those of the view layer."""
    editing = context.mode == "EDIT_MESH"
    return list(context.objects_in_mode if editing else context.view_layer.objects)


def _select_all(
    context: bpy.types.Context,
    objects: list[bpy.types.Object],
    wanted: dict[bpy.types.Mesh, Flags],
    action: str,
) -> Counter[str]:
    """Write the selection of every mesh in question."""
    editing = context.mode == "EDIT_MESH"
    if not wanted:
        where = "in Edit Mode" if editing else "in the view layer"
        raise ValueError(f"The answer holds no faces of the meshes {where}")
    meshes = dict.fromkeys(map(_mesh_of, objects)) if editing else wanted
    counts: Counter[str] = Counter(faces=0, unknown=sum(mesh not in wanted for mesh in meshes))
    for mesh in meshes:
        counts.update(_select(mesh, wanted.get(mesh), action))
    # By vertices, Edit Mode would add every face between the selected ones.
    context.tool_settings.mesh_select_mode = (False, False, True)
    return counts


def _wanted(
    answer: FoundItems, objects: Iterable[bpy.types.Object]
) -> dict[bpy.types.Mesh, Flags]:
    """Return which polygons of each mesh are wanted, through any object that uses it."""
    by_uid = {item.session_uid: item for item in objects}
    wanted: dict[bpy.types.Mesh, Flags] = {}
    for each in answer.target.faces(answer.items, frozenset(by_uid)):
        count = each.polygons[-1] + 1
        flags = answer.wanted(
            np.bincount(each.polygons[each.found], minlength=count),
            np.bincount(each.polygons[each.possible], minlength=count),
        )
        mesh = _mesh_of(by_uid[each.owner])
        wanted[mesh] = flags | wanted.get(mesh, False)
    return wanted


def _mesh_of(item: bpy.types.Object) -> bpy.types.Mesh:
    assert isinstance(item.data, bpy.types.Mesh)
    return item.data


def _select(mesh: bpy.types.Mesh, found: Flags | None, action: str) -> Counter[str]:
    """Write the selection of one mesh; in one without found faces there are none."""
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
    """Return which faces of a mesh in edit mode are selected, and which are hidden."""
    edit = bmesh.from_edit_mesh(mesh)
    selected = np.fromiter((face.select for face in edit.faces), np.bool_, len(edit.faces))
    return selected, np.fromiter((face.hide for face in edit.faces), np.bool_, len(edit.faces))


def _stored_flags(mesh: bpy.types.Mesh) -> tuple[Flags, Flags]:
    """Return which faces of a mesh in object mode are selected, and which are hidden."""
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
    """Select faces with their edges and vertices, as Edit Mode will expect them."""
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
    """Write an attribute of a mesh in object mode, in place of one of this name."""
    # Made anew: Blender 5.0 may hold a layer as one value for all, and fails to write into that
    # by foreach_set, or crashes.
    if name in mesh.attributes:
        mesh.attributes.remove(mesh.attributes[name])
    mesh.attributes.new(name, kind, domain).data.foreach_set("value", values)
