"""Fill plans: the candidate poses that get a copy, computed in steps; then the copies themselves.

Copies that touch anything after Blender has rounded their matrices are removed.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import bmesh
import bpy
import numpy as np

from ...core import Steps, Triangles, between, overlapping_objects
from ..arrays import Flags, Floats, Ids
from ..snapshots import SceneTarget
from .bodies import triangles_of
from .candidates import CopyCandidates, Ranges, in_box, on_faces
from .carrying import read_again
from .copies import copy_unit, moved_frame, remove_copies
from .fitting import Ground, fitting_steps, rooms_of
from .telling import left_text, names_of
from .units import Movers, ObjectFamily, movers_of


@dataclass(frozen=True)
class FillWish:
    """Options of a fill, in scene units.

    Attributes
    ----------
    in_box : bool
        If true, the box around the surface is filled instead of its faces.
    count, tries : int
        Wanted number of copies, and largest number of candidates.
    seed : int
        Seed of the candidates.
    spacing : float
        Distance that copies keep from everything but the surface.
    ranges : Ranges
        Ranges of scale, rotation and slope.
    room : int
        The session_uid of a closed object in which copies may lie, see `rooms_of`; -1 for none.
    """

    in_box: bool = False
    count: int = 100
    tries: int = 1000
    seed: int = 0
    spacing: float = 0.0
    ranges: Ranges = field(default_factory=Ranges)
    room: int = -1


@dataclass(frozen=True, eq=False)
class Filling:
    """A fill plan: the copies to make.

    Attributes
    ----------
    target : SceneTarget
        The scene before the copies are made.
    movers : Movers
        The originals, as units that move together.
    candidates : CopyCandidates
        All candidate poses.
    taken : ndarray of intp, shape (n,)
        Indices of the candidates that get a copy.
    causes : Counter of str
        Number of candidates without a copy, by cause.
    rooms : tuple of str
        Names of the closed objects in which copies may lie.
    """

    target: SceneTarget
    movers: Movers
    candidates: CopyCandidates
    taken: Ids
    causes: Counter[str]
    rooms: tuple[str, ...]


def filling_steps(
    context: bpy.types.Context,
    target: SceneTarget,
    surface: bpy.types.Object,
    originals: list[bpy.types.Object],
    wish: FillWish,
) -> Steps[Filling]:
    """Return the copies of the originals that fit, in steps; make none."""
    movers = movers_of(context, target.placements, originals, np.eye(3))
    if not len(movers):
        raise ValueError(f"Nothing can be copied: {left_text(context.scene, movers)}")
    shapes = [about_origin(target, movers, unit) for unit in range(len(movers))]
    candidates = candidates_of(target, surface, shapes, wish)
    yield 0.1
    octree, owners = target.octree, target.owners
    own = octree.ids[(owners == surface.session_uid) & ~target.is_instance]
    rooms = rooms_of(target, wish.room)
    ground = Ground(octree, own, rooms)
    if wish.in_box:  # the surface itself is no obstacle then
        rooms = np.setdiff1d(rooms, own)
        ground = Ground(octree.only(np.setdiff1d(octree.ids, own)), own[:0], rooms)
    steps = fitting_steps(
        ground, shapes, candidates, count=wish.count, spacing=wish.spacing, box=wish.in_box
    )
    taken, causes = yield from between(0.1, 1.0, steps)
    held = names_of(context.scene, target, np.searchsorted(octree.ids, rooms))
    return Filling(target, movers, candidates, taken, causes, tuple(held))


def candidates_of(
    target: SceneTarget, surface: bpy.types.Object, shapes: list[Triangles], wish: FillWish
) -> CopyCandidates:
    """Return the candidate poses of a fill."""
    rng = np.random.default_rng(wish.seed % 2**32)
    points = [used_vertices(shape) for shape in shapes]
    if wish.in_box:
        box = box_around(surface)
        if not np.isfinite(box).all():
            raise ValueError(f"{surface.name} is nowhere")
        return in_box(*box, points, wish.ranges, wish.tries, rng)
    return on_faces(faces_to_fill(target, surface), points, wish.ranges, wish.tries, rng)


def about_origin(target: SceneTarget, movers: Movers, unit: int) -> Triangles:
    """Return the triangles of a unit relative to the origin of its first root object."""
    whole = triangles_of(target, movers, unit)
    origin = movers.frames[movers.first_roots[unit], :3, 3]
    return Triangles(whole.vertices - origin, whole.faces)


def used_vertices(shape: Triangles) -> Floats:
    """Return the finite vertices that triangles use, each once."""
    vertices: Floats = shape.vertices[np.unique(shape.faces)]
    return vertices[np.isfinite(vertices).all(axis=1)]


def faces_to_fill(target: SceneTarget, active: bpy.types.Object) -> Triangles:
    """Return the triangles of an object in world space; in Edit Mode, of its selected faces."""
    rows = np.flatnonzero((target.owners == active.session_uid) & ~target.is_instance)
    if not len(rows):
        raise ValueError(f"{active.name} shows no faces to fill")
    faces = target.octree.triangles_of(target.octree.ids[rows[:1]])
    mesh = target.placements.meshes[rows[0]]
    kept: Flags = np.isfinite(faces.vertices[faces.faces]).all(axis=(1, 2))
    if not kept.any():
        raise ValueError(f"{active.name} is nowhere")
    if active.mode == "EDIT" and isinstance(active.data, bpy.types.Mesh):
        if not target.placements.has_faces[rows[0]]:
            raise ValueError(f"Modifiers change the faces of {active.name}: leave Edit Mode")
        edited = bmesh.from_edit_mesh(active.data)
        kept = kept & np.array([face.select for face in edited.faces], np.bool_)[mesh.polygons]
    if not kept.any():
        raise ValueError("Select the faces to fill")
    return faces[np.flatnonzero(kept)]


def box_around(item: bpy.types.Object) -> tuple[Floats, Floats]:
    """Return the lower and the upper corner of an object's bounds in world space."""
    corners = np.array(item.bound_box, np.float64)
    matrix = np.array(item.matrix_world, np.float64)
    there = corners @ matrix[:3, :3].T + matrix[:3, 3]
    return there.min(axis=0), there.max(axis=0)


