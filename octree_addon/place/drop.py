"""The Drop operator: objects slide along one direction until they touch something visible."""

from collections.abc import Iterable, Mapping

import bpy
import numpy as np

from ...core import Steps, connected_components, overlapping_objects_steps
from ..answers.answer import Answer
from ..answers.asking import Told
from ..answers.kept import active_result
from ..arrays import Floats
from ..audit import FLOATING, usual_band
from ..snapshots import SceneTarget
from ..ui import Status, plural
from .falling import ENDLESS, NOT_TURNED, OVERLAPS, PARTED, Falls, FallWish, fall_steps
from .placing import PlacingOperator
from .settings import AXES, DropOptions
from .telling import hidden_text, left_text, move_rows, named, names_of
from .units import movers_of

LANDS_ON = "Lands On"


class OCTREE_OT_drop(PlacingOperator[DropOptions], bpy.types.Operator):
    """Move objects along one direction until they touch."""

    bl_idname = "octree.drop"
    bl_label = "Drop"
    bl_description = (
        "Move the selected objects along one direction until they touch what is visible or each"
        " other, never into anything. What would topple stands: nothing is simulated"
    )
    doing = "Dropping"
    key = "drop"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        if isinstance(context.region_data, bpy.types.RegionView3D):
            self.put(direction=-context.region_data.view_matrix.inverted().col[2].to_3d())
        return super().invoke(context, event)

    def plan_steps(
        self, context: bpy.types.Context, target: SceneTarget, left: Mapping[int, str]
    ) -> Steps[Falls]:
        objects, options = self.objects(context), self.taken
        direction = self._direction(context, objects)
        if options.toward == "ACTIVE":
            objects = [item for item in objects if item is not context.view_layer.objects.active]
        floats = options.whose == "ROW" and active_result(context.scene).question == FLOATING
        if floats:  # the row names one object of several in contact
            objects = yield from hanging_steps(context, target, objects)
        wish = FallWish(
            direction=direction,
            gap=options.gap,
            sink=options.sink,
            keeps_contacts=options.keep_contacts or floats,
            aligns=options.align,
            band=usual_band(context.scene),
        )
        movers = movers_of(context, target.placements, objects, direction[None], left)
        return (yield from fall_steps(target, movers, wish))

    def _direction(
        self, context: bpy.types.Context, objects: Iterable[bpy.types.Object]
    ) -> Floats:
        toward, along = self.taken.toward, np.array(self.taken.direction)
        if toward == "ACTIVE":
            return toward_active(context, objects)
        if toward == "VIEW":
            if not along.any():
                raise ValueError("There is no 3D view to look along: choose an axis")
            return unit(along)
        return np.array(AXES[toward])

    def told(self, context: bpy.types.Context, found: Falls, options: DropOptions) -> Told:
        below = names_of(context.scene, found.target, found.below)
        rows = move_rows(found.movers, found.distances, found.notes, (LANDS_ON, below))
        return Answer(found=None, rows=rows), drop_text(context, found)


def hanging_steps(
    context: bpy.types.Context, target: SceneTarget, objects: list[bpy.types.Object]
) -> Steps[list[bpy.types.Object]]:
    """Return all objects that touch the given ones, directly or through other objects."""
    uids, numbers = np.unique(target.owners, return_inverse=True)
    band = usual_band(context.scene)
    pairs = yield from overlapping_objects_steps(target.octree, margin=band, owners=numbers)
    pairs = numbers[np.searchsorted(target.octree.ids, pairs)]
    labels = connected_components(pairs, len(uids))
    own = np.isin(uids, [item.session_uid for item in objects])
    hanging = set(uids[np.isin(labels, labels[own])].tolist())
    return [item for item in context.view_layer.objects if item.session_uid in hanging]


def unit(direction: Floats) -> Floats:
    """Return a direction scaled to length 1."""
    return direction / np.linalg.norm(direction)


def toward_active(context: bpy.types.Context, objects: Iterable[bpy.types.Object]) -> Floats:
    """Return the direction from the mean center of the others to the active object's center."""
    active = context.view_layer.objects.active
    others = [item for item in objects if item is not active]
    if active is None or not others:
        raise ValueError("Make the object active that the others are to fall to")
    way = middle(active) - np.mean([middle(item) for item in others], axis=0)
    if not way.any():
        raise ValueError("The active object is in the middle of the others: choose an axis")
    return unit(way)


def middle(item: bpy.types.Object) -> Floats:
    """Return the center of an object's bounding box in world space."""
    corners = np.array(item.bound_box, np.float64)
    matrix = np.array(item.matrix_world, np.float64)
    middle: Floats = matrix[:3, :3] @ (corners.min(axis=0) + corners.max(axis=0)) / 2
    return middle + matrix[:3, 3]


def drop_text(context: bpy.types.Context, falls: Falls) -> str:
    """Return the report of a drop in one line."""
    movers = falls.movers
    parts = [f"{plural(int((falls.shifts.any(axis=1)).sum()), 'object')} dropped"]
    for word, said in (
        (ENDLESS, "with nothing below"),
        (OVERLAPS, "overlapping from the beginning, to be pushed apart first"),
        (PARTED, PARTED),
        (NOT_TURNED, NOT_TURNED),
    ):
        names = [
            name for name, note in zip(movers.names, falls.notes, strict=True) if word in note
        ]
        if names:
            parts.append(f"{len(names):,} {said}: {named(names)}")
    parts += [left_text(context.scene, movers), hidden_text(context)]
    return "; ".join(part for part in parts if part)
