"""Standing answers: kept for the session with their question, asked again once they may be old.

The rule of every verb of an answer. An answer stands while nothing has happened that a camera
could see: no update of the scene names anything but what the answer's own verbs have done, and a
glance at what updates do not name shows nothing that was not there when it was asked, or after one
of those verbs. Setting a frame and undoing a verb are no such updates. A fingerprint of the scene
would not do: it knows nothing of other frames, of lenses, materials and render icons.
"""

import secrets
from collections.abc import Generator, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Generic, Protocol, TypeVar

import bpy

from ..curves import is_animated
from ..ui import Listeners, listen, settings_of

Kind = TypeVar("Kind")
Kind_co = TypeVar("Kind_co", covariant=True)


class AskedAgain(Protocol[Kind_co]):
    """How an answer is asked for again."""

    def steps(self, context: bpy.types.Context) -> Generator[float, None, Kind_co]:
        """Return the work, not yet begun: it yields the fraction done."""

    def keep(self, context: bpy.types.Context, answer: Any) -> None:
        """Keep an answer, and list it in Results."""

    def glance(self, context: bpy.types.Context) -> Hashable:
        """Return what it depends on of what no update of the scene names."""


@dataclass(eq=False)
class _Kept(Generic[Kind]):
    """An answer, how to ask again, and what tells whether it stands."""

    answer: Kind
    question: AskedAgain[Kind] | None
    number: int
    glances: set[Hashable] = field(default_factory=set)
    is_doubted: bool = False


class StandingAnswers(Generic[Kind]):
    """The last answer of each scene to a question of one kind.

    They are in memory only, since they are as large as the scene. What undo takes back is known by
    a number in the scene: it tells which answer was the last one in that state.

    Parameters
    ----------
    question : str
        Name of the operator in `bpy.ops.octree` that asks; that of the number, too.
    """

    def __init__(self, question: str) -> None:
        self.question = question
        self._kept: dict[int, _Kept[Kind]] = {}
        _all.append(self)

    def __len__(self) -> int:
        return len(self._kept)

    def keep(
        self, scene: bpy.types.Scene, answer: Kind, question: AskedAgain[Kind] | None = None
    ) -> None:
        """Keep the answer of a scene instead of its last, and drop those of deleted scenes.

        Without its question it cannot be asked again.
        """
        self.keep_only({each.session_uid for each in bpy.data.scenes})
        bpy.context.view_layer.update()  # what was done before has been taken into account
        number = secrets.randbelow(2**31 - 1) + 1
        setattr(settings_of(scene).answers, self.question, number)
        self._kept[scene.session_uid] = _Kept(answer, question, number)
        listen(LISTENERS, True)

    def get(self, scene: bpy.types.Scene) -> Kind | None:
        """Return the last answer of the scene."""
        kept = self._kept.get(scene.session_uid)
        return kept.answer if kept else None

    def may_be_old(self, scene: bpy.types.Scene) -> bool:
        """Tell whether an update has named a change, or another answer was undone; for panels."""
        kept = self._kept[scene.session_uid]
        last = getattr(settings_of(scene).answers, self.question)
        return kept.is_doubted or bool(kept.question and kept.number != last)

    def stands(self, context: bpy.types.Context) -> bool:
        """Tell whether the answer of the context's scene still holds. O(objects)."""
        context.view_layer.update()
        kept = self._kept[context.scene.session_uid]
        if kept.question is None or self.may_be_old(context.scene):
            return not kept.is_doubted and kept.question is None
        try:
            return kept.question.glance(context) in kept.glances
        except ValueError:  # it cannot even be asked, as its steps will say
            return False

    def standing_steps(
        self, context: bpy.types.Context
    ) -> Generator[float, None, tuple[Kind, bool]]:
        """Return the answer and whether it was asked again, since it no longer stands.

        That is done step by step. A `ValueError` says that it is old and cannot be asked again.
        """
        kept = self._kept[context.scene.session_uid]
        if self.stands(context):
            return kept.answer, False
        if kept.question is None:
            raise ValueError("The scene has changed since: ask again first")
        return (yield from kept.question.steps(context)), True

    def keep_again(self, context: bpy.types.Context, answer: Kind) -> None:
        """Keep an answer that was asked again."""
        kept = self._kept[context.scene.session_uid]
        if kept.question is not None:
            kept.question.keep(context, answer)

    def accept(self, context: bpy.types.Context) -> None:
        """Let the answer stand with what the scene is like now."""
        kept = self._kept[context.scene.session_uid]
        if kept.question is not None:
            kept.glances.add(kept.question.glance(context))

    def doubt(self, scene_uid: int) -> None:
        """Put the answer of a scene in doubt, if it has one."""
        if scene_uid in self._kept:
            self._kept[scene_uid].is_doubted = True

    def keep_only(self, scene_uids: set[int]) -> None:
        """Drop the answers of all other scenes."""
        for uid in self._kept.keys() - scene_uids:
            del self._kept[uid]

    def forget(self) -> None:
        """Drop every answer, and listen no more once none is left."""
        self._kept.clear()
        if not any(map(len, _all)):
            listen(LISTENERS, False)


