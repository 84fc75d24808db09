"""Live settings, switch and panel; potential colliders of the active object."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core import Octree, query
from .. import trees
from ..answers.hints import Hint, draw_hints
from ..arrays import Ids
from ..built_tree import BuiltTree
from ..cells import keep_visible_objects
from ..options import OptionGroup, boolean, pointer, real, settings_group
from ..ui import (
    RefusingOperator,
    SessionStore,
    SidebarPanel,
    Status,
    column_of,
    draw_table,
    plural,
    settings_of,
    tag_redraw,
)
from . import session
from .follower import Follower
from .pairs import ground_of, ids_of, shown_pairs

# At most this many of the pairs that overlap are named, and of those that ended.
_NAMED, _ENDED = 6, 3


class LiveOptions(OptionGroup):
    """How the scene's tree of objects follows them: `scene.octree.live`."""

    pairs: bool = boolean(
        True,
        "Pairs",
        "List the pairs of objects whose bounding boxes start or stop overlapping",
        settings={"update": tag_redraw},
    )
    mark: bool = boolean(
        True,
        "Mark Overlapping",
        "Outline the bounding boxes of the objects that overlap in the 3D views",
        settings={"update": tag_redraw},
    )
    active_only: bool = boolean(
        False,
        "Active Object Only",
        "List and mark what overlaps the active object, and no other pair",
        settings={"update": tag_redraw},
    )
    ground: str = pointer(
        "objects",
        "Ground",
        "Leave out the pairs of this object, such as a lawn or a floor, which all else touches",
        settings={"update": tag_redraw},
    )
    grounds: str = pointer(
        "collections",
        "Leave Out",
        "Leave out the pairs of the objects of this collection",
        settings={"update": tag_redraw},
    )
    interval: float = real(
        1.0,
        "Merge Every",
        "Seconds between merges of cells, if merging is deferred",
        min=0.05,
        soft_max=60.0,
        subtype="TIME_ABSOLUTE",
    )


OctreeLiveSettings = settings_group(LiveOptions, "OctreeLiveSettings")


def has_objects(scene: bpy.types.Scene) -> bool:
    """Tell whether the scene has a tree of objects."""
    built = trees.get(scene)
    return built is not None and built.holds_objects


class OCTREE_OT_live(RefusingOperator, bpy.types.Operator):
    """Make the octree follow its objects, or stop it: animation, playback and dragging."""

    bl_idname = "octree.live"
    bl_label = "Toggle Live Octree"
    bl_description = (
        "Make the octree of objects follow them while they are dragged, animated, added and"
        " removed, or stop it. Without one, an octree of the visible objects is built first"
    )
    # No undo: what is live is no part of the file.
    bl_options = {"REGISTER"}

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        return ""

    def execute(self, context: bpy.types.Context) -> Status:
        scene = context.scene
        if session.get(scene):
            session.stop(scene)
            return {"FINISHED"}
        if not has_objects(scene):
            try:
                keep_visible_objects(context)
            except ValueError as error:
                return self.refuse(error)
            # The tree is a part of the file: one step to take it back.
            bpy.ops.ed.undo_push(message="Build Octree")
        follower = session.start(scene, context.evaluated_depsgraph_get())
        self.report({"INFO"}, f"Following {len(follower.tree):,} objects and instances")
        return {"FINISHED"}


class OCTREE_PT_live(SidebarPanel):
    """Make the tree of objects follow them, and show what that does to it."""

    bl_label = "Live"
    bl_parent_id = "OCTREE_PT_tree"
    bl_order = 23

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        chosen = settings_of(context.scene).source.source
        return has_objects(context.scene) or chosen == "OBJECTS"

    def draw(self, context: bpy.types.Context) -> None:
        built, follower = trees.get(context.scene), session.get(context.scene)
        column, settings = column_of(self), settings_of(context.scene)
        if follower:
            column.operator("octree.live", text="Stop Following", icon="PAUSE", depress=True)
        else:
            column.operator("octree.live", text="Follow Objects", icon="PLAY")
        if built and follower and settings.live.pairs:
            draw_pairs(column, settings.live, built, follower, context.object)
        column.prop(settings.live, "pairs")
        marks = column.column()
        marks.enabled = settings.live.pairs
        for name in ("mark", "active_only", "ground", "grounds"):
            marks.prop(settings.live, name)
        if settings.objects.merge == "DEFERRED":
            column.prop(settings.live, "interval")
        if built and follower:
            draw_changes(self.layout, built, follower, context.object)


def draw_changes(
    layout: Any, built: BuiltTree, follower: Follower, active: bpy.types.Object | None
) -> None:
    """Show in numbers, in a closed panel, what has changed in the octree."""
    panel: Any = layout.panel  # whose stub returns nothing
    header, body = panel("octree_changes", default_closed=True)
    header.label(text="Changes")
    if body:
        if active:
            draw_table(body, counts_of(built, active))
        draw_table(body, changes_of(follower))