def make_copies(context: bpy.types.Context, filling: Filling) -> list[tuple[int, int, Any]]:
    """Make the copies and return them, without those removed because they touch something.

    Each copy is its candidate's index, its original's unit, and its new objects, the first root
    first.
    """
    family = ObjectFamily(context.view_layer.objects)
    found = {item.session_uid: item for item in context.view_layer.objects}
    movers = filling.movers
    if not set(movers.root_uids.tolist()) <= found.keys():
        raise ValueError("An object has left the scene meanwhile: nothing was copied")
    made: list[tuple[int, int, Any]] = []
    for number in filling.taken.tolist():
        unit = int(filling.candidates.sources[number])
        (roots,) = np.nonzero(movers.root_units == unit)
        items = [found[uid] for uid in movers.root_uids[roots].tolist()]
        origin, frame = movers.frames[roots[0], :3, 3], filling.candidates.frames[number]
        matrices = [moved_frame(frame, origin, movers.frames[root]) for root in roots.tolist()]
        members = family.units(items[:1])[0]
        members.sort(key=lambda item: item is not items[0])
        made.append((number, unit, copy_unit(items, members, matrices)))
    context.view_layer.update()
    return _without_touching(context, made)


def _without_touching(
    context: bpy.types.Context, made: list[tuple[int, int, Any]]
) -> list[tuple[int, int, Any]]:
    """Remove copies that touch anything as stored, the later one of a pair; return the rest."""
    if not made:
        return made
    now = read_again(context)
    copy_of = {item.session_uid: at for at, (_, _, items) in enumerate(made) for item in items}
    # All other placements share one owner number, so pairs among them are not tested.
    numbers = np.array([copy_of.get(uid, len(made)) for uid in now.owners.tolist()], np.intp)
    pairs = overlapping_objects(now.octree, owners=numbers)
    pairs = numbers[np.searchsorted(now.octree.ids, pairs)]
    touching = set(pairs.max(axis=0, where=pairs < len(made), initial=-1).tolist())
    for at in touching:
        remove_copies(made[at][2])
    context.view_layer.update()
    return [each for at, each in enumerate(made) if at not in touching]
