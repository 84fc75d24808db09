"""Options of exported chunks: the folder, the format and the levels of detail."""

from typing import Literal

import bpy

from ..chunks import ChunkOptions
from ..options import OptionGroup, enum, integer, nested, settings_group, string

# Blender 4.5 and newer require this flag for paths relative to the blend file ("//").
_FOLDER = {"PATH_SUPPORTS_BLEND_RELATIVE"} if bpy.app.version >= (4, 5) else set()


class ShipmentOptions(OptionGroup):
    """Folder, format and levels of exported chunks: `scene.octree.shipment`."""

    folder: str = string(
        "//chunks/",
        "Folder",
        "Where chunks are written; of what else is in there nothing is touched",
        subtype="DIR_PATH",
        options=_FOLDER,
    )
    form: Literal["GLTF", "GLB", "TILES", "BLEND"] = enum(
        "GLTF",
        "Format",
        "What is written for each chunk",
        {
            "GLTF": ("glTF", "A .gltf and a .bin file each; textures in one folder"),
            "GLB": ("glTF Binary", "A .glb file each, with its textures inside"),
            "TILES": ("3D Tiles", "Binary glTF and a tileset.json, for maps and browsers"),
            "BLEND": ("Blend File", "A .blend file each, with a collection to be linked"),
        },
    )
    levels: int = integer(
        1,
        "Levels",
        "How many levels of detail are written: above the chunks, cells that join"
        " those below them with a quarter of the triangles. What lies on their walls stays, so"
        " that neighbors fit at any level",
        min=1,
        max=8,
        argument="--levels",
    )
    georeference: str = string(
        "",
        "Georeference",
        "For 3D Tiles: longitude and latitude in degrees, and height in meters, of"
        " the origin of the world, such as 8.5417, 47.3769, 408; X is east, Y north. Without"
        " it the tileset stands nowhere on Earth",
    )


class ExportOptions(OptionGroup):
    """Options of cutting and of writing chunks."""

    shipment: ShipmentOptions = nested(ShipmentOptions())
    chunks: ChunkOptions = nested(ChunkOptions())


OctreeShipmentSettings = settings_group(ShipmentOptions, "OctreeShipmentSettings")
