"""View frusta: camera and render settings -> `Frusta` in world space, widened if wanted.

And pictures: the same settings -> view matrix and pixels, as a render has them.
"""

from math import pi
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..core import Frusta
from .arrays import Floats, Ids
from .options import OptionGroup, real


class ViewOptions(OptionGroup):
    """How far a view is widened: of one question, or of a whole shot."""

    margin: float = real(
        0.0,
        "Margin",
        "Widen the view by this distance on every side",
        min=0.0,
        soft_max=10.0,
        subtype="DISTANCE",
    )
    angle: float = real(
        0.0,
        "Angle",
        "Widen the view by this angle on every side",
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
        If the object is no camera, the camera is neither perspective nor orthographic, is at
        no finite place or has a scale of zero, clipping or render border leave nothing to see, or
        the widened view reaches 180 degrees.
    """
    _check(camera_eval)
    offsets, slopes = _sides(_projection(camera_eval, scene, depsgraph), _frame(scene))
    offsets, slopes = _widened(offsets, slopes, margin, angle)
    lens = camera_eval.data
    near, far = lens.clip_start - margin, lens.clip_end + margin
    return Frusta(_to_world(camera_eval, _corners(offsets, slopes, near, far))[None])


def has_frustum(camera: bpy.types.Object) -> bool:
    """Tell whether a camera is perspective or orthographic."""
    return camera.type == "CAMERA" and camera.data.type in {"PERSP", "ORTHO"}


def _check(camera: bpy.types.Object) -> None:
    if camera.type != "CAMERA":
        raise ValueError(f"{camera.name} is not a camera")
    if not has_frustum(camera):
        kind = "panoramic" if camera.data.type == "PANO" else "custom"
        raise ValueError(
            f"{camera.name} is a {kind} camera, whose view is no frustum;"
            " choose a perspective or orthographic one"
        )
    if not np.isfinite(np.array(camera.matrix_world)).all():
        raise ValueError(f"{camera.name} is nowhere")
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


class CameraPicture(NamedTuple):
    """The picture that a render makes of a camera.

    Attributes
    ----------
    matrix : ndarray of float64, shape (4, 4)
        Projection @ view into OpenGL's clip space, which is the part that is rendered.
    size : tuple of int
        Width and height in pixels.
    start : float
        Where depths of the picture begin: at the camera, or at a parallel one's near plane.
    """

    matrix: Floats
    size: tuple[int, int]
    start: float


def camera_picture(
    camera_eval: bpy.types.Object,
    scene: bpy.types.Scene,
    depsgraph: bpy.types.Depsgraph,
    *,
    share: float = 1.0,
) -> CameraPicture:
    """Return the picture of a camera, pixel by pixel as the scene's render shows it.

    Of a render border, only what is inside. Parameters and errors are those of `camera_frusta`.
    `share` is the part of the pixels along each side that are wanted.
    """
    _check(camera_eval)
    frame, inside = np.array(_frame_size(scene), np.intp), _rendered_pixels(scene)
    render = scene.render
    projection = camera_eval.calc_matrix_camera(
        depsgraph,
        x=int(frame[0]),
        y=int(frame[1]),
        scale_x=render.pixel_aspect_x,
        scale_y=render.pixel_aspect_y,
    )
    low, high = inside * 2.0 / frame - 1.0
    crop = np.diag([*(2 / (high - low)), 1.0, 1.0])
    crop[:2, 3] = -(high + low) / (high - low)
    to_camera = np.linalg.inv(np.array(camera_eval.matrix_world.normalized(), np.float64))
    lens: Any = camera_eval.data
    matrix: Floats = crop @ _with_depths(np.array(projection, np.float64), lens) @ to_camera
    start = lens.clip_start if lens.type == "ORTHO" else 0.0
    return CameraPicture(matrix, picture_size(scene, share), start)


def _with_depths(projection: Floats, lens: Any) -> Floats:
    """Return a projection with depths of double precision.

    In single precision the far plane of a lens that begins very near is at infinity.
    """
    near, far = lens.clip_start, lens.clip_end
    is_parallel = lens.type == "ORTHO"
    scale, shift = (2.0, far + near) if is_parallel else (far + near, 2 * far * near)
    projection[2, 2:] = -scale / (far - near), -shift / (far - near)
    return projection


def picture_size(scene: bpy.types.Scene, share: float = 1.0) -> tuple[int, int]:
    """Return width and height of a render, or of its border, or a share of them."""
    low, high = _rendered_pixels(scene)
    width, height = (max(1, round(side * share)) for side in (high - low).tolist())
    return width, height


def _frame_size(scene: bpy.types.Scene) -> tuple[int, int]:
    """Return width and height of a render without border."""
    render = scene.render
    width, height = (
        max(1, side * render.resolution_percentage // 100)
        for side in (render.resolution_x, render.resolution_y)
    )
    return width, height


def _rendered_pixels(scene: bpy.types.Scene) -> Ids:
    """Return the first pixels, and those after the last, of what is rendered, (2, 2)."""
    render, size = scene.render, _frame_size(scene)
    if not render.use_border:
        return np.array([(0, 0), size], np.intp)
    border = [
        [render.border_min_x, render.border_min_y],
        [render.border_max_x, render.border_max_y],
    ]
    # As Blender does it: in single precision, without rounding.
    pixels = (np.array(border, np.float32) * np.array(size, np.float32)).astype(np.intp)
    if not (pixels[0] < pixels[1]).all():
        raise ValueError("The render border is empty")
    return pixels
