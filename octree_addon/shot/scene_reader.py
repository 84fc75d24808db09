"""Per-frame scene reads: frusta of cameras, placements of meshes that are read once."""

from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

import bpy
import numpy as np

from ...core import Frusta
from ..camera import view_of
from ..reader import (
    bulk,
    counts_as_scene,
    evaluated_mesh,
    is_editable,
    mesh_arrays,
    mesh_triangles,
    mesh_vertices,
    triangle_count,
)
from .local_mesh import LocalMesh, MeshFaces
from .placements import FramePlacements
from .visibility_result import TestedObject

# Triangles of a larger mesh are read only if they are needed.
_MANY_TRIANGLES = 10_000
# Triangles read before Blender may draw.
_PATIENCE = 1 << 22


def read_frusta(
    depsgraph: bpy.types.Depsgraph,
    scene: bpy.types.Scene,
    names: Sequence[str],
    *,
    margin: float,
    angle: float,
) -> tuple[tuple[str, ...], Frusta]:
    """Return the names and the view frusta of cameras, by default the scene's, in this frame.

    Refused are a scene without a camera, one that is disabled in viewports and thus not at this
    frame, and what `camera_frusta` refuses.
    """
    cameras = cameras_of(depsgraph, scene, names)
    views = [view_of(camera, scene, depsgraph, margin=margin, angle=angle) for camera in cameras]
    frusta = Frusta(np.concatenate([view.corners for view in views]))
    return tuple(camera.name for camera in cameras), frusta


def cameras_of(
    depsgraph: bpy.types.Depsgraph, scene: bpy.types.Scene, names: Sequence[str]
) -> list[bpy.types.Object]:
    """Return the cameras of these names, by default the scene's in this frame."""
    cameras = [_camera_named(scene, name) for name in names] or [scene.camera]
    for camera in cameras:
        if camera is None:
            raise ValueError("The scene has no camera")
        if not camera.evaluated_get(depsgraph).is_evaluated:
            raise ValueError(f"{camera.name} is disabled in viewports, so it is not animated")
    return [camera for camera in cameras if camera]


def _camera_named(scene: bpy.types.Scene, name: str) -> bpy.types.Object:
    camera: bpy.types.Object | None = scene.objects.get(name)
    if camera is None:
        raise ValueError(f"The scene has no camera named {name}")
    return camera


class ShownEntry(NamedTuple):
    """What an entry of the dependency graph shows: nothing, or a mesh of an object."""

    uid: int
    mesh: LocalMesh | None = None
    number: int = -1
    face_mesh: int = -1


