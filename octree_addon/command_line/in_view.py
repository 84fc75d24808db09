"""Visibility tables of a scene: of what is in view, by frustum culling, or seen, by pixels."""

from collections.abc import Callable
from dataclasses import dataclass, field

import bpy
import numpy as np

from ...core import Steps
from ..camera import picture_size
from ..cameras import (
    PixelOptions,
    Shot,
    VisibilityResult,
    items_of,
    pixel_steps,
    pixel_texts,
    shot_steps,
)
from ..cameras.data import IN_VIEW, SeenTable, Views


@dataclass(frozen=True)
class SeenQuestion:
    """A question of the command line about what cameras see.

    Attributes
    ----------
    frames : tuple of int
        Which frames; there may be none.
    cameras : tuple of str
        Names; none for the scene's camera.
    boxes : bool
        Whether objects count by their boxes.
    pixels : PixelOptions
        How pixels are counted, where they are.
    """

    frames: tuple[int, ...]
    cameras: tuple[str, ...] = ()
    boxes: bool = False
    pixels: PixelOptions = field(default_factory=PixelOptions)


SeenSteps = Steps[SeenTable]
Ask = Callable[[bpy.types.Context, SeenQuestion], SeenSteps]


def in_view_steps(context: bpy.types.Context, question: SeenQuestion) -> SeenSteps:
    """Find what is in view, step by step; a row for each object in each view that has it."""
    if not question.frames:
        nothing = np.empty((0, 0, 0), np.bool_)
        return _table(context.scene, VisibilityResult((), (), (), nothing, True, {}, 0))
    shot = Shot(frames=question.frames, cameras=question.cameras, exact=not question.boxes)
    return _table(context.scene, (yield from shot_steps(context, shot)))


def pixels_steps(context: bpy.types.Context, question: SeenQuestion) -> SeenSteps:
    """Count what is seen, step by step; a row for each object and instance that is in view."""
    shot = Shot(frames=question.frames, cameras=question.cameras)
    result = yield from pixel_steps(context, shot, question.pixels)
    assert result.pixels is not None
    print("; ".join(pixel_texts(result.pixels)))
    return result.pixels.table


def _table(scene: bpy.types.Scene, result: VisibilityResult) -> SeenTable:
    looked = np.array(result.views, np.intp).reshape(-1, 2)
    view = np.full((len(result.cameras), len(result.frames)), -1, np.intp)
    view[looked[:, 1], looked[:, 0]] = np.arange(len(looked))
    items, cameras, frames = np.nonzero(result.flags)
    return SeenTable(
        items_of([each.session_uid for each in result.objects]),
        Views(
            np.array(result.frames, np.intp)[looked[:, 0]],
            looked[:, 1],
            result.cameras,
            picture_size(scene),
        ),
        view[cameras, frames],
        items,
        np.full(len(items), IN_VIEW, np.uint8),
    )
