"""Handlers and timers, installed only while there is a tree or a view to draw."""

from typing import Any

import bpy

from . import display, hiding, live, questions, results, scene_index, shot, trees
from .build import build_settings, chosen_bounds, steps_for_settings
from .reader import count_triangles
from .ui import Listeners, listen, run, schedule, settings_of, tag_redraw

AUTOMATIC_LIMIT = 200_000


def note_changes(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Mark trees as out of date after an evaluation; to rebuild them is left to the user."""
    if all(built.stale or built.is_live for built in trees.all_built()):
        return
    changed = [
        update.id.original
        for update in depsgraph.updates
        if update.is_updated_geometry or update.is_updated_transform
    ]
    trees.mark_stale({item.session_uid for item in changed})
    # Of an object that is deleted, Blender names only the collection that it was in.
    if bpy.types.Collection in map(type, changed):
        trees.mark_if_objects_lost(scene)


def before_load(*_: Any) -> None:
    """Forget every tree before another file is opened.

    Blender itself drops the listeners then, as they are not persistent. Removing one here, from
    the very list that is being called, would skip the next one in it.
    """
    trees.forget()
    questions.forget()
    results.forget()
    shot.forget()
    display.uninstall()


def before_save(*_: Any) -> None:
    """Keep no object alive in the file that the user has deleted."""
    for scene in bpy.data.scenes:
        trees.drop_lost_objects(scene)


def after_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Update a live tree after an evaluation, and show it."""
    if live.follow(scene, depsgraph):
        tag_redraw()


def after_undo(scene: bpy.types.Scene, *_: Any) -> None:
    """Make a live tree read everything again: an undo does not say what it changed."""
    live.invalidate(scene)


def merge_later() -> float | None:
    """Merge cells whose merging was deferred; return the seconds until the next time."""
    interval = live.merge_interval()
    if interval is not None:
        live.merge_deferred()
        tag_redraw()
    return interval


# While there is a tree or an answer, and while a tree is live.
LISTENERS: Listeners = (
    ("depsgraph_update_post", note_changes),
    ("frame_change_post", note_changes),
    ("load_pre", before_load),
    ("save_pre", before_save),
)
LIVE_LISTENERS: Listeners = (
    ("depsgraph_update_post", after_update),
    ("frame_change_post", after_update),
    ("undo_post", after_undo),
    ("redo_post", after_undo),
)


def uninstall() -> None:
    """Leave nothing behind."""
    listen(LISTENERS + LIVE_LISTENERS, False)
    schedule(merge_later, None)
    display.uninstall()


def after_change() -> None:
    """Listen only while there is a tree or an answer, and show its new state."""
    if trees.is_empty() and questions.is_empty():
        uninstall()
    else:
        is_live = any(built.is_live for built in trees.all_built())
        listen(LISTENERS, True)
        listen(LIVE_LISTENERS, is_live)
        schedule(merge_later, live.merge_interval() if is_live else None)
    update_display()


def after_results() -> None:
    """Listen to the scene while it keeps results, and show the active one."""
    results.listen_if_kept()
    update_display()


def has_something_to_draw() -> bool:
    """Tell whether there is anything to draw: a tree, an answer, a result, a camera's view."""
    shows_frustum = any(settings_of(scene).frustum.show for scene in bpy.data.scenes)
    shows_results = any(map(results.has_results, bpy.data.scenes))
    return shows_frustum or shows_results or not (trees.is_empty() and questions.is_empty())


def update_display() -> None:
    """Draw only while there is something to draw, and show its new state."""
    if has_something_to_draw():
        display.install()
    else:
        display.uninstall()
    tag_redraw()


def watch_header(_: bpy.types.Header, context: bpy.types.Context) -> None:
    """Notice that the header of a 3D view is drawn, and add nothing to it.

    A loaded file, an undo step or a copied scene may show a tree that is not in memory, or the
    view of a camera, or hide objects, when no handler is registered to notice. The header is
    drawn then, and not while the view turns.
    """
    hiding.listen_if_hiding()
    results.listen_if_kept()
    trees.keep_only(bpy.data.scenes)
    scene_index.keep_only(bpy.data.scenes)
    questions.keep_only(bpy.data.scenes)
    if is_tree_missing(context.scene):
        schedule(restore_trees, 0.0)
    if display.is_installed() != has_something_to_draw():
        schedule(update_display, 0.0)


def is_tree_missing(scene: bpy.types.Scene) -> bool:
    """Tell whether the scene shows a tree that is not in memory."""
    return settings_of(scene).display.show and trees.is_missing(scene)


def restore_trees() -> None:
    """Build the missing trees that windows show, soon after the drawing that missed them."""
    for window in bpy.context.window_manager.windows:
        if is_tree_missing(window.scene):
            with bpy.context.temp_override(window=window):
                restore_tree(bpy.context)


def restore_tree(context: bpy.types.Context) -> None:
    """Build the scene's tree again from the objects that the file names, if they are few."""
    scene, depsgraph = context.scene, context.evaluated_depsgraph_get()
    # Set first: whatever fails, fails once.
    trees.set_rebuild_error(scene, "The octree could not be built again")
    objects, source = trees.source_objects(scene), settings_of(scene).built_of
    settings = build_settings(scene, source.source)
    triangles = count_triangles(depsgraph, objects) if source.source == "TRIANGLES" else 0
    if triangles > AUTOMATIC_LIMIT:
        trees.set_rebuild_error(scene, f"Not built by itself: {triangles:,} triangles")
        return
    steps = steps_for_settings(
        depsgraph, objects, source, settings, bounds_object=chosen_bounds(settings)
    )
    try:
        trees.restore(scene, run(steps))
    except ValueError as error:
        trees.set_rebuild_error(scene, str(error))


def register() -> None:
    """Follow the trees."""
    bpy.types.VIEW3D_HT_header.append(watch_header)
    trees.listen(after_change)
    questions.listen(after_change)
    results.listen(after_results)
    trees.rebuild_listeners.append(live.keep_following)


def unregister() -> None:
    """Forget the trees and answers, and leave nothing behind."""
    trees.forget()
    scene_index.forget()
    questions.forget()
    shot.forget()
    hiding.uninstall()
    results.uninstall()
    uninstall()
    schedule(restore_trees, None)
    schedule(update_display, None)
    trees.stop_listening(after_change)
    questions.stop_listening(after_change)
    results.stop_listening(after_results)
    trees.rebuild_listeners.remove(live.keep_following)
    bpy.types.VIEW3D_HT_header.remove(watch_header)
