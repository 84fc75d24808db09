"""Change detection by content: whether what a tree was read from is still the same.

An update of the scene names data-blocks that may have changed; that costs next to nothing and is
often wrong: so does a change of mode, or an undo. They are in doubt from then on. Matrices, boxes
and digests of meshes are compared when someone needs to know, only those in doubt.
"""

import math
from collections.abc import Callable, Set
from itertools import islice
from time import perf_counter
from typing import Any, NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from .differences import SceneNow
from .source import Source

# With more updates than this they are not looked at one by one: everything is in doubt.
_MOST_UPDATES = 256


class Changes(NamedTuple):
    """What an update of the scene may have changed.

    Attributes
    ----------
    moved, reshaped : frozenset of int, optional
        Session ids of the data-blocks; None is all of them.
    regrouped : bool
        Whether collections may have gained or lost objects.
    reshown : bool
        Whether objects may have been shown or hidden.
    by_hand : bool
        Whether that is all, and only by the user's hand: mostly, objects were selected.
    """

    moved: frozenset[int] | None
    reshaped: frozenset[int] | None
    regrouped: bool
    reshown: bool
    by_hand: bool = False


EVERYTHING = Changes(None, None, True, True)


def changes_of(depsgraph: bpy.types.Depsgraph) -> Changes:
    """Return what the last update of a depsgraph names; cheap, whatever it was."""
    updates = list(islice(depsgraph.updates, _MOST_UPDATES + 1))
    if len(updates) > _MOST_UPDATES:
        return _changes_of_many(depsgraph)
    moved: set[int] = set()
    reshaped: set[int] = set()
    regrouped = reshown = False
    scenes = 0
    for update in updates:
        item, is_moved = update.id, update.is_updated_transform
        is_reshaped = update.is_updated_geometry
        if isinstance(item, bpy.types.Scene):
            reshown, scenes = True, scenes + 1
            continue
        if is_moved:
            moved.add(item.original.session_uid)
        if is_reshaped:
            reshaped.add(item.original.session_uid)
        if isinstance(item, bpy.types.Object):
            # One updated for another reason may have been hidden, by a key or a driver.
            reshown |= not (is_moved or is_reshaped)
        elif isinstance(item, bpy.types.Collection):
            regrouped |= is_moved or is_reshaped
    by_hand = reshown and scenes == len(updates)
    return Changes(frozenset(moved), frozenset(reshaped), regrouped, reshown, by_hand)


def _changes_of_many(depsgraph: bpy.types.Depsgraph) -> Changes:
    moved, reshaped = (
        None if update_flags(depsgraph, f"is_updated_{kind}").any() else frozenset[int]()
        for kind in ("transform", "geometry")
    )
    return Changes(moved, reshaped, True, True)


def update_flags(depsgraph: bpy.types.Depsgraph, name: str) -> NDArray[np.bool_]:
    """Return one flag of all updates."""
    updates: Any = depsgraph.updates
    flags = np.empty(len(updates), np.bool_)
    updates.foreach_get(name, flags)
    return flags


