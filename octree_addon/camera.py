"""View frusta: camera and render settings -> `Frusta` in world space, widened if wanted."""

from math import pi
from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.props import FloatProperty

from ..core import Frusta
from .arrays import Floats


class ViewOptions:
    """How far a view is widened: of one question, or of a whole shot."""

    if TYPE_CHECKING:
        margin: float
        angle: float
    else:
        margin: FloatProperty(
            name="Margin",
            description="Widen the view by this distance on every side",
            default=0.0,
            min=0.0,
            soft_max=10.0,
            subtype="DISTANCE",
        )
        angle: FloatProperty(
            name="Angle",
            description="Widen the view by this angle on every side",
            default=0.0,
            min=0.0,
            soft_max=0.5,
            subtype="ANGLE",
        )


def view_of(
    camera: bpy.types.Object | None,
    scene: bpy.types.Scene,
    depsgraph: bpy.types.Depsgraph,
    **widening: float,
) -> Frusta:
    """Return what `camera_frusta` returns for an original camera; refuse None."""
    if camera is None:
        raise ValueError("The scene has no camera")
    return camera_frusta(camera.evaluated_get(depsgraph), scene, depsgraph, **widening)


def camera_frusta(
    camera_eval: bpy.types.Object,
    scene: bpy.types.Scene,
    depsgraph: bpy.types.Depsgraph,
    *,
    margin: float = 0.0,
    angle: float = 0.0,
) -> Frusta:
    """Return the view frustum of a camera, as the scene's render would show it.

    Lens, shift, sensor fit, aspect of image and pixels, clipping and render border count; the
    scale of the camera does not.

    Parameters
    ----------
    camera_eval : bpy.types.Object
        The evaluated camera.
    scene, depsgraph
        The scene gives resolution, pixel aspect and render border; the camera was evaluated in
        the depsgraph.
    margin : float, default 0.0
        Moves all six planes outward, in scene units.
    angle : float, default 0.0
        Turns the four sides outward, in radians; for an orthographic camera about its own plane.

    Raises
    ------
    ValueError
        If the object is no camera, the camera is neither perspective nor orthographic or has a
        scale of zero, clipping or render border leave nothing to see, or the widened view reaches
        180 degrees.
    """
    _check(camera_eval)
    offsets, slopes = _sides(_projection(camera_eval, scene, depsgraph), _frame(scene))
    offsets, slopes = _widened(offsets, slopes, margin, angle)
    lens = camera_eval.data
    near, far = lens.clip_start - margin, lens.clip_end + margin
    return Frusta(_to_world(camera_eval, _corners(offsets, slopes, near, far))[None])


def camera_matrix(
    camera_eval: bpy.types.Object, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph
) -> Floats:
    """Return projection @ view of a camera, (4, 4), for what the scene's render would show.

    Into OpenGL's clip space. What `camera_frusta` refuses is refused here.
    """
    _check(camera_eval)
    (left, right), (bottom, top) = _frame(scene)
    crop = np.diag([2 / (right - left), 2 / (top - bottom), 1.0, 1.0])
    crop[:2, 3] = -(right + left) / (right - left), -(top + bottom) / (top - bottom)
    to_camera = np.linalg.inv(np.array(camera_eval.matrix_world.normalized(), np.float64))
    matrix: Floats = crop @ _projection(camera_eval, scene, depsgraph) @ to_camera
    return matrix


def _check(camera: bpy.types.Object) -> None:
    if camera.type != "CAMERA":
        raise ValueError(f"{camera.name} is not a camera")
    if camera.data.type not in {"PERSP", "ORTHO"}:
        kind = "panoramic" if camera.data.type == "PANO" else "custom"
        raise ValueError(
            f"{camera.name} is a {kind} camera, whose view is no frustum;"
            " choose a perspective or orthographic one"
        )
    if not abs(camera.matrix_world.determinant()) > 0:
        raise ValueError(f"{camera.name} has a scale of zero")
    if not camera.data.clip_end > camera.data.clip_start:
        raise ValueError(f"{camera.name} sees nothing: its clipping ends where it starts")


def _projection(
    camera: bpy.types.Object, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph
) -> Floats:
    render = scene.render
    matrix = camera.calc_matrix_camera(
        depsgraph,
        x=render.resolution_x,
        y=render.resolution_y,
        scale_x=render.pixel_aspect_x,
        scale_y=render.pixel_aspect_y,
    )
    return np.array(matrix, np.float64)


def _frame(scene: bpy.types.Scene) -> Floats:
    """Return the rendered part of the image, from -1 to 1: x and y, least and greatest."""
    render = scene.render
    if not render.use_border:
        return np.array([[-1.0, 1.0], [-1.0, 1.0]])
    border = [
        [render.border_min_x, render.border_max_x],
        [render.border_min_y, render.border_max_y],
    ]
    frame = np.array(border) * 2.0 - 1.0
    if not (frame[:, 0] < frame[:, 1]).all():
        raise ValueError("The render border is empty")
    return frame


def _sides(projection: Floats, frame: Floats) -> tuple[Floats, Floats]:
    """Return the four sides in the camera's space as lines over the depth, (2, 2) each.

    Side [x or y, least or greatest] lies at offset + slope * depth: a perspective camera has
    no offsets, an orthographic one no slopes.
    """
    scale = np.diag(projection)[:2, None]
    by_depth, constant = projection[:2, 2, None], projection[:2, 3, None]
    offsets = (frame * projection[3, 3] - constant) / scale
    slopes = (by_depth - frame * projection[3, 2]) / scale
    return offsets, slopes


def _widened(
    offsets: Floats, slopes: Floats, margin: float, angle: float
) -> tuple[Floats, Floats]:
    """Turn the sides outward by an angle, then move them outward by a distance."""
    outward = np.array([-1.0, 1.0])
    angles = np.arctan(slopes) + outward * angle
    if not (np.abs(angles) < pi / 2).all():
        raise ValueError("The widened view reaches 180 degrees; choose a smaller angle")
    slopes = np.tan(angles)
    return offsets + outward * margin * np.hypot(1.0, slopes), slopes


def _corners(offsets: Floats, slopes: Floats, near: float, far: float) -> Floats:
    """Return the corners in the camera's space, (8, 3), in the order of `Frusta`."""
    depths = np.repeat([near, far], 4)
    x, y = offsets[:, :, None] + slopes[:, :, None] * depths
    left_right, bottom_top = np.array([0, 1, 1, 0] * 2), np.array([0, 0, 1, 1] * 2)
    corner = np.arange(8)
    return np.stack((x[left_right, corner], y[bottom_top, corner], -depths), axis=1)


def _to_world(camera: bpy.types.Object, corners: Floats) -> Floats:
    # Normalized, as by the renderer: the scale of a camera does not matter.
    matrix = np.array(camera.matrix_world.normalized(), np.float64)
    return corners @ matrix[:3, :3].T + matrix[:3, 3]
