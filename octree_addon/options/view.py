"""How far a camera's view is widened before anything is held against it."""

from typing import TYPE_CHECKING

from bpy.props import FloatProperty


class ViewOptions:
    """The widening of a view: of one question, and of a whole shot."""

    if TYPE_CHECKING:
        margin: float
        angle: float
    else:
        margin: FloatProperty(
            name="Margin",
            description="Move the sides of the view outward by this distance",
            default=0.0,
            min=0.0,
            soft_max=10.0,
            subtype="DISTANCE",
        )
        angle: FloatProperty(
            name="Angle",
            description="Widen the view by this angle on every side",
            default=0.0,
            min=0.0,
            soft_max=0.5,
            subtype="ANGLE",
        )
