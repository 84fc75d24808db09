"""Found items: the objects, instances and faces that match a question, from counts of items."""

from dataclasses import dataclass
from functools import partial

import bpy
import numpy as np

from ..arrays import Flags, Ids
from ..snapshots import SceneTarget
from .subjects import Faces, Objects, Subjects


@dataclass(frozen=True)
class FoundItems:
    """The items that a question found, and the rule by which objects and faces match.

    Attributes
    ----------
    target : SceneTarget
        The target of the question, which the items belong to.
    items : ndarray of intp
        The found items, in the numbering of answers.
    whole : bool
        True if an object or face matches only if all of its items were found; else one suffices.
    invert : bool
        True if the objects and faces that do not match are wanted.
    """

    target: SceneTarget
    items: Ids
    whole: bool = False
    invert: bool = False

    def wanted(self, found: Ids, possible: Ids) -> Flags:
        """Flag the wanted groups from the numbers of their found and of their possible items."""
        matched: Flags = found == possible if self.whole else found > 0
        return (possible > 0) & (matched != self.invert)

    @property
    def subjects(self) -> Subjects:
        """The wanted objects with their numbers of wanted instances, and the wanted faces."""
        target = self.target
        uids, numbers = np.unique(target.owners, return_inverse=True)
        wanted = wanted_placements(self)
        objects = _per_object(wanted, numbers, len(uids)) > 0
        counted = _per_object(wanted & target.is_instance, numbers, len(uids))
        counts = dict(zip(uids[objects].tolist(), counted[objects].tolist(), strict=True))
        return Subjects(counts, partial(_wanted_faces, self), are_instances=True)


def wanted_placements(answer: FoundItems) -> Flags:
    """Flag the placements, (p,), that are wanted themselves and belong to a wanted object."""
    target = answer.target
    found, possible = target.counts(answer.items)
    uids, numbers = np.unique(target.owners, return_inverse=True)
    totals = [_per_object(counts, numbers, len(uids)) for counts in (found, possible)]
    wanted: Flags = answer.wanted(found, possible) & answer.wanted(*totals)[numbers]
    return wanted


def _per_object(counts: Ids | Flags, numbers: Ids, length: int) -> Ids:
    return np.bincount(numbers, counts, minlength=length).astype(np.intp)


def _wanted_faces(answer: FoundItems, objects: Objects) -> Faces:
    """Flag the wanted polygons of each mesh; a mesh collects them from all objects that use it."""
    by_uid = {item.session_uid: item for item in objects}
    wanted: dict[int, Flags] = {}
    for each in answer.target.faces(answer.items, frozenset(by_uid)):
        count = each.polygons[-1] + 1
        flags = answer.wanted(
            np.bincount(each.polygons[each.found], minlength=count),
            np.bincount(each.polygons[each.possible], minlength=count),
        )
        mesh = by_uid[each.owner].data
        assert isinstance(mesh, bpy.types.Mesh)
        wanted[mesh.session_uid] = flags | wanted.get(mesh.session_uid, False)
    return wanted
