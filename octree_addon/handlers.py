"""Handlers and timers of trees and drawing, installed only while they are needed."""

import math
from typing import Any

import bpy

from . import (
    display,
    hiding,
    live,
    probe,
    questions,
    references,
    result_list,
    scene_index,
    trees,
    tuning,
)
from .cells import build_settings, chosen_bounds, steps_for_settings
from .reader import SceneChanges
from .scene_index import count_triangles
from .ui import (
    Listeners,
    forget_session,
    is_listening,
    keep_scenes,
    listen,
    listen_to_stores,
    redraw_status_bars,
    schedule,
    settings_of,
    tag_redraw,
)

# Seconds of building trees per call of the timer.
_STEP = 0.02


def after_update(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, changes: SceneChanges
) -> None:
    """Update live trees after an evaluation; other trees are only checked for differences."""
    references.note_changes(depsgraph)
    if live.follow(scene, depsgraph, changes):
        tag_redraw()
    settle_later()


def settle_later() -> None:
    """Schedule comparisons of trees with their scenes, if any is needed."""
    if not trees.is_settled():
        scene_index.rest_soon()


def before_load(*_: Any) -> None:
    """Remove all drawing before another file is opened."""
    display.uninstall()


def before_save(*_: Any) -> None:
    """Write current names of the sources of trees into the file."""
    drop_second_storage()
    references.refresh()


def merge_later() -> float | None:
    """Merge cells of live trees whose merging was deferred; a timer.

    Returns the seconds until the next turn; None ends the timer.
    """
    interval = live.merge_interval()
    if interval is not None:
        live.merge_deferred()
        tag_redraw()
    return interval


# Installed while there is a tree or an answer.
LISTENERS: Listeners = (("save_pre", before_save),)
# Installed while anything is drawn.
DRAW_LISTENERS: Listeners = (("load_pre", before_load),)


def stop_following() -> None:
    """Remove all listeners and timers of trees, and stop live trees; drawing continues."""
    listen(LISTENERS, False)
    scene_index.unsubscribe(after_update)
    schedule(merge_later, None)
    live.stop_all()


def uninstall() -> None:
    """Remove all listeners, timers and drawing."""
    stop_following()
    listen(DRAW_LISTENERS, False)
    display.uninstall()


def after_change() -> None:
    """Install or remove listeners as trees, answers and results require, and redraw."""
    if result_list.listen_if_kept():
        probe.put_away()
    if trees.is_empty() and questions.is_empty():
        stop_following()
    else:
        is_live = any(built.is_live for built in trees.all_built())
        listen(LISTENERS, True)
        follow = scene_index.unsubscribe if trees.is_empty() else scene_index.subscribe
        follow(after_update)
        schedule(merge_later, live.merge_interval() if is_live else None)
        settle_later()
    schedule(redraw_status_bars, 0.0)  # which show the present state
    update_display()


def has_something_to_draw() -> bool:
    """Return whether any tree, answer, result or camera frustum may be drawn."""
    shows_frustum = any(settings_of(scene).frustum.show for scene in bpy.data.scenes)
    shows_results = any(map(result_list.has_results, bpy.data.scenes))
    is_asked = probe.is_asking() or not questions.is_empty()
    return shows_frustum or shows_results or is_asked or not trees.is_empty()


def update_display() -> None:
    """Install or remove the drawing as needed, and redraw."""
    if has_something_to_draw():
        display.install()
    else:
        display.uninstall()
    listen(DRAW_LISTENERS, display.is_installed())
    tag_redraw()


