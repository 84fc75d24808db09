"""Layers: the overlays of 3D views in the order of drawing, and what they keep on the card.

A layer is a `Layer` of `LAYERS`, drawn after those before it. Whatever it uploads is made by
`uploaded`, one cache for all of them.
"""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import bpy

from .. import questions, result_list, trees
from ..built_tree import BuiltTree
from ..questions import Query
from ..result_list import ActiveResult
from ..ui import at_forgetting, settings_of

Value = TypeVar("Value")


@dataclass(frozen=True, eq=False)
class Redraw:
    """What a scene has to show in one redraw: each fact is looked up once, if a layer asks for it.

    Attributes
    ----------
    scene : bpy.types.Scene
        The scene that is drawn.
    """

    scene: bpy.types.Scene

    @cached_property
    def settings(self) -> Any:
        """The settings of the scene."""
        return settings_of(self.scene)

    @cached_property
    def built(self) -> BuiltTree | None:
        """Its octree."""
        return trees.get(self.scene)

    @cached_property
    def query(self) -> Query | None:
        """Its last question."""
        return questions.get(self.scene)

    @cached_property
    def is_current(self) -> bool:
        """Whether the scene is as it was when that was asked."""
        return self.query is not None and questions.is_current(self.scene)

    @cached_property
    def active(self) -> ActiveResult | None:
        """The result that the list shows."""
        return result_list.active_of(self.scene)

    @property
    def shows_last(self) -> bool:
        """Whether the list shows the result of the last question."""
        number = self.settings.question_number
        return self.active is not None and self.active.result.number == number

    @property
    def has_stage_taken(self) -> bool:
        """Whether any layer takes the stage, so that answers step back."""
        return any(each.takes_stage(self) for each in LAYERS if each.takes_stage is not None)


def _nothing() -> None:
    pass


@dataclass(frozen=True, eq=False)
class Layer:
    """One overlay.

    Attributes
    ----------
    draw : callable
        Draws it into the 3D view that Blender is drawing.
    switches : tuple of str
        The settings that turn it off, such as "answer.found".
    in_pixels : bool
        Whether it is drawn in pixels of the region, in front of all.
    takes_stage : callable, optional
        Returns whether answers step back for it; None if they never do.
    stop : callable
        Ends what is drawn and no setting turns off, after a drawing that failed.
    """

    draw: Callable[[Redraw], None]
    switches: tuple[str, ...] = ()
    in_pixels: bool = False
    takes_stage: Callable[[Redraw], bool] | None = None
    stop: Callable[[], None] = _nothing


# In the order of drawing: `drawing` and `probe` fill it.
LAYERS: list[Layer] = []
# By what each upload shows: the name of a layer, the session id of a scene, and parts.
_uploads: dict[tuple[Hashable, ...], Any] = {}


def uploaded(
    key: tuple[Hashable, ...], is_current: Callable[[Value], bool], make: Callable[[], Value]
) -> Value:
    """Return an upload, made again unless it is there and current."""
    if key not in _uploads or not is_current(_uploads[key]):
        _uploads[key] = make()
    value: Value = _uploads[key]
    return value


def upload_of(key: tuple[Hashable, ...]) -> Any:
    """Return an upload; None if it is not there."""
    return _uploads.get(key)


def put_upload(key: tuple[Hashable, ...], value: Any) -> None:
    """Keep an upload that was made at rest."""
    _uploads[key] = value


def keep_uploads(name: str, scene: bpy.types.Scene, kept: Iterable[tuple[Hashable, ...]]) -> None:
    """Drop the uploads of a layer and a scene but some; another window may show another scene."""
    wanted = set(kept)
    for key in [each for each in _uploads if each[:2] == (name, scene.session_uid)]:
        if key not in wanted:
            del _uploads[key]


@at_forgetting
def drop_uploads() -> None:
    """Leave nothing on the graphics card."""
    _uploads.clear()
