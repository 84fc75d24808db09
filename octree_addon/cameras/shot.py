"""Frustum culling over a shot: frame by frame, then one visibility result."""

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
    """Which frames, cameras and objects, and how exactly.

    Attributes
    ----------
    frames : tuple of int
        At least one.
    cameras : tuple of str
        Names; if empty, the scene's camera, which markers may switch.
    wanted : frozenset of int, optional
        Session ids of the objects to test; by default all that are visible.
    exact : bool
        Whether an object counts by its triangles; else its box is enough.
    faces : bool
        Whether to test faces too, always exactly.
    margin, angle : float
        Widen each view; see `camera_frusta`.
    left_out : tuple of str
        Names of cameras that were asked for, and have no frustum.
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
    """Find what cameras see over a shot, per object, camera and frame, step by step.

    What is hidden behind something else counts as seen: occlusion is not tested. Objects hidden in
    the view layer are not tested.

    Yields the fraction done. The scene is at some frame of the shot then; when the steps end or
    are closed, it is back where it was. A `ValueError` says that a camera is missing, or that its
    view is no frustum.
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
