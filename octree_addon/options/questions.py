"""What is asked of a tree, and what is selected by the answer."""

from typing import TYPE_CHECKING

from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
)
from mathutils import Vector

from ..camera import ViewOptions


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


class FrustumOptions(ViewOptions, SelectionOptions):
    """What a camera sees: the scene's settings and the properties of the operator."""

    if TYPE_CHECKING:
        relation: str
        invert: bool
    else:
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


class CollisionOptions(SelectionOptions):
    """What touches another object: the scene's settings and the properties of the operator."""

    if TYPE_CHECKING:
        margin: float
        instances: bool
    else:
        margin: FloatProperty(
            name="Margin",
            description="What comes this near to another object collides with it",
            default=0.0,
            min=0.0,
            soft_max=10.0,
            subtype="DISTANCE",
        )
        instances: BoolProperty(
            name="Between Instances",
            description="Let instances collide with others of the same instancer",
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


class CursorOptions(SelectionOptions):
    """How far is looked from the 3D cursor."""

    if TYPE_CHECKING:
        max_distance: float
    else:
        max_distance: FloatProperty(
            name="Max Distance",
            description="Look no farther than this; any distance if 0",
            default=0.0,
            min=0.0,
            soft_max=100.0,
            subtype="DISTANCE",
        )


class NearestOptions(CursorOptions):
    """What is nearest to the 3D cursor: the scene's settings and the operator's properties."""

    if TYPE_CHECKING:
        count: int
    else:
        count: IntProperty(
            name="Count",
            description="How many of the octree's triangles, or objects, are found",
            default=1,
            min=1,
            soft_max=100,
        )


class RayOptions(CursorOptions):
    """What a ray meets: the scene's settings and the properties of the operator."""

    if TYPE_CHECKING:
        direction: Vector
        hits: str
    else:
        direction: FloatVectorProperty(
            name="Direction",
            description="Where the ray from the 3D cursor goes, in world space",
            default=(0.0, 0.0, -1.0),
            subtype="XYZ",
        )
        hits: EnumProperty(
            name="Hits",
            description="What of all that the ray meets is found",
            items=(
                ("FIRST", "First", "What the ray meets first"),
                ("ALL", "All", "Everything that the ray goes through"),
            ),
            default="FIRST",
        )
