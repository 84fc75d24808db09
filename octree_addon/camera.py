"""View frusta and pictures of cameras, from camera and render settings.

`camera_frusta` returns `Frusta` in world space, which may be widened; `camera_picture` returns the
matrix and the size in pixels of a render.
"""

from math import pi
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..core import Frusta
from .arrays import Floats, Ids
from .options import OptionGroup, real


class ViewOptions(OptionGroup):
    """The widening of a camera's view."""

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
    """Return the view frustum of an original camera, see `camera_frusta`.

    Raises a `ValueError` for None.
    """
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
    """Return the view frustum of a camera in a render of the scene.

    Lens, shift, sensor fit, aspect of image and pixels, clipping and render border are taken into
    account; the scale of the camera is ignored.

    Parameters
    ----------
    camera_eval : bpy.types.Object
        The evaluated camera.
    scene, depsgraph
        The scene gives resolution, pixel aspect and render border; the depsgraph is the one of
        the evaluated camera.
    margin : float, default 0.0
        Distance by which all six planes move outward, in Blender units.
    angle : float, default 0.0
        Angle by which the four sides turn outward, in radians; those of an orthographic camera
        turn about their lines in the camera's own plane.

    Raises
    ------
    ValueError
        If the object is no perspective or orthographic camera, has no finite place or a scale of
        zero, if its clipping range or the render border is empty, or if the widened view reaches
        180 degrees.
    """
    _check(camera_eval)
    offsets, slopes = _sides(_projection(camera_eval, scene, depsgraph), _frame(scene))
    offsets, slopes = _widened(offsets, slopes, margin, angle)
    lens = camera_eval.data
    near, far = lens.clip_start - margin, lens.clip_end + margin
    return Frusta(_to_world(camera_eval, _corners(offsets, slopes, near, far))[None])


def has_frustum(camera: bpy.types.Object) -> bool:
    """Return whether an object is a perspective or orthographic camera."""
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
    """Return the bounds of the rendered part of the image, from -1 to 1.

    Rows are x and y, columns least and greatest, (2, 2).
    """
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
    """Return offsets and slopes of the four sides in camera space, (2, 2) each.

    Side [x or y, least or greatest] lies at offset + slope * depth. Offsets of a perspective
    camera are 0, slopes of an orthographic one.
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
    """Return the corners in camera space, (8, 3), in the order of `Frusta`."""
    depths = np.repeat([near, far], 4)
    x, y = offsets[:, :, None] + slopes[:, :, None] * depths
    left_right, bottom_top = np.array([0, 1, 1, 0] * 2), np.array([0, 0, 1, 1] * 2)
    corner = np.arange(8)
    return np.stack((x[left_right, corner], y[bottom_top, corner], -depths), axis=1)


def _to_world(camera: bpy.types.Object, corners: Floats) -> Floats:
    # Normalized, since renderers ignore the scale of a camera.
    matrix = np.array(camera.matrix_world.normalized(), np.float64)
    return corners @ matrix[:3, :3].T + matrix[:3, 3]


class CameraPicture(NamedTuple):
    """The geometry of a rendered picture of a camera.

    Attributes
    ----------
    matrix : ndarray of float64, shape (4, 4)
        Projection @ view, from world space to OpenGL's clip space of the rendered part.
    size : tuple of int
        Width and height in pixels.
    start : float
        Distance from the camera at which depths begin: 0, or the near plane of an orthographic
        camera.
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
    """Return the picture of a camera, with the pixels of the scene's render.

    With a render border, the picture is the part inside. `share` is the fraction of pixels along
    each side. Other parameters and errors are those of `camera_frusta`.
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
    """Return a projection with its depth row computed in double precision.

    In Blender's single precision, a very small near distance moves the far plane to infinity.
    """
    near, far = lens.clip_start, lens.clip_end
    is_parallel = lens.type == "ORTHO"
    scale, shift = (2.0, far + near) if is_parallel else (far + near, 2 * far * near)
    projection[2, 2:] = -scale / (far - near), -shift / (far - near)
    return projection


def picture_size(scene: bpy.types.Scene, share: float = 1.0) -> tuple[int, int]:
    """Return the width and height of a render, or of its border, times `share`; at least 1."""
    low, high = _rendered_pixels(scene)
    width, height = (max(1, round(side * share)) for side in (high - low).tolist())
    return width, height


def _frame_size(scene: bpy.types.Scene) -> tuple[int, int]:
    """Return the width and height of a render without border."""
    render = scene.render
    width, height = (
        max(1, side * render.resolution_percentage // 100)
        for side in (render.resolution_x, render.resolution_y)
    )
    return width, height


def _rendered_pixels(scene: bpy.types.Scene) -> Ids:
    """Return the first rendered pixel, and the one after the last, in x and y, (2, 2)."""
    render, size = scene.render, _frame_size(scene)
    if not render.use_border:
        return np.array([(0, 0), size], np.intp)
    border = [
        [render.border_min_x, render.border_min_y],
        [render.border_max_x, render.border_max_y],
    ]
    # Truncated in single precision, as in Blender.
    pixels = (np.array(border, np.float32) * np.array(size, np.float32)).astype(np.intp)
    if not (pixels[0] < pixels[1]).all():
        raise ValueError("The render border is empty")
    return pixels
