"""What a tree is built of: triangles or objects, and which ones."""

from typing import TYPE_CHECKING

from bpy.props import BoolProperty, EnumProperty


class SourceOptions:
    """Of what the tree is built: the scene's settings and the properties of the operator."""

    if TYPE_CHECKING:
        source: str
        scope: str
        lights: bool
        cameras: bool
        empties: bool
    else:
        source: EnumProperty(
            name="Source",
            description="What the octree holds",
            items=(
                ("TRIANGLES", "Triangles", "The faces of the objects, each triangle by itself"),
                (
                    "OBJECTS",
                    "Objects",
                    "Whole objects and instances, each by the box around it; can follow them live",
                ),
            ),
            default="TRIANGLES",
        )
        scope: EnumProperty(
            name="Scope",
            description="Which objects the octree is built of",
            items=(
                ("SELECTED", "Selected", "The selected objects, and those in Edit Mode"),
                ("VISIBLE", "Visible", "All objects that the view layer shows"),
                ("COLLECTION", "Collection", "The visible objects of a collection"),
            ),
            default="SELECTED",
        )
        lights: BoolProperty(
            name="Lights",
            description="Take lights along, each as the point where it stands",
            default=False,
        )
        cameras: BoolProperty(
            name="Cameras",
            description="Take cameras along, each as the point where it stands",
            default=False,
        )
        empties: BoolProperty(
            name="Empties",
            description="Take empties along, each as large as it is drawn",
            default=False,
        )
