"""Samples, stored for the session: numbers of pixels in tested views by face and object."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...answers.standing import StandingAnswers
from ...arrays import Ids

# Special values in counts: faces of materials that counted as open, and faces so small that
# pixels cannot tell whether they are hidden.
OPEN, TOO_SMALL = -1, -2


@dataclass(frozen=True)
class Facts:
    """Facts about the tested views and about the validity of the samples.

    Attributes
    ----------
    kind : {"SHOT", "OUTSIDE", "INSIDE"}
        Kind of views: from cameras, from all around, from places in a volume.
    views : int
        Number of views.
    size : tuple of int
        Width and height of a view in pixels.
    frames : int
        Number of frames.
    added_faces, added_objects : float
        Saturation: fractions of the seen faces and objects that only the last tenth of the views
        saw.
    opaque : tuple of str
        Names of transparent materials that counted as opaque.
    not_counted : tuple of str
        Kinds of objects that have pixels in a render but no triangles: "hair", "volumes".
    left_out : tuple of str
        Names of requested cameras without a picture: panoramic and custom cameras.
    pixels : tuple of float
        Width of a pixel in the finest and in the coarsest view: a length in parallel views,
        otherwise a fraction of the distance.
    are_parallel : bool
        True if all views are parallel projections.
    groups : int
        Number of groups of placements, far apart, with views of their own.
    stretching : tuple of int and float
        Session id of the object whose removal would shrink pixels most, and the factor; (0, 1) if
        no object makes a great difference.
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
    """Numbers of samples (pixels of views) by object and face, without references to Blender data.

    Faces of materials that counted as open have `OPEN` instead of a count. Faces without samples
    have `TOO_SMALL` if they are too small for the pixels of every view, and if in some view they
    are not behind all surrounding pixels.

    Attributes
    ----------
    objects : Mapping of int to int
        Samples of each tested object and its instances, by session id.
    open_objects : frozenset of int
        Session ids of objects with faces that counted as open.
    small_objects : frozenset of int
        Session ids of objects without samples that are too small to tell whether they are hidden.
    own : Mapping of int to ndarray of intp, shape (polygons,)
        Samples of the polygons of an object's evaluated mesh, without its instances, by session
        id of the object.
    meshes : Mapping of int to ndarray of intp, shape (polygons,)
        Samples of the polygons of an original mesh, summed over all objects and instances that
        show the mesh, by session id of the mesh.
    changed : frozenset of int
        Session ids of meshes whose polygons differ in some object, due to its modifiers. These
        meshes are not in `meshes`.
    instanced : frozenset of int
        Session ids of meshes that instances show.
    facts : Facts
        Facts about the tested views.
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
        """Session ids of the objects without samples, except open and too small ones."""
        others = self.open_objects | self.small_objects
        return [uid for uid, count in self.objects.items() if not count and uid not in others]

    @property
    def never_faces(self) -> int:
        """The number of faces of meshes without samples, except too small ones."""
        return sum(int((counts == 0).sum()) for counts in self.meshes.values())

    @property
    def small_faces(self) -> int:
        """The number of faces of meshes that are too small to tell."""
        return sum(int((counts == TOO_SMALL).sum()) for counts in self.meshes.values())

    @property
    def face_count(self) -> int:
        """The number of tested faces of meshes."""
        return sum(len(counts) for counts in self.meshes.values())


ANSWERS = StandingAnswers(Samples, "find_never_seen", "Find what is never seen first")
get, keep = ANSWERS.get, ANSWERS.put
