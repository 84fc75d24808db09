"""What we have hidden and not yet shown again: the file remembers it, with each undo step."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import bpy

from ..properties import layer_memory, settings_of
from .eye import members
from .icons import is_hidden


@dataclass(frozen=True)
class Memory:
    """The objects that one icon hides: in a view layer for the eye, else in the scene."""

    icon: str
    layer: bpy.types.ViewLayer
    records: Any  # a collection of OctreeObject

    def objects(self) -> list[bpy.types.Object]:
        """Return those that the icon still hides: others the user has shown or deleted."""
        present = {item.session_uid for item in members(self.layer)}
        return [
            item
            for item in (record.object for record in self.records)
            if item
            and (self.icon != "EYE" or item.session_uid in present)
            and is_hidden(item, self.layer, self.icon)
        ]

    def keep(self, objects: Iterable[bpy.types.Object]) -> None:
        """Remember these objects and no other."""
        self.records.clear()
        for item in objects:
            self.records.add().object = item


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
    """Count what we have hidden by each icon; at no cost, for panels."""
    counts: Counter[str] = Counter()
    for memory in memories(scene):
        counts[memory.icon] += len(memory.records)
    return +counts


def is_hiding(scene: bpy.types.Scene) -> bool:
    """Tell whether anything is hidden by us."""
    return any(memory.records for memory in memories(scene))


def drop_lost_objects(scene: bpy.types.Scene) -> None:
    """Let go of the objects that no scene has any more, for the file would keep them alive."""
    present = {item.session_uid for each in bpy.data.scenes for item in each.objects}
    for memory in memories(scene):
        objects = [record.object for record in memory.records]
        kept = [item for item in objects if item and item.session_uid in present]
        if len(kept) < len(objects):
            memory.keep(kept)
