"""View matrices to test: cameras of a shot, directions from outside, places in a volume."""

from dataclasses import dataclass

import bpy
import numpy as np

from ....core import (
    Boxes,
    SceneOctree,
    Triangles,
    fits,
    islands,
    nearest,
    views_around,
    views_inside,
)
from ...arrays import Flags, Floats, Ids
from ...camera import camera_picture, picture_size
from ...reader import evaluated_box
from ...ui import named_object
from ..frusta import cameras_of

Size = tuple[int, int]
# The near plane of a view from a place is halfway to the nearest surface, and at least this
# fraction of the volume's diagonal away.
_NEAREST = 1e-5
# The far plane is beyond the scene, and at least this factor times the near distance away. So
# depths of near surfaces do not depend on the size of the scene.
_FARTHEST = 2.0**20
# An object is reported if pixels would be smaller by at least this factor without it.
_STRETCHED = 4.0
# Number of places tried for each place that is wanted.
_TRIES = 8


@dataclass(frozen=True)
class SampledViews:
    """Description of the views to test.

    Attributes
    ----------
    kind : {"SHOT", "OUTSIDE", "INSIDE"}
        From cameras, from all around, or from places in a volume.
    resolution : int
        Pixels of the longer side of a view.
    count : int
        Number of directions, or of places with six views each; unused for cameras.
    frames : tuple of int
        Frames of a shot; otherwise the present frame.
    cameras : tuple of str
        Names of the cameras of a shot; if empty, the scene's camera, which markers may switch.
    volume : str
        Name of the object whose box contains the places.
    is_open : bool
        True if faces of transparent materials are left out.
    without : str
        Name of an object to leave out of the scene; none if empty.
    left_out : tuple of str
        Names of cameras of the shot without a picture: panoramic and custom cameras.
    """

    kind: str
    resolution: int
    count: int
    frames: tuple[int, ...]
    cameras: tuple[str, ...] = ()
    volume: str = ""
    is_open: bool = False
    without: str = ""
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ViewSet:
    """The views of one frame.

    Attributes
    ----------
    matrices : ndarray of float64, shape (v, 4, 4)
        View-projection matrices.
    size : tuple of int
        Width and height of each picture.
    groups : ndarray of intp, shape (v,)
        The group of placements that each view tests; other placements only occlude.
    members : ndarray of intp, shape (n,)
        The group of each placement, in the order of ids; -1 if its box has NaN or infinity.
    """

    matrices: Floats
    size: Size
    groups: Ids
    members: Ids

    @classmethod
    def of_all(cls, matrices: Floats, size: Size, count: int) -> "ViewSet":
        """Return views that all test the same `count` placements, as one group."""
        return cls(matrices, size, np.zeros(len(matrices), np.intp), np.zeros(count, np.intp))

    @property
    def count(self) -> int:
        """The number of groups."""
        return int(self.groups.max(initial=0)) + 1

    @property
    def pixels(self) -> Floats:
        """The width of a pixel of each view, (v,); in a perspective view at distance 1."""
        away = np.linalg.norm(self.matrices[:, 3, :3], axis=1)
        scale = np.linalg.norm(self.matrices[:, 0, :3], axis=1)
        widths: Floats = np.where(away > 0, away, 1.0) / scale * (2 / self.size[0])
        return widths

    @property
    def are_parallel(self) -> bool:
        """True if all views are parallel projections."""
        return not self.matrices[:, 3, :3].any()


def view_set(
    views: SampledViews, context: bpy.types.Context, scene: SceneOctree, solid: SceneOctree
) -> ViewSet:
    """Return the views of the present frame.

    Places inside closed meshes of `solid` are left out. Raises a `ValueError` if the scene is
    empty, if a camera or the volume is missing, or if no place is left.
    """
    square = views.resolution, views.resolution
    bounds = scene.bounds_of(scene.ids)
    if not np.isfinite(bounds.lower).all(axis=1).any():
        raise ValueError("There is nothing to look at")
    if views.kind == "OUTSIDE":
        return _around(bounds, views.count, square)
    if views.kind == "INSIDE":
        return ViewSet.of_all(_inside(views, context, scene, solid), square, len(bounds))
    return ViewSet.of_all(*_of_cameras(context, views), len(bounds))


def _around(bounds: Boxes, count: int, size: Size) -> ViewSet:
    """Return views around each group of placements, as `islands` separates them.

    The views are ordered by direction, then by group.
    """
    members = islands(bounds)
    number = int(members.max()) + 1
    matrices = np.stack(
        [views_around(_some(bounds, members == n), count=count) for n in range(number)]
    )
    groups = np.tile(np.arange(number), count)
    return ViewSet(matrices.swapaxes(0, 1).reshape(-1, 4, 4), size, groups, members)


