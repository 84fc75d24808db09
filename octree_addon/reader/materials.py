"""Bulk reads of materials: slots of polygons, image sizes, transparency."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from .meshes import bulk
from .placements import ScenePlacements
from .shown_meshes import read_rows

_CLEAR_SHADERS = {"BSDF_GLASS", "BSDF_REFRACTION", "BSDF_TRANSPARENT", "HOLDOUT"}
# Sockets of the principled shader, and their values for an opaque surface.
_CLEAR_SOCKETS = {"Alpha": 1.0, "Transmission Weight": 0.0}


class RowMaterials(NamedTuple):
    """The materials of one placement.

    Attributes
    ----------
    slots : tuple of int
        The session id of the material in each slot; 0 for an empty slot.
    numbers : ndarray of int32, shape (polygons,)
        The slot of each polygon of the evaluated mesh.
    """

    slots: tuple[int, ...]
    numbers: NDArray[np.int32]

    def are_of(self, materials: set[int]) -> NDArray[np.bool_]:
        """Return flags of the polygons that have one of these materials, (polygons,)."""
        flags = np.array([uid in materials for uid in self.slots] or [False], np.bool_)
        # As in Blender, indices beyond the last slot use the material of the last slot.
        wanted: NDArray[np.bool_] = flags[np.clip(self.numbers, 0, len(flags) - 1)]
        return wanted


def polygon_materials(mesh: bpy.types.Mesh) -> NDArray[np.int32]:
    """Return the material slot of each polygon of a mesh that is not in edit mode, (p,)."""
    layer: Any = mesh.attributes.get("material_index")
    if layer is None or len(layer.data) != len(mesh.polygons):
        return np.zeros(len(mesh.polygons), np.int32)
    return bulk(layer.data, "value", len(mesh.polygons), np.int32)


def row_materials(
    depsgraph: bpy.types.Depsgraph, placements: ScenePlacements
) -> list[RowMaterials]:
    """Return the materials of each of n placements of a depsgraph.

    The placements must stem from the present state of the depsgraph. The slots of polygons are
    read once for each evaluated mesh.
    """
    return read_rows(depsgraph, placements, _mesh_materials, _own_materials)


def _mesh_materials(mesh: bpy.types.Mesh) -> RowMaterials:
    return RowMaterials(tuple(map(_uid, mesh.materials)), polygon_materials(mesh))


def _own_materials(item: bpy.types.Object, of_mesh: RowMaterials) -> RowMaterials:
    """Return the materials of an evaluated object, as Blender draws it."""
    # Geometry nodes may set materials of the mesh that differ from the object's slots.
    slots = list(of_mesh.slots)
    for number, slot in enumerate(item.material_slots):
        if number == len(slots):
            slots.append(_uid(slot.material))
        elif slot.link == "OBJECT":
            slots[number] = _uid(slot.material)
    return RowMaterials(tuple(slots), of_mesh.numbers)


def _uid(material: bpy.types.Material | None) -> int:
    return material.original.session_uid if material else 0


def lets_light_through(material: bpy.types.Material) -> bool:
    """Return whether a material may be transparent, judged by its shader nodes."""
    return any(map(_is_clear, _nodes_of(material)))


def texels_of(material: bpy.types.Material) -> int:
    """Return the total number of pixels of a material's images, each image once."""
    images = {
        node.image.session_uid: node.image
        for node in _nodes_of(material)
        if node.type == "TEX_IMAGE" and node.image
    }
    return sum(image.size[0] * image.size[1] for image in images.values())


def _nodes_of(material: bpy.types.Material) -> Iterator[Any]:
    """Yield the unmuted nodes of a material, including those in groups, each group once."""
    # Before Blender 5.0, materials could have unused nodes.
    if material.node_tree is None or (bpy.app.version < (5, 0) and not material.use_nodes):
        return
    waiting, known = [material.node_tree], set()
    while waiting:
        tree = waiting.pop()
        if tree.as_pointer() in known:
            continue
        known.add(tree.as_pointer())
        nodes: Sequence[Any] = list(tree.nodes)
        for node in nodes:
            if node.mute:
                continue
            yield node
            if node.type == "GROUP" and node.node_tree:
                waiting.append(node.node_tree)


def _is_clear(node: Any) -> bool:
    if node.type != "BSDF_PRINCIPLED":
        return node.type in _CLEAR_SHADERS
    sockets: Sequence[Any] = [each for each in node.inputs if each.name in _CLEAR_SOCKETS]
    return any(
        each.is_linked or each.default_value != _CLEAR_SOCKETS[each.name] for each in sockets
    )
