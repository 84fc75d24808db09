"""Rules of an audit: owners, two sides and excluded pairs, from collections and parents.

Each placement has a code of all properties that rules depend on. In a re-check, a placement with
another code counts as changed.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core import FINDING_CLASSES, Boxes, SceneOctree, build_octree, overlapping_pairs
from ..arrays import Flags, Ids
from ..reader import ScenePlacements
from .settings import stated_band

# Bound of the rounding of a coordinate, relative to it; the core's tolerances use less.
_RESOLVED = 2.0**-20
# Classes of findings by the option that includes them.
_CLASSES = {
    "overlap": ("overlap",),
    "contained": ("contained",),
    "duplicate": ("duplicate",),
    "coplanar": ("coplanar same-facing",),
    "touching": ("touching", "coplanar opposite-facing"),
    "itself": ("self-intersection",),
    "clearance": ("near",),
}


@dataclass(frozen=True)
class Wish:
    """Options of an audit, in scene units.

    Attributes
    ----------
    ones, others : frozenset of int, optional
        Session ids of the objects of both sides; None for all.
    apart : tuple of frozenset of int, optional
        Session ids of two sets of objects whose contacts are no findings.
    clearance, band : float
        Clearance and tolerance of the core's audit; a band of 0 states no tolerance.
    itself, instances, parents, same_collection : bool
        Flags of pairs to include: an object with itself, instances of one instancer, an object and
        its ancestor by parenting, and objects of one collection.
    classes : frozenset of str
        Names of the wanted classes of findings.
    """

    ones: frozenset[int] | None = None
    others: frozenset[int] | None = None
    apart: tuple[frozenset[int], frozenset[int]] | None = None
    clearance: float = 0.0
    band: float = 0.0
    itself: bool = False
    instances: bool = False
    parents: bool = False
    same_collection: bool = True
    classes: frozenset[str] = frozenset(FINDING_CLASSES)


@dataclass(frozen=True, eq=False)
class Rules:
    """Rules for the core's audit of n placements, in the order of their ids.

    Attributes
    ----------
    owners : ndarray of intp, shape (n,)
        Number of each placement's owner; pairs of one owner are excluded.
    ones, others : ndarray of intp, optional
        The placements of both sides; None for all.
    skipped : ndarray of intp, shape (2, k)
        Excluded pairs of placements.
    codes : ndarray of bytes, shape (n,)
        Code of all properties that the rules of a placement depend on.
    """

    owners: Ids
    ones: Ids | None
    others: Ids | None
    skipped: Ids
    codes: NDArray[np.void]

    @property
    def options(self) -> dict[str, Ids | None]:
        """The rules as keyword arguments of the core's audit."""
        return {name: getattr(self, name) for name in ("owners", "ones", "others", "skipped")}


def wish_of(scene: bpy.types.Scene, options: Mapping[str, Any]) -> Wish:
    """Return the audit's options with names resolved; raise `ValueError` for missing names."""
    apart = None
    if options["apart_one"] and options["apart_other"]:
        apart = members_of(options["apart_one"]), members_of(options["apart_other"])
    return Wish(
        ones=_side(scene, options, "ones"),
        others=_side(scene, options, "others"),
        apart=apart,
        clearance=options.get("clearance", 0.0),
        band=stated_band(options["band"]),
        itself=options.get("itself", False),
        instances=options["instances"],
        parents=options["parents"],
        same_collection=options["same_collection"],
        classes=_classes_of(options),
    )


def _side(scene: bpy.types.Scene, options: Mapping[str, Any], name: str) -> frozenset[int] | None:
    if options[name] == "VISIBLE":
        return None
    if options[name] == "COLLECTION":
        return members_of(options[f"{name}_collection"])
    names: list[str] = json.loads(options.get("chosen") or "[]")
    chosen = frozenset(item.session_uid for item in scene.objects if item.name in set(names))
    if not chosen:
        raise ValueError("None of the selected objects is in the scene: select some")
    return chosen


def members_of(name: str) -> frozenset[int]:
    """Return the session ids of a collection's objects; raise `ValueError` if it is missing."""
    collection: bpy.types.Collection | None = bpy.data.collections.get(name)
    if collection is None and name == bpy.context.scene.collection.name:
        collection = bpy.context.scene.collection
    if collection is None:
        raise ValueError(f"There is no collection {name}" if name else "Choose a collection")
    return frozenset(item.session_uid for item in collection.all_objects)


def _classes_of(options: Mapping[str, Any]) -> frozenset[str]:
    """Return the wanted classes of findings; "near" is one if the clearance is above 0."""
    found = (name for option, names in _CLASSES.items() if options.get(option) for name in names)
    return frozenset(found)


