"""What is registered with Blender while there is a tree or a view, and what wakes it."""

from collections.abc import Callable
from typing import Any

import bpy

from . import display, hiding, live, shot, trees
from .building import steps_as_set
from .properties import bounds_object, build_settings
from .reader import count_triangles
from .ui import run, settings_of, tag_redraw

AUTOMATIC_LIMIT = 200_000


def note_changes(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Note what changed after an evaluation; the tree itself is left to the user."""
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
        trees.notice_losses(scene)


def before_load(*_: Any) -> None:
    """Forget every tree before another file is opened.

    Blender itself drops the listeners then, for they are not persistent; to remove one here, from
    the very list that is being called, would skip the next one in it.
    """
    trees.forget()
    display.uninstall()


def before_save(*_: Any) -> None:
    """Keep no object alive in the file that the user has deleted."""
    for scene in bpy.data.scenes:
        trees.drop_lost_objects(scene)


def follow_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Have a tree that is live take over what has been evaluated, and show it."""
    if live.follow(scene, depsgraph):
        tag_redraw()


def after_undo(scene: bpy.types.Scene, *_: Any) -> None:
    """Have a tree that is live look at everything again: an undo names nothing of what it did."""
    live.distrust(scene)


def merge_later() -> float | None:
    """Merge cells that were put off, and say when to come again."""
    interval = live.merge_interval()
    if interval is not None:
        live.merge_deferred()
        tag_redraw()
    return interval


Listeners = tuple[tuple[str, Callable[..., None]], ...]
# While there is a tree, and while one is live.
LISTENERS: Listeners = (
    ("depsgraph_update_post", note_changes),
    ("frame_change_post", note_changes),
    ("load_pre", before_load),
    ("save_pre", before_save),
)
LIVE_LISTENERS: Listeners = (
    ("depsgraph_update_post", follow_update),
    ("frame_change_post", follow_update),
    ("undo_post", after_undo),
    ("redo_post", after_undo),
)


def listen(listeners: Listeners, wanted: bool) -> None:
    """Have Blender call these, each once, or call them no longer."""
    for name, listener in listeners:
        called = getattr(bpy.app.handlers, name)
        if wanted and listener not in called:
            called.append(listener)
        elif not wanted and listener in called:
            called.remove(listener)


def uninstall() -> None:
    """Leave nothing behind."""
    listen(LISTENERS + LIVE_LISTENERS, False)
    come_back(merge_later, None)
    display.uninstall()


def come_back(timer: Callable[[], float | None], seconds: float | None) -> None:
    """Have Blender call a timer after some time, once, or call it no longer."""
    is_registered = bpy.app.timers.is_registered(timer)
    if seconds is not None and not is_registered:
        bpy.app.timers.register(timer, first_interval=seconds)
    elif seconds is None and is_registered:
        bpy.app.timers.unregister(timer)


def follow_trees() -> None:
    """Be awake exactly while there is a tree, and show what has become of it."""
    if trees.is_empty():
        uninstall()
    else:
        listen(LISTENERS, True)
        listen(LIVE_LISTENERS, any(built.is_live for built in trees.all_built()))
        come_back(merge_later, live.merge_interval())
    follow_display()


def wants_display() -> bool:
    """Tell whether there is anything to draw: a tree, or the view of a camera."""
    shows_frustum = any(settings_of(scene).frustum.show for scene in bpy.data.scenes)
    return shows_frustum or not trees.is_empty()


def follow_display() -> None:
    """Draw exactly while there is something to draw, and show what has become of it."""
    if wants_display():
        display.install()
    else:
        display.uninstall()
    tag_redraw()


def watch_header(_: bpy.types.Header, context: bpy.types.Context) -> None:
    """Add nothing to the header of a 3D view, but see it drawn where a tree is missing.

    A loaded file, an undo step or a copied scene may show a tree that is not in memory, or the
    view of a camera, or hide objects, when no handler is registered to notice. The header is
    drawn then, and not while the view turns.
    """
    hiding.follow()
    trees.keep_only(bpy.data.scenes)
    if wants_tree(context.scene):
        come_back(restore_trees, 0.0)
    if display.is_installed() != wants_display():
        come_back(follow_display, 0.0)


def wants_tree(scene: bpy.types.Scene) -> bool:
    """Tell whether the scene shows a tree that is not in memory."""
    return settings_of(scene).display.show and trees.is_missing(scene)


def restore_trees() -> None:
    """Build again what the windows want to show, soon after the drawing that found it missing."""
    for window in bpy.context.window_manager.windows:
        if wants_tree(window.scene):
            with bpy.context.temp_override(window=window):
                restore_tree(bpy.context)


def restore_tree(context: bpy.types.Context) -> None:
    """Build the scene's tree again from the objects that the file names, if they are few."""
    scene, depsgraph = context.scene, context.evaluated_depsgraph_get()
    trees.refuse(scene, "The octree could not be built again")  # whatever fails, fails once
    objects, settings = trees.source_objects(scene), settings_of(scene)
    source, how = settings.built_of, build_settings(scene, settings.built_of.source)
    triangles = count_triangles(depsgraph, objects) if source.source == "TRIANGLES" else 0
    if triangles > AUTOMATIC_LIMIT:
        trees.refuse(scene, f"Not built by itself: {triangles:,} triangles")
        return
    steps = steps_as_set(depsgraph, objects, source, how, bounds_object=bounds_object(how))
    try:
        trees.restore(scene, run(steps))
    except ValueError as error:
        trees.refuse(scene, str(error))


def register() -> None:
    """Follow the trees."""
    bpy.types.VIEW3D_HT_header.append(watch_header)
    trees.listen(follow_trees)


def unregister() -> None:
    """Forget the trees and answers, and leave nothing behind."""
    trees.forget()
    shot.forget()
    hiding.uninstall()
    uninstall()
    come_back(restore_trees, None)
    come_back(follow_display, None)
    trees.stop_listening(follow_trees)
    bpy.types.VIEW3D_HT_header.remove(watch_header)
