"""Safety margins around seen faces: a least count, rings of neighbors, a distance, a material.

All other faces and objects are never seen. They can be removed as far as the tested views tell.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from ....core import Octree, Steps, Triangles, between, build_octree, nearest, overlapping_pairs
from ...arrays import Flags, Ids
from ...reader import polygon_corners, polygon_materials
from ...scene_index import SceneIndex, index_steps
from ...selection import Subjects
from ...ui import ChangedMeanwhileError
from .samples import OPEN, TOO_SMALL, Samples
from .settings import Safety

# Number of triangles compared with the seen ones between two yields.
_TOGETHER = 1 << 16
# Reasons to keep unseen faces, in order of evaluation.
_SAVERS = ("material", "distance", "rings", "size")


@dataclass(frozen=True, eq=False)
class Kept:
    """Objects and faces to keep, by session id; all others are never seen.

    Attributes
    ----------
    objects : dict of int to bool
        True for each tested object that is kept.
    own : dict of int to ndarray of bool, shape (polygons,)
        Flags of the kept polygons of an object's evaluated mesh, without rings.
    meshes : dict of int to ndarray of bool, shape (polygons,)
        Flags of the kept polygons of an original mesh. Meshes whose number of faces has changed
        are left out.
    saved : Counter of str
        Number of polygons in `meshes` that are kept although they were not seen, by reason.
    """

    objects: dict[int, bool]
    own: dict[int, Flags]
    meshes: dict[int, Flags]
    saved: Counter[str] = field(default_factory=Counter)

    @property
    def never(self) -> set[int]:
        """Session ids of the never-seen objects."""
        return {uid for uid, is_kept in self.objects.items() if not is_kept}

    @property
    def subjects(self) -> Subjects:
        """The never-seen objects and faces."""
        objects = {uid: 0 for uid, is_kept in self.objects.items() if not is_kept}
        return Subjects(objects, lambda _: {uid: ~flags for uid, flags in self.meshes.items()})

    @property
    def face_count(self) -> int:
        """The number of never-seen faces of meshes."""
        return _unseen_count(self.meshes)


def kept_steps(context: bpy.types.Context, samples: Samples, safety: Safety) -> Steps[Kept]:
    """Return the objects and faces to keep; yield the fraction done.

    Raises a `ValueError` if the material does not exist.
    """
    own = {uid: _is_seen(counts, safety.least) for uid, counts in samples.own.items()}
    meshes = {
        mesh: _is_seen(samples.meshes[mesh.session_uid], safety.least)
        for mesh in bpy.data.meshes
        if mesh.session_uid in samples.meshes
        and len(samples.meshes[mesh.session_uid]) == _polygon_count(mesh)
    }
    objects = {uid: _is_kept(uid, samples, safety) for uid in samples.objects}
    yield 0.0
    by_uid = {mesh.session_uid: flags for mesh, flags in meshes.items()}
    left = [_unseen_count(by_uid)]
    if safety.material:
        _keep_material(context, safety.material, own, meshes, objects)
    left.append(_unseen_count(by_uid))
    if safety.distance > 0:
        near = _near_steps(context, safety.distance, own, by_uid, objects)
        yield from between(0.0, 0.9, near)
    left.append(_unseen_count(by_uid))
    for number, (mesh, flags) in enumerate(meshes.items()):
        by_uid[mesh.session_uid] = grown(flags, *polygon_corners(mesh), safety.rings)
        yield 0.9 + 0.1 * number / len(meshes)
    left.append(_unseen_count(by_uid))
    if safety.small:
        for known, counts in ((own, samples.own), (by_uid, samples.meshes)):
            for uid, flags in known.items():
                np.logical_or(flags, counts[uid] == TOO_SMALL, out=flags)
    left.append(_unseen_count(by_uid))
    saved = (-np.diff(left)).tolist()
    return Kept(objects, own, by_uid, +Counter(dict(zip(_SAVERS, saved, strict=True))))


def _unseen_count(meshes: Mapping[int, Flags]) -> int:
    return sum(int((~flags).sum()) for flags in meshes.values())


def _is_seen(counts: Ids, least: int) -> Flags:
    seen: Flags = (counts >= max(least, 1)) | (counts == OPEN)
    return seen


def _is_kept(uid: int, samples: Samples, safety: Safety) -> bool:
    """Return whether an object is kept by its samples, or because it is open or too small.

    The least count applies to each face of the object's own mesh, and to the sum of all other
    samples of the object, such as those of its instances.
    """
    least = safety.least
    if safety.small and uid in samples.small_objects:
        return True
    counts = samples.own.get(uid, np.empty(0, np.intp))
    rest = samples.objects[uid] - int(counts[counts > 0].sum())
    is_seen = bool(_is_seen(counts, least).any()) or rest >= max(least, 1)
    return is_seen or uid in samples.open_objects


def _polygon_count(mesh: bpy.types.Mesh) -> int:
    if mesh.is_editmode:  # the mesh data are outdated
        return len(polygon_corners(mesh)[1])
    return len(mesh.polygons)


def grown(flags: Flags, corners: Ids, sizes: Ids, rings: int) -> Flags:
    """Mark polygons within a number of steps over shared vertices from marked polygons.

    Parameters
    ----------
    flags : ndarray of bool, shape (p,)
        Flags of the marked polygons.
    corners : ndarray of int, shape (c,)
        The vertex of each corner, polygon after polygon.
    sizes : ndarray of int, shape (p,)
        Number of corners of each polygon, at least one.
    rings : int
        Number of steps.

    Returns
    -------
    ndarray of bool, shape (p,)
        Flags of the marked polygons, old and new.

    Notes
    -----
    O(rings x corners); it ends early once no polygon is added.
    """
    starts = np.cumsum(sizes) - sizes
    for _ in range(rings if len(sizes) else 0):
        reached = np.zeros(corners.max() + 1, np.bool_)
        reached[corners[np.repeat(flags, sizes)]] = True
        more = np.logical_or.reduceat(reached[corners], starts)
        if np.array_equal(more, flags):
            break
        flags = more
    return flags


def _keep_material(
    context: bpy.types.Context,
    name: str,
    own: dict[int, Flags],
    meshes: dict[bpy.types.Mesh, Flags],
    objects: dict[int, bool],
) -> None:
    """Mark the polygons with a material as kept, for all objects with this material in a slot."""
    if name not in bpy.data.materials:
        raise ValueError(f"There is no material named {name}")
    depsgraph = context.evaluated_depsgraph_get()
    for item in context.view_layer.objects:
        uid = item.session_uid
        slots = [slot.material.name if slot.material else "" for slot in item.material_slots]
        if uid not in objects or name not in slots:
            continue
        wanted = np.array(slots) == name
        evaluated = item.evaluated_get(depsgraph)
        data: Any = item.data
        sides = [(data, meshes.get(data)), (evaluated.data, own.get(uid))]
        for mesh, flags in sides:
            if flags is not None and isinstance(mesh, bpy.types.Mesh) and not mesh.is_editmode:
                numbers = polygon_materials(mesh)
                if len(numbers) == len(flags):
                    has = wanted[np.clip(numbers, 0, len(wanted) - 1)]
                    np.logical_or(flags, has, out=flags)
                    objects[uid] |= bool(has.any())


def _near_steps(
    context: bpy.types.Context,
    distance: float,
    own: dict[int, Flags],
    meshes: dict[int, Flags],
    objects: dict[int, bool],
) -> Steps[None]:
    """Mark faces and objects near any seen triangle as kept, as placed in the present frame."""
    index = yield from between(0.0, 0.2, index_steps(context))
    placements = index.placements
    rows, triangles, seen = _placed_flags(index, own, meshes, objects)
    corners = index.octree.triangles_of(index.octree.ids)
    # Triangles with NaN or infinity are never near: `within` ignores them.
    chosen = np.flatnonzero(~seen)
    near = np.zeros(len(seen), np.bool_)
    if seen.any() and len(chosen):
        tree = build_octree(_some(corners, np.flatnonzero(seen)))
        for start in range(0, len(chosen), _TOGETHER):
            yield 0.2 + 0.8 * start / len(chosen)
            part = chosen[start : start + _TOGETHER]
            near[part] = within(tree, _some(corners, part), distance)
    if index.placements is not placements:
        raise ChangedMeanwhileError
    _mark(index, rows[near], triangles[near], own, meshes, objects)


def _some(triangles: Triangles, ids: Ids) -> Triangles:
    return Triangles(triangles.vertices, triangles.faces[ids])


def within(tree: Octree, triangles: Triangles, distance: float) -> Flags:
    """Return flags of the triangles within a distance of any item of an octree, (t,)."""
    near = np.zeros(len(triangles), np.bool_)
    corners = triangles.vertices[triangles.faces]
    finite = np.flatnonzero(np.isfinite(corners).all(axis=(1, 2)))
    # The corners decide most triangles; the others are compared in full.
    found = nearest(tree, corners[finite].reshape(-1, 3), max_distance=distance)
    near[finite] = (found.items.reshape(len(finite), 3) >= 0).any(axis=1)
    rest = finite[~near[finite]]
    if len(rest):
        others = build_octree(_some(triangles, rest))
        near[rest[overlapping_pairs(others, tree, margin=distance)[0]]] = True
    return near


def _placed_flags(
    index: SceneIndex, own: dict[int, Flags], meshes: dict[int, Flags], objects: dict[int, bool]
) -> tuple[Ids, Ids, Flags]:
    """Return the row, the triangle number and the seen flag of all placed triangles."""
    placements = index.placements
    sizes = [len(mesh.polygons) for mesh in placements.meshes]
    seen = np.zeros(sum(sizes), np.bool_)
    ends = np.cumsum(sizes)
    for row, flags in _row_flags(index, own, meshes):
        mesh = placements.meshes[row]
        part = slice(ends[row] - sizes[row], ends[row])
        uid = int(placements.owners[row])
        seen[part] = objects.get(uid, False) if flags is None else flags[mesh.polygons]
    rows = np.repeat(np.arange(len(sizes)), sizes)
    triangles = np.arange(len(seen)) - np.repeat(ends - sizes, sizes)
    return rows, triangles, seen


def _row_flags(
    index: SceneIndex, own: dict[int, Flags], meshes: dict[int, Flags]
) -> Iterator[tuple[int, Flags | None]]:
    """Yield each row with the flags of its polygons, or None if they are not known."""
    placements = index.placements
    rows = zip(
        placements.meshes,
        placements.owners.tolist(),
        placements.is_instance.tolist(),
        placements.origins.tolist(),
        strict=True,
    )
    for row, (mesh, owner, is_instance, origin) in enumerate(rows):
        flags = meshes.get(origin) if is_instance else own.get(owner)
        is_same = flags is not None and len(flags) == mesh.polygons[-1] + 1
        yield row, flags if is_same else None


def _mark(
    index: SceneIndex,
    rows: Ids,
    triangles: Ids,
    own: dict[int, Flags],
    meshes: dict[int, Flags],
    objects: dict[int, bool],
) -> None:
    """Mark the polygons and the objects of these triangles as kept."""
    placements = index.placements
    known = dict(_row_flags(index, own, meshes))
    order = np.argsort(rows, kind="stable")
    numbers, starts = np.unique(rows[order], return_index=True)
    for row, part in zip(numbers.tolist(), np.split(order, starts[1:]), strict=False):
        polygons = placements.meshes[row].polygons[triangles[part]]
        flags = known[row]
        if flags is not None:
            flags[polygons] = True
        origin = meshes.get(int(placements.origins[row]))
        if placements.intact[row] and origin is not None:
            if len(origin) == placements.meshes[row].polygons[-1] + 1:
                origin[polygons] = True
        uid = int(placements.owners[row])
        if uid in objects:
            objects[uid] = True
