"""Find What Cameras See: frustum culling in one frame or over a shot, as an operator."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import bpy

from ...core import Steps
from ..answers.answer import Answer
from ..answers.question_operator import StandingQuestionOperator
from ..camera import has_frustum
from ..options import as_json
from ..scene_index import Version, view_state_of
from ..scope import scoped_objects
from ..ui import plural
from .frames import frame_numbers
from .pixels import PixelOptions, pixel_steps
from .result_rows import SEEN, UNSEEN, keep_parts, seen_rows
from .settings import FindSeenOptions, FrameOptions, ShotOptions
from .shot import Shot, shot_steps
from .visibility_result import ANSWERS, PixelFacts, VisibilityResult

# Maximum number of names in a report; further names are only counted.
_MOST_NAMES = 5


class OCTREE_OT_find_seen(StandingQuestionOperator[FindSeenOptions], bpy.types.Operator):
    """Find the objects that cameras see, and store the result for the session."""

    bl_idname = "octree.find_seen"
    bl_label = "Find What Cameras See"
    bl_description = (
        "Find the objects that are in view of cameras, in the current frame or over a shot."
        " What is seen, and what is not, is kept in Results"
    )
    bl_options = {"REGISTER", "UNDO", "PRESET"}
    doing = "Looking through cameras"
    answers = ANSWERS
    key = "shot"

    def asked(self, context: bpy.types.Context, options: FindSeenOptions) -> "ShotQuestion":
        return ShotQuestion.of(context, options)

    def answer_text(self, answer: VisibilityResult) -> str:
        return seen_text(answer)


@dataclass(frozen=True)
class ShotQuestion:
    """A question about cameras, stored so that it can be asked again.

    Attributes
    ----------
    options : FindSeenOptions
        The options of the operator.
    cameras : tuple of str, optional
        Names of the cameras that were selected; None if the question is not about selected ones.
    selected : frozenset of int, optional
        Session ids of the objects that were selected; None for other scopes.
    """

    options: FindSeenOptions
    cameras: tuple[str, ...] | None
    selected: frozenset[int] | None

    @classmethod
    def of(cls, context: bpy.types.Context, options: FindSeenOptions) -> "ShotQuestion":
        """Return the question of an operator; raise a `ValueError` if a selection is empty."""
        return cls(
            options,
            selected_cameras(context, options.frames),
            wanted_objects(context, options) if options.scope == "SELECTED" else None,
        )

    def steps(self, context: bpy.types.Context) -> Steps[VisibilityResult]:
        """Return the steps that answer the question, not yet started."""
        options = self.options
        names = chosen_cameras(context, options.frames) if self.cameras is None else self.cameras
        cameras = with_frusta(context.scene, names)
        shot = Shot(
            frames=chosen_frames(context.scene, options.frames),
            cameras=cameras,
            left_out=tuple(name for name in names if name not in cameras),
            wanted=wanted_objects(context, options) if self.selected is None else self.selected,
            exact=options.precision == "EXACT",
            faces=options.faces,
            margin=options.wide.margin,
            angle=options.wide.angle,
        )
        if options.behind == "IGNORE":
            return shot_steps(context, shot)
        counting = PixelOptions(
            share=options.resolution / 100,
            samples=options.samples,
            least=options.least,
            open_faces=options.clear == "OPEN",
        )
        return pixel_steps(context, shot, counting)

    def keep(self, context: bpy.types.Context, found: VisibilityResult, sees: Version) -> int:
        """Store seen and unseen objects as results; return the number of the one to show."""
        answer = Answer(
            found=found,
            question=ANSWERS.question,
            options=as_json(self.options),
            again=self,
            sees=sees,
        )
        parts = {title: seen_rows(found, seen=title == SEEN) for title in (SEEN, UNSEEN)}
        return keep_parts(context, answer, self.options.result, parts, VisibilityResult)

    def view_state(self, context: bpy.types.Context) -> Hashable:
        """Return the frames, the objects to test and the view state of the layer."""
        frames = chosen_frames(context.scene, self.options.frames)
        rendered = self.options.behind == "UNSEEN"
        wanted = self.selected
        if self.options.scope == "COLLECTION":
            wanted = wanted_objects(context, self.options)
        return frames, wanted, view_state_of(context.view_layer, rendered=rendered)


def wanted_objects(context: bpy.types.Context, options: ShotOptions) -> frozenset[int] | None:
    """Return the session ids of the objects to test; None for all visible ones.

    Raises a `ValueError` if there are no such objects.
    """
    if options.scope == "VISIBLE":
        return None
    collection: bpy.types.Collection | None = bpy.data.collections.get(options.collection)
    objects = scoped_objects(context, options.scope, collection)
    if not objects:
        raise ValueError("There are no objects to test")
    return frozenset(item.session_uid for item in objects)


def selected_cameras(context: bpy.types.Context, options: FrameOptions) -> tuple[str, ...] | None:
    """Return the names of the selected cameras; None if the options ask for other cameras."""
    return chosen_cameras(context, options) if options.cameras == "SELECTED" else None


def chosen_frames(scene: bpy.types.Scene, options: Any) -> tuple[int, ...]:
    """Return the frames given by the options `span`, `first`, `last` and `step`.

    Raises a `ValueError` if the last frame is before the first.
    """
    if options.span == "CURRENT":
        return (scene.frame_current,)
    if options.span == "CUSTOM":
        return frame_numbers(options.first, options.last, options.step)
    if scene.use_preview_range:
        return frame_numbers(scene.frame_preview_start, scene.frame_preview_end, options.step)
    return frame_numbers(scene.frame_start, scene.frame_end, options.step)


def chosen_cameras(context: bpy.types.Context, options: FrameOptions) -> tuple[str, ...]:
    """Return the names of the cameras to test; empty for the scene's camera.

    Raises a `ValueError` if there are no such cameras.
    """
    if options.cameras == "SCENE":
        return ()
    layer = context.view_layer
    objects = layer.objects.selected if options.cameras == "SELECTED" else layer.objects
    names = tuple(item.name for item in objects if item.type == "CAMERA")
    if not names:
        raise ValueError(f"There is no {'selected ' * (options.cameras == 'SELECTED')}camera")
    return names


def with_frusta(scene: bpy.types.Scene, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the cameras that are not panoramic or custom; all cameras if none remains."""
    known = {item.name: item for item in scene.objects if item.type == "CAMERA"}
    return tuple(name for name in names if name not in known or has_frustum(known[name])) or names


def seen_text(seen: VisibilityResult) -> str:
    """Return a one-line summary of a result."""
    by = "" if seen.is_exact else " by their boxes"
    text = f"{seen.seen_count:,} of {plural(len(seen.objects), 'object')} seen{by}"
    text += f" in {plural(len(seen.frames), 'frame')} by {plural(len(seen.cameras), 'camera')}"
    if seen.left_out:
        text += f"; without {_listed(seen.left_out)}, whose view is no frustum"
    if seen.skipped:
        text += f"; skipped: {seen.skipped:,} hidden or without faces"
    return "; ".join([text, *(pixel_texts(seen, seen.pixels) if seen.pixels else ())])


def pixel_texts(seen: VisibilityResult, facts: PixelFacts) -> Iterator[str]:
    """Yield parts of the summary about pixels: picture size, transparent materials, omissions."""
    width, height = seen.table.which.size
    yield f"behind others at {width} x {height} pixels"
    if facts.clear:
        yield f"see-through, {'left out' if facts.is_open else 'solid'}: {_listed(facts.clear)}"
    if facts.left_out:
        yield f"not rendered: {facts.left_out:,}"
    if facts.not_counted:
        yield f"not counted: {_listed(facts.not_counted)}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more
