"""What is shown of the last question."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty

from ..ui import tag_redraw


class OctreeAnswerSettings(bpy.types.PropertyGroup):
    """What is shown of the last question."""

    if TYPE_CHECKING:
        outline: bool
        found: bool
    else:
        outline: BoolProperty(
            name="Outline",
            description="Draw the outline of what the last question was about",
            default=True,
            update=tag_redraw,
        )
        found: BoolProperty(
            name="Color Answer",
            description="Color what the last question found blue, and what it did not find purple",
            default=False,
            update=tag_redraw,
        )
