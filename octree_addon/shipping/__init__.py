"""Export of chunks as files for engines, browsers and render farms, with a manifest.

Reading order: manifest, folder, fingerprints, twins, gltf, blends, georeference and tileset; for
levels of detail parents, welding, reduction, surface_errors, details and levels; then shipping,
merging and operators.
"""

import bpy

from ..ui import Feature
from .georeference import Georeference, read_georeference
from .manifest import MANIFEST, FolderShare
from .merging import merged_shipment, read_share_folder
from .operators import OCTREE_OT_export_chunks, draw_shipment, shipped_text
from .settings import OctreeShipmentSettings, ShipmentOptions
from .shipping import FORMS, Shipment, ShipmentWish, ship_steps

__all__ = [
    "FORMS",
    "MANIFEST",
    "FolderShare",
    "Georeference",
    "OctreeShipmentSettings",
    "Shipment",
    "ShipmentOptions",
    "ShipmentWish",
    "merged_shipment",
    "read_georeference",
    "read_share_folder",
    "ship_steps",
    "shipped_text",
]


def draw_menu(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Draw the menu entry that exports chunks."""
    menu.layout.operator("octree.export_chunks")


FEATURE = Feature(
    settings={"shipment": OctreeShipmentSettings},
    classes=(OCTREE_OT_export_chunks,),
    menus=(("OCTREE_MT_object", draw_menu), ("OCTREE_PT_chunks", draw_shipment)),
)
