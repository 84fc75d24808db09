"""Find What Cameras See: frustum culling in one frame or over a shot, as an operator."""

from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import StringProperty

from ...core import Steps
from .. import trees
from ..built_tree import preserving_staleness
from ..scope import scoped_objects
from ..ui import (
    Status,
    SteppedOperator,
    column_of,
    draw_rows,
    mode_obstacle,
    plural,
    settings_of,
    take,
    write_back,
)
from .frames import frame_numbers
from .pixels import PixelOptions, pixel_steps
from .result_rows import keep_rows
from .settings import FrameOptions, PixelSettings, ShotOptions, rows_of
from .shot import Shot, shot_steps
from .visibility_result import PixelFacts, VisibilityResult, keep

# Names that a report lists before it counts the rest.
_MOST_NAMES = 5


class OCTREE_OT_find_seen(PixelSettings, ShotOptions, SteppedOperator, bpy.types.Operator):
    """Find what cameras see, and keep the result for the session."""

    bl_idname = "octree.find_seen"
    bl_label = "Find What Cameras See"
    bl_description = (
        "Find the objects that are in view of cameras, in the current frame or over a shot."
        " What is seen, and what is not, is kept in Results"
    )
    bl_options = {"REGISTER", "UNDO", "PRESET"}
    doing = "Looking through cameras"

    if TYPE_CHECKING:
        collection: str
        result: str
    else:
        result: StringProperty(
            name="Result",
            description="Name under which what is seen is kept in Results",
            options={"HIDDEN", "SKIP_SAVE"},
        )
        collection: StringProperty(
            name="Collection",
            description="Name of the collection whose objects are tested",
        )

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        is_playing = context.screen and context.screen.is_animation_playing
        other = "Stop the playback first" if is_playing else ""
        return mode_obstacle(context, may_edit=True) or other

    def steps(self, context: bpy.types.Context) -> Steps[Any]:
        """Return the walk through the frames, not yet begun."""
        take(self, settings_of(context.scene).shot)
        shot = Shot(
            frames=chosen_frames(context.scene, self),
            cameras=chosen_cameras(context, self),
            wanted=self._wanted(context),
            exact=self.precision == "EXACT",
            faces=self.faces,
            margin=self.margin,
            angle=self.angle,
        )
        if self.behind == "IGNORE":
            return steps_preserving_staleness(context, shot_steps(context, shot))
        options = PixelOptions(
            share=self.resolution / 100,
            samples=self.samples,
            least=self.least,
            open_faces=self.clear == "OPEN",
        )
        return steps_preserving_staleness(context, pixel_steps(context, shot, options))

    def finish(self, context: bpy.types.Context, result: VisibilityResult) -> Status:
        """Keep the result, and the settings that it was found with."""
        write_back(self, settings_of(context.scene).shot)
        keep(context.scene, result)
        keep_rows(context, self, result)
        self.report({"INFO"}, seen_text(result))
        return {"FINISHED"}

    def draw(self, context: bpy.types.Context) -> None:
        draw_rows(column_of(self), self, rows_of(self))

    def _wanted(self, context: bpy.types.Context) -> frozenset[int] | None:
        """Return the session ids of the objects to test; None for all visible ones."""
        if self.scope == "VISIBLE":
            return None
        collection: bpy.types.Collection | None = bpy.data.collections.get(self.collection)
        objects = scoped_objects(context, self.scope, collection)
        if not objects:
            raise ValueError("There are no objects to test")
        return frozenset(item.session_uid for item in objects)


def chosen_frames(scene: bpy.types.Scene, options: Any) -> tuple[int, ...]:
    """Return the frames that options tell by `span`, `first`, `last` and `step`.

    A `ValueError` says that the last is too early.
    """
    if options.span == "CURRENT":
        return (scene.frame_current,)
    if options.span == "CUSTOM":
        return frame_numbers(options.first, options.last, options.step)
    if scene.use_preview_range:
        return frame_numbers(scene.frame_preview_start, scene.frame_preview_end, options.step)
    return frame_numbers(scene.frame_start, scene.frame_end, options.step)


def chosen_cameras(context: bpy.types.Context, options: FrameOptions) -> tuple[str, ...]:
    """Return the names of the cameras, empty for the scene's; a `ValueError` if there are none."""
    if options.cameras == "SCENE":
        return ()
    layer = context.view_layer
    objects = layer.objects.selected if options.cameras == "SELECTED" else layer.objects
    names = tuple(item.name for item in objects if item.type == "CAMERA")
    if not names:
        raise ValueError(f"There is no {'selected ' * (options.cameras == 'SELECTED')}camera")
    return names


def steps_preserving_staleness(
    context: bpy.types.Context, steps: Generator[float, None, VisibilityResult]
) -> Generator[float, None, VisibilityResult]:
    """Walk through a shot; that writes values and restores them, which leaves no tree outdated."""
    with preserving_staleness(trees.get(context.scene), context.view_layer):
        return (yield from steps)


def seen_text(seen: VisibilityResult) -> str:
    """Say how much was seen, in one line."""
    by = "" if seen.is_exact else " by their boxes"
    text = f"{seen.seen_count:,} of {plural(len(seen.objects), 'object')} seen{by}"
    text += f" in {plural(len(seen.frames), 'frame')} by {plural(len(seen.cameras), 'camera')}"
    if seen.skipped:
        text += f"; skipped: {seen.skipped:,} hidden or without faces"
    return "; ".join([text, *(pixel_texts(seen.pixels) if seen.pixels else ())])


def pixel_texts(facts: PixelFacts) -> Iterator[str]:
    """Say at what size pixels were counted, and what was taken for what."""
    width, height = facts.table.which.size
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
