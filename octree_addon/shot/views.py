"""What cameras see in one frame: their frusta, and the planes around them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core import Frusta
from ..camera import camera_frusta

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Views:
    """The cameras of one frame.

    Attributes
    ----------
    names : tuple of str
        Of the cameras, each once.
    frusta : Frusta
        One for each.
    """

    names: tuple[str, ...]
    frusta: Frusta

    @cached_property
    def planes(self) -> Floats:
        """Six planes a view, positive inside, (v, 6, 4)."""
        return self.frusta.plane_rows.transpose(2, 0, 1)

    @cached_property
    def corners(self) -> Floats:
        """Eight corners a view, (v, 8, 3)."""
        return self.frusta.corners


def read_views(
    depsgraph: bpy.types.Depsgraph,
    scene: bpy.types.Scene,
    names: Sequence[str],
    *,
    margin: float,
    angle: float,
) -> Views:
    """Return what cameras see in the present frame.

    Parameters
    ----------
    depsgraph : bpy.types.Depsgraph
        Evaluated at that frame.
    scene : bpy.types.Scene
        Gives the image, and the camera that markers may switch.
    names : sequence of str
        Names of cameras; none stands for the scene's.
    margin, angle : float
        See `camera_frusta`.

    Returns
    -------
    Views
        Of at least one camera.

    Raises
    ------
    ValueError
        If there is no camera, if it has another frame than this one because it is disabled in
        viewports, or if its view is no frustum.
    """
    cameras = [_camera_named(scene, name) for name in names] or [_scene_camera(scene)]
    corners = []
    for camera in cameras:
        evaluated = camera.evaluated_get(depsgraph)
        if not evaluated.is_evaluated:
            raise ValueError(f"{camera.name} is disabled in viewports, where it does not move")
        frusta = camera_frusta(evaluated, scene, depsgraph, margin=margin, angle=angle)
        corners.append(frusta.corners[0])
    return Views(tuple(camera.name for camera in cameras), Frusta(corners))


def _scene_camera(scene: bpy.types.Scene) -> bpy.types.Object:
    if scene.camera is None:
        raise ValueError("The scene has no camera")
    return scene.camera


def _camera_named(scene: bpy.types.Scene, name: str) -> bpy.types.Object:
    camera: bpy.types.Object | None = scene.objects.get(name)
    if camera is None:
        raise ValueError(f"The scene has no camera named {name}")
    return camera
