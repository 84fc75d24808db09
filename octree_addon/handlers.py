"""Handlers and timers, installed only while there is a tree or a view to draw."""

import math
from typing import Any

import bpy

from . import (
    clash,
    display,
    hiding,
    live,
    never_seen,
    probe,
    questions,
    references,
    results,
    scene_index,
    shot,
    trees,
)
from .build import build_settings, chosen_bounds, steps_for_settings
from .reader import SceneChanges
from .scene_index import count_triangles
from .ui import (
    Listeners,
    forget_redo,
    is_listening,
    listen,
    redraw_status_bars,
    schedule,
    settings_of,
    tag_redraw,
)

AUTOMATIC_LIMIT = 200_000
# Seconds without a change after which trees are compared with the scene, even if operators run
# that may go on to change it; and how long at a time.
_REST, _PATIENCE, _STEP = 0.2, 5.0, 0.02
# How the names of operators begin that may change the scene at every movement of the mouse.
_EDITING = tuple(
    f"{kind}_OT_"
    for kind in (
        "ARMATURE",
        "CURVE",
        "MESH",
        "OBJECT",
        "OCTREE",
        "PAINT",
        "POSE",
        "RENDER",
        "SCULPT",
        "TRANSFORM",
    )
)


def after_update(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, changes: SceneChanges
) -> None:
    """Let a live tree follow an evaluation; to build another again is left to the user."""
    references.note_changes(depsgraph)
    if live.follow(scene, depsgraph, changes):
        tag_redraw()
    settle_later()


def settle_later() -> None:
    """Find out soon whether trees are out of date, if that is not known."""
    if not trees.is_settled():
        schedule(settle, _REST)


def settle() -> float | None:
    """Find out whether trees are out of date once the scene has come to rest, step by step."""
    left = _REST - scene_index.seconds_at_rest()
    if left > 0:
        return left
    if is_busy() and scene_index.seconds_at_rest() < _PATIENCE:
        return _REST
    return None if trees.settle(_STEP) else 0.0


def is_busy() -> bool:
    """Tell whether an animation plays, or an operator drags, edits or calculates in any window."""
    windows = bpy.context.window_manager.windows
    running = [each for window in windows for each in window.modal_operators]
    names = [each.bl_idname.upper().replace(".", "_OT_") for each in running]
    return any(name.startswith(_EDITING) for name in names) or any(
        window.screen.is_animation_playing for window in windows
    )


def before_load(*_: Any) -> None:
    """Forget every tree before another file is opened.

    Blender itself drops the listeners then, as they are not persistent. Removing one here, from
    the very list that is being called, would skip the next one in it.
    """
    trees.forget()
    questions.forget()
    results.forget()
    clash.forget()
    shot.forget()
    never_seen.forget()
    display.uninstall()


def before_save(*_: Any) -> None:
    """Let the file have the names of what trees were built from as they are now."""
    drop_pointers()
    references.refresh()


def merge_later() -> float | None:
    """Merge cells whose merging was deferred; return the seconds until the next time."""
    interval = live.merge_interval()
    if interval is not None:
        live.merge_deferred()
        tag_redraw()
    return interval


# While there is a tree or an answer.
LISTENERS: Listeners = (("load_pre", before_load), ("save_pre", before_save))
# While anything is drawn.
DRAW_LISTENERS: Listeners = (("load_pre", before_load),)


def uninstall() -> None:
    """Leave nothing behind; what changes from now on nobody notes."""
    listen(LISTENERS + DRAW_LISTENERS, False)
    scene_index.unsubscribe(after_update)
    schedule(merge_later, None)
    schedule(settle, None)
    live.stop_all()
    trees.doubt_everything()
    display.uninstall()


def after_change() -> None:
    """Listen only while there is a tree or an answer, and show its new state."""
    if trees.is_empty() and questions.is_empty():
        uninstall()
    else:
        is_live = any(built.is_live for built in trees.all_built())
        listen(LISTENERS, True)
        follow = scene_index.unsubscribe if trees.is_empty() else scene_index.subscribe
        follow(after_update)
        schedule(merge_later, live.merge_interval() if is_live else None)
        settle_later()
    show_words()
    update_display()


def after_results() -> None:
    """Listen to the scene while it keeps results, and show the active one; or nothing at once."""
    results.listen_if_kept()
    if not any(map(results.has_results, bpy.data.scenes)):
        probe.put_away()
    show_words()
    update_display()


def show_words() -> None:
    """Say in the status bars what is known by now."""
    schedule(redraw_status_bars, 0.0)


