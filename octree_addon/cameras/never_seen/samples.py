"""Samples of faces and objects, kept for the session: how many pixels of tested views saw each."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...answers.standing import StandingAnswers
from ...arrays import Ids

# What stands instead of a count for faces of materials that were counted as open, and for faces
# too small for pixels to tell whether they are hidden.
OPEN, TOO_SMALL = -1, -2


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
    pixels : tuple of float
        How wide a pixel is in the finest view, and in the coarsest: a length in parallel views,
        else a part of the distance.
    are_parallel : bool
        Whether all views are parallel.
    groups : int
        How many groups of things, far apart, had views of their own.
    stretching : tuple of int and float
        Session id of the object without which a pixel were smallest, and by how many times; 0 and
        1 if none makes a great difference.
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
    pixels: tuple[float, float] = (0.0, 0.0)
    are_parallel: bool = True
    groups: int = 1
    stretching: tuple[int, float] = (0, 1.0)


@dataclass(frozen=True, eq=False)
class Samples:
    """How many samples saw each object and each face; holds no reference into Blender.

    Faces of materials that were counted as open have `OPEN` instead of a count. Faces that no
    sample saw have `TOO_SMALL` if they are smaller than some pixels in every view, and were not
    behind all the pixels around them in each.

    Attributes
    ----------
    objects : Mapping of int to int
        By the session id of each tested object: samples of it, and of its instances.
    open_objects : frozenset of int
        Those with faces that were counted as open.
    small_objects : frozenset of int
        Those too small to tell whether they are hidden: no sample saw them.
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
    small_objects: frozenset[int]
    own: Mapping[int, Ids]
    meshes: Mapping[int, Ids]
    changed: frozenset[int]
    instanced: frozenset[int]
    facts: Facts

    @property
    def never(self) -> list[int]:
        """Session ids of the objects that no sample saw, and that are not too small to tell."""
        others = self.open_objects | self.small_objects
        return [uid for uid, count in self.objects.items() if not count and uid not in others]

    @property
    def never_faces(self) -> int:
        """How many faces of meshes no sample saw, without those too small to tell."""
        return sum(int((counts == 0).sum()) for counts in self.meshes.values())

    @property
    def small_faces(self) -> int:
        """How many faces of meshes are too small to tell."""
        return sum(int((counts == TOO_SMALL).sum()) for counts in self.meshes.values())

    @property
    def face_count(self) -> int:
        """How many faces of meshes were tested."""
        return sum(len(counts) for counts in self.meshes.values())


ANSWERS = StandingAnswers(Samples, "find_never_seen", "Find what is never seen first")
get, keep = ANSWERS.get, ANSWERS.put
