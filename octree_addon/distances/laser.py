"""Measure with Laser: how far it is from a point along six axes, cast as one batch of rays."""

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ...core import Steps, ray_cast
from ..answers.answer import Answer
from ..answers.kept import keep, numbered_answer
from ..answers.options import AnswerOptions
from ..arrays import Floats, Ids
from ..options import Asking, as_json, vector
from ..reader import UNUSED
from ..results import Column, Rows, active_result, version_of_result
from ..scope import viewport_of
from ..targets import SceneTarget, scene_steps
from ..ui import (
    Status,
    SteppedOperator,
    cursor_place,
    length_text,
    mode_obstacle,
    plural,
    settings_of,
)
from .operators import DistancesKind
from .settings import LaserOptions

LASER = "measure_laser"
AXES = ("+X", "+Y", "+Z", "-X", "-Y", "-Z")
# How far off a surface rays start, as a part of the largest coordinate: beyond single precision.
_HAIR = 2.0**-16


@dataclass(frozen=True, eq=False)
class LaserLines:
    """What six rays from a point met; what met nothing has no line.

    Attributes
    ----------
    ends : ndarray of float64, shape (k, 2, 3)
        The point, and where each ray ends.
    lengths : ndarray of float64, shape (k,)
        How far that is along the ray.
    axes : ndarray of intp, shape (k,)
        Which of `AXES` each goes along.
    items : ndarray of intp, shape (k,)
        Numbers of the triangles met.
    owners : ndarray of int, shape (k,)
        Session ids of the objects that they are of, or of their instancers.
    """

    ends: Floats
    lengths: Floats
    axes: Ids
    items: Ids
    owners: Ids

    def texts(self, scene: bpy.types.Scene) -> list[str]:
        """Return the lengths in the scene's units."""
        return [length_text(scene, length) for length in self.lengths.tolist()]

    def result_rows(self, target: SceneTarget) -> Rows:
        """Return a row for each line: what it meets, along which axis, and how far away."""
        rows = target.placements_of(self.items)
        used = target.is_instance[rows][:, None]
        instances = np.where(used, target.persistent_ids[rows], UNUSED).astype(np.int32)
        columns = (
            Column("Axis", "", self.axes, AXES),
            Column("Distance", "LENGTH", self.lengths),
        )
        return Rows(target.owners[rows].astype(np.intp)[None], instances[None], columns)


def axes_of(normal: Floats, orientation: str) -> Floats:
    """Return three axes of length 1, a row each: the world's, or with a normal as the third."""
    size = float(np.linalg.norm(normal))
    if orientation == "GLOBAL" or size == 0:
        return np.eye(3)
    up = normal / size
    first = np.cross(np.eye(3)[1 if abs(up[1]) < abs(up[0]) else 0], up)
    first = np.cross(up, first)  # the world's X or Y, as far as the surface has it
    first /= np.linalg.norm(first)
    return np.stack((first, np.cross(up, first), up))


def laser_lines(
    target: SceneTarget, point: Floats, normal: Floats, orientation: str
) -> LaserLines:
    """Cast six rays from a point, a hair off the surface of that normal, on either side of it."""
    axes = axes_of(normal, orientation)
    ways = np.concatenate((axes, -axes))
    size = float(np.linalg.norm(normal))
    slopes = ways @ normal
    sides = np.where(slopes < -1e-6 * size, -1.0, 1.0)[:, None]
    hair = _HAIR * max(float(np.abs(point).max()), 1.0) / (size or 1.0)
    hit = ray_cast(target.octree, point + sides * hair * normal, ways)
    (axis,) = np.nonzero(hit.items >= 0)
    lengths = ((hit.positions[axis] - point) * ways[axis]).sum(axis=1)
    ends = np.stack((np.broadcast_to(point, (len(axis), 3)), hit.positions[axis]), axis=1)
    ends[:, 1] = point + lengths[:, None] * ways[axis]
    items = target.numbers_found(hit, hit.items >= 0)
    return LaserLines(ends, lengths, axis, items, target.owners[target.placements_of(items)])


class MeasureLaserOptions(LaserOptions, AnswerOptions):
    """From where the laser measures, and along which axes."""

    origin: tuple[float, float, float] = vector(
        (0.0, 0.0, 0.0),
        "Origin",
        "Where it measures from; by default the 3D cursor",
        settings=None,
        subtype="TRANSLATION",
        options={"SKIP_SAVE"},
    )
    normal: tuple[float, float, float] = vector(
        (0.0, 0.0, 0.0),
        "Normal",
        "Normal of the surface that the origin lies on; zero if on none",
        settings=None,
        subtype="XYZ",
        options={"SKIP_SAVE"},
    )


class OCTREE_OT_measure_laser(Asking[MeasureLaserOptions], SteppedOperator, bpy.types.Operator):
    """Measure how far it is from a point along six axes."""

    bl_idname = "octree.measure_laser"
    bl_label = "Measure with Laser"
    bl_description = (
        "Measure from the 3D cursor, or from the surface under the pointer of the probe, how far"
        " it is to the next surface along six axes"
    )
    bl_options = {"REGISTER", "UNDO"}
    doing = "Measuring"

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        return mode_obstacle(context, may_edit=True)

    def steps(self, context: bpy.types.Context) -> Steps[tuple[LaserLines, Rows]]:
        self.take(settings_of(context.scene).laser)
        if not self.properties.is_property_set("origin"):
            self.put(origin=cursor_place(context.scene))
        options = self.taken
        point, normal = np.array(options.origin), np.array(options.normal)
        target: SceneTarget = yield from scene_steps(context, viewport_of(context))
        if not target.owners.size:
            raise ValueError("There are no triangles: no visible object has faces")
        lines = laser_lines(target, point, normal, options.orientation)
        return lines, lines.result_rows(target)

    def finish(self, context: bpy.types.Context, result: tuple[LaserLines, Rows]) -> Status:
        self.write_back(settings_of(context.scene).laser)
        options, (lines, rows) = self.taken, result
        answer = Answer(
            found=lines,
            title=self.bl_label,
            question=LASER,
            options=as_json(options),
            rows=rows,
        )
        keep(context, answer, options.result, kind=LaserLines)
        told = ", ".join(lines.texts(context.scene))
        self.report({"INFO"}, f"{plural(len(rows), 'distance')}: {told or 'nothing around'}")
        return {"FINISHED"}


def shown_laser(scene: bpy.types.Scene) -> LaserLines | None:
    """Return what the active result measured, if dimensions are shown and that holds."""
    result: Any = active_result(scene)
    if result is None or result.question != LASER or not settings_of(scene).distances.show:
        return None
    answer = numbered_answer(scene, result.number, LaserLines)
    return answer.found if answer and version_of_result(scene, result).is_same(scene) else None


class LaserKind(DistancesKind):
    """Distances along axes, drawn as lines."""

    def colors_objects(self, scene: bpy.types.Scene, result: Any, rows: Rows) -> bool:
        """Return whether the lines are not shown, which stand for the objects."""
        return shown_laser(scene) is None
