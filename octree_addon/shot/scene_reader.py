"""The scene read frame after frame: each mesh again only if it may have changed."""

from collections.abc import Container
from typing import NamedTuple

import bpy
import numpy as np

from ..reader import bulk, evaluated_mesh, is_editable, mesh_arrays
from .local_meshes import LocalMesh
from .placements import Placements
from .seen import Subject


class Shown(NamedTuple):
    """What an entry of the dependency graph shows: nothing, or a mesh on behalf of an object."""

    uid: int
    mesh: LocalMesh | None = None
    subject: int = -1
    face_mesh: int = -1


class SceneReader:
    """Reads the placements of one frame after the other.

    Parameters
    ----------
    wanted : container of int, optional
        Session ids of the objects that are asked about; by default whatever is visible.
    faces : bool, default False
        Whether to find the way back to the polygons of the original meshes.

    Attributes
    ----------
    subjects : list of Subject
        The objects found so far; placements name them by their number.
    """

    def __init__(self, wanted: Container[int] | None, *, faces: bool = False) -> None:
        self.subjects: list[Subject] = []
        self._wanted, self._faces = wanted, faces
        self._numbers: dict[int, int] = {}
        self._meshes: dict[int, LocalMesh] = {}
        self._objects: dict[int, Shown] = {}

    def read(self, depsgraph: bpy.types.Depsgraph, changed: set[int]) -> Placements:
        """Read one frame.

        Parameters
        ----------
        depsgraph : bpy.types.Depsgraph
            Evaluated at that frame.
        changed : set of int
            Session ids of what has changed its geometry since the last frame that was read.

        Returns
        -------
        Placements
            Of the objects that are visible in the view layer, and of what they instance.
        """
        self._forget(changed)
        shown = self._shown(depsgraph)
        # All at once, for NumPy takes ten times as long over a Matrix.
        rows = bulk(depsgraph.object_instances, "matrix_world", 16 * len(shown), np.float32)
        matrices = rows.reshape(-1, 4, 4).swapaxes(1, 2)[:, :3].astype(np.float64)
        _, meshes, subjects, face_meshes = zip(*shown, strict=True) if shown else ((),) * 4
        present = set(meshes)
        self._meshes = {at: mesh for at, mesh in self._meshes.items() if mesh in present}
        return Placements.of(
            meshes, np.array(subjects, np.intp), np.array(face_meshes, np.intp), matrices
        )

    def _forget(self, changed: set[int]) -> None:
        """Drop what is to be read again.

        An address may be given to another mesh, but not before the object whose mesh was there
        has been evaluated again, or has gone.
        """
        if changed:
            meshes, objects = self._meshes.items(), self._objects.items()
            self._meshes = {at: each for at, each in meshes if each.sources.isdisjoint(changed)}
            self._objects = {at: each for at, each in objects if each.uid not in changed}

    def _shown(self, depsgraph: bpy.types.Depsgraph) -> list[Shown]:
        """Return what each entry shows, in their order."""
        shown: list[Shown] = []
        known, self._objects = self._objects, {}
        for instance in depsgraph.object_instances:
            if not instance.show_self:
                shown.append(Shown(-1))
            elif instance.is_instance:
                shown.append(self._look_up(instance, instance.parent.original))
            else:
                # Of an object itself nothing needs to be looked up twice, as long as it stays.
                pointer = instance.object.as_pointer()
                found = known.get(pointer) or self._look_up(instance, instance.object.original)
                self._objects[pointer] = found
                shown.append(found)
        return shown

    def _look_up(
        self, instance: bpy.types.DepsgraphObjectInstance, owner: bpy.types.Object
    ) -> Shown:
        evaluated, uid = instance.object, instance.object.original.session_uid
        if evaluated.type != "MESH" or not (
            self._wanted is None or owner.session_uid in self._wanted
        ):
            return Shown(uid)
        mesh = self._mesh_of(evaluated)
        mesh.sources.add(uid)
        if mesh.is_empty:
            return Shown(uid)
        return Shown(uid, mesh, self._number_of(owner), self._face_mesh_of(instance, owner))

    def _mesh_of(self, evaluated: bpy.types.Object) -> LocalMesh:
        pointer = evaluated.data.as_pointer()
        if pointer not in self._meshes:
            with evaluated_mesh(evaluated) as mesh:
                self._meshes[pointer] = LocalMesh(mesh_arrays(mesh))
        return self._meshes[pointer]

    def _number_of(self, owner: bpy.types.Object) -> int:
        uid = owner.session_uid
        if uid not in self._numbers:
            self._numbers[uid] = len(self.subjects)
            self.subjects.append(Subject(uid, owner.name))
        return self._numbers[uid]

    def _face_mesh_of(
        self, instance: bpy.types.DepsgraphObjectInstance, owner: bpy.types.Object
    ) -> int:
        if self._faces and is_editable(instance, owner):
            return owner.data.session_uid
        return -1
