"""View matrices to be tested: cameras of a shot, directions from outside, places in a volume."""

from dataclasses import dataclass

import bpy
import numpy as np

from ....core import Boxes, SceneOctree, Triangles, fits, views_around, views_inside
from ...arrays import Flags, Floats
from ...camera import camera_picture, picture_size
from ...reader import evaluated_box
from ...ui import named_object
from ..frusta import cameras_of

Size = tuple[int, int]
# Where a view from a place begins, as a part of the scene's size.
_NEAR = 1e-5
# Places are looked for until so many times as many were tried.
_TRIES = 8


@dataclass(frozen=True)
class SampledViews:
    """Which views are tested.

    Attributes
    ----------
    kind : {"SHOT", "OUTSIDE", "INSIDE"}
        From cameras, from all around, or from places in a volume.
    resolution : int
        Pixels of the longer side.
    count : int
        How many directions, or places of six views each; not of cameras.
    frames : tuple of int
        Of a shot; else the present one.
    cameras : tuple of str
        Of a shot: names; if empty, the scene's camera, which markers may switch.
    volume : str
        Name of the object whose box the places are in.
    is_open : bool
        Whether materials that let light through are counted as not there.
    left_out : tuple of str
        Names of cameras of the shot that have no such picture: panoramic and custom ones.
    """

    kind: str
    resolution: int
    count: int
    frames: tuple[int, ...]
    cameras: tuple[str, ...] = ()
    volume: str = ""
    is_open: bool = False
    left_out: tuple[str, ...] = ()


def view_matrices(
    views: SampledViews, context: bpy.types.Context, scene: SceneOctree, solid: SceneOctree
) -> tuple[Floats, Size]:
    """Return the matrices (v, 4, 4) of the present frame, projection @ view, and the image size.

    Places inside closed meshes of `solid` are left out. A `ValueError` says that a camera or the
    volume is missing, or no place is left.
    """
    square = views.resolution, views.resolution
    bounds = scene.bounds_of(scene.ids)
    if not np.isfinite(bounds.lower).all(axis=1).any():
        raise ValueError("There is nothing to look at")
    if views.kind == "OUTSIDE":
        return views_around(bounds, count=views.count), square
    if views.kind == "INSIDE":
        return _inside(views, context, bounds, solid), square
    return _of_cameras(context, views)


def _of_cameras(context: bpy.types.Context, views: SampledViews) -> tuple[Floats, Size]:
    """Return what a render of these cameras shows, its longer side of so many pixels."""
    depsgraph, scene = context.evaluated_depsgraph_get(), context.scene
    share = views.resolution / max(picture_size(scene))
    pictures = [
        camera_picture(camera.evaluated_get(depsgraph), scene, depsgraph, share=share)
        for camera in cameras_of(depsgraph, scene, views.cameras)
    ]
    return np.array([each.matrix for each in pictures]), pictures[0].size


def _inside(
    views: SampledViews, context: bpy.types.Context, bounds: Boxes, solid: SceneOctree
) -> Floats:
    """Return views from places in the box of an object, however that is turned."""
    volume = named_object(context.scene, views.volume)
    box = evaluated_box(volume, context.evaluated_depsgraph_get()).astype(np.float64)
    if not np.isfinite(box).all():
        raise ValueError(f"{volume.name} has no box to look around in")
    finite = np.isfinite(bounds.rows).all(axis=0)
    to_world = np.array(volume.matrix_world, np.float64)
    ends = _corners(box) @ to_world[:3, :3].T + to_world[:3, 3]
    lower = np.minimum(bounds.lower[finite].min(axis=0), ends.min(axis=0))
    upper = np.maximum(bounds.upper[finite].max(axis=0), ends.max(axis=0))
    size = float(np.linalg.norm(upper - lower)) or 1.0
    tried = views_inside(
        Boxes(box[None, :3], box[None, 3:]),
        places=views.count * _TRIES,
        near=_NEAR * size,
        far=1.01 * size,
    ).reshape(-1, 6, 4, 4)
    eyes = eyes_of(tried[:, 0])
    places = eyes @ to_world[:3, :3].T + to_world[:3, 3]
    chosen = np.flatnonzero(~in_solids(solid, places))[: views.count]
    if not len(chosen):
        raise ValueError(f"All places in {volume.name} are inside of solid parts")
    shifts = np.tile(np.eye(4), (len(chosen), 1, 1, 1))
    shifts[:, 0, :3, 3] = (eyes - places)[chosen]
    matrices: Floats = (tried[chosen] @ shifts).reshape(-1, 4, 4)
    return matrices


def _corners(box: Floats) -> Floats:
    choice = (np.arange(8)[:, None] >> np.arange(3)) & 1
    return np.where(choice == 1, box[3:], box[:3])


def eyes_of(matrices: Floats) -> Floats:
    """Return from where perspective views (v, 4, 4) look, (v, 3): where x, y and w are 0."""
    rows = matrices[:, [0, 1, 3]]
    eyes: Floats = -np.linalg.solve(rows[:, :, :3], rows[:, :, 3:])[:, :, 0]
    return eyes


def in_solids(scene: SceneOctree, points: Floats) -> Flags:
    """Return which points (q, 3) are inside a closed mesh: a mesh of one point does not fit."""
    places = np.tile(np.eye(4), (len(points), 1, 1))
    places[:, :3, 3] = points
    flags: Flags = ~fits(scene, Triangles(np.zeros((1, 3)), np.zeros((1, 3), np.intp)), places)
    return flags
