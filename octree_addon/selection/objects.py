"""Answers as selected or collected objects: items counted by object and instance."""

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

import bpy
import numpy as np

from ..arrays import Flags, Ids
from ..targets import SceneTarget
from ..ui import plural


@dataclass(frozen=True)
class FoundItems:
    """The items that a question found, and what counts as a found object or face.

    Attributes
    ----------
    target : SceneTarget
        Whose items they are.
    items : ndarray of intp
        The items found, as answers call them.
    whole : bool
        An object or a face needs all of its items found, otherwise any of them.
    invert : bool
        Those that are not found are wanted instead.
    """

    target: SceneTarget
    items: Ids
    whole: bool = False
    invert: bool = False

    def wanted(self, found: Ids, possible: Ids) -> Flags:
        """Tell which groups are wanted, by how many of their items were found and could be."""
        matched: Flags = found == possible if self.whole else found > 0
        return (possible > 0) & (matched != self.invert)


def select_objects(layer: bpy.types.ViewLayer, answer: FoundItems, action: str) -> Counter[str]:
    """Select the objects of an answer in a view layer; an instance selects its instancer.

    `action` is "REPLACE", "EXTEND" or "SUBTRACT". Counts the `objects`, and `instances` of theirs,
    that were selected or, for "SUBTRACT", deselected; and `refused`, the objects that are gone,
    hidden or not selectable.
    """
    return select_found(layer, found_objects(answer), action)


def select_found(
    layer: bpy.types.ViewLayer, found: Mapping[int, int], action: str
) -> Counter[str]:
    """Select objects by their session ids, each with how many of its instances were found.

    The action and the counts are those of `select_objects`.
    """
    if action == "REPLACE":
        _deselect_others(layer, found)
    targets = [item for item in layer.objects if item.session_uid in found]
    counts = Counter(refused=len(found) - len(targets))
    for item in targets:
        outcome = _select(item, layer, action != "SUBTRACT")
        counts[outcome] += 1
        if outcome == "objects":
            counts["instances"] += found[item.session_uid]
    return counts


def found_objects(answer: FoundItems) -> dict[int, int]:
    """Return the wanted objects by session id, each with how many of its instances are."""
    target = answer.target
    uids, numbers = np.unique(target.owners, return_inverse=True)
    wanted = wanted_placements(answer)
    objects = _per_object(wanted, numbers, len(uids)) > 0
    counted = _per_object(wanted & target.is_instance, numbers, len(uids))
    return dict(zip(uids[objects].tolist(), counted[objects].tolist(), strict=True))


def wanted_placements(answer: FoundItems) -> Flags:
    """Tell which placements are wanted, (p,): those of wanted objects that are so themselves."""
    target = answer.target
    found, possible = target.counts(answer.items)
    uids, numbers = np.unique(target.owners, return_inverse=True)
    totals = [_per_object(counts, numbers, len(uids)) for counts in (found, possible)]
    wanted: Flags = answer.wanted(found, possible) & answer.wanted(*totals)[numbers]
    return wanted


def _per_object(counts: Ids | Flags, numbers: Ids, length: int) -> Ids:
    return np.bincount(numbers, counts, minlength=length).astype(np.intp)


def _deselect_others(layer: bpy.types.ViewLayer, kept: Container[int]) -> None:
    for item in list(layer.objects.selected):
        if item.session_uid not in kept:
            item.select_set(False, view_layer=layer)


def _select(item: bpy.types.Object, layer: bpy.types.ViewLayer, state: bool) -> str:
    """Write the selection of one object, and return the outcome."""
    before = item.select_get(view_layer=layer)
    item.select_set(state, view_layer=layer)
    if item.select_get(view_layer=layer) != state:
        return "refused"  # hidden or not selectable, which Blender does not report
    return "objects" if state or before else "untouched"


def found_text(counts: Counter[str], action: str, *, by_bounds: bool = False) -> str:
    """Say what was really selected or deselected, such as "12 objects, 340 instances selected"."""
    kind = "face" if "faces" in counts else "object"
    parts = [plural(counts[f"{kind}s"], kind)]
    if counts["instances"]:
        parts.append(plural(counts["instances"], "instance"))
    text = f"{', '.join(parts)} {'deselected' if action == 'SUBTRACT' else 'selected'}"
    if by_bounds:
        text += ", by their bounds"
    if counts["refused"]:
        text += f"; {counts['refused']:,} could not be"
    if counts["unknown"]:
        meshes = "mesh has" if counts["unknown"] == 1 else "meshes have"
        text += f"; {counts['unknown']:,} {meshes} no known faces"
    return text


def collect(
    scene: bpy.types.Scene, objects: Iterable[bpy.types.Object], name: str
) -> bpy.types.Collection:
    """Link objects into a new collection of the scene, besides those that they are in.

    Blender adds a number to a name that is taken: no collection of the user's is ever emptied.
    """
    collection = bpy.data.collections.new(name)
    for item in objects:
        collection.objects.link(item)
    scene.collection.children.link(collection)
    return collection
