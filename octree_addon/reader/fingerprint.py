"""Scene fingerprint: a checksum (CRC) over all matrices and evaluated meshes of a depsgraph."""

import zlib

import bpy

from .meshes import evaluated_mesh, mesh_vertices
from .scene import read_matrices


def scene_fingerprint(depsgraph: bpy.types.Depsgraph) -> str:
    """Return what is the same for the same visible scene: now, after an undo, after a reload.

    It depends on where objects and instances stand and on the vertices and faces of evaluated
    meshes; not on names, selection or materials. O(placements + vertices), each mesh once.
    """
    code = zlib.crc32(read_matrices(depsgraph).tobytes())
    known: set[int] = set()
    for instance in depsgraph.object_instances:
        item = instance.object
        if item.type == "MESH" and instance.show_self:
            address = item.data.as_pointer()
            if address not in known:
                known.add(address)
                code = _mesh_code(item, code)
    return f"{code:08x}"


def _mesh_code(item: bpy.types.Object, code: int) -> int:
    with evaluated_mesh(item) as mesh:
        if mesh.polygons:
            for part in mesh_vertices(mesh):
                code = zlib.crc32(part.tobytes(), code)
    return code