def rules_of(octree: SceneOctree, placements: ScenePlacements, wish: Wish) -> Rules:
    """Return the rules for the placements of an octree, by the options of an audit."""
    objects = {item.session_uid: item for item in bpy.context.scene.objects}
    uids, which = np.unique(placements.owners, return_inverse=True)
    items = [objects.get(uid) for uid in uids.tolist()]
    first = first_collections(bpy.context.scene)
    homes = (first.get(uid) for uid in uids.tolist())
    collections = np.array([home.session_uid if home else 0 for home in homes], np.int64)
    members = [_members(uids, some) for some in (wish.ones, wish.others, *(wish.apart or ()))]
    ones, others = (None if flags is None else octree.ids[flags[which]] for flags in members[:2])
    owners = _owners(uids, which, collections, placements.is_instance, wish)
    parents = ancestor_pairs(items, uids) if not wish.parents else np.empty((2, 0), np.intp)
    codes = np.zeros((len(uids), 2 + len(members)), np.int64)
    codes[:, 0], codes[:, 1] = collections, _parent_codes(parents, uids)
    for column, flags in enumerate(members, 2):
        codes[:, column] = 0 if flags is None else flags
    skipped = _skipped(octree, owners, which, members[2:], parents, wish)
    rows = np.column_stack((codes[which], placements.is_instance))
    keys = np.ascontiguousarray(rows).view(f"V{8 * rows.shape[1]}")[:, 0]
    return Rules(owners, ones, others, skipped, keys)


def first_collections(scene: bpy.types.Scene) -> dict[int, bpy.types.Collection]:
    """Return the first collection of each object of a scene, by its session id; O(objects)."""
    homes: dict[int, bpy.types.Collection] = {}
    for collection in (scene.collection, *scene.collection.children_recursive):
        for item in collection.objects:
            homes.setdefault(item.session_uid, collection)
    return homes


def _members(uids: Ids, some: frozenset[int] | None) -> Flags | None:
    return None if some is None else np.isin(uids, list(some))


def _owners(uids: Ids, which: Ids, collections: Ids, is_instance: Flags, wish: Wish) -> Ids:
    """Return owner numbers, (n,), equal for placements not checked against each other."""
    if not wish.same_collection:
        return np.unique(collections, return_inverse=True)[1].reshape(-1)[which]
    if not wish.instances:
        return which
    alone = np.where(is_instance, len(uids) + np.arange(len(which)), which)
    return np.unique(alone, return_inverse=True)[1].reshape(-1)


def ancestor_pairs(items: Iterable[bpy.types.Object | None], uids: Ids) -> Ids:
    """Return pairs of an object and one of its ancestors by parenting, as indices, (2, k)."""
    number = {uid: place for place, uid in enumerate(uids.tolist())}
    pairs = []
    for place, item in enumerate(items):
        above = item.parent if item else None
        while above is not None:
            if above.session_uid in number:
                pairs.append((place, number[above.session_uid]))
            above = above.parent
    return np.array(pairs, np.intp).reshape(-1, 2).T


def _parent_codes(parents: Ids, uids: Ids) -> Ids:
    """Return numbers that change when an object gets other parents, (n,)."""
    codes = np.zeros(len(uids), np.int64)
    np.add.at(codes, parents[0], uids[parents[1]].astype(np.int64) * 1_000_003 + 1)
    return codes


def _skipped(
    octree: SceneOctree,
    owners: Ids,
    which: Ids,
    apart: list[Flags | None],
    parents: Ids,
    wish: Wish,
) -> Ids:
    """Return the excluded pairs among near placements, as ids, (2, k)."""
    if not (parents.size or apart) or len(octree) < 2:
        return np.empty((2, 0), np.intp)
    near = _near(octree, owners, wish)
    one, other = which[near]
    count = int(which.max()) + 1
    related = np.concatenate((parents[0] * count + parents[1], parents[1] * count + parents[0]))
    flags = np.isin(one * count + other, related)
    if apart:
        first, second = apart
        flags |= (first[one] & second[other]) | (first[other] & second[one])
    return octree.ids[near[:, flags]]


def _near(octree: SceneOctree, owners: Ids, wish: Wish) -> Ids:
    """Return pairs of rows whose boxes are near enough for any class of findings, (2, h)."""
    rows = np.flatnonzero(~np.isin(octree.ids, octree.invalid_ids))
    boxes = octree.bounds_of(octree.ids[rows])
    # Each box grows by its own rounding, so far boxes do not widen the margin of others.
    far = np.maximum(np.abs(boxes.lower), np.abs(boxes.upper)).max(axis=1, keepdims=True)
    grown = Boxes(boxes.lower - _RESOLVED * far, boxes.upper + _RESOLVED * far)
    margin = 2 * max(wish.clearance, wish.band)
    return rows[overlapping_pairs(build_octree(grown), margin=margin, owners=owners[rows])]
