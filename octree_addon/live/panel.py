"""Settings, switch and panel of Live; potential colliders of the active object."""

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

# Largest numbers of overlapping and of ended pairs that are listed by name.
_NAMED, _ENDED = 6, 3


class LiveOptions(OptionGroup):
    """Options of an octree of objects that follows them: `scene.octree.live`."""

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
    """Return whether the scene has an octree of objects."""
    built = trees.get(scene)
    return built is not None and built.holds_objects


class OCTREE_OT_live(RefusingOperator, bpy.types.Operator):
    """Operator that makes the octree of objects follow them, or stops it."""

    bl_idname = "octree.live"
    bl_label = "Toggle Live Octree"
    bl_description = (
        "Make the octree of objects follow them while they are dragged, animated, added and"
        " removed, or stop it. Without one, an octree of the visible objects is built first"
    )
    # No undo: the file does not store whether an octree is live.
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
            # Undoing this step removes the octree, which is part of the file.
            bpy.ops.ed.undo_push(message="Build Octree")
        follower = session.start(scene, context.evaluated_depsgraph_get())
        self.report({"INFO"}, f"Following {len(follower.tree):,} objects and instances")
        return {"FINISHED"}


class OCTREE_PT_live(SidebarPanel):
    """Switch of Live, pairs of overlapping objects, and changes of the octree."""

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
    """Draw the changes of the octree as a table, in a panel that is closed at first."""
    panel: Any = layout.panel  # its type stub has no return type
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
    """Draw the names of overlapping pairs, those of the active object first, and of ended ones."""
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
    """Return a hint that offers to leave out a ground, if there is one that most objects touch."""
    name = ground_of(built, pairs)
    if not name:
        return []
    options = {"data_path": "scene.octree.live.ground", "value": name}
    return [Hint(f"Most objects touch {name}", "Leave It Out", "wm.context_set_id", options)]


def order_of(pairs: Ids, mine: Ids) -> Ids:
    """Return the order of pairs, (2, h), that puts those with an id of `mine` first."""
    return np.argsort(~np.isin(pairs, mine).any(axis=0), kind="stable")


def changes_of(follower: Follower) -> Iterator[tuple[str, str]]:
    """Yield numbers of changed items and cells: since Live is on, and in the last update."""
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
    """Return the names of the objects of items; a fixed text for removed ones."""
    source, known = built.source, np.isin(ids, built.octree.ids)
    places = np.where(known, built.places_of(ids), -1).tolist()
    return [
        source.objects[source.object_of_placement[place]].name
        if place >= 0
        else "a removed object"
        for place in places
    ]


def counts_of(built: BuiltTree, active: bpy.types.Object) -> Iterator[tuple[str, str]]:
    """Yield the number of potential colliders of the active object, and of all others."""
    found = locality_of(built, active.session_uid)
    if found is None:
        yield active.name, "not in the octree"
        return
    yield active.name, f"among {found.total:,} others"
    yield "In the Same Cells", f"{found.near:,}"
    yield "Overlapping", f"{found.touching:,}"


class Locality(NamedTuple):
    """Numbers of items that an object is tested against, without and with an octree.

    Attributes
    ----------
    total : int
        All items except the object's own.
    near : int
        Items in the cells that the object touches: its potential colliders.
    touching : int
        Items whose boxes touch a box of the object.
    """

    total: int
    near: int
    touching: int


# Last count of each scene, by its session id, with the octree and the object that it is for.
_known: SessionStore[tuple[Octree, int, Locality | None]] = SessionStore()


def locality_of(built: BuiltTree, session_uid: int) -> Locality | None:
    """Count the potential colliders of an object; None if it is not in the octree.

    The count is cached until the octree changes.
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