class Comparison:
    """What of a source is in doubt, and what of it is known to differ from the scene.

    Objects that are hidden now count as unchanged until they are seen again.

    Attributes
    ----------
    differs : bool
        What was found when all was settled last.
    is_total : bool
        Whether everything is in doubt.
    doubted_at : float
        When anything was put in doubt last, by `perf_counter`.
    """

    def __init__(self) -> None:
        self.differs = self.is_total = False
        self.doubted_at = -math.inf
        # In doubt: session ids of objects; parts of the whole; and the meshes of instances.
        self._moved: set[int] = set()
        self._reshaped: set[int] = set()
        self._closer: set[int] = set()  # items whose boxes are not what the last look expected
        self._parts: set[str] = set()
        self._instance_shapes = False
        # Known to differ, seen or hidden; hidden, and not looked at.
        self._displaced: set[int] = set()
        self._deformed: set[int] = set()
        self._different: set[str] = set()
        self._unseen: set[int] = set()
        # Of meshes by their addresses, which hold until the next update.
        self._digests: dict[int, bytes] = {}

    @property
    def is_settled(self) -> bool:
        """Whether it is known if the source differs."""
        in_doubt = self._moved or self._reshaped or self._closer or self._parts
        return not in_doubt or bool(self._different - self._parts)

    def copy(self) -> "Comparison":
        """Return another one that knows and doubts the same."""
        other = Comparison()
        for name, value in vars(self).items():
            setattr(other, name, value.copy() if isinstance(value, set | dict) else value)
        return other

    def decree(self, differs: bool) -> None:
        """Know, without a look, that the source differs or that it does not."""
        self.__init__()  # type: ignore[misc]
        self.differs = differs
        self._different = {"DECREE"} if differs else set()

    def doubt(self, source: Source, changes: Changes) -> None:
        """Note what an update may have changed of a source."""
        self.doubted_at = perf_counter()
        self._digests = {}
        if self.is_total:
            return
        self.is_total = changes is EVERYTHING
        moved, reshaped = (_common(source.wanted, ids) for ids in changes[:2])
        self._moved |= moved
        self._reshaped |= reshaped
        if changes.reshown:
            self._reshaped |= self._unseen
            self._unseen = set()
        if (changes.reshown or moved or reshaped) and (self._displaced or self._deformed):
            self._parts.add("OBJECTS")
        if changes.regrouped:
            self._parts.add("PRESENCE")
        self._doubt_instances(source, changes)
        if source.bounds_object and any(_common({source.bounds_object[0]}, changes.moved)):
            self._parts.add("BOUNDS")

    def _doubt_instances(self, source: Source, changes: Changes) -> None:
        reshaped = _common(source.watched, changes.reshaped)
        if reshaped or (source.watched and changes.regrouped):
            self._instance_shapes = True
            self._parts.add("INSTANCES")
        elif _common(source.watched, changes.moved):
            self._parts.add("INSTANCES")

    def settle(
        self,
        source: Source,
        boxes: Floats,
        layer: bpy.types.ViewLayer,
        deadline: float,
    ) -> bool:
        """Compare what is in doubt until the time is up; tell whether all is settled.

        `boxes`, (6, n), are those of the items if they are objects.
        """
        scene = SceneNow(source, boxes, layer)
        while not self.is_settled:
            self._settle_part(scene, deadline)
            if perf_counter() > deadline:
                break
        if self.is_settled:
            self.differs = bool(self._different)
        return self.is_settled

    def _settle_part(self, scene: "SceneNow", deadline: float) -> None:
        """Settle one part, the cheapest first."""
        self.is_total = False
        simple = [part for part in ("PRESENCE", "BOUNDS") if part in self._parts]
        if simple:
            self._settle_whole(simple[0], scene)
        elif self._moved:
            self._settle_moved(scene)
        elif "OBJECTS" in self._parts:
            self._settle_whole("OBJECTS", scene)
        elif self._reshaped or self._closer:
            self._settle_reshaped(scene, deadline)
        else:
            self._settle_whole("INSTANCES", scene)
            self._instance_shapes = False

    def _settle_whole(self, part: str, scene: "SceneNow") -> None:
        tests: dict[str, Callable[[], bool]] = {
            "PRESENCE": scene.has_lost_objects,
            "BOUNDS": scene.has_other_bounds,
            "OBJECTS": lambda: scene.shows_any(self._known_to_differ),
            "INSTANCES": lambda: scene.has_other_instances(self._instance_shapes),
        }
        differs = tests[part]()
        self._parts.discard(part)
        self._different.discard(part)
        if differs:
            self._different.add(part)

    @property
    def _known_to_differ(self) -> set[int]:
        return self._displaced | self._deformed - self._reshaped - self._closer

    def _settle_moved(self, scene: "SceneNow") -> None:
        moved, self._moved = self._moved, set()
        displaced = scene.displaced(moved)
        if scene.holds_objects:  # another box of its own may make up for another matrix
            self._closer = self._closer - moved | displaced | self._deformed & moved
        else:
            self._displaced = self._displaced - moved | displaced
            self._parts.add("OBJECTS")

    def _settle_reshaped(self, scene: "SceneNow", deadline: float) -> None:
        """Settle as many as there is time for, at least one."""
        ids, had_any = self._reshaped | self._closer, bool(self._deformed)
        settled, deformed = scene.deformed(ids, self._digests, deadline)
        self._reshaped -= settled
        self._closer -= settled
        self._unseen |= scene.unseen
        self._deformed = self._deformed - settled | deformed
        if self._deformed or had_any:
            self._parts.add("OBJECTS")
        if scene.has_new_instancers:
            self._instance_shapes = True
            self._parts.add("INSTANCES")


def _common(ids: Set[int], changed: Set[int] | None) -> Set[int]:
    return ids if changed is None else ids & changed
