"""Export copies of chunks: objects without parents or animation, in their own scene, in meters.

Modifiers are applied. A sheared matrix is applied to the vertices, since glTF has none. The
vertices of all chunks of a source are computed in the same way, so seams stay closed.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha1
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Matrix

from ..arrays import Floats, Ids
from ..chunks import ChunkPart, are_sheared, arrays_file, is_edited, rounded_bounds
from ..reader import mesh_arrays, mesh_layers, triangle_count
from .fingerprints import material_fingerprint


class Twin(NamedTuple):
    """Export copy of one part of a chunk.

    Attributes
    ----------
    item : bpy.types.Object
        The copy.
    label : str
        Name of the source.
    """

    item: bpy.types.Object
    label: str


class ShownPart(NamedTuple):
    """Object of one part of a chunk, its evaluated mesh, and a digest of all that is exported."""

    item: bpy.types.Object
    mesh: bpy.types.Mesh
    digest: bytes


class CellStage:
    """The chunks of one cell, evaluated and copied in a scene of their own until `close`.

    Attributes
    ----------
    parts : sequence of ChunkPart
        The parts of the cell.
    shown : list of ShownPart
        The evaluated parts, in the same order.
    """

    def __init__(
        self,
        parts: Sequence[ChunkPart],
        items: Sequence[bpy.types.Object],
        matrices: Floats,
        digests: "Digests",
        like: bpy.types.Scene,
    ) -> None:
        """Evaluate `items`, the objects of the parts; `matrices` (n, 4, 4) are by source row."""
        self.parts, self._matrices, self._like = parts, matrices, like
        self._made: list[bpy.types.ID] = []
        self._scene: bpy.types.Scene | None = None
        self.shown: list[ShownPart] = []
        try:
            meshes = self._meshes(items, digests)
            for part, item, mesh in zip(parts, items, meshes, strict=True):
                self.shown.append(ShownPart(item, mesh, digests.of_part(part, item, mesh)))
        except BaseException:
            self.close()
            raise

    @property
    def items(self) -> list[bpy.types.Object]:
        """The objects of the chunks."""
        return [each.item for each in self.shown]

    @property
    def triangle_count(self) -> int:
        """Number of triangles of the evaluated chunks, and so of their files."""
        return sum(triangle_count(each.mesh) for each in self.shown)

    @property
    def scene(self) -> bpy.types.Scene:
        """The scene of the copies, made when it is first needed."""
        if self._scene is None:
            self._scene = bpy.data.scenes.new("Chunk")
            self._scene.frame_current = self._like.frame_current
        return self._scene

    def close(self) -> None:
        """Remove all new data, the scene first, so that no removed object is evaluated."""
        if self._scene is not None:
            bpy.data.scenes.remove(self._scene)
        made, self._made, self._scene = self._made, [], None
        if made:
            bpy.data.batch_remove(made[::-1])

    def twins(self, meters: float) -> list[Twin]:
        """Add an export copy of each part to the scene; `meters` is the length of a unit."""
        return [
            self._twin(number, part, shown, meters)
            for number, (part, shown) in enumerate(zip(self.parts, self.shown, strict=True))
        ]

    def bounds(self) -> tuple[Floats, Floats]:
        """Return the bounds of the evaluated parts in world space, with room for rounding."""
        places = [points for points, _ in self._triangles()]
        both = np.concatenate((np.empty((0, 3)), *places))
        lower, upper = both.min(axis=0), both.max(axis=0)
        return rounded_bounds(lower, upper)

    def arrays(self) -> bytes:
        """Return the evaluated triangles in the .npz format of `arrays_file`."""
        places, faces, materials, start = [], [], [], 0
        names: dict[str, int] = {}
        for (points, triangles), each in zip(self._triangles(), self.shown, strict=True):
            places.append(points)
            faces.append(triangles + start)
            start += len(points)
            slots = [material.name if material else "" for material in each.mesh.materials]
            numbers = [names.setdefault(name, len(names)) for name in slots or [""]]
            materials.append(np.array(numbers)[_triangle_slots(each.mesh)])
        counts = [len(each) for each in faces]
        return arrays_file(
            np.concatenate(places),
            np.concatenate(faces),
            np.repeat(np.arange(len(counts)), counts),
            np.concatenate(materials),
            [part.source.label for part in self.parts],
            [*names],
        )

    def _triangles(self) -> Iterator[tuple[Floats, Ids]]:
        """Yield the vertices of each part in world space, (v, 3), and its triangles, (t, 3)."""
        for part, each in zip(self.parts, self.shown, strict=True):
            arrays, matrix = mesh_arrays(each.mesh), self._matrices[part.source.row]
            yield arrays.positions @ matrix[:3, :3].T + matrix[:3, 3], arrays.triangles

    def _meshes(
        self, items: Sequence[bpy.types.Object], digests: "Digests"
    ) -> list[bpy.types.Mesh]:
        """Return the evaluated mesh of each object: its own, or a new one shared by copies."""
        changed = [
            item for item in items if item.type != "MESH" or len(item.modifiers) or is_edited(item)
        ]
        found: dict[int, bpy.types.Mesh] = {}
        known: dict[tuple[object, ...], bpy.types.Mesh] = {}
        if changed:
            layer, home = self.scene.view_layers[0], self.scene.collection
            for item in changed:
                home.objects.link(item)
            layer.update()
            for item in changed:
                mesh = bpy.data.meshes.new_from_object(
                    item.evaluated_get(layer.depsgraph),
                    preserve_all_data_layers=True,
                    depsgraph=layer.depsgraph,
                )
                self._made.append(mesh)
                slots = [each.session_uid if each else 0 for each in mesh.materials]
                key = item.data.session_uid, digests.of_mesh(mesh), *slots
                found[item.session_uid] = known.setdefault(key, mesh)
            for item in changed:
                home.objects.unlink(item)
        return [found.get(item.session_uid, item.data) for item in items]  # type: ignore[arg-type]

    def _twin(self, number: int, part: ChunkPart, shown: ShownPart, meters: float) -> Twin:
        matrix, mesh = self._matrices[part.source.row], shown.mesh
        place = Matrix.Scale(meters, 4) @ Matrix(matrix.tolist())
        if are_sheared(np.array(place, np.float64)[None])[0]:
            mesh, place = _baked(mesh, place)
            self._made.append(mesh)
        # Numbered names make the order the same for exporters that sort by name.
        twin = bpy.data.objects.new(f"chunk {number:07d}", mesh)
        self._made.append(twin)
        twin.rotation_mode = "QUATERNION"
        twin.matrix_world = Matrix.LocRotScale(*place.decompose())
        for to, slot in zip(twin.material_slots, shown.item.material_slots, strict=False):
            if slot.link == "OBJECT":
                to.link, to.material = "OBJECT", slot.material
        self.scene.collection.objects.link(twin)
        return Twin(twin, part.source.label)


class Digests:
    """Digests of parts of chunks; digests of meshes and materials are cached."""

    def __init__(self) -> None:
        self._meshes: dict[int, bytes] = {}
        self._materials: dict[int, bytes] = {}

    def of_part(self, part: ChunkPart, item: bpy.types.Object, mesh: bpy.types.Mesh) -> bytes:
        """Return a digest of a part that is equal in any session while nothing has changed."""
        said = f"{part.source.label}\0{part.signature}"
        sums = sha1(said.encode("utf-8", "backslashreplace"), usedforsecurity=False)
        sums.update(self.of_mesh(mesh))
        for material in (*mesh.materials, *(slot.material for slot in item.material_slots)):
            sums.update(self._of_material(material))
        return sums.digest()

    def of_mesh(self, mesh: bpy.types.Mesh) -> bytes:
        """Return a digest of the layers of a mesh."""
        uid = mesh.session_uid
        if uid not in self._meshes:
            self._meshes[uid] = mesh_layers(mesh).digest()
        return self._meshes[uid]

    def _of_material(self, material: bpy.types.Material | None) -> bytes:
        uid = material.session_uid if material else 0
        if uid not in self._materials:
            self._materials[uid] = material_fingerprint(material)
        return self._materials[uid]


def _triangle_slots(mesh: bpy.types.Mesh) -> Ids:
    """Return the material slot of each triangle, (t,)."""
    slots = np.zeros(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("material_index", slots)
    return np.clip(slots[mesh_arrays(mesh).polygons], 0, max(len(mesh.materials) - 1, 0))


def _baked(mesh: bpy.types.Mesh, place: Matrix) -> tuple[bpy.types.Mesh, Matrix]:
    """Return a copy of a mesh with the linear part of a matrix applied, and the translation."""
    copy = mesh.copy()
    linear = place.to_3x3()
    copy.transform(linear.to_4x4(), shape_keys=True)
    if linear.determinant() < 0:
        copy.flip_normals()
    return copy, Matrix.Translation(place.to_translation())
