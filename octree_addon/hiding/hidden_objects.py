"""Hide and restore: a record of the objects hidden by each icon, stored in the file.

While Octree hides an object, listeners warn at every render and remove deleted objects from the
record before each save.
"""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import bpy

from ..ui import SessionStore, listen, schedule, settings_of
from .plan import Plan
from .view_layer_hiding import FLAGS, is_hidden, set_hidden


@dataclass(frozen=True)
class Memory:
    """The record of objects hidden by one icon: of a view layer for the eye, else of the scene."""

    icon: str
    layer: bpy.types.ViewLayer
    records: Any  # a collection of OctreeHiddenObject

    def objects(self) -> Iterator[bpy.types.Object]:
        """Yield the recorded objects that the icon still hides.

        The user has shown or deleted the others.
        """
        return (record.object for record in self._still_hidden())

    def from_other_frames(self) -> Iterator[bpy.types.Object]:
        """Yield the objects, still hidden, that were hidden in a frame other than the present."""
        now = self.layer.id_data.frame_current_final
        return (record.object for record in self._still_hidden() if record.frame != now)

    def keep(self, objects: Iterable[bpy.types.Object]) -> None:
        """Replace the recorded objects; new ones are recorded with the present frame."""
        known = [record for record in self.records if record.object]
        frames = {record.object.session_uid: record.frame for record in known}
        now = self.layer.id_data.frame_current_final
        self.records.clear()
        doubt_counts()
        for item in objects:
            record = self.records.add()
            record.object, record.frame = item, frames.get(item.session_uid, now)

    def _still_hidden(self) -> Iterator[Any]:
        for record in self.records:
            if record.object and is_hidden(record.object, self.layer, self.icon):
                yield record


def memory_of(layer: bpy.types.ViewLayer, icon: str) -> Memory:
    """Return the record of an icon: of the view layer for the eye, else of its scene."""
    if icon == "EYE":
        return Memory(icon, layer, layer.octree.eye)  # type: ignore[attr-defined]
    scene = layer.id_data
    assert isinstance(scene, bpy.types.Scene)
    return Memory(icon, layer, getattr(settings_of(scene).hidden, icon.lower()))


def memories(scene: bpy.types.Scene) -> Iterator[Memory]:
    """Yield all records of a scene, each once."""
    for layer in scene.view_layers:
        yield memory_of(layer, "EYE")
    for icon in ("MONITOR", "RENDER"):
        yield memory_of(scene.view_layers[0], icon)


def hidden_counts(scene: bpy.types.Scene) -> Counter[str]:
    """Count the objects that Octree hides by each icon, cheaply enough for panels.

    Objects that the user has shown by hand are counted until the next save, except if all objects
    of a record were shown.
    """
    counts: Counter[str] = Counter()
    for memory in memories(scene):
        if any(memory.objects()):
            counts[memory.icon] += len(memory.records)
    return counts


def still_hidden(scene: bpy.types.Scene) -> set[int]:
    """Return the session ids of the objects that Octree hides by any icon in any view layer."""
    return {item.session_uid for memory in memories(scene) for item in memory.objects()}


# By the session id of the scene: the lengths of the counted records, and the number of objects.
_counted: SessionStore[tuple[tuple[int, ...], int]] = SessionStore()


def hidden_count(scene: bpy.types.Scene) -> int:
    """Count the objects that Octree hides by any icon in any view layer, each once.

    As cheap as `hidden_counts`, and as inexact about objects that the user has shown by hand.
    """
    records = [memory.records for memory in memories(scene) if any(memory.objects())]
    sizes = tuple(map(len, records))
    if len(sizes) < 2:
        return sum(sizes)
    known = _counted.get((scene.session_uid,))
    if known is None or known[0] != sizes:
        objects = (record.object for each in records for record in each)
        known = sizes, len({item.session_uid for item in objects if item})
        _counted[scene.session_uid,] = known
    return known[1]


def doubt_counts(*_: Any) -> None:
    """Drop cached counts: their key, the lengths of the records, may fit other objects too."""
    _counted.clear()


def is_hiding(scene: bpy.types.Scene) -> bool:
    """Return whether Octree hides any object of a scene."""
    return any(any(memory.objects()) for memory in memories(scene))


def has_memory(scene: bpy.types.Scene) -> bool:
    """Return whether a scene has any record, even of objects that the user has shown since."""
    return any(memory.records for memory in memories(scene))


def drop_shown(scene: bpy.types.Scene) -> None:
    """Remove records of objects that are shown again or that no scene contains.

    A record is a pointer, a user of the object, so the file would keep a deleted object.
    """
    present = {item.session_uid for each in bpy.data.scenes for item in each.objects}
    for memory in memories(scene):
        memory.keep([item for item in memory.objects() if item.session_uid in present])


def hide(context: bpy.types.Context, plan: Plan) -> int:
    """Hide the objects of a plan, record them, and return how many of them are hidden."""
    layer = context.view_layer
    memory = memory_of(layer, plan.icon)
    before = list(memory.objects())
    set_hidden(context, layer, plan.objects, plan.icon, True)
    hidden = [item for item in plan.objects if is_hidden(item, layer, plan.icon)]
    memory.keep([*before, *hidden])
    listen_if_hiding()
    return len(hidden)


