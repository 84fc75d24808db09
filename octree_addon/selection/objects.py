"""Answers as selected or collected objects of a view layer: items gathered object by object."""

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

import bpy
import numpy as np

from ..arrays import Flags, Ids
from ..trees import BuiltTree
from ..ui import number


@dataclass(frozen=True)
class Answer:
    """The items that a question found, and what counts as a found object or face.

    Attributes
    ----------
    built : BuiltTree
        Whose items they are.
    items : ndarray of intp, shape (h,)
        The items found, as answers call them.
    whole : bool
        An object or a face is found only with all of its items, else with any of them.
    invert : bool
        Those that are not found are wanted instead.
    """

    built: BuiltTree
    items: Ids
    whole: bool = False
    invert: bool = False

    def flags(self) -> tuple[Flags, Flags]:
        """Return for each item whether it was found, and whether it could be."""
        found = np.zeros(self.built.source.item_count, np.bool_)
        found[self.built.places_of(self.items)] = True
        possible = np.ones_like(found)
        possible[self.built.octree.invalid_items] = False
        return found, possible

    def wanted(self, found: Ids, possible: Ids) -> Flags:
        """Tell which groups are wanted, by how many of their items were found and could be."""
        matched: Flags = found == possible if self.whole else found > 0
        return (possible > 0) & (matched != self.invert)


def select_objects(layer: bpy.types.ViewLayer, answer: Answer, action: str) -> Counter[str]:
    """Select the objects of an answer; an instance selects its instancer.

    Parameters
    ----------
    layer : bpy.types.ViewLayer
        Whose selection is written.
    answer : Answer
        What is wanted.
    action : {"REPLACE", "EXTEND", "SUBTRACT"}
        How the present selection changes.

    Returns
    -------
    Counter of str
        `objects`, and `instances` of theirs, that were selected or, for `"SUBTRACT"`,
        deselected; `refused`, the objects that are gone, hidden or not selectable.
    """
    chosen, instances = _wanted(answer)
    found = {
        answer.built.source.objects[number].session_uid: int(instances[number])
        for number in np.flatnonzero(chosen)
    }
    return select_found(layer, found, action)


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


def _wanted(answer: Answer) -> tuple[Flags, Ids]:
    """Return for each object whether it is wanted, and how many of its instances are."""
    source = answer.built.source
    starts, owners = source.placement_start[:-1], source.object_of_placement
    found, possible = (np.add.reduceat(flags, starts, dtype=np.intp) for flags in answer.flags())
    objects = answer.wanted(
        _per_object(found, owners, len(source.objects)),
        _per_object(possible, owners, len(source.objects)),
    )
    instances = answer.wanted(found, possible) & source.is_instance & objects[owners]
    return objects, _per_object(instances, owners, len(source.objects))


def _per_object(counts: Ids | Flags, owners: Ids, length: int) -> Ids:
    return np.bincount(owners, counts, minlength=length).astype(np.intp)


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
    parts = [number(counts[f"{kind}s"], kind)]
    if counts["instances"]:
        parts.append(number(counts["instances"], "instance"))
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
