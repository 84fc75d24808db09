"""Layers: the overlays of 3D views in drawing order, and the cache of their GPU data.

A layer is a `Layer` in `LAYERS`, drawn after those before it. All layers store their GPU data by
`uploaded`, in one cache.
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
    """The state of a scene that layers need in one redraw; each fact is looked up at first use.

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
        """The octree built for the scene."""
        return trees.get(self.scene)

    @cached_property
    def query(self) -> Query | None:
        """The last question asked of the scene."""
        return questions.get(self.scene)

    @cached_property
    def is_current(self) -> bool:
        """True if the scene is unchanged since that question."""
        return self.query is not None and questions.is_current(self.scene)

    @cached_property
    def active(self) -> ActiveResult | None:
        """The result that the list shows."""
        return result_list.active_of(self.scene)

    @property
    def shows_last(self) -> bool:
        """True if the list of results shows the result of the last question."""
        number = self.settings.question_number
        return self.active is not None and self.active.result.number == number

    @property
    def has_stage_taken(self) -> bool:
        """True if a layer needs answers to be drawn faintly, so that it stands out."""
        return any(each.takes_stage(self) for each in LAYERS if each.takes_stage is not None)


def _nothing() -> None:
    pass


@dataclass(frozen=True, eq=False)
class Layer:
    """An overlay of 3D views.

    Attributes
    ----------
    draw : callable
        Draws the overlay into the 3D view that Blender is drawing.
    switches : tuple of str
        Settings that turn the overlay off, such as "answer.found".
    in_pixels : bool
        True if it is drawn in pixels of the region, in front of everything.
    takes_stage : callable, optional
        Returns whether answers are drawn faintly while this overlay is shown; None for never.
    stop : callable
        Called after a failed drawing, to end an overlay that has no switch.
    """

    draw: Callable[[Redraw], None]
    switches: tuple[str, ...] = ()
    in_pixels: bool = False
    takes_stage: Callable[[Redraw], bool] | None = None
    stop: Callable[[], None] = _nothing


# Layers in drawing order, added by `drawing` and by the probe.
LAYERS: list[Layer] = []
# Uploads by key: the name of a layer, the session id of a scene, and more parts.
_uploads: dict[tuple[Hashable, ...], Any] = {}


def uploaded(
    key: tuple[Hashable, ...], is_current: Callable[[Value], bool], make: Callable[[], Value]
) -> Value:
    """Return the upload of a key; make it if it is missing or not current."""
    if key not in _uploads or not is_current(_uploads[key]):
        _uploads[key] = make()
    value: Value = _uploads[key]
    return value


def upload_of(key: tuple[Hashable, ...]) -> Any:
    """Return the upload of a key; None if it is missing."""
    return _uploads.get(key)


def put_upload(key: tuple[Hashable, ...], value: Any) -> None:
    """Store an upload that was made outside of drawing."""
    _uploads[key] = value


def keep_uploads(name: str, scene: bpy.types.Scene, kept: Iterable[tuple[Hashable, ...]]) -> None:
    """Drop the uploads of a layer for a scene, except the keys in `kept`."""
    wanted = set(kept)
    for key in [each for each in _uploads if each[:2] == (name, scene.session_uid)]:
        if key not in wanted:
            del _uploads[key]


@at_forgetting
def drop_uploads() -> None:
    """Drop all uploads, and with them the GPU memory."""
    _uploads.clear()
