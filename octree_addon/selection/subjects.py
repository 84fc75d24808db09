"""Subjects of verbs: objects that were found, each with a number, and faces by mesh, lazily."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import bpy
from numpy.typing import NDArray

Objects = Iterable[bpy.types.Object]
# A number for each polygon, (polygons,), by the session id of the mesh; 0 was not found.
Faces = Mapping[int, NDArray[Any]]


def _no_faces(_: Objects) -> Faces:
    return {}


@dataclass(frozen=True, eq=False)
class Subjects:
    """What was found, for all that is done with it; holds no reference into Blender.

    Attributes
    ----------
    objects : Mapping of int to float
        By session id and in order, each with a number: how much of it was found, or how often.
    faces : callable
        Takes the objects that are asked about, and returns numbers of polygons by the session id
        of their mesh. It is called only once faces are wanted. By default there are none.
    are_instances : bool
        Whether the numbers are those of instances, which a report tells.
    """

    objects: Mapping[int, float] = field(default_factory=dict)
    faces: Callable[[Objects], Faces] = _no_faces
    are_instances: bool = False

    def among(self, objects: Objects) -> list[bpy.types.Object]:
        """Return those of some objects that were found, in the order in which they were."""
        found = {item.session_uid: item for item in objects if item}
        return [found[uid] for uid in self.objects if uid in found]
