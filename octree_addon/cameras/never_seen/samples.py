"""Samples of faces and objects, kept for the session: how many pixels of tested views saw each."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...answers.standing import StandingAnswers
from ...arrays import Ids

# What stands instead of a count for faces of materials that were counted as open.
OPEN = -1


@dataclass(frozen=True)
class Facts:
    """What was tested, and what it is worth.

    Attributes
    ----------
    kind : {"SHOT", "OUTSIDE", "INSIDE"}
        Where the views are.
    views : int
        How many there are.
    size : tuple of int
        Width and height in pixels.
    frames : int
        In how many frames.
    added_faces, added_objects : float
        Saturation: parts of the seen faces, and objects, that only the last tenth of the views
        saw.
    opaque : tuple of str
        Names of materials that let light through and were counted as opaque.
    not_counted : tuple of str
        What has pixels in a render, but no triangles: "hair", "volumes".
    left_out : tuple of str
        Names of cameras that were asked about, but have no picture: panoramic and custom ones.
    """

    kind: str
    views: int
    size: tuple[int, int]
    frames: int
    added_faces: float
    added_objects: float
    opaque: tuple[str, ...]
    not_counted: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Samples:
    """How many samples saw each object and each face; holds no reference into Blender.

    Faces of materials that were counted as open have `OPEN` instead of a count.

    Attributes
    ----------
    objects : Mapping of int to int
        By the session id of each tested object: samples of it, and of its instances.
    open_objects : frozenset of int
        Those with faces that were counted as open.
    own : Mapping of int to ndarray of intp, shape (polygons,)
        By the session id of an object: samples of the polygons of its evaluated mesh, where it
        stands itself.
    meshes : Mapping of int to ndarray of intp, shape (polygons,)
        By the session id of a mesh: samples of its own polygons, through all objects and instances
        that show it.
    changed : frozenset of int
        Session ids of meshes that some object shows with other faces, by its modifiers. They are
        not in `meshes`.
    instanced : frozenset of int
        Session ids of meshes that instances show.
    facts : Facts
        How they were counted.
    """

    objects: Mapping[int, int]
    open_objects: frozenset[int]
    own: Mapping[int, Ids]
    meshes: Mapping[int, Ids]
    changed: frozenset[int]
    instanced: frozenset[int]
    facts: Facts

    @property
    def never(self) -> list[int]:
        """Session ids of the objects that no sample saw."""
        pairs = self.objects.items()
        return [uid for uid, count in pairs if not count and uid not in self.open_objects]

    @property
    def never_faces(self) -> int:
        """How many faces of meshes no sample saw."""
        return sum(int((counts == 0).sum()) for counts in self.meshes.values())

    @property
    def face_count(self) -> int:
        """How many faces of meshes were tested."""
        return sum(len(counts) for counts in self.meshes.values())


ANSWERS = StandingAnswers(Samples, "find_never_seen", "Find what is never seen first")
get, keep = ANSWERS.get, ANSWERS.put
