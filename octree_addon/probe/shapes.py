"""Shapes of live questions, such as a sphere or a ray; each answers and names its operator."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import bpy
import numpy as np

from ...core import Spheres, ray_cast, ray_cast_all
from ..arrays import Floats
from ..questions import Query
from ..questions.box import OCTREE_OT_select_in_box, box_of
from ..questions.nearest import nearest_items
from ..questions.outlines import hexahedron_outline, sphere_outline
from ..questions.query_operator import VolumeQuery
from ..snapshots import SceneTarget
from ..ui import length_text, lengths_text, settings_of
from .picture import Corners, PickedItems, ProbePicture, found_in, of_items, shown, told

# Length of the line of a normal, relative to the distance from the eye.
_NORMAL = 0.05
# Axes of the world in both directions: their names, and directions (6, 3).
_AXES = ("+X", "+Y", "+Z", "-X", "-Y", "-Z")
_WAYS = np.concatenate((np.eye(3), -np.eye(3)))
# Offset of rays from a surface, relative to the largest coordinate: above single precision.
_HAIR = 2.0**-16


class Sight(NamedTuple):
    """A visible point, the direction from the eye (of length 1), and the eye, (3,) each.

    Attributes
    ----------
    is_hit : bool
        True if the point lies on an object.
    normal : ndarray of float64, shape (3,)
        Normal of the surface, towards the eye; zero in free space.
    """

    point: Floats
    direction: Floats
    eye: Floats
    is_hit: bool
    normal: Floats = np.zeros(3)


@dataclass(frozen=True, eq=False)
class Shape(ABC):
    """A shape to ask with, which has a live answer and options for an operator.

    Attributes
    ----------
    key : str
        Name of the question's settings, and of its item in the setting *Near*.
    question : str
        Name of the operator in `bpy.ops.octree`; empty if no operator stores the answer.
    reads : tuple of str
        Settings that the shape depends on; the tool header shows the first.
    size : str
        The setting that the wheel changes; empty if none.
    hint : str
        Hint about dragging and the wheel.
    """

    key: ClassVar[str]
    question: ClassVar[str] = ""
    reads: ClassVar[tuple[str, ...]] = ()
    size: ClassVar[str] = ""
    hint: ClassVar[str] = ""

    @classmethod
    @abstractmethod
    def at(cls, settings: Any, sight: "Sight") -> "Shape":
        """Return the shape that the settings describe at a visible point."""

    def options(self) -> dict[str, Any]:
        """Return the options for the operator of the question."""
        return {}

    @abstractmethod
    def answer(self, context: bpy.types.Context, target: SceneTarget) -> ProbePicture:
        """Return the live answer for a target."""


@dataclass(frozen=True, eq=False)
class SphereShape(Shape):
    """A sphere around a center (3,)."""

    center: Floats
    radius: float
    relation: str = "touching"
    key, question = "sphere", "select_in_sphere"
    reads, size, hint = ("radius",), "radius", "Drag or Wheel: Radius"

    @classmethod
    def at(cls, settings: Any, sight: Sight) -> "SphereShape":
        return cls(sight.point, settings.radius)

    def options(self) -> dict[str, Any]:
        relation = self.relation.upper()
        return {"center": self.center.tolist(), "radius": self.radius, "relation": relation}

    def answer(self, context: bpy.types.Context, target: SceneTarget) -> ProbePicture:
        found = found_in(target, Spheres([self.center], [self.radius]), "touching")
        words = f"{length_text(context.scene, self.radius)} around: {told(context, target, found)}"
        outline = sphere_outline(self.center, self.radius)
        return _picture(target, found, words, outline=outline)

    def resized(self, side: int, amount: float) -> "SphereShape":
        """Return a sphere whose radius is larger by an amount; all sides are equal."""
        return replace(self, radius=max(self.radius + amount, 0.0))

    def handle(self, side: int) -> Floats:
        """Return the point of the surface on a side, (3,)."""
        place: Floats = self.center + self.radius * normal_of(side)
        return place


@dataclass(frozen=True, eq=False)
class BoxShape(Shape):
    """A box along the axes of the world, from a lower to an upper corner, (3,) each."""

    lower: Floats
    upper: Floats
    relation: str = "touching"
    key, question = "box", "select_in_box"
    reads, size, hint = ("size", "relation"), "size", "Drag: New Box, Wheel: Size"

    @classmethod
    def at(cls, settings: Any, sight: Sight) -> "BoxShape":
        half = np.array(settings.size) / 2
        return cls(sight.point - half, sight.point + half, settings.relation.lower())

    def options(self) -> dict[str, Any]:
        return {
            "around": "CURSOR",
            "center": ((self.lower + self.upper) / 2).tolist(),
            "size": (self.upper - self.lower).tolist(),
            "relation": self.relation.upper(),
        }

    def answer(self, context: bpy.types.Context, target: SceneTarget) -> ProbePicture:
        volume = box_of(np.stack((self.lower, self.upper)), np.eye(4))
        found = found_in(target, volume, self.relation)
        sizes = lengths_text(context.scene, self.upper - self.lower, " x ")
        words = f"{sizes}: {told(context, target, found)}"
        return _picture(target, found, words, outline=hexahedron_outline(volume.corners[0]))

    def resized(self, side: int, amount: float) -> "BoxShape":
        """Return a box with one face moved outward, or inward to the opposite face at most."""
        limits, axis = [self.lower.copy(), self.upper.copy()], side % 3
        amount = max(amount, float(self.lower[axis] - self.upper[axis]))
        limits[side // 3][axis] += amount if side >= 3 else -amount
        return replace(self, lower=limits[0], upper=limits[1])

    def handle(self, side: int) -> Floats:
        """Return the center of a face, (3,)."""
        center, half = (self.lower + self.upper) / 2, (self.upper - self.lower) / 2
        place: Floats = center + half * normal_of(side)
        return place


@dataclass(frozen=True, eq=False)
class NearestShape(Shape):
    """A point (3,), and the number of its neighbors to find.

    Attributes
    ----------
    others : bool
        True if the point lies on an object, which is not counted.
    """

    point: Floats
    count: int
    max_distance: float
    others: bool
    key, question, reads = "nearest", "select_nearest", ("count", "max_distance")

    @classmethod
    def at(cls, settings: Any, sight: Sight) -> "NearestShape":
        return cls(sight.point, settings.count, settings.max_distance, sight.is_hit)

    def options(self) -> dict[str, Any]:
        return {
            "origin": self.point.tolist(),
            "count": self.count,
            "max_distance": self.max_distance,
            "others": self.others,
        }

    def answer(self, context: bpy.types.Context, target: SceneTarget) -> ProbePicture:
        near = nearest_items(
            target,
            self.point,
            count=self.count,
            max_distance=self.max_distance or np.inf,
            others=self.others,
        )
        found = of_items(target, near.items)
        words = "no other object" if self.others else "nothing"
        if len(near.items):
            far = length_text(context.scene, float(near.distances[0]))
            words = f"{told(context, target, found)}, {far} away"
        ends = np.empty((len(near.items), 2, 3))
        ends[:, 0], ends[:, 1] = self.point, near.positions
        points = np.concatenate(([self.point], near.positions))
        return _picture(
            target, found, words, segments=_floats(ends.reshape(-1, 3)), points=_floats(points)
        )


@dataclass(frozen=True, eq=False)
class RayShape(Shape):
    """A ray: origin and direction (of length 1), (3,) each, for its first hit or all hits."""

    origin: Floats
    direction: Floats
    hits: str
    max_distance: float
    key, question, reads = "ray", "select_on_ray", ("hits", "max_distance")

    @classmethod
    def at(cls, settings: Any, sight: Sight) -> "RayShape":
        return cls(sight.eye, sight.direction, settings.hits, settings.max_distance)

    def options(self) -> dict[str, Any]:
        return {
            "origin": self.origin.tolist(),
            "direction": self.direction.tolist(),
            "along": "VECTOR",
            "hits": self.hits,
            "max_distance": self.max_distance,
        }

    def answer(self, context: bpy.types.Context, target: SceneTarget) -> ProbePicture:
        limit = self.max_distance or np.inf
        origins, directions = [self.origin], [self.direction]
        first = ray_cast(target.octree, origins, directions, max_distance=limit)
        if not np.isfinite(first.distances[0]):
            return ProbePicture("nothing")
        place, far = first.positions[0], float(first.distances[0])
        items = target.numbers_found(first, first.items >= 0)
        if self.hits == "ALL":
            crossed = ray_cast_all(target.octree, origins, directions, max_distance=limit)
            items, far_all = target.numbers_crossed(crossed.pairs), crossed.distances
            points = self.origin + far_all[:, None] * self.direction
        else:
            points = place[None]
        found = of_items(target, items)
        normal = first.normals[0] * -np.sign(first.normals[0] @ self.direction)
        ends = [place, place + normal * far * _NORMAL]
        words = f"{told(context, target, found)}, {length_text(context.scene, far)} away"
        return _picture(target, found, words, segments=_floats(ends), points=_floats(points))


@dataclass(frozen=True, eq=False)
class AxesShape(Shape):
    """A point and the normal of its surface, (3,) each, for distances along the world axes.

    Six rays measure the distances to the next surfaces. No operator stores this answer.
    """

    point: Floats
    normal: Floats
    key = "axes"

    @classmethod
    def at(cls, settings: Any, sight: Sight) -> "AxesShape":
        return cls(sight.point, sight.normal)

    def answer(self, context: bpy.types.Context, target: SceneTarget) -> ProbePicture:
        lengths = self._lengths(target)
        (met,) = np.isfinite(lengths).nonzero()
        texts = [length_text(context.scene, length) for length in lengths[met].tolist()]
        told = zip(met.tolist(), texts, strict=True)
        ends = np.empty((len(met), 2, 3))
        ends[:, 0], ends[:, 1] = self.point, self.point + lengths[met][:, None] * _WAYS[met]
        return ProbePicture(
            ", ".join(f"{_AXES[axis]} {text}" for axis, text in told) or "nothing",
            segments=_floats(ends.reshape(-1, 3)),
            points=_floats([self.point, *ends[:, 1]]),
            lengths=tuple(texts),
        )

    def _lengths(self, target: SceneTarget) -> Floats:
        """Return the length of a ray along each of `_AXES`, (6,); infinite without a hit.

        Rays start slightly off the surface, on the side that they point to.
        """
        size = float(np.linalg.norm(self.normal))
        sides = np.where(_WAYS @ self.normal < -1e-6 * size, -1.0, 1.0)[:, None]
        hair = _HAIR * max(float(np.abs(self.point).max()), 1.0) / (size or 1.0)
        hit = ray_cast(target.octree, self.point + sides * hair * self.normal, _WAYS)
        lengths = ((hit.positions - self.point) * _WAYS).sum(axis=1)
        return np.where(hit.items >= 0, lengths, np.inf)


Sized = SphereShape | BoxShape


def _picture(target: SceneTarget, found: PickedItems, words: str, **parts: Any) -> ProbePicture:
    faces, boxes = shown(target, found)
    return ProbePicture(words, faces, boxes, **parts)


def _floats(points: Any) -> Corners:
    return np.ascontiguousarray(points, np.float32)


def normal_of(side: int) -> Floats:
    """Return the outward normal of a side: 0 to 2 along -X, -Y, -Z, 3 to 5 along +X, +Y, +Z."""
    normal = np.zeros(3)
    normal[side % 3] = 1.0 if side >= 3 else -1.0
    return normal


# Shapes that follow the pointer; the first is the default.
SHAPES: dict[str, type[Shape]] = {
    each.key: each for each in (SphereShape, BoxShape, NearestShape, RayShape, AxesShape)
}


def shape_asked(scene: bpy.types.Scene) -> tuple[type[Shape], Any]:
    """Return the shape of *Near*, the first if it has none, and the settings of the question."""
    settings = settings_of(scene)
    shape = SHAPES.get(settings.tab.near, next(iter(SHAPES.values())))
    return shape, getattr(settings, shape.key, None)


def shape_at(scene: bpy.types.Scene, sight: Sight) -> Shape:
    """Return the shape that the scene's settings describe at a visible point."""
    shape, settings = shape_asked(scene)
    return shape.at(settings, sight)


def settings_asked(scene: bpy.types.Scene) -> tuple[Any, ...]:
    """Return the values of the settings that `shape_at` reads, to detect changes."""
    shape, settings = shape_asked(scene)
    values = (getattr(settings, name) for name in shape.reads)
    plain = (value if isinstance(value, str | int | float) else tuple(value) for value in values)
    return (shape.key, settings_of(scene).tab.meshes, *plain)


def shape_of(query: Query | None) -> Sized | None:
    """Return the shape of a stored question about a sphere or a world-aligned box, else None."""
    if not isinstance(query, VolumeQuery):
        return None
    if isinstance(query.volume, Spheres):
        center, radius = query.volume.centers[0], float(query.volume.radii[0])
        return SphereShape(center, radius, query.relation)
    if query.title != OCTREE_OT_select_in_box.bl_label:
        return None
    corners = query.volume.corners[0]
    lower, upper = corners.min(axis=0), corners.max(axis=0)
    upright = box_of(np.stack((lower, upper)), np.eye(4)).corners[0]
    is_upright = np.allclose(corners, upright, rtol=1e-9, atol=0.0)
    return BoxShape(lower, upper, query.relation) if is_upright else None