_all: list[StandingAnswers[Any]] = []
# Whose verbs are at work, innermost last; None where what they do concerns no answer.
_at_work: list[StandingAnswers[Any] | None] = []


@contextmanager
def own_writing(
    layer: bpy.types.ViewLayer, answers: StandingAnswers[Any] | None = None
) -> Iterator[None]:
    """Put no answer, or none of one kind, in doubt by what is done meanwhile."""
    layer.update()  # what was done before is to be told from that
    _at_work.append(answers)
    try:
        yield
    finally:
        layer.update()
        _at_work.pop()


def glance_at(layer: bpy.types.ViewLayer, *, rendered: bool) -> Hashable:
    """Return what pictures depend on and updates do not name: what is shown, size, cameras.

    With `rendered` also what the render icons, ray visibility and holdouts say. What a frame sets
    is left out, as it is another one in every frame.
    """
    scene = layer.id_data
    assert isinstance(scene, bpy.types.Scene)
    shown = frozenset(
        item.session_uid
        for item in layer.objects
        if item and item.visible_get(view_layer=layer) and not is_animated(item, "hide_viewport")
    )
    glance = layer.name, shown, _picture_of(scene), _cameras_of(scene)
    return (*glance, _roles_of(layer)) if rendered else glance


def _picture_of(scene: bpy.types.Scene) -> Hashable:
    render = scene.render
    names = ["resolution_x", "resolution_y", "resolution_percentage", "pixel_aspect_x"]
    names += ["pixel_aspect_y", "use_border", "use_crop_to_border"]
    names += [f"border_{side}" for side in ("min_x", "min_y", "max_x", "max_y")]
    return tuple(getattr(render, name) for name in names)


def _cameras_of(scene: bpy.types.Scene) -> Hashable:
    markers = {
        (each.frame, each.camera.session_uid) for each in scene.timeline_markers if each.camera
    }
    is_switched = bool(markers) or scene.camera is None
    return frozenset(markers) if is_switched else scene.camera.session_uid


def _roles_of(layer: bpy.types.ViewLayer) -> Hashable:
    roles = frozenset(
        (
            item.session_uid,
            item.hide_render and not is_animated(item, "hide_render"),
            item.visible_camera,
            item.is_holdout,
        )
        for item in layer.objects
        if item
    )
    return roles, frozenset(_layer_roles(layer.layer_collection))


def _layer_roles(part: bpy.types.LayerCollection) -> Iterator[Hashable]:
    flags = part.exclude, part.holdout, part.indirect_only, part.collection.hide_render
    if any(flags):
        yield part.collection.session_uid, flags
    for child in part.children:
        yield from _layer_roles(child)


def note_changes(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Put answers in doubt by what an evaluation names; setting a frame does not come here."""
    if depsgraph.mode == "VIEWPORT" and any(map(_is_change, depsgraph.updates)):
        _doubt(scene.original)


def _doubt(scene: bpy.types.Scene) -> None:
    if None not in _at_work:
        for answers in _all:
            if answers not in _at_work:
                answers.doubt(scene.session_uid)


def _is_change(update: bpy.types.DepsgraphUpdate) -> bool:
    """Tell what glances do not tell: these do of scenes, and of objects that are only tagged."""
    if isinstance(update.id, bpy.types.Scene):
        return False
    is_only_tagged = isinstance(update.id, bpy.types.Object | bpy.types.Collection)
    return update.is_updated_geometry or update.is_updated_transform or not is_only_tagged


def before_frame(scene: bpy.types.Scene, *_: Any) -> None:
    """Put answers in doubt by what scripts have changed and nobody has evaluated yet.

    Once the frame is set nothing tells that from what is animated.
    """
    for layer in scene.view_layers:
        depsgraph: bpy.types.Depsgraph | None = layer.depsgraph
        if depsgraph and any(map(depsgraph.id_type_updated, _kinds())):
            _doubt(scene)


@cache
def _kinds() -> list[Any]:
    """Return the names of all kinds of data but scenes."""
    rna: Any = bpy.types.Depsgraph.bl_rna
    kind = rna.functions["id_type_updated"].parameters["id_type"]
    return [name for name in kind.enum_items.keys() if name != "SCENE"]


def after_undo(*_: Any) -> None:
    """Evaluate what an undo has brought back; numbers in scenes, and glances, tell what it is."""
    _at_work.append(None)
    try:
        bpy.context.view_layer.update()
    finally:
        _at_work.pop()


LISTENERS: Listeners = (
    ("depsgraph_update_post", note_changes),
    ("frame_change_pre", before_frame),
    ("undo_post", after_undo),
    ("redo_post", after_undo),
)
