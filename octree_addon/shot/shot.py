"""What cameras see over a shot: the frames walked, each judged, the answer put together."""

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass

import bpy
import numpy as np

from .frames import walk
from .object_culling import FaceJudge, ObjectJudge
from .scene_reader import SceneReader, read_views
from .visibility_result import Seen


@dataclass(frozen=True)
class Shot:
    """What is asked.

    Attributes
    ----------
    frames : tuple of int
        At least one.
    cameras : tuple of str
        Names; without any, the scene's camera, which markers may switch.
    wanted : frozenset of int, optional
        Session ids of the objects in question; by default whatever is visible.
    exact : bool
        Whether an object counts by its triangles; else its box is enough.
    faces : bool
        Whether to ask about faces too, always exactly.
    margin, angle : float
        Widen each view; see `camera_frusta`.
    """

    frames: tuple[int, ...]
    cameras: tuple[str, ...] = ()
    wanted: frozenset[int] | None = None
    exact: bool = True
    faces: bool = False
    margin: float = 0.0
    angle: float = 0.0


def shot_steps(context: bpy.types.Context, shot: Shot) -> Generator[float, None, Seen]:
    """Find what cameras see over a shot, step by step.

    What hides behind something else counts as seen: this is about views, not about light.

    Parameters
    ----------
    context : bpy.types.Context
        Its scene and view layer; hidden objects are not asked about.
    shot : Shot
        What is asked.

    Yields
    ------
    float
        The fraction done. The scene stands at some frame of the shot then; when the steps end or
        are closed, it is back where it was.

    Returns
    -------
    Seen
        Per object, camera and frame.

    Raises
    ------
    ValueError
        If a camera is missing or its view is no frustum.
    """
    reader = SceneReader(shot.wanted, faces=shot.faces)
    judge = FaceJudge() if shot.faces else ObjectJudge(exact=shot.exact)
    cameras: dict[str, int] = {}
    with closing(walk(context.scene, shot.frames)) as frames:
        for number, (_, changed) in enumerate(frames):
            depsgraph = context.evaluated_depsgraph_get()
            views = read_views(
                depsgraph, context.scene, shot.cameras, margin=shot.margin, angle=shot.angle
            )
            placements = reader.read(depsgraph, changed)
            columns = [cameras.setdefault(name, len(cameras)) for name in views.names]
            judge.look(placements, views, columns, number)
            for _ in judge.settle(placements):
                yield number / len(shot.frames)
            yield (number + 1) / len(shot.frames)
    for _ in judge.settle():
        yield 1.0
    return _answer(shot, reader, judge, tuple(cameras))


def _answer(shot: Shot, reader: SceneReader, judge: ObjectJudge, cameras: tuple[str, ...]) -> Seen:
    flags = np.zeros((len(reader.subjects), len(cameras), len(shot.frames)), np.bool_)
    flags[tuple(judge.hits)] = True
    return Seen(
        objects=tuple(reader.subjects),
        cameras=cameras,
        frames=shot.frames,
        flags=flags,
        is_exact=shot.exact or shot.faces,
        faces=judge.counts if isinstance(judge, FaceJudge) else {},
        skipped=len(shot.wanted) - len(reader.subjects) if shot.wanted is not None else 0,
    )
