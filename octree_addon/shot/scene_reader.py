"""What cameras see in one frame: their frusta, and the planes around them."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import bpy
import numpy as np

from ...core import Frusta
from ..arrays import Floats
from ..camera import camera_frusta
from ..reader import bulk, evaluated_mesh, is_editable, mesh_arrays
from .placements import LocalMesh, Placements
from .visibility_result import Subject


@dataclass(frozen=True, eq=False)
class Views:
    """The cameras of one frame.

    Attributes
    ----------
    names : tuple of str
        Of the cameras, each once.
    frusta : Frusta
        One for each.
    """

    names: tuple[str, ...]
    frusta: Frusta

    @cached_property
    def planes(self) -> Floats:
        """Six planes a view, positive inside, (v, 6, 4)."""
        return self.frusta.plane_rows.transpose(2, 0, 1)

    @cached_property
    def corners(self) -> Floats:
        """Eight corners a view, (v, 8, 3)."""
        return self.frusta.corners


def read_views(
    depsgraph: bpy.types.Depsgraph,
    scene: bpy.types.Scene,
    names: Sequence[str],
    *,
    margin: float,
    angle: float,
) -> Views:
    """Return what cameras see in the present frame.

    Parameters
    ----------
    depsgraph : bpy.types.Depsgraph
        Evaluated at that frame.
    scene : bpy.types.Scene
        Gives the image, and the camera that markers may switch.
    names : sequence of str
        Names of cameras; none stands for the scene's.
    margin, angle : float
        See `camera_frusta`.

    Returns
    -------
    Views
        Of at least one camera.

    Raises
    ------
    ValueError
        If there is no camera, if it has another frame than this one because it is disabled in
        viewports, or if its view is no frustum.
    """
    cameras = [_camera_named(scene, name) for name in names] or [_scene_camera(scene)]
    corners = []
    for camera in cameras:
        evaluated = camera.evaluated_get(depsgraph)
        if not evaluated.is_evaluated:
            raise ValueError(f"{camera.name} is disabled in viewports, where it does not move")
        frusta = camera_frusta(evaluated, scene, depsgraph, margin=margin, angle=angle)
        corners.append(frusta.corners[0])
    return Views(tuple(camera.name for camera in cameras), Frusta(corners))


def _scene_camera(scene: bpy.types.Scene) -> bpy.types.Object:
    if scene.camera is None:
        raise ValueError("The scene has no camera")
    return scene.camera


def _camera_named(scene: bpy.types.Scene, name: str) -> bpy.types.Object:
    camera: bpy.types.Object | None = scene.objects.get(name)
    if camera is None:
        raise ValueError(f"The scene has no camera named {name}")
    return camera


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
