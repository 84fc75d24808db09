"""Subjects of actions: found objects with a number each, and found faces by mesh, lazily."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import bpy
from numpy.typing import NDArray

Objects = Iterable[bpy.types.Object]
# A number for each polygon, (polygons,), by the session id of the mesh; 0 means not found.
Faces = Mapping[int, NDArray[Any]]


def _no_faces(_: Objects) -> Faces:
    return {}


@dataclass(frozen=True, eq=False)
class Subjects:
    """The objects and faces that an action is applied to; no references into Blender.

    Attributes
    ----------
    objects : Mapping of int to float
        A number for each object, by session id, in the order of the findings: for example the
        number of rows that name the object.
    faces : callable
        Function from objects to `Faces`, the numbers of the polygons of their meshes. Called only
        if faces are wanted. By default there are none.
    are_instances : bool
        True if the numbers count instances; reports then include them.
    """

    objects: Mapping[int, float] = field(default_factory=dict)
    faces: Callable[[Objects], Faces] = _no_faces
    are_instances: bool = False

    def among(self, objects: Objects) -> list[bpy.types.Object]:
        """Return the given objects that were found, in the order of the findings."""
        found = {item.session_uid: item for item in objects if item}
        return [found[uid] for uid in self.objects if uid in found]
