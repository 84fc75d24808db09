"""What we have hidden and not yet shown again: the file remembers it, with each undo step."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import bpy

from ..properties import layer_memory
from ..ui import settings_of
from .icons import is_hidden


@dataclass(frozen=True)
class Memory:
    """The objects that one icon hides: in a view layer for the eye, else in the scene."""

    icon: str
    layer: bpy.types.ViewLayer
    records: Any  # a collection of OctreeHiddenObject

    def objects(self) -> Iterator[bpy.types.Object]:
        """Yield those that the icon still hides: others the user has shown or deleted."""
        return (record.object for record in self._standing())

    def from_other_frames(self) -> Iterator[bpy.types.Object]:
        """Yield those of them that were hidden in another frame than the present one."""
        now = self.layer.id_data.frame_current_final
        return (record.object for record in self._standing() if record.frame != now)

    def keep(self, objects: Iterable[bpy.types.Object]) -> None:
        """Remember these objects and no other; those that are new, with the present frame."""
        known = [record for record in self.records if record.object]
        frames = {record.object.session_uid: record.frame for record in known}
        now = self.layer.id_data.frame_current_final
        self.records.clear()
        for item in objects:
            record = self.records.add()
            record.object, record.frame = item, frames.get(item.session_uid, now)

    def _standing(self) -> Iterator[Any]:
        for record in self.records:
            if record.object and is_hidden(record.object, self.layer, self.icon):
                yield record


def memory_of(layer: bpy.types.ViewLayer, icon: str) -> Memory:
    """Return where hiding by an icon in a view layer is remembered."""
    if icon == "EYE":
        return Memory(icon, layer, layer_memory(layer).eye)
    scene = layer.id_data
    assert isinstance(scene, bpy.types.Scene)
    return Memory(icon, layer, getattr(settings_of(scene).hidden, icon.lower()))


def memories(scene: bpy.types.Scene) -> Iterator[Memory]:
    """Yield all that a scene remembers, each once."""
    for layer in scene.view_layers:
        yield memory_of(layer, "EYE")
    for icon in ("MONITOR", "RENDER"):
        yield memory_of(scene.view_layers[0], icon)


def hidden_counts(scene: bpy.types.Scene) -> Counter[str]:
    """Count what we have hidden by each icon, at next to no cost, for panels.

    Objects that were shown by hand are counted until the next save, unless all of them were.
    """
    counts: Counter[str] = Counter()
    for memory in memories(scene):
        if any(memory.objects()):
            counts[memory.icon] += len(memory.records)
    return counts


def is_hiding(scene: bpy.types.Scene) -> bool:
    """Tell whether anything is hidden by us."""
    return any(any(memory.objects()) for memory in memories(scene))


def has_memory(scene: bpy.types.Scene) -> bool:
    """Tell whether anything was hidden by us, even if it was shown by hand since."""
    return any(memory.records for memory in memories(scene))


def forget_the_rest(scene: bpy.types.Scene) -> None:
    """Forget what is shown again, and what no scene has: the file would keep it alive."""
    present = {item.session_uid for each in bpy.data.scenes for item in each.objects}
    for memory in memories(scene):
        memory.keep([item for item in memory.objects() if item.session_uid in present])
