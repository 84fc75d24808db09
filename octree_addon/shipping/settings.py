"""Settings of exported chunks: where they go, and as what."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import EnumProperty, IntProperty, StringProperty

# From 4.5 on a path that may begin with "//", the folder of the file, has to say so.
_FOLDER: Any = {"PATH_SUPPORTS_BLEND_RELATIVE"} if bpy.app.version >= (4, 5) else set()


class ShipmentOptions:
    """Where chunks go, and as what."""

    if TYPE_CHECKING:
        folder: str
        form: str
        levels: int
        georeference: str
    else:
        folder: StringProperty(
            name="Folder",
            description="Where chunks are written; of what else is in there nothing is touched",
            default="//chunks/",
            subtype="DIR_PATH",
            options=_FOLDER,
        )
        form: EnumProperty(
            name="Format",
            description="What is written for each chunk",
            items=(
                ("GLTF", "glTF", "A .gltf and a .bin file each; textures in one folder"),
                ("GLB", "glTF Binary", "A .glb file each, with its textures inside"),
                ("TILES", "3D Tiles", "Binary glTF and a tileset.json, for maps and browsers"),
                (
                    "IMPLICIT",
                    "Implicit 3D Tiles",
                    "3D Tiles that are found by their place in the root, listed in subtrees",
                ),
                ("BLEND", "Blend File", "A .blend file each, with a collection to be linked"),
            ),
            default="GLTF",
        )
        levels: IntProperty(
            name="Levels",
            description="How many levels of detail are written: above the chunks, cells that join"
            " those below them with a quarter of the triangles. What lies on their walls stays, so"
            " that neighbors fit at any level",
            default=1,
            min=1,
            max=8,
        )
        georeference: StringProperty(
            name="Georeference",
            description="For 3D Tiles: longitude and latitude in degrees, and height in meters, of"
            " the origin of the world, such as 8.5417, 47.3769, 408; X is east, Y north. Without"
            " it the tileset stands nowhere on Earth",
        )


SHIPMENT_ROWS = ("folder", "form", "levels", "georeference")


class OctreeShipmentSettings(ShipmentOptions, bpy.types.PropertyGroup):
    """How chunks are exported: `scene.octree.shipment`."""
