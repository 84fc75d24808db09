"""Contact of the active row: the curve in which two surfaces intersect, or the touching faces."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import bpy
import gpu
import numpy as np

from ..arrays import Floats, Ids
from ..preferences import limits
from ..reader import ReadMesh, evaluated_mesh, find_instance, mesh_arrays, triangle_count
from ..result_list import ActiveResult, Contact, Side, version_of_result
from ..scene_index import Version, version_of
from .active_row import fill
from .layers import Redraw, keep_uploads, uploaded
from .lines import blended, line_batch, line_shader, vertex_buffer

_CURVE, _FACES = (1.0, 1.0, 1.0, 1.0), (0.85, 0.15, 0.10)
_WIDTH = 3.0


class _Face(NamedTuple):
    """Uploaded faces on one side of a contact, and the matrix of an instance (or None)."""

    side: Side
    batch: gpu.types.GPUBatch
    matrix: Floats | None


class _Drawn(NamedTuple):
    """An uploaded contact, with its key and the version of the scene that it was read from."""

    key: tuple[int, ...]
    version: Version
    curve: gpu.types.GPUBatch | None
    faces: tuple[_Face, ...]


def draw_active_contact(redraw: Redraw) -> None:
    """Draw the contact of the active row in front of everything, if its objects are unchanged."""
    active, scene = redraw.active, redraw.scene
    contact = active.contact() if active and redraw.settings.results.outline else None
    sides = active.sides() if active else []
    if active is None or contact is None or not is_still_there(active, sides):
        keep_uploads("contact", scene, ())
        return
    drawn = uploaded(
        ("contact", scene.session_uid),
        lambda known: known.key == contact.key and known.version.is_same(scene),
        lambda: read_contact(scene, contact, sides),
    )
    draw_contact(drawn)


def is_still_there(active: ActiveResult, sides: Sequence[Side | None]) -> bool:
    """Return whether all objects of the active row exist, are visible, and are unchanged."""
    there = [side for side in sides if side is not None and side.object.visible_get()]
    if len(there) < len(sides):
        return False
    version = version_of_result(active.scene, active.result)
    return _narrowed(version, there).is_same(active.scene)


def _narrowed(version: Version, sides: Sequence[Side | None]) -> Version:
    """Return a version that depends on the objects of the sides only.

    For instances the version is returned unchanged, since updates do not name them.
    """
    if any(side is None or side.numbers for side in sides):
        return version
    return replace(version, objects=frozenset(side.object.session_uid for side in sides if side))


def read_contact(scene: bpy.types.Scene, contact: Contact, sides: Sequence[Side | None]) -> _Drawn:
    """Upload a contact: the curve, or the faces if it has no curve."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    faces = (
        _read_side(side, some, depsgraph)
        for side, some in zip(sides, contact.faces, strict=False)
        if side is not None and len(some) and not len(contact.segments)
    )
    curve = None
    if len(contact.segments):
        points = np.ascontiguousarray(contact.segments.reshape(-1, 3), np.float32)
        edges = np.arange(len(points), dtype=np.uint32).reshape(-1, 2)
        curve = line_batch(points, edges)
    version = _narrowed(version_of(scene), sides)
    return _Drawn(contact.key, version, curve, tuple(face for face in faces if face))


def _read_side(side: Side, some: Ids, depsgraph: bpy.types.Depsgraph) -> _Face | None:
    """Upload triangles of an object or an instance; None if its mesh no longer fits."""
    if side.numbers:
        found = find_instance(depsgraph, side.object.session_uid, side.numbers)
        return None if found is None else _face(side, found.mesh, found.matrix, some)
    evaluated = side.object.evaluated_get(depsgraph)
    if evaluated.type != "MESH":
        return None
    with evaluated_mesh(evaluated) as mesh:
        if not 0 < triangle_count(mesh) <= limits().triangles:
            return None
        return _face(side, mesh_arrays(mesh), None, some)


def _face(side: Side, mesh: ReadMesh, matrix: Floats | None, some: Ids) -> _Face | None:
    if some.max() >= len(mesh.triangles):
        return None
    corners = np.ascontiguousarray(mesh.positions[mesh.triangles[some]].reshape(-1, 3), np.float32)
    return _Face(side, gpu.types.GPUBatch(type="TRIS", buf=vertex_buffer(corners)), matrix)


def draw_contact(drawn: _Drawn) -> None:
    """Draw an uploaded contact: faces on their surfaces, the curve in front of everything."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    for side, batch, placed in drawn.faces:
        if placed is None:
            matrix = np.array(side.object.evaluated_get(depsgraph).matrix_world)
        else:
            matrix = placed
        fill(batch, matrix, _FACES)
    if drawn.curve is not None:
        with blended("NONE"):
            shader = line_shader(_WIDTH)
            shader.uniform_float("color", _CURVE)
            drawn.curve.draw(shader)