class FrameReader:
    """Reads the placements of one frame after the other.

    Parameters
    ----------
    wanted : container of int, optional
        Session ids of the objects to test; by default all that are visible.
    faces : bool, default False
        Whether to find the way back to the polygons of the original meshes.

    Attributes
    ----------
    objects : list of TestedObject
        Those found so far; placements hold their numbers.
    """

    def __init__(self, wanted: Container[int] | None, *, faces: bool = False) -> None:
        self.objects: list[TestedObject] = []
        self._wanted, self._faces = wanted, faces
        self._numbers: dict[int, int] = {}
        self._meshes: dict[int, LocalMesh] = {}
        self._known: dict[int, ShownEntry] = {}
        self._entries: list[ShownEntry] = []

    def read(self, depsgraph: bpy.types.Depsgraph, changed: set[int]) -> FramePlacements:
        """Read the placements of one frame: of visible objects, and of what they instance.

        `changed` holds session ids of what has changed its geometry since the last frame read.
        """
        self._forget(changed)
        shown = self._entries = self._shown(depsgraph)
        # All at once: NumPy is ten times slower on a Matrix.
        rows = bulk(depsgraph.object_instances, "matrix_world", 16 * len(shown), np.float32)
        matrices = rows.reshape(-1, 4, 4).swapaxes(1, 2)[:, :3].astype(np.float64)
        _, meshes, numbers, face_meshes = zip(*shown, strict=True) if shown else ((),) * 4
        present = set(meshes)
        self._meshes = {at: mesh for at, mesh in self._meshes.items() if mesh in present}
        return FramePlacements.of(
            meshes, np.array(numbers, np.intp), np.array(face_meshes, np.intp), matrices
        )

    def read_triangles(
        self, context: bpy.types.Context, meshes: Sequence[LocalMesh]
    ) -> Iterator[float]:
        """Read the triangles of some meshes of the frame that was read last.

        Yields now and then. A `ValueError` says that the frame has changed since.
        """
        unread = {mesh.faces for mesh in meshes}
        while unread:
            before = len(unread)
            self._read_some(context.evaluated_depsgraph_get(), unread)
            if len(unread) == before:
                raise ValueError("The scene has changed meanwhile: look once more")
            yield 0.0

    def _read_some(self, depsgraph: bpy.types.Depsgraph, unread: set[MeshFaces]) -> None:
        """Read triangles until enough are read for a while; the rest stays in the set."""
        count = 0
        for instance, shown in zip(depsgraph.object_instances, self._entries, strict=False):
            if shown.mesh and shown.mesh.faces in unread:
                unread.discard(shown.mesh.faces)
                self._fill(instance.object, shown.mesh)
                count += len(shown.mesh.triangles)
            if count > _PATIENCE or not unread:
                return

    def _fill(self, evaluated: bpy.types.Object, local: LocalMesh) -> None:
        """Give a mesh its triangles, if it still is what it was."""
        faces = local.faces
        if evaluated.type == "MESH":
            with evaluated_mesh(evaluated) as mesh:
                sizes = len(mesh.vertices), len(mesh.loops), len(mesh.polygons)
                if sizes == (len(local.positions), len(faces.corners), faces.polygon_count):
                    faces.triangles, faces.polygons = mesh_triangles(mesh, faces.corners)
                    return
        raise ValueError("The scene has changed meanwhile: look once more")

    def _forget(self, changed: set[int]) -> None:
        """Drop what has to be read again.

        An address may be given to another mesh, but not before the object whose mesh was there
        has been evaluated again, or has gone.
        """
        if changed:
            meshes, objects = self._meshes.items(), self._known.items()
            self._meshes = {at: each for at, each in meshes if each.sources.isdisjoint(changed)}
            self._known = {at: each for at, each in objects if each.uid not in changed}

    def _shown(self, depsgraph: bpy.types.Depsgraph) -> list[ShownEntry]:
        """Return what each entry shows, in their order."""
        shown: list[ShownEntry] = []
        known, self._known = self._known, {}
        for instance in depsgraph.object_instances:
            if not instance.show_self:
                shown.append(ShownEntry(-1))
            elif instance.is_instance:
                shown.append(self._look_up(instance, instance.parent.original))
            else:
                # What an object itself shows is looked up once, as long as it stays.
                pointer = instance.object.as_pointer()
                found = known.get(pointer) or self._look_up(instance, instance.object.original)
                self._known[pointer] = found
                shown.append(found)
        return shown

    def _look_up(
        self, instance: bpy.types.DepsgraphObjectInstance, owner: bpy.types.Object
    ) -> ShownEntry:
        evaluated, uid = instance.object, instance.object.original.session_uid
        is_wanted = self._wanted is None or owner.session_uid in self._wanted
        if evaluated.type != "MESH" or not is_wanted or not counts_as_scene(evaluated):
            return ShownEntry(uid)
        mesh = self._mesh_of(evaluated)
        mesh.sources.add(uid)
        if mesh.is_empty:
            return ShownEntry(uid)
        return ShownEntry(uid, mesh, self._number_of(owner), self._face_mesh_of(instance, owner))

    def _mesh_of(self, evaluated: bpy.types.Object) -> LocalMesh:
        pointer = evaluated.data.as_pointer()
        if pointer not in self._meshes:
            with evaluated_mesh(evaluated) as mesh:
                self._meshes[pointer] = _read_mesh(mesh)
        return self._meshes[pointer]

    def _number_of(self, owner: bpy.types.Object) -> int:
        uid = owner.session_uid
        if uid not in self._numbers:
            self._numbers[uid] = len(self.objects)
            self.objects.append(TestedObject(uid, owner.name))
        return self._numbers[uid]

    def _face_mesh_of(
        self, instance: bpy.types.DepsgraphObjectInstance, owner: bpy.types.Object
    ) -> int:
        if self._faces and is_editable(instance, owner):
            return owner.data.session_uid
        return -1


def _read_mesh(mesh: bpy.types.Mesh) -> LocalMesh:
    """Read a mesh; of a large one with finite coordinates no triangles."""
    if triangle_count(mesh) > _MANY_TRIANGLES:
        positions, corners = mesh_vertices(mesh)
        found = LocalMesh(positions, MeshFaces(corners, len(mesh.polygons)), is_large=True)
        if found.blocks.is_finite:
            return found
    arrays = mesh_arrays(mesh)
    return LocalMesh(arrays.positions, MeshFaces.of(arrays))