def draw_pairs(
    layout: bpy.types.UILayout,
    settings: Any,
    built: BuiltTree,
    follower: Follower,
    active: bpy.types.Object | None,
) -> None:
    """Name pairs that overlap: those of the active object first, then new ones; and some ended."""
    began, lasted, ended = shown_pairs(settings, built, follower, active)
    count = began.shape[1] + lasted.shape[1]
    layout.label(text=f"{plural(count, 'pair')} overlapping" if count else "Nothing overlaps")
    both = np.concatenate((began, lasted), axis=1)
    draw_hints(layout, ground_hints(built, both))
    order = order_of(both, ids_of(built, active.session_uid if active else 0))[:_NAMED]
    is_new = (order < began.shape[1]).tolist()
    for pair, new in zip(named_pairs(built, both[:, order]), is_new, strict=True):
        layout.label(text=pair, icon="ADD" if new else "DOT")
    if count > _NAMED:
        layout.label(text=f"and {count - _NAMED:,} more", icon="BLANK1")
    for pair in named_pairs(built, ended[:, :_ENDED]):
        layout.label(text=pair, icon="REMOVE")


def ground_hints(built: BuiltTree, pairs: Ids) -> list[Hint]:
    """Offer to leave out what most objects touch, if there is such a ground."""
    name = ground_of(built, pairs)
    if not name:
        return []
    options = {"data_path": "scene.octree.live.ground", "value": name}
    return [Hint(f"Most objects touch {name}", "Leave It Out", "wm.context_set_id", options)]


def order_of(pairs: Ids, mine: Ids) -> Ids:
    """Return the places of pairs, (2, h), those with an id of mine first."""
    return np.argsort(~np.isin(pairs, mine).any(axis=0), kind="stable")


def changes_of(follower: Follower) -> Iterator[tuple[str, str]]:
    """Yield what has happened to items and cells: since Live is on, and at the last change."""
    update, now = follower.last_update, asdict(follower.tree.turnover)
    if any(pairs.shape[1] for pairs in update.pairs):
        yield "Pairs Begun, Ended", f"{update.pairs[0].shape[1]:,}, {update.pairs[2].shape[1]:,}"
    yield "Moved", f"{update.moved:,} in {1e3 * update.seconds:.1f} ms"
    yield "Added, Removed", f"{update.added:,}, {update.removed:,}"
    since, before = asdict(follower.since), asdict(update.before)
    for name, count in now.items():
        yield name.title(), f"{count - since[name]:,}{_gain(count - before[name])}"


def _gain(count: int) -> str:
    return f" (+{count:,})" if count else ""


def named_pairs(built: BuiltTree, pairs: NDArray[np.intp]) -> list[str]:
    """Return the names of pairs."""
    return [" and ".join(names_of(built, pair)) for pair in pairs.T]


def names_of(built: BuiltTree, ids: NDArray[np.intp]) -> list[str]:
    """Return the names of the objects that items are of; a text for those that are gone."""
    source, known = built.source, np.isin(ids, built.octree.ids)
    places = np.where(known, built.places_of(ids), -1).tolist()
    return [
        source.objects[source.object_of_placement[place]].name
        if place >= 0
        else "a removed object"
        for place in places
    ]


def counts_of(built: BuiltTree, active: bpy.types.Object) -> Iterator[tuple[str, str]]:
    """Yield the potential colliders of the active object: total against local counts."""
    found = locality_of(built, active.session_uid)
    if found is None:
        yield active.name, "not in the octree"
        return
    yield active.name, f"among {found.total:,} others"
    yield "In the Same Cells", f"{found.near:,}"
    yield "Overlapping", f"{found.touching:,}"


class Locality(NamedTuple):
    """How many items an object has to be tested against, with a tree and without one.

    Attributes
    ----------
    total : int
        All items except its own.
    near : int
        Those in the cells that it touches: its potential colliders.
    touching : int
        Those whose boxes touch one of its own.
    """

    total: int
    near: int
    touching: int


# By the session id of the scene: of what octree and object, and what was counted.
_known: SessionStore[tuple[Octree, int, Locality | None]] = SessionStore()


def locality_of(built: BuiltTree, session_uid: int) -> Locality | None:
    """Count the potential colliders of one object, against all items.

    None if it is not in the tree of objects. Counted once, until the tree changes.
    """
    key = built.source.layer[:1]
    counted = _known.get(key)
    if counted is None or counted[0] is not built.octree or counted[1] != session_uid:
        counted = built.octree, session_uid, _count(built, session_uid)
        _known[key] = counted
    return counted[2]


def _count(built: BuiltTree, session_uid: int) -> Locality | None:
    octree = built.octree
    uids = np.array([each.session_uid for each in built.source.objects])
    mine = np.flatnonzero(uids[built.source.object_of_item] == session_uid)
    if len(mine) == 0:
        return None
    boxes = octree.items[mine]
    near, touching = (
        np.setdiff1d(built.places_of(query(octree, boxes, relation=relation)[1]), mine)
        for relation in ("candidates", "touching")
    )
    return Locality(len(octree) - len(mine), len(near), len(touching))