def watch_header(_: bpy.types.Header, context: bpy.types.Context) -> None:
    """Check for new scenes, trees and hidden objects whenever a 3D view's header is drawn.

    A loaded file, an undo step or a copied scene may show a tree that is not in memory, show the
    frustum of a camera, or hide objects while no handler is installed. Blender draws the header in
    these cases, but not while the view turns. Nothing is added to the header.
    """
    hiding.listen_if_hiding()
    result_list.listen_if_kept()
    if references.meet(bpy.data.scenes) and any(map(has_second_storage, owners_of_settings())):
        schedule(drop_second_storage, 0.0)
    scene_index.keep_only(bpy.data.scenes)
    if keep_scenes(bpy.data.scenes):
        scene_index.listen_if_needed()
        after_change()
    if is_tree_missing(context.scene):
        schedule(restore_trees, 0.0)
    if display.is_installed() != has_something_to_draw():
        schedule(update_display, 0.0)
    # An undo may restore the number of a tree that is still in memory.
    if not (trees.is_empty() or is_listening(LISTENERS)):
        schedule(after_change, 0.0)


def drop_second_storage() -> None:
    """Delete duplicate settings from the custom properties of scenes and view layers."""
    for owner in owners_of_settings():
        if has_second_storage(owner):
            del owner["octree"]


def owners_of_settings() -> list[Any]:
    """Return the scenes of this file and their view layers, without linked scenes."""
    scenes = [each for each in bpy.data.scenes if each.library is None]
    return [*scenes, *(layer for scene in scenes for layer in scene.view_layers)]


def has_second_storage(owner: Any) -> bool:
    """Return whether the custom properties of a scene or view layer duplicate the settings.

    Blender 5.0 and later leave such duplicates, pointers included, in files saved by 4.5 and
    earlier.
    """
    if bpy.app.version < (5, 0) or "octree" not in owner:
        return False
    stored, known = owner["octree"], owner.octree.bl_rna.properties
    return hasattr(stored, "keys") and set(stored.keys()) <= set(known.keys())


def is_tree_missing(scene: bpy.types.Scene) -> bool:
    """Return whether the scene shows a tree that is not in memory."""
    return settings_of(scene).display.show and trees.is_missing(scene)


def restore_trees() -> float | None:
    """Build the missing trees of scenes in windows step by step; a timer."""
    for window in bpy.context.window_manager.windows:
        if is_tree_missing(window.scene):
            with bpy.context.temp_override(window=window):
                begin_to_restore(bpy.context)
    is_done = trees.build_pending(slice_of_time())
    settle_later()
    return None if is_done else 0.0


def slice_of_time() -> float:
    """Return the seconds of work per turn; infinite in background."""
    return math.inf if bpy.app.background else _STEP


def begin_to_restore(context: bpy.types.Context) -> None:
    """Begin to build the scene's tree from the objects that the file names.

    Trees with more triangles than `tuning.rebuilt_triangles` are left to the user.
    """
    scene, depsgraph = context.scene, context.evaluated_depsgraph_get()
    # Set first, so that a failing build is not tried again.
    trees.set_rebuild_error(scene, "The octree could not be built again")
    objects, source = trees.source_objects(scene), settings_of(scene).built_of
    settings = build_settings(scene, source.source)
    triangles = count_triangles(depsgraph, objects) if source.source == "TRIANGLES" else 0
    if triangles > tuning.current.rebuilt_triangles:
        trees.set_rebuild_error(scene, f"Not built by itself: {triangles:,} triangles")
        return
    steps = steps_for_settings(
        depsgraph, objects, source, settings, bounds_object=chosen_bounds(settings)
    )
    trees.build_later(scene, steps)


def register() -> None:
    """Install what is always needed: the check at header drawings and the listeners of stores."""
    bpy.types.VIEW3D_HT_header.append(watch_header)
    listen_to_stores(after_change, True)
    trees.rebuild_listeners.append(live.keep_following)


def unregister() -> None:
    """Clear trees and answers, and remove all handlers, timers and listeners."""
    references.refresh()
    forget_session()
    hiding.uninstall()
    result_list.uninstall()
    uninstall()
    scene_index.listen_if_needed()
    timers = restore_trees, update_display, after_change, drop_second_storage, redraw_status_bars
    for timer in (*timers, references.refresh):
        schedule(timer, None)
    listen_to_stores(after_change, False)
    trees.rebuild_listeners.remove(live.keep_following)
    bpy.types.VIEW3D_HT_header.remove(watch_header)
