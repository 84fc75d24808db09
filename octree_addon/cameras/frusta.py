"""Lookup of the cameras of a shot and their view frusta in the present frame."""

from collections.abc import Sequence

import bpy
import numpy as np

from ...core import Frusta
from ..camera import view_of


def read_frusta(
    depsgraph: bpy.types.Depsgraph,
    scene: bpy.types.Scene,
    names: Sequence[str],
    *,
    margin: float,
    angle: float,
) -> tuple[tuple[str, ...], Frusta]:
    """Return the names and the view frusta of cameras in the present frame.

    Without names, it is the scene's camera. Raises a `ValueError` if the scene has no camera, if a
    camera is disabled in viewports and so not evaluated, or if its view is not a frustum.
    """
    cameras = cameras_of(depsgraph, scene, names)
    views = [view_of(camera, scene, depsgraph, margin=margin, angle=angle) for camera in cameras]
    frusta = Frusta(np.concatenate([view.corners for view in views]))
    return tuple(camera.name for camera in cameras), frusta


def cameras_of(
    depsgraph: bpy.types.Depsgraph, scene: bpy.types.Scene, names: Sequence[str]
) -> list[bpy.types.Object]:
    """Return the cameras with these names; without names the scene's present camera."""
    cameras = [_camera_named(scene, name) for name in names] or [scene.camera]
    for camera in cameras:
        if camera is None:
            raise ValueError("The scene has no camera")
        if not camera.evaluated_get(depsgraph).is_evaluated:
            raise ValueError(f"{camera.name} is disabled in viewports, so it is not animated")
    return [camera for camera in cameras if camera]


def _camera_named(scene: bpy.types.Scene, name: str) -> bpy.types.Object:
    camera: bpy.types.Object | None = scene.objects.get(name)
    if camera is None:
        raise ValueError(f"The scene has no camera named {name}")
    return camera