def restore(context: bpy.types.Context) -> Counter[str]:
    """Show all objects hidden by `hide` in the scene and its view layers; count them by icon.

    Objects that the user has shown since are not counted.
    """
    shown: Counter[str] = Counter()
    for memory in memories(context.scene):
        objects = list(memory.objects())
        outdated = list(memory.from_other_frames()) if memory.icon == "MONITOR" else []
        set_hidden(context, memory.layer, objects, memory.icon, False)
        _animate(outdated, context.view_layer)
        memory.records.clear()
        doubt_counts()
        shown[memory.icon] += len(objects)
    listen_if_hiding()
    return +shown


def show_again(context: bpy.types.Context, objects: Iterable[bpy.types.Object]) -> int:
    """Show these objects again where `hide` has hidden them; return the number shown."""
    wanted, shown = {item.session_uid for item in objects}, set[int]()
    for memory in memories(context.scene):
        hidden = list(memory.objects())
        mine = [item for item in hidden if item.session_uid in wanted]
        set_hidden(context, memory.layer, mine, memory.icon, False)
        memory.keep([item for item in hidden if item.session_uid not in wanted])
        shown.update(item.session_uid for item in mine)
    listen_if_hiding()
    return len(shown)


def show_copies(pairs: Iterable[tuple[bpy.types.Object, bpy.types.Object]]) -> None:
    """Show copies of objects that Octree hides, given as pairs of original and copy.

    Copies inherit the hiding flags but have no record, so *Restore Hidden* would not show them.
    """
    hidden: dict[str, set[int]] = {flag: set() for flag in FLAGS.values()}
    for scene in bpy.data.scenes:
        for memory in memories(scene):
            if memory.icon in FLAGS:
                hidden[FLAGS[memory.icon]].update(item.session_uid for item in memory.objects())
    for item, copy in pairs:
        for flag, uids in hidden.items():
            if item.session_uid in uids:
                setattr(copy, flag, False)


def _animate(objects: Iterable[bpy.types.Object], layer: bpy.types.ViewLayer) -> None:
    """Evaluate the animation of objects, and of collections they instance, at this frame.

    Blender does not evaluate objects while hidden, and otherwise catches up at the next frame.
    """
    animated = [each for each in _owners(objects) if getattr(each, "animation_data", None)]
    for owner in animated:
        owner.update_tag(refresh={"TIME"})
    if animated:
        layer.update()


def _owners(objects: Iterable[bpy.types.Object]) -> Iterator[Any]:
    """Yield all data-blocks of objects that may have animation data."""
    for item in objects:
        yield from (item, item.data, getattr(item.data, "shape_keys", None))
        if item.instance_type == "COLLECTION" and item.instance_collection:
            yield from _owners(item.instance_collection.all_objects)


def warnings_of(scene: bpy.types.Scene) -> list[str]:
    """Return warnings with the numbers of hidden objects that a render would lack or show."""
    hidden = [(item, memory.icon) for memory in memories(scene) for item in memory.objects()]
    lacking = {item.session_uid for item, icon in hidden if icon == "RENDER"}
    showing = {item.session_uid for item, _ in hidden if not item.hide_render}
    counts = {"lacks": len(lacking), "shows": len(showing)}
    return [
        f"Objects hidden by Octree that this render {verb}: {count:,}"
        for verb, count in counts.items()
        if count
    ]


def warn(scene: bpy.types.Scene, *_: Any) -> None:
    """Warn when a render starts: in a popup or, in background, in the log."""
    lines = warnings_of(scene)
    if bpy.app.background:
        for line in lines:
            logging.getLogger(__name__).warning(line)
    elif lines:
        # The render runs in its own thread, which must not touch the window.
        schedule(show_warning, 0.0)


def show_warning() -> None:
    """Show the warning as a popup in the first window."""
    window = bpy.context.window_manager.windows[0]
    with bpy.context.temp_override(window=window):
        window.id_data.popup_menu(draw_warning, title="Rendering", icon="ERROR")


def draw_warning(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Draw the popup."""
    for line in warnings_of(context.scene):
        menu.layout.label(text=line)


def before_save(*_: Any) -> None:
    """Remove records of shown and deleted objects, so that the file does not keep them."""
    for scene in bpy.data.scenes:
        drop_shown(scene)


LISTENERS = (
    ("render_init", warn),
    ("save_pre", before_save),
    ("undo_post", doubt_counts),
    ("redo_post", doubt_counts),
)


def listen_if_hiding() -> None:
    """Install the listeners if any scene has a record, else remove them; idempotent."""
    if any(map(has_memory, bpy.data.scenes)):
        listen(LISTENERS, True)
    else:
        uninstall()


def uninstall() -> None:
    """Remove the listeners and the timer."""
    listen(LISTENERS, False)
    schedule(show_warning, None)
