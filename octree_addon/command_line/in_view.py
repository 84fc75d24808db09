"""Visibility table by frustum culling: what is in view, whatever stands in front of it."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ..seen import IN_VIEW, Items, SeenTable, Views
from ..shot import Shot, VisibilityResult, shot_steps


@dataclass(frozen=True)
class Question:
    """Which frames; which cameras by name, none for the scene's; whether objects are boxes."""

    frames: tuple[int, ...]
    cameras: tuple[str, ...] = ()
    boxes: bool = False


Steps = Generator[float, None, SeenTable]
Ask = Callable[[bpy.types.Context, Question], Steps]


def in_view_steps(context: bpy.types.Context, question: Question) -> Steps:
    """Find what is in view, step by step; a row for each object in each view that has it."""
    if not question.frames:
        nothing = np.empty((0, 0, 0), np.bool_)
        return _table(context.scene, VisibilityResult((), (), (), nothing, True, {}, 0))
    shot = Shot(frames=question.frames, cameras=question.cameras, exact=not question.boxes)
    return _table(context.scene, (yield from shot_steps(context, shot)))


def items_of(uids: list[int]) -> Items:
    """Return objects as items: full names, which libraries do not share, and categories.

    The category is the custom property of that name, else the object's first collection.
    """
    found = {item.session_uid: item for item in bpy.data.objects}
    objects = [found[uid] for uid in uids]
    return Items(
        tuple(item.name_full for item in objects),
        ((),) * len(objects),
        tuple(_category(item) for item in objects),
    )


def _category(item: bpy.types.Object) -> str:
    collections = [each.name for each in item.users_collection]
    given: Any = item.get("category")  # type: ignore[func-returns-value]
    return str(given) if given is not None else (collections or [""])[0]


def picture_size(scene: bpy.types.Scene) -> tuple[int, int]:
    """Return width and height of a render, without its border."""
    render = scene.render
    width, height = (
        max(1, side * render.resolution_percentage // 100)
        for side in (render.resolution_x, render.resolution_y)
    )
    return width, height


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