def _some(bounds: Boxes, flags: Flags) -> Boxes:
    return Boxes(bounds.lower[flags], bounds.upper[flags])


def stretching(scene: SceneOctree, members: Ids, owners: Ids) -> tuple[int, float]:
    """Return the owner whose removal would shrink pixels most, and the factor.

    Returns (0, 1) if no owner makes a great difference. `members` and `owners`, (n,), are the
    group and the owner of each placement of the scene, in the order of ids.
    """
    rows_of_all = scene.bounds_of(scene.ids).rows
    best, most = 0, _STRETCHED
    for number in range(int(members.max(initial=-1)) + 1):
        (some,) = (members == number).nonzero()
        rows, mine = rows_of_all[:, some], owners[some]
        ends = (rows[:3].argmin(axis=1), rows[3:].argmax(axis=1))
        for owner in np.unique(mine[np.concatenate(ends)]).tolist():
            rest = rows[:, mine != owner]
            times = _diagonal(rows) / _diagonal(rest) if rest.shape[1] else 0.0
            if times >= most:
                best, most = owner, times
    return (best, most) if best else (0, 1.0)


def _diagonal(rows: Floats) -> float:
    return float(np.linalg.norm(rows[3:].max(axis=1) - rows[:3].min(axis=1))) or 1.0


def _of_cameras(context: bpy.types.Context, views: SampledViews) -> tuple[Floats, Size]:
    """Return the view matrices of cameras as a render has them, and the size of the pictures."""
    depsgraph, scene = context.evaluated_depsgraph_get(), context.scene
    share = views.resolution / max(picture_size(scene))
    pictures = [
        camera_picture(camera.evaluated_get(depsgraph), scene, depsgraph, share=share)
        for camera in cameras_of(depsgraph, scene, views.cameras)
    ]
    return np.array([each.matrix for each in pictures]), pictures[0].size


def _inside(
    views: SampledViews, context: bpy.types.Context, scene: SceneOctree, solid: SceneOctree
) -> Floats:
    """Return views from places in the oriented box of an object."""
    volume, bounds = named_object(context.scene, views.volume), scene.bounds_of(scene.ids)
    box = evaluated_box(volume, context.evaluated_depsgraph_get()).astype(np.float64)
    if not np.isfinite(box).all():
        raise ValueError(f"{volume.name} has no box to look around in")
    finite = np.isfinite(bounds.rows).all(axis=0)
    to_world = np.array(volume.matrix_world, np.float64)
    ends = _corners(box) @ to_world[:3, :3].T + to_world[:3, 3]
    lower = np.minimum(bounds.lower[finite].min(axis=0), ends.min(axis=0))
    upper = np.maximum(bounds.upper[finite].max(axis=0), ends.max(axis=0))
    own, count = Boxes(box[None, :3], box[None, 3:]), views.count * _TRIES
    eyes = eyes_of(views_inside(own, places=count)[::6])
    places = eyes @ to_world[:3, :3].T + to_world[:3, 3]
    chosen = np.flatnonzero(~in_solids(solid, places))[: views.count]
    if not len(chosen):
        raise ValueError(f"All places in {volume.name} are inside of solid parts")
    near = np.full(count, np.linalg.norm(np.ptp(ends, axis=0)) * _NEAREST or _NEAREST)
    near[chosen] = np.maximum(near[chosen], nearest(scene, places[chosen]).distances[:, 0] / 2)
    size = float(np.linalg.norm(upper - lower))
    far = max(1.01 * size, _FARTHEST * float(near.max()))
    tried = views_inside(own, places=count, near=near, far=far).reshape(-1, 6, 4, 4)
    shifts = np.tile(np.eye(4), (len(chosen), 1, 1, 1))
    shifts[:, 0, :3, 3] = (eyes - places)[chosen]
    matrices: Floats = (tried[chosen] @ shifts).reshape(-1, 4, 4)
    return matrices


def _corners(box: Floats) -> Floats:
    choice = (np.arange(8)[:, None] >> np.arange(3)) & 1
    return np.where(choice == 1, box[3:], box[:3])


def eyes_of(matrices: Floats) -> Floats:
    """Return the eyes, (v, 3), of perspective views (v, 4, 4): points where x, y and w are 0."""
    rows = matrices[:, [0, 1, 3]]
    eyes: Floats = -np.linalg.solve(rows[:, :, :3], rows[:, :, 3:])[:, :, 0]
    return eyes


def in_solids(scene: SceneOctree, points: Floats) -> Flags:
    """Return flags of the points (q, 3) inside a closed mesh, where a point does not fit."""
    places = np.tile(np.eye(4), (len(points), 1, 1))
    places[:, :3, 3] = points
    flags: Flags = ~fits(scene, Triangles(np.zeros((1, 3)), np.zeros((1, 3), np.intp)), places)
    return flags
