"""Questions about views, stored so that they can be asked again; answers go to Results."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ....core import Steps
from ...answers.answer import Answer
from ...options import as_json
from ...result_list import Rows, no_instances
from ...scene_index import Version, view_state_of
from ..find_seen import chosen_cameras, chosen_frames, selected_cameras, with_frusta
from ..result_rows import keep_parts
from .counting import samples_steps
from .samples import ANSWERS, Samples
from .settings import FindNeverSeenOptions
from .views import SampledViews

TITLE, SMALL = "Never Seen", "Too Small to Tell"


@dataclass(frozen=True)
class ViewsQuestion:
    """A question about views.

    Attributes
    ----------
    options : FindNeverSeenOptions
        The options of the operator.
    cameras : tuple of str, optional
        Names of the cameras that were selected; None if the question is not about selected ones.
    """

    options: FindNeverSeenOptions
    cameras: tuple[str, ...] | None

    @classmethod
    def of(cls, context: bpy.types.Context, options: FindNeverSeenOptions) -> "ViewsQuestion":
        """Return the question of an operator; raise a `ValueError` if no camera is selected.

        Selected cameras are needed only if the options ask for them.
        """
        is_shot = options.views == "SHOT"
        return cls(options, selected_cameras(context, options.frames) if is_shot else None)

    def steps(self, context: bpy.types.Context) -> Steps[Samples]:
        """Return the steps that draw all views, not yet started."""
        return samples_steps(context, self._views(context))

    def keep(self, context: bpy.types.Context, found: Samples, sees: Version) -> int:
        """Store never-seen and too small objects as results; return the number of one to show."""
        answer = Answer(
            found=found,
            question=ANSWERS.question,
            options=as_json(self.options),
            again=self,
            sees=sees,
        )
        parts = {TITLE: found.never, SMALL: sorted(found.small_objects)}
        rows = {title: _rows_of(uids) for title, uids in parts.items()}
        return keep_parts(context, answer, self.options.result, rows, Samples)

    def view_state(self, context: bpy.types.Context) -> Hashable:
        """Return the frames and the view state of the layer."""
        return self._frames(context), view_state_of(context.view_layer, rendered=True)

    def _frames(self, context: bpy.types.Context) -> tuple[int, ...]:
        if self.options.views == "SHOT":
            return chosen_frames(context.scene, self.options.frames)
        return (context.scene.frame_current,)

    def _views(self, context: bpy.types.Context) -> SampledViews:
        options, cameras = self.options, self.cameras
        if options.views == "INSIDE" and not options.volume:
            raise ValueError("Choose the volume to look around in")
        if cameras is None:
            cameras = chosen_cameras(context, options.frames) if options.views == "SHOT" else ()
        pictured = with_frusta(context.scene, cameras)
        return SampledViews(
            kind=options.views,
            resolution=options.resolution,
            count=options.places if options.views == "INSIDE" else options.directions,
            frames=self._frames(context),
            cameras=pictured,
            left_out=tuple(name for name in cameras if name not in pictured),
            volume=options.volume,
            without=options.without,
            is_open=options.is_open,
        )


def _rows_of(uids: Sequence[int]) -> Rows:
    return Rows(np.array(uids, np.intp)[None], no_instances(len(uids)))
