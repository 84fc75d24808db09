"""What is hidden, and by which icon."""

from typing import TYPE_CHECKING

from bpy.props import EnumProperty


class HidingOptions:
    """By what objects are hidden: the scene's settings and the properties of the operator."""

    if TYPE_CHECKING:
        icon: str
    else:
        icon: EnumProperty(
            name="Icon",
            description="Which icon of the Outliner hides the objects",
            items=(
                (
                    "EYE",
                    "Eye",
                    "Hide in the viewports of this view layer. Animation stays live, for the"
                    " objects are still evaluated: playback gets no faster. Renders show them",
                    "HIDE_OFF",
                    0,
                ),
                (
                    "MONITOR",
                    "Monitor",
                    "Disable in all viewports. The objects are not evaluated: playback gets"
                    " faster, their animation stands still until they are restored."
                    " Renders show them",
                    "RESTRICT_VIEW_OFF",
                    1,
                ),
                (
                    "RENDER",
                    "Render",
                    "Disable in renders, where their shadows and reflections will be missing"
                    " too. Viewports still show them",
                    "RESTRICT_RENDER_OFF",
                    2,
                ),
            ),
            default="EYE",
        )
