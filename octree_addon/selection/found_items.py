"""Items that a question found, counted by object, instance and face: what is wanted of them."""

from dataclasses import dataclass
from functools import partial

import bpy
import numpy as np

from ..arrays import Flags, Ids
from ..snapshots import SceneTarget
from .subjects import Faces, Objects, Subjects


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

    @property
    def subjects(self) -> Subjects:
        """The wanted objects, each with how many of its instances are, and the wanted faces."""
        target = self.target
        uids, numbers = np.unique(target.owners, return_inverse=True)
        wanted = wanted_placements(self)
        objects = _per_object(wanted, numbers, len(uids)) > 0
        counted = _per_object(wanted & target.is_instance, numbers, len(uids))
        counts = dict(zip(uids[objects].tolist(), counted[objects].tolist(), strict=True))
        return Subjects(counts, partial(_wanted_faces, self), are_instances=True)


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


def _wanted_faces(answer: FoundItems, objects: Objects) -> Faces:
    """Return which polygons of each mesh are wanted, through any object that uses it."""
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
