"""Visibility tables of a scene: of what is in view, by frustum culling, or seen, by pixels."""

from collections.abc import Callable
from dataclasses import dataclass, field

import bpy

from ...core import Steps
from ..cameras import (
    PixelOptions,
    Shot,
    pixel_steps,
    pixel_texts,
    shot_steps,
)
from ..cameras.data import SeenTable


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
    shot = Shot(frames=question.frames, cameras=question.cameras, exact=not question.boxes)
    return (yield from shot_steps(context, shot)).table


def pixels_steps(context: bpy.types.Context, question: SeenQuestion) -> SeenSteps:
    """Count what is seen, step by step; a row for each object and instance that is in view."""
    shot = Shot(frames=question.frames, cameras=question.cameras)
    result = yield from pixel_steps(context, shot, question.pixels)
    assert result.pixels is not None
    print("; ".join(pixel_texts(result, result.pixels)))
    return result.table
