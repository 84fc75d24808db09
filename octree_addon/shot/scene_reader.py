"""The scene read frame after frame: each mesh again only if it may have changed."""

from collections.abc import Container, Iterator

import bpy

from ..reader import evaluated_mesh, is_editable, mesh_arrays
from .local_meshes import LocalMesh
from .placements import Placement, Placements
from .seen import Subject


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
        # An address may be given to another mesh, but not before the object whose mesh was there
        # has been evaluated again, or has gone.
        kept = {at: mesh for at, mesh in self._meshes.items() if mesh.sources.isdisjoint(changed)}
        self._meshes = {}
        return Placements.of(list(self._placements(depsgraph, kept)))

    def _placements(
        self, depsgraph: bpy.types.Depsgraph, kept: dict[int, LocalMesh]
    ) -> Iterator[Placement]:
        for instance, owner in self._instances(depsgraph):
            mesh = self._mesh_of(instance.object, kept)
            if not mesh.is_empty:
                # Row by row: NumPy takes several times as long over a Matrix.
                rows = [instance.matrix_world[row][:] for row in range(3)]
                yield Placement(
                    mesh,
                    self._number_of(owner),
                    self._face_mesh_of(instance, owner),
                    rows,
                )

    def _instances(
        self, depsgraph: bpy.types.Depsgraph
    ) -> Iterator[tuple[bpy.types.DepsgraphObjectInstance, bpy.types.Object]]:
        """Yield what is made of triangles, with the object that shows it."""
        wanted = self._wanted
        for instance in depsgraph.object_instances:
            if instance.object.type != "MESH" or not instance.show_self:
                continue
            owner = (instance.parent if instance.is_instance else instance.object).original
            if wanted is None or owner.session_uid in wanted:
                yield instance, owner

    def _mesh_of(self, evaluated: bpy.types.Object, kept: dict[int, LocalMesh]) -> LocalMesh:
        pointer = evaluated.data.as_pointer()
        mesh = self._meshes.get(pointer) or kept.get(pointer)
        if mesh is None:
            with evaluated_mesh(evaluated) as lent:
                mesh = LocalMesh(mesh_arrays(lent))
        self._meshes[pointer] = mesh
        mesh.sources.add(evaluated.original.session_uid)
        return mesh

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
