"""Select what collides: objects that touch each other, or come within a margin."""

import bpy
import numpy as np

from ..answers import Asked, Pairing
from ..collisions import Collisions, collision_steps
from ..options import CollisionOptions
from ..trees import BuiltTree
from ..ui import settings_of, take, write_back
from .asking import AskSteps, SelectOperator

_NOTES = 10


class OCTREE_OT_select_collisions(CollisionOptions, SelectOperator, bpy.types.Operator):
    """Select what touches another object, or comes near it."""

    bl_idname = "octree.select_collisions"
    bl_label = "Select Collisions"
    bl_description = "Select what touches another object, or comes near it"
    doing = "Looking for collisions"

    def prepare(self, context: bpy.types.Context) -> None:
        take(self, settings_of(context.scene).collisions)

    def ask_steps(self, context: bpy.types.Context, built: BuiltTree) -> AskSteps:
        source = built.source
        placements = np.repeat(
            np.arange(len(source.object_of_placement)), np.diff(source.placement_start)
        )
        owners = placements if self.instances else source.object_of_item
        found = yield from collision_steps(built, owners, self.margin)
        names = [each.name for each in source.objects]
        if self.instances:
            names = [names[number] for number in source.object_of_placement]
        items = np.unique(found.pairs)
        question = Pairing(owners, self.margin)
        notes = notes_of(found, names)
        return Asked(built.octree, self.bl_label, question, items, notes=notes)

    def remember(self, scene: bpy.types.Scene) -> None:
        write_back(self, settings_of(scene).collisions)

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the redo panel."""
        layout = self.layout
        layout.use_property_split = True
        for name in ("margin", "instances", "kind", "action"):
            layout.prop(self, name)


def notes_of(collisions: Collisions, names: list[str]) -> tuple[str, ...]:
    """Say how many pairs of owners collide, and which have most in common.

    Parameters
    ----------
    collisions : Collisions
        What was found.
    names : list of str
        Of the owners.

    Returns
    -------
    tuple of str
        A line each.
    """
    count = collisions.owners.shape[1]
    most = np.argsort(-collisions.counts, kind="stable")[:_NOTES]
    lines = [f"{count:,} {'pair collides' if count == 1 else 'pairs collide'}"]
    for number in most:
        one, other = collisions.owners[:, number]
        lines.append(f"{names[one]}, {names[other]}: {collisions.counts[number]:,}")
    if count > _NOTES:
        lines.append(f"and {count - _NOTES:,} more")
    return tuple(lines)
