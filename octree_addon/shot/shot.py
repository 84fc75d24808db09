"""Frustum culling over a shot: frame by frame, then one visibility result."""

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass

import bpy
import numpy as np

from .culling import FaceCulling, ObjectCulling
from .frames import walk
from .placements import FramePlacements
from .scene_reader import FrameReader, read_frusta
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
    """

    frames: tuple[int, ...]
    cameras: tuple[str, ...] = ()
    wanted: frozenset[int] | None = None
    exact: bool = True
    faces: bool = False
    margin: float = 0.0
    angle: float = 0.0


def shot_steps(context: bpy.types.Context, shot: Shot) -> Generator[float, None, VisibilityResult]:
    """Find what cameras see over a shot, per object, camera and frame, step by step.

    What is hidden behind something else counts as seen: occlusion is not tested. Objects hidden in
    the view layer are not tested.

    Yields the fraction done. The scene is at some frame of the shot then; when the steps end or
    are closed, it is back where it was. A `ValueError` says that a camera is missing, or that its
    view is no frustum.
    """
    reader = FrameReader(shot.wanted, faces=shot.faces)
    culling = FaceCulling() if shot.faces else ObjectCulling(exact=shot.exact)
    cameras: dict[str, int] = {}
    views: list[tuple[int, int]] = []
    with closing(walk(context.scene, shot.frames)) as frames:
        for number, (_, changed) in enumerate(frames):
            depsgraph = context.evaluated_depsgraph_get()
            names, frusta = read_frusta(
                depsgraph, context.scene, shot.cameras, margin=shot.margin, angle=shot.angle
            )
            placements = reader.read(depsgraph, changed)
            columns = [cameras.setdefault(name, len(cameras)) for name in names]
            views += [(number, column) for column in columns]
            culling.cull(placements, frusta, columns, number)
            for _ in _decided(context, reader, culling, placements):
                yield number / len(shot.frames)
            yield (number + 1) / len(shot.frames)
    for _ in culling.resolve():
        yield 1.0
    return _answer(shot, reader, culling, tuple(cameras), tuple(views))


def _decided(
    context: bpy.types.Context,
    reader: FrameReader,
    culling: ObjectCulling,
    placements: FramePlacements,
) -> Iterator[float]:
    """Decide what has to be while this frame lasts."""
    yield from culling.compare()
    yield from reader.read_triangles(context, culling.unread)
    yield from culling.resolve(placements)


def _answer(
    shot: Shot,
    reader: FrameReader,
    culling: ObjectCulling,
    cameras: tuple[str, ...],
    views: tuple[tuple[int, int], ...],
) -> VisibilityResult:
    flags = np.zeros((len(reader.objects), len(cameras), len(shot.frames)), np.bool_)
    flags[tuple(culling.hits)] = True
    return VisibilityResult(
        objects=tuple(reader.objects),
        cameras=cameras,
        frames=shot.frames,
        flags=flags,
        is_exact=shot.exact or shot.faces,
        faces=culling.counts if isinstance(culling, FaceCulling) else {},
        skipped=len(shot.wanted) - len(reader.objects) if shot.wanted is not None else 0,
        views=views,
    )
