"""What an operator asks and a scene remembers, each property once: mixins for both."""

from typing import TYPE_CHECKING

from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty


class BuildOptions:
    """How a tree is built: the scene's settings and the properties of the operator."""

    if TYPE_CHECKING:
        capacity: int
        max_depth: int
        min_size: float
        bounds: str
        straddlers: str
        loose_factor: float
    else:
        capacity: IntProperty(
            name="Capacity",
            description="Split a cell that holds more triangles than this",
            default=32,
            min=1,
            soft_max=1000,
        )
        max_depth: IntProperty(
            name="Max Depth",
            description="Never split a cell this many levels below the root",
            default=10,
            min=0,
            max=20,
        )
        min_size: FloatProperty(
            name="Min Cell Size",
            description="Never split into cells with edges shorter than this",
            default=0.0,
            min=0.0,
            soft_max=10.0,
            subtype="DISTANCE",
        )
        bounds: EnumProperty(
            name="Bounds",
            description="The box that the octree divides",
            items=(
                ("AUTOMATIC", "Automatic", "The smallest cube around the triangles"),
                (
                    "OBJECT",
                    "Object",
                    "The bounding box of an object; triangles outside it stay at the root",
                ),
            ),
            default="AUTOMATIC",
        )
        straddlers: EnumProperty(
            name="Straddlers",
            description="Where a triangle goes that touches several cells",
            items=(
                ("COPY", "Copy", "Into every leaf that it touches"),
                ("KEEP", "Keep", "Once, into the smallest cell that holds the whole of it"),
            ),
            default="COPY",
        )
        loose_factor: FloatProperty(
            name="Loose Factor",
            description="Enlarge each cell by this factor, so that small straddlers sink deeper",
            default=1.0,
            min=1.0,
            soft_max=2.0,
            step=5,
        )


class SelectionOptions:
    """What is selected, and what becomes of the selection before."""

    if TYPE_CHECKING:
        kind: str
        action: str
    else:
        kind: EnumProperty(
            name="Select",
            description="What is selected",
            items=(
                ("AUTOMATIC", "By Mode", "Objects in Object Mode, faces in Edit Mode"),
                ("OBJECTS", "Objects", "Whole objects; an instance found selects its instancer"),
                ("FACES", "Faces", "Faces of the meshes in Edit Mode"),
            ),
            default="AUTOMATIC",
        )
        action: EnumProperty(
            name="Action",
            description="What becomes of the present selection",
            items=(
                ("REPLACE", "Set", "Replace the selection"),
                ("EXTEND", "Extend", "Add to the selection"),
                ("SUBTRACT", "Subtract", "Take away from the selection"),
            ),
            default="REPLACE",
        )


class FrustumOptions(SelectionOptions):
    """What a camera sees: the scene's settings and the properties of the operator."""

    if TYPE_CHECKING:
        margin: float
        angle: float
        relation: str
        invert: bool
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
        relation: EnumProperty(
            name="Within",
            description="How much of a triangle has to be in view",
            items=(
                ("TOUCHING", "Partly", "At least a point of it is in view"),
                ("INSIDE", "Wholly", "All of it is in view"),
            ),
            default="TOUCHING",
        )
        invert: BoolProperty(
            name="Outside",
            description="Select what is out of view instead",
            default=False,
        )


class SphereOptions(SelectionOptions):
    """What is near the 3D cursor: the scene's settings and the properties of the operator."""

    if TYPE_CHECKING:
        radius: float
        relation: str
    else:
        radius: FloatProperty(
            name="Radius",
            description="Radius of the sphere around the 3D cursor",
            default=1.0,
            min=0.0,
            soft_max=100.0,
            subtype="DISTANCE",
        )
        relation: EnumProperty(
            name="Test",
            description="How exact the answer is",
            items=(
                ("TOUCHING", "Exact", "Triangles that touch the sphere"),
                (
                    "CANDIDATES",
                    "Potential Colliders",
                    "Every triangle of the cells that touch the sphere",
                ),
            ),
            default="TOUCHING",
        )


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
