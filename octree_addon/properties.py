"""What a scene remembers, saved in the file and undone with it: `settings_of(scene)`."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
)

from .options import BuildOptions, FrustumOptions, SphereOptions


def tag_redraw(_: Any = None, context: bpy.types.Context | None = None) -> None:
    """Have every 3D view drawn again; also the callback of settings that change the picture."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def is_camera(_: Any, item: bpy.types.Object) -> bool:
    """Tell whether the object can be chosen as a camera."""
    return item.type == "CAMERA"


class OctreeBuildSettings(BuildOptions, bpy.types.PropertyGroup):
    """How the scene's tree is built."""

    if TYPE_CHECKING:
        bounds_object: bpy.types.Object | None
    else:
        bounds_object: PointerProperty(
            type=bpy.types.Object,
            name="Bounds Object",
            description="The object whose bounding box the octree divides",
        )


class OctreeDisplaySettings(bpy.types.PropertyGroup):
    """How the scene's tree is drawn."""

    if TYPE_CHECKING:
        show: bool
        cells: str
        depth: int
        boxes: str
        color_by: str
        line_width: float
        opacity: float
        in_front: bool
    else:
        show: BoolProperty(
            name="Display",
            description="Draw the cells of the octree in every 3D view that shows overlays",
            default=True,
            update=tag_redraw,
        )
        cells: EnumProperty(
            name="Cells",
            description="Which cells are drawn",
            items=(
                ("ALL", "All", "Every cell"),
                (
                    "OCCUPIED_AND_INTERNAL",
                    "Internal and Occupied",
                    "Every cell that was split, and every leaf that holds something",
                ),
                ("LEAVES", "Leaves", "Every cell that was not split"),
                ("OCCUPIED_LEAVES", "Occupied Leaves", "Every leaf that holds something"),
                ("DEPTH", "One Depth", "The cells so many levels below the root"),
            ),
            default="OCCUPIED_LEAVES",
            update=tag_redraw,
        )
        depth: IntProperty(
            name="Depth",
            description="The level that is drawn; the root is 0",
            default=1,
            min=0,
            max=20,
            update=tag_redraw,
        )
        boxes: EnumProperty(
            name="Boxes",
            description="Which box of a cell is drawn",
            items=(
                ("TIGHT", "Tight", "The part of the root that the cell divides"),
                ("LOOSE", "Loose", "The cell enlarged by the loose factor"),
            ),
            default="TIGHT",
            update=tag_redraw,
        )
        color_by: EnumProperty(
            name="Color By",
            description="What the color of a cell shows",
            items=(
                ("DEPTH", "Depth", "The level of the cell, from the root to the deepest"),
                ("FILL", "Fill", "The triangles of the cell, from none to the capacity"),
            ),
            default="DEPTH",
            update=tag_redraw,
        )
        line_width: FloatProperty(
            name="Line Width",
            description="Width of the lines, multiplied by the resolution scale of the interface",
            default=1.0,
            min=1.0,
            max=10.0,
            subtype="PIXEL",
            update=tag_redraw,
        )
        opacity: FloatProperty(
            name="Opacity",
            description="Opacity of the lines",
            default=0.35,
            min=0.0,
            max=1.0,
            subtype="FACTOR",
            update=tag_redraw,
        )
        in_front: BoolProperty(
            name="In Front",
            description="Draw the cells in front of the scene",
            default=False,
            update=tag_redraw,
        )


class OctreeFrustumSettings(FrustumOptions, bpy.types.PropertyGroup):
    """What is asked of a camera's view."""

    if TYPE_CHECKING:
        camera: bpy.types.Object | None
    else:
        camera: PointerProperty(
            type=bpy.types.Object,
            poll=is_camera,
            name="Camera",
            description="The camera whose view is asked; the scene's camera if empty",
        )


class OctreeSphereSettings(SphereOptions, bpy.types.PropertyGroup):
    """What is asked of a sphere around the 3D cursor."""


class OctreeSource(bpy.types.PropertyGroup):
    """One object that the scene's tree was built from."""

    if TYPE_CHECKING:
        object: bpy.types.Object | None
    else:
        object: PointerProperty(type=bpy.types.Object)


class OctreeSettings(bpy.types.PropertyGroup):
    """Everything that a scene remembers of its octree; the tree itself lives in `trees`."""

    if TYPE_CHECKING:
        build: OctreeBuildSettings
        display: OctreeDisplaySettings
        frustum: OctreeFrustumSettings
        sphere: OctreeSphereSettings
        sources: Any  # of OctreeSource; the stubs know no collection that grows
        tree_number: int
    else:
        build: PointerProperty(type=OctreeBuildSettings)
        display: PointerProperty(type=OctreeDisplaySettings)
        frustum: PointerProperty(type=OctreeFrustumSettings)
        sphere: PointerProperty(type=OctreeSphereSettings)
        sources: CollectionProperty(type=OctreeSource)
        tree_number: IntProperty(description="Which tree belongs to the scene; 0 is none", min=0)


CLASSES = (
    OctreeBuildSettings,
    OctreeDisplaySettings,
    OctreeFrustumSettings,
    OctreeSphereSettings,
    OctreeSource,
    OctreeSettings,
)


def settings_of(scene: bpy.types.Scene) -> OctreeSettings:
    """Return what the scene remembers."""
    settings: OctreeSettings = scene.octree  # type: ignore[attr-defined]
    return settings


def build_options(settings: BuildOptions) -> dict[str, Any]:
    """Return the keyword arguments of `build_octree` but for `bounds`."""
    return {
        "capacity": settings.capacity,
        "max_depth": settings.max_depth,
        "min_size": settings.min_size,
        "straddlers": settings.straddlers.lower(),
        "loose_factor": settings.loose_factor if settings.straddlers == "KEEP" else 1.0,
    }


def bounds_object(settings: OctreeBuildSettings) -> bpy.types.Object | None:
    """Return the object whose box is the root; none if the bounds are automatic."""
    return settings.bounds_object if settings.bounds == "OBJECT" else None


def register() -> None:
    """Register the groups and give every scene its own."""
    for group in CLASSES:
        bpy.utils.register_class(group)
    pointer = PointerProperty(type=OctreeSettings)  # type: ignore[func-returns-value]
    bpy.types.Scene.octree = pointer  # type: ignore[attr-defined]


def unregister() -> None:
    """Take the settings from the scenes; their values stay in the file."""
    del bpy.types.Scene.octree  # type: ignore[attr-defined]
    for group in reversed(CLASSES):
        bpy.utils.unregister_class(group)
