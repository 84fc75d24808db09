"""Operator that exports chunks: files are made in steps, and moved to the folder at the end."""

from pathlib import Path

import bpy

from ...core import Steps, between
from ..chunks import cut_steps, make_steps, shown_sources, sources_in
from ..options import Asking, draw_options
from ..ui import Status, SteppedOperator, column_of, mode_obstacle, plural, settings_of
from ..written_files import require_folder
from .folder import PutCounts
from .georeference import read_georeference
from .settings import ExportOptions, ShipmentOptions
from .shipping import Shipment, ShipmentWish, ship_steps

# Progress at the end of cutting, and of making objects.
_CUT, _MADE = 0.3, 0.4


class OCTREE_OT_export_chunks(Asking[ExportOptions], SteppedOperator, bpy.types.Operator):
    """Operator that writes chunks to a folder and leaves the scene unchanged."""

    bl_idname = "octree.export_chunks"
    bl_label = "Export Chunks"
    bl_description = (
        "Cut the scene into chunks, and write a file for each with a manifest of all of them."
        " Exported again, only what has changed is written. The scene stays as it is"
    )
    bl_options = {"REGISTER"}
    doing = "Exporting chunks"

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        return mode_obstacle(context, may_edit=False)

    def steps(self, context: bpy.types.Context) -> Steps[Shipment]:
        scene, settings = context.scene, settings_of(context.scene)
        asked = self.take(settings.chunks, settings.shipment)
        options, shipment = asked.chunks, asked.shipment
        folder = chosen_folder(shipment.folder)
        require_folder(folder)
        place = read_georeference(shipment.georeference)
        with shown_sources(context):
            cutting = cut_steps(context, options, sources_in(scene))
            cut = yield from between(0.0, _CUT, cutting)
        made = yield from between(_CUT, _MADE, make_steps(scene, cut))
        try:
            wish = ShipmentWish(shipment.form.lower(), folder, place, shipment.levels)
            shipping = ship_steps(scene, cut, made, options, wish)
            return (yield from between(_MADE, 1.0, shipping))
        finally:
            made.draft.drop()

    def finish(self, context: bpy.types.Context, result: Shipment) -> Status:
        settings = settings_of(context.scene)
        counts = result.put()
        self.write_back(settings.chunks, settings.shipment)
        self.report({"INFO"}, f"{result.folder}: {shipped_text(counts)}")
        return {"FINISHED"}


def chosen_folder(text: str) -> Path:
    """Return the folder of a path as Blender writes it; raise `ValueError` without one."""
    if not text:
        raise ValueError("Choose a folder for the chunks")
    if text.startswith("//") and not bpy.data.filepath:
        raise ValueError("Save the file first, or choose another folder: // is that of the file")
    return Path(bpy.path.abspath(text))


def shipped_text(counts: PutCounts) -> str:
    """Return a text with the numbers of chunks, of written chunks and of deleted files."""
    text = f"{plural(counts.chunks, 'chunk')}, {counts.written:,} of them written"
    return f"{text}, {plural(counts.deleted, 'file')} deleted" if counts.deleted else text


def draw_shipment(panel: bpy.types.Panel, context: bpy.types.Context) -> None:
    """Draw the options and the button of the export in the panel of chunks."""
    column = column_of(panel)
    draw_options(column, settings_of(context.scene).shipment, ShipmentOptions)
    column.operator("octree.export_chunks", icon="EXPORT")
