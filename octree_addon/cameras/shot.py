"""Frustum culling over the frames of a shot, with one visibility result."""

from dataclasses import dataclass

import bpy
import numpy as np

from ...core import Steps
from ..answers.hints import instances_text
from ..camera import picture_size
from ..scene_index import SceneIndex, index_steps
from .frames import frame_steps
from .frusta import read_frusta
from .in_view import InView
from .table import Views
from .visibility_result import VisibilityResult


@dataclass(frozen=True)
class Shot:
    """Frames, cameras and objects to test, and the precision.

    Attributes
    ----------
    frames : tuple of int
        At least one frame.
    cameras : tuple of str
        Names of cameras; if empty, the scene's camera, which markers may switch.
    wanted : frozenset of int, optional
        Session ids of the objects to test; by default all visible objects.
    exact : bool
        True if objects are tested by their triangles, False if by their boxes.
    faces : bool
        True if faces are also tested, always exactly.
    margin, angle : float
        Amounts by which each view is widened; see `camera_frusta`.
    left_out : tuple of str
        Names of requested cameras without a frustum.
    """

    frames: tuple[int, ...]
    cameras: tuple[str, ...] = ()
    wanted: frozenset[int] | None = None
    exact: bool = True
    faces: bool = False
    margin: float = 0.0
    angle: float = 0.0
    left_out: tuple[str, ...] = ()


def shot_steps(context: bpy.types.Context, shot: Shot) -> Steps[VisibilityResult]:
    """Find the objects in view of cameras over a shot, per object, camera and frame.

    Occlusion is not tested: an object behind another object counts as seen. Objects hidden in the
    view layer are not tested.

    Yields the fraction done. Between steps, the scene is at some frame of the shot. When the steps
    end or are closed, the scene is restored. Raises a `ValueError` if a camera is missing, or if
    its view is not a frustum.
    """
    found = InView(shot.wanted, faces=shot.faces, exact=shot.exact or shot.faces)
    cameras: dict[str, int] = {}
    views: list[tuple[int, int]] = []
    instances = [""]

    def look(index: SceneIndex, number: int) -> Steps[None]:
        names, frusta = read_frusta(
            context.evaluated_depsgraph_get(),
            context.scene,
            shot.cameras,
            margin=shot.margin,
            angle=shot.angle,
        )
        frame = shot.frames[number]
        views.extend((frame, cameras.setdefault(name, len(cameras))) for name in names)
        instances[0] = instances_text(index.placements.owners, index.placements.is_instance)
        return found.look_steps(index, frusta)

    yield from frame_steps(context, shot.frames, index_steps, look, reading=0.8)
    frames, numbers = np.array(views, np.intp).reshape(-1, 2).T
    which = Views(frames, numbers, tuple(cameras), picture_size(context.scene))
    return VisibilityResult(
        table=found.table(which),
        owners=found.objects,
        is_exact=shot.exact or shot.faces,
        faces=found.faces,
        skipped=len(shot.wanted) - len(found.objects) if shot.wanted is not None else 0,
        left_out=shot.left_out,
        instances=instances[0],
    )