def has_something_to_draw() -> bool:
    """Tell whether there is anything to draw: a tree, an answer, a result, a camera's view."""
    shows_frustum = any(settings_of(scene).frustum.show for scene in bpy.data.scenes)
    shows_results = any(map(results.has_results, bpy.data.scenes))
    return shows_frustum or shows_results or not (trees.is_empty() and questions.is_empty())


def update_display() -> None:
    """Draw only while there is something to draw, and show its new state."""
    if has_something_to_draw():
        display.install()
        display.keep_only(trees.all_built())
    else:
        display.uninstall()
    listen(DRAW_LISTENERS, display.is_installed())
    tag_redraw()


def watch_header(_: bpy.types.Header, context: bpy.types.Context) -> None:
    """Notice that the header of a 3D view is drawn, and add nothing to it.

    A loaded file, an undo step or a copied scene may show a tree that is not in memory, or the
    view of a camera, or hide objects, when no handler is registered to notice. The header is
    drawn then, and not while the view turns.
    """
    hiding.listen_if_hiding()
    results.listen_if_kept()
    if references.meet(bpy.data.scenes) and has_pointers():
        schedule(drop_pointers, 0.0)
    trees.keep_only(bpy.data.scenes)
    scene_index.keep_only(bpy.data.scenes)
    questions.keep_only(bpy.data.scenes)
    if is_tree_missing(context.scene):
        schedule(restore_trees, 0.0)
    if display.is_installed() != has_something_to_draw():
        schedule(update_display, 0.0)
    # An undo may bring a tree back that is still in memory.
    if not (trees.is_empty() or is_listening(LISTENERS)):
        schedule(after_change, 0.0)


def has_pointers() -> bool:
    """Tell whether an older version wrote pointers to objects, which count as users of them."""
    scenes = bpy.data.scenes
    return any(trees.has_pointers(each) or results.has_pointers(each) for each in scenes) or any(
        map(former_storage, owners_of_settings())
    )


def drop_pointers() -> None:
    """Write names in place of the pointers that an older version wrote."""
    for scene in bpy.data.scenes:
        if scene.library is None:
            trees.drop_pointers(scene)
            results.drop_pointers(scene)
    for owner in owners_of_settings():
        if former_storage(owner):
            del owner["octree"]


def owners_of_settings() -> list[Any]:
    """Return the scenes of this file and their view layers."""
    scenes = [each for each in bpy.data.scenes if each.library is None]
    return [*scenes, *(layer for scene in scenes for layer in scene.view_layers)]


def former_storage(owner: Any) -> bool:
    """Tell whether settings stand a second time among custom properties, pointers and all.

    So Blender 5.0 and later leave those of files that 4.5 or an earlier one has saved.
    """
    if bpy.app.version < (5, 0) or "octree" not in owner:
        return False
    stored, known = owner["octree"], owner.octree.bl_rna.properties
    return hasattr(stored, "keys") and set(stored.keys()) <= set(known.keys())


def is_tree_missing(scene: bpy.types.Scene) -> bool:
    """Tell whether the scene shows a tree that is not in memory."""
    return settings_of(scene).display.show and trees.is_missing(scene)


def restore_trees() -> float | None:
    """Build the missing trees that windows show, step by step, soon after a drawing."""
    for window in bpy.context.window_manager.windows:
        if is_tree_missing(window.scene):
            with bpy.context.temp_override(window=window):
                begin_to_restore(bpy.context)
    is_done = trees.build_pending(slice_of_time())
    settle_later()
    return None if is_done else 0.0


def slice_of_time() -> float:
    """Return for how many seconds to work at a time: without a window, until all is done."""
    return math.inf if bpy.app.background else _STEP


def begin_to_restore(context: bpy.types.Context) -> None:
    """Read the objects that the file names, if they are few, to build the scene's tree again."""
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
    trees.build_later(scene, steps)


def register() -> None:
    """Follow the trees."""
    bpy.types.VIEW3D_HT_header.append(watch_header)
    trees.listen(after_change)
    questions.listen(after_change)
    results.listen(after_results)
    trees.rebuild_listeners.append(live.keep_following)


def unregister() -> None:
    """Forget the trees and answers, and leave nothing behind."""
    references.refresh()
    references.forget()
    trees.forget()
    scene_index.forget()
    questions.forget()
    shot.forget()
    never_seen.forget()
    hiding.uninstall()
    results.uninstall()
    clash.forget()
    forget_redo()
    uninstall()
    for timer in (restore_trees, update_display, after_change, drop_pointers):
        schedule(timer, None)
    trees.stop_listening(after_change)
    questions.stop_listening(after_change)
    results.stop_listening(after_results)
    trees.rebuild_listeners.remove(live.keep_following)
    bpy.types.VIEW3D_HT_header.remove(watch_header)
