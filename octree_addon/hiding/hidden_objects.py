"""Hide and restore: a record of the objects hidden by each icon, kept in the file.

While anything is hidden, listeners warn at every render and keep deleted objects out of the file.
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
    """The objects that one icon hides: in a view layer for the eye, else in the scene."""

    icon: str
    layer: bpy.types.ViewLayer
    records: Any  # a collection of OctreeHiddenObject

    def objects(self) -> Iterator[bpy.types.Object]:
        """Yield those that the icon still hides; the user has shown or deleted the others."""
        return (record.object for record in self._still_hidden())

    def from_other_frames(self) -> Iterator[bpy.types.Object]:
        """Yield those of them that were hidden in a frame other than the present one."""
        now = self.layer.id_data.frame_current_final
        return (record.object for record in self._still_hidden() if record.frame != now)

    def keep(self, objects: Iterable[bpy.types.Object]) -> None:
        """Keep these objects and no others; new ones with the present frame."""
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
    """Return what an icon hides in a view layer."""
    if icon == "EYE":
        return Memory(icon, layer, layer.octree.eye)  # type: ignore[attr-defined]
    scene = layer.id_data
    assert isinstance(scene, bpy.types.Scene)
    return Memory(icon, layer, getattr(settings_of(scene).hidden, icon.lower()))


def memories(scene: bpy.types.Scene) -> Iterator[Memory]:
    """Yield everything that a scene keeps, each once."""
    for layer in scene.view_layers:
        yield memory_of(layer, "EYE")
    for icon in ("MONITOR", "RENDER"):
        yield memory_of(scene.view_layers[0], icon)


def hidden_counts(scene: bpy.types.Scene) -> Counter[str]:
    """Count what Octree hides by each icon, cheaply enough for panels.

    Objects that were shown by hand are counted until the next save, unless all of them were.
    """
    counts: Counter[str] = Counter()
    for memory in memories(scene):
        if any(memory.objects()):
            counts[memory.icon] += len(memory.records)
    return counts


def still_hidden(scene: bpy.types.Scene) -> set[int]:
    """Return the session ids of the objects that Octree hides by any icon in any view layer."""
    return {item.session_uid for memory in memories(scene) for item in memory.objects()}


# By the session id of the scene: the numbers of records that were counted, and of objects.
_counted: SessionStore[tuple[tuple[int, ...], int]] = SessionStore()


def hidden_count(scene: bpy.types.Scene) -> int:
    """Count the objects that Octree hides by any icon in any view layer, each once.

    As cheap as `hidden_counts`, and as late to know what was shown by hand.
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
    """Count hidden objects again: others may have as many records."""
    _counted.clear()


def is_hiding(scene: bpy.types.Scene) -> bool:
    """Tell whether Octree hides anything."""
    return any(any(memory.objects()) for memory in memories(scene))


def has_memory(scene: bpy.types.Scene) -> bool:
    """Tell whether Octree has hidden anything, even if it was shown by hand since."""
    return any(memory.records for memory in memories(scene))


def drop_shown(scene: bpy.types.Scene) -> None:
    """Drop what is shown again, and what no scene has: the file would keep it alive."""
    present = {item.session_uid for each in bpy.data.scenes for item in each.objects}
    for memory in memories(scene):
        memory.keep([item for item in memory.objects() if item.session_uid in present])


def hide(context: bpy.types.Context, plan: Plan) -> int:
    """Hide what was planned, keep it in the file, and return how many are newly hidden."""
    layer = context.view_layer
    memory = memory_of(layer, plan.icon)
    before = list(memory.objects())
    set_hidden(context, layer, plan.objects, plan.icon, True)
    hidden = [item for item in plan.objects if is_hidden(item, layer, plan.icon)]
    memory.keep([*before, *hidden])
    listen_if_hiding()
    return len(hidden)


def restore(context: bpy.types.Context) -> Counter[str]:
    """Show again what `hide` has hidden in the scene, in all its view layers; count it by icon.

    What the user has shown meanwhile stays as it is.
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
    """Show these objects again where `hide` has hidden them; return how many that are."""
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
    """Show copies of what Octree hides, given as original and copy: nobody remembers them."""
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
    """Evaluate the animation of objects, and of what they instance, at the present frame.

    They were not evaluated while hidden; Blender itself catches up at the next frame only.
    """
    animated = [each for each in _owners(objects) if getattr(each, "animation_data", None)]
    for owner in animated:
        owner.update_tag(refresh={"TIME"})
    if animated:
        layer.update()


def _owners(objects: Iterable[bpy.types.Object]) -> Iterator[Any]:
    """Yield what of objects may be animated."""
    for item in objects:
        yield from (item, item.data, getattr(item.data, "shape_keys", None))
        if item.instance_type == "COLLECTION" and item.instance_collection:
            yield from _owners(item.instance_collection.all_objects)


def warnings_of(scene: bpy.types.Scene) -> list[str]:
    """Say which hidden objects a render of the scene would lack or show."""
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
        # The render has a thread of its own, which may not touch the window.
        schedule(show_warning, 0.0)


def show_warning() -> None:
    """Pop the warning up in the first window."""
    window = bpy.context.window_manager.windows[0]
    with bpy.context.temp_override(window=window):
        window.id_data.popup_menu(draw_warning, title="Rendering", icon="ERROR")


def draw_warning(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Draw the popup."""
    for line in warnings_of(context.scene):
        menu.layout.label(text=line)


def before_save(*_: Any) -> None:
    """Let the file keep no object alive that the user has deleted."""
    for scene in bpy.data.scenes:
        drop_shown(scene)


LISTENERS = (
    ("render_init", warn),
    ("save_pre", before_save),
    ("undo_post", doubt_counts),
    ("redo_post", doubt_counts),
)


def listen_if_hiding() -> None:
    """Listen only while Octree hides anything in any scene; may be called repeatedly."""
    if any(map(has_memory, bpy.data.scenes)):
        listen(LISTENERS, True)
    else:
        uninstall()


def uninstall() -> None:
    """Leave nothing behind."""
    listen(LISTENERS, False)
    schedule(show_warning, None)
