"""The tree that follows its objects: the switch, and what has become of it."""

from collections.abc import Iterator
from dataclasses import asdict

import bpy
import numpy as np
from numpy.typing import NDArray

from .. import live, trees
from ..live import Follower, Step
from ..reader import ObjectSource
from ..ui import SubPanel, column_of, draw_table, settings_of

# So many of the pairs that began, and of those that ended, are named.
_NAMED = 3


class OCTREE_PT_live(SubPanel):
    """Have the tree of objects follow them, and see what that does to it."""

    bl_label = "Live"
    bl_order = 20

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        built = trees.get(context.scene)
        is_of_objects = built is not None and isinstance(built.source, ObjectSource)
        return is_of_objects or settings_of(context.scene).source.source == "OBJECTS"

    def draw(self, context: bpy.types.Context) -> None:
        built, follower = trees.get(context.scene), live.get(context.scene)
        column, settings = column_of(self), settings_of(context.scene)
        if follower:
            column.operator("octree.live", text="Stop Following", icon="PAUSE", depress=True)
        else:
            column.operator("octree.live", text="Follow Objects", icon="PLAY")
        column.prop(settings.live, "pairs")
        if settings.objects.merge == "DEFERRED":
            column.prop(settings.live, "interval")
        if built and follower:
            draw_progress(self.layout, follower, settings.live.pairs)
            if context.object:
                draw_table(self.layout, counts_of(built, context.object))
            draw_pairs(self.layout, built, follower)


def draw_progress(layout: bpy.types.UILayout, follower: Follower, with_pairs: bool) -> None:
    """Show what following has come to so far, in numbers."""
    draw_table(layout, changes_of(follower))
    if with_pairs:
        draw_table(layout, pairs_of(follower.step))


def draw_pairs(layout: bpy.types.UILayout, built: trees.BuiltTree, follower: Follower) -> None:
    """Name some of the pairs that began and ended at the last change."""
    began, _, ended = follower.step.pairs
    for pair in named_pairs(built, began):
        layout.label(text=pair, icon="ADD")
    for pair in named_pairs(built, ended):
        layout.label(text=pair, icon="REMOVE")


def changes_of(follower: Follower) -> Iterator[tuple[str, str]]:
    """Yield what has happened to items and cells: since Live is on, and at the last change."""
    step, now = follower.step, asdict(follower.tree.turnover)
    yield "Moved", f"{step.moved:,} in {1e3 * step.seconds:.1f} ms"
    yield "Added, Removed", f"{step.joined:,}, {step.left:,}"
    since, before = asdict(follower.since), asdict(step.before)
    for name, count in now.items():
        yield name.title(), f"{count - since[name]:,}{_gain(count - before[name])}"


def _gain(count: int) -> str:
    return f" (+{count:,})" if count else ""


def pairs_of(step: Step) -> Iterator[tuple[str, str]]:
    """Yield how many pairs there are, and how many began and ended at the last change."""
    began, lasted, ended = (pairs.shape[1] for pairs in step.pairs)
    yield "Overlapping Pairs", f"{began + lasted:,}"
    yield "Begun, Ended", f"{began:,}, {ended:,}"


def named_pairs(built: trees.BuiltTree, pairs: NDArray[np.intp]) -> list[str]:
    """Return the names of the first few pairs."""
    return [" and ".join(names_of(built, pair)) for pair in pairs.T[:_NAMED]]


def names_of(built: trees.BuiltTree, ids: NDArray[np.intp]) -> list[str]:
    """Return the names of the objects that items are of, or what there is to say of the gone."""
    source, known = built.source, np.isin(ids, built.octree.ids)
    places = np.where(known, built.places_of(ids), -1).tolist()
    return [
        source.objects[source.object_of_placement[place]].name
        if place >= 0
        else "a removed object"
        for place in places
    ]


def counts_of(built: trees.BuiltTree, active: bpy.types.Object) -> Iterator[tuple[str, str]]:
    """Yield what the active object has to do with: total against local counts."""
    found = live.locality_of(built, active.session_uid)
    if found is None:
        yield active.name, "not in the octree"
        return
    yield active.name, f"among {found.total:,} others"
    yield "In the Same Cells", f"{found.near:,}"
    yield "Overlapping", f"{found.touching:,}"
