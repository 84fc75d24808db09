"""Units: groups of objects that move together, and the reasons why other objects stay.

A unit contains the children of its objects, the armatures that bend them and the meshes that
these bend. Units store session ids and arrays: an undo would invalidate references to objects.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Floats, Ids
from ..curves import action_curves, is_animated
from ..reader import ScenePlacements, outside_views
from ..snapshots import SceneTarget

# Part of a direction below which a locked channel counts as unused.
_UNUSED_PART = 1e-6
# Relative difference of axes from which a space is uneven.
_UNEVEN = 1e-5
_ROTATIONS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
# Largest coordinate whose square is safely finite in single precision.
_FAR = 1e18
# Relative size below which a matrix is singular, so that no location can be solved for.
_FLAT = 1e-9


@dataclass(frozen=True, eq=False)
class Movers:
    """u units that can move, with k placements, by writing the locations of r root objects.

    Attributes
    ----------
    uids : ndarray of intp, shape (u,)
        Session id of the first root object of each unit.
    names : tuple of str
        Name of that object.
    rows : ndarray of intp, shape (k,)
        Rows of the placements that move, ascending.
    row_roots : ndarray of intp, shape (k,)
        Index of the root object that each placement moves with.
    root_uids, root_units : ndarray of intp, shape (r,)
        Session ids of the root objects, and their units, ascending.
    locations : ndarray of float32, shape (r, 3)
        Their current locations.
    spaces : ndarray of float64, shape (r, 3, 3)
        Linear maps from a change of location to world space.
    frames : ndarray of float64, shape (r, 4, 4)
        Their world matrices.
    turnable : ndarray of bool, shape (u,)
        Units that can be turned, too: those of one root object with a writable rotation.
    left : Mapping of int to str
        Reasons why other objects stay, by session id.
    """

    uids: Ids
    names: tuple[str, ...]
    rows: Ids
    row_roots: Ids
    root_uids: Ids
    root_units: Ids
    locations: NDArray[np.float32]
    spaces: Floats
    frames: Floats
    turnable: Flags
    left: Mapping[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.uids)

    @property
    def bodies(self) -> Ids:
        """The unit of each placement that moves, (k,)."""
        return self.root_units[self.row_roots]

    @property
    def first_rows(self) -> Ids:
        """Index in `rows` of the first placement of each unit, (u,)."""
        return np.unique(self.bodies, return_index=True)[1]

    @property
    def first_roots(self) -> Ids:
        """Index of the first root object of each unit, (u,)."""
        return np.unique(self.root_units, return_index=True)[1]

    def units_of(self, rows: Ids) -> Ids:
        """Return the units of placement rows; -1 for placements that stay and for row -1."""
        places = np.minimum(np.searchsorted(self.rows, rows), max(len(self.rows) - 1, 0))
        if not len(self.rows):
            return np.full(len(rows), -1, np.intp)
        return np.where(self.rows[places] == rows, self.bodies[places], -1)


def movers_of(
    context: bpy.types.Context,
    placements: ScenePlacements,
    objects: Iterable[bpy.types.Object],
    directions: Floats,
    left: Mapping[int, str] | None = None,
) -> Movers:
    """Return the units of objects that can move along directions, and why the others cannot.

    Parameters
    ----------
    context : bpy.types.Context
        Context with the objects' view layer, which has been evaluated.
    placements : ScenePlacements
        The visible placements.
    objects : iterable of bpy.types.Object
        Objects to move; the child of a parent among them moves with its parent.
    directions : ndarray of float64, shape (d, 3)
        World-space directions of the moves.
    left : Mapping of int to str, optional
        Reasons why some objects are known to stay, by session id.
    """
    family = ObjectFamily(context.view_layer.objects)
    reasons, rows_of = dict(left or {}), _rows_by_owner(placements)
    found: list[tuple[list[bpy.types.Object], set[int]]] = []
    for members in family.units(_visible(context, objects, reasons)):
        roots = family.roots(members)
        name_of_unit = roots[0].session_uid
        if name_of_unit in reasons:
            continue
        uids = {item.session_uid for item in members}
        reason = reason_to_stay(roots, members, directions)
        rows = [row for uid in uids for row in rows_of.get(uid, ())]
        if not reason and not rows:
            reason = "has no faces"
        elif not reason:
            reason = _reason_of_place(placements, rows)
        if reason:
            reasons[name_of_unit] = reason
        else:
            found.append((roots, uids))
    return _movers(family, found, rows_of, reasons)


def with_faces(target: SceneTarget, objects: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """Return the objects that show faces themselves or by their instances."""
    shown = set(target.owners.tolist())
    return [item for item in objects if item.session_uid in shown]


def _visible(
    context: bpy.types.Context, objects: Iterable[bpy.types.Object], reasons: dict[int, str]
) -> Iterator[bpy.types.Object]:
    """Yield the objects visible in the view, and store the reasons why others stay."""
    layer, space = context.view_layer, context.space_data
    viewport = space if isinstance(space, bpy.types.SpaceView3D) else None
    present = {item.session_uid for item in layer.objects}
    for item in dict.fromkeys(objects):
        if item.session_uid not in present:
            reasons[item.session_uid] = "not in the view layer"
        elif not item.visible_get(view_layer=layer, viewport=viewport):
            with outside_views():
                is_shown = item.visible_get(view_layer=layer)
            reasons[item.session_uid] = "outside the local view" if is_shown else "hidden"
        else:
            yield item


def _reason_of_place(placements: ScenePlacements, rows: list[int]) -> str:
    """Return why placements cannot be positioned in single precision; empty if they can."""
    matrices = placements.matrices[rows]
    meshes = [placements.meshes[row] for row in rows]
    if not np.isfinite(matrices).all() or not all(mesh.finite_count for mesh in meshes):
        return "nowhere"
    reaches = np.array([mesh.reach for mesh in meshes])
    if not np.isfinite(reaches).all():
        return "not finite"
    return "too far away" if (np.abs(matrices).max(axis=1) * (1 + reaches)).max() > _FAR else ""


def _rows_by_owner(placements: ScenePlacements) -> dict[int, list[int]]:
    rows: dict[int, list[int]] = {}
    for row, uid in enumerate(placements.owners.tolist()):
        rows.setdefault(uid, []).append(row)
    return rows


def _movers(
    family: "ObjectFamily",
    found: list[tuple[list[bpy.types.Object], set[int]]],
    rows_of: dict[int, list[int]],
    reasons: Mapping[int, str],
) -> Movers:
    roots = [root for some, _ in found for root in some]
    units = [number for number, (some, _) in enumerate(found) for _ in some]
    place = {root.session_uid: number for number, root in enumerate(roots)}
    pairs = [
        (row, place[family.top(uid, place)])
        for _, uids in found
        for uid in uids
        for row in rows_of.get(uid, ())
    ]
    pairs.sort()
    both = np.array(pairs, np.intp).reshape(-1, 2)
    return Movers(
        uids=np.array([some[0].session_uid for some, _ in found], np.intp),
        names=tuple(some[0].name for some, _ in found),
        rows=both[:, 0],
        row_roots=both[:, 1],
        root_uids=np.array([root.session_uid for root in roots], np.intp),
        root_units=np.array(units, np.intp),
        locations=np.array([root.location for root in roots], np.float32).reshape(-1, 3),
        spaces=np.array([space_of(root) for root in roots], np.float64).reshape(-1, 3, 3),
        frames=np.array([root.matrix_world for root in roots], np.float64).reshape(-1, 4, 4),
        turnable=np.array(
            [len(some) == 1 and not reason_not_to_turn(some[0]) for some, _ in found], np.bool_
        ),
        left=reasons,
    )


class ObjectFamily:
    """Relations of objects in a view layer that move together: parents, armatures and meshes."""

    def __init__(self, objects: Iterable[bpy.types.Object]) -> None:
        self._items = {item.session_uid: item for item in objects}
        self._along: dict[int, list[bpy.types.Object]] = {}
        for item in self._items.values():
            if item.parent is not None:
                self._along.setdefault(item.parent.session_uid, []).append(item)
            for armature in armatures_of(item):
                # The mesh moves with the armature that bends it, and the armature with the mesh.
                self._along.setdefault(armature.session_uid, []).append(item)
                self._along.setdefault(item.session_uid, []).append(armature)

    def units(self, objects: Iterable[bpy.types.Object]) -> list[list[bpy.types.Object]]:
        """Return the units of objects, each unit once, each object in one unit, in their order."""
        units: dict[int, dict[int, bpy.types.Object]] = {}
        home: dict[int, int] = {}
        for item in objects:
            if item.session_uid in home:
                continue
            unit = self._closure(item)
            for number in {home[uid] for uid in unit if uid in home}:
                unit = units.pop(number) | unit
            units[item.session_uid] = unit
            home.update(dict.fromkeys(unit, item.session_uid))
        return [list(unit.values()) for unit in units.values()]

    def _closure(self, item: bpy.types.Object) -> dict[int, bpy.types.Object]:
        unit = {item.session_uid: item}
        waiting = [item]
        while waiting:
            for other in self._along.get(waiting.pop().session_uid, ()):
                if other.session_uid not in unit:
                    unit[other.session_uid] = other
                    waiting.append(other)
        return unit

    def roots(self, members: list[bpy.types.Object]) -> list[bpy.types.Object]:
        """Return the members of a unit whose parent is not a member."""
        uids = {item.session_uid for item in members}
        return [
            item for item in members if item.parent is None or item.parent.session_uid not in uids
        ]

    def top(self, uid: int, roots: Mapping[int, int]) -> int:
        """Return the root that is the object itself or its nearest ancestor, by session ids."""
        item: Any = self._items[uid]
        while item.session_uid not in roots:
            item = item.parent
        return int(item.session_uid)


def armatures_of(item: bpy.types.Object) -> list[bpy.types.Object]:
    """Return the armatures that bend an object."""
    modifiers: list[Any] = list(item.modifiers)
    bending = [each.object for each in modifiers if each.type == "ARMATURE"]
    if item.parent_type == "ARMATURE":
        bending.append(item.parent)
    return [each for each in dict.fromkeys(bending) if each is not None]


def reason_to_stay(
    roots: list[bpy.types.Object], members: list[bpy.types.Object], directions: Floats
) -> str:
    """Return why a unit cannot be moved along directions by its locations; empty if it can."""
    for item in members:
        if any(each.enabled and each.influence > 0 for each in item.constraints):
            return "constrained" if item is roots[0] else f"{item.name} is constrained"
    for item in roots:
        reason = reason_not_to_write(item, "location") or _reason_of_space(item, directions)
        if reason:
            return reason if item is roots[0] else f"{item.name} is {reason}"
    return ""


def reason_not_to_write(item: bpy.types.Object, path: str) -> str:
    """Return why a property of an object ("location", say) cannot be written; empty if it can."""
    override = item.override_library
    if item.library is not None or (override is not None and override.is_system_override):
        return "linked"
    if item.is_property_readonly(path):
        return "an override that cannot be edited"
    animation = item.animation_data
    if animation is not None:
        paths = (path, f"delta_{path}")
        if any(curve.data_path in paths for curve in animation.drivers):
            return "driven"
        if any(is_animated(item, each) or _is_in_strips(animation, each) for each in paths):
            return "animated"
    return ""


def reason_not_to_turn(item: bpy.types.Object) -> str:
    """Return why an object cannot be turned; empty if it can."""
    reason = reason_not_to_write(item, _ROTATIONS.get(item.rotation_mode, "rotation_euler"))
    if reason:
        return reason
    if any(item.lock_rotation[:]) or (item.lock_rotations_4d and item.lock_rotation_w):
        return "locked"
    lengths = np.linalg.svd(space_of(item), compute_uv=False)
    is_even = lengths[0] - lengths[-1] <= _UNEVEN * lengths[0]
    return "" if is_even else "parented to an uneven scale"


def _is_in_strips(animation: Any, path: str) -> bool:
    return any(
        curve.data_path == path
        for track in animation.nla_tracks
        for strip in track.strips
        for curve in action_curves(strip.action, getattr(strip, "action_slot", None))
    )


def _reason_of_space(item: bpy.types.Object, directions: Floats) -> str:
    space = space_of(item)
    if not np.isfinite(space).all() or np.linalg.cond(space) > 1 / _FLAT:
        return "parented to a scale of zero"
    ways = np.abs(np.linalg.solve(space, directions.T))  # (3, d)
    used = (ways > _UNUSED_PART * ways.max(axis=0)).any(axis=1)
    return "locked" if (used & np.array(item.lock_location[:])).any() else ""


def space_of(item: bpy.types.Object) -> Floats:
    """Return the linear map from a change of location to world space, (3, 3)."""
    if item.parent is None:
        return np.eye(3)
    inverse = np.array(item.matrix_parent_inverse, np.float64)
    if item.parent_type in ("OBJECT", "ARMATURE"):
        parent = np.array(item.parent.matrix_world, np.float64)
        return (parent @ inverse)[:3, :3]
    # For bone and vertex parents, divide the object's own part out of its world matrix.
    own = np.array(item.matrix_basis, np.float64)[:3, :3]
    if abs(np.linalg.det(own)) < _FLAT * max(np.abs(own).max(), 1e-30) ** 3:
        return np.full((3, 3), np.nan)
    return np.array(item.matrix_world, np.float64)[:3, :3] @ np.linalg.inv(own)
