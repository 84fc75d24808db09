"""Options of the selection: objects or faces, and replace, extend or subtract."""

from typing import Literal

import bpy

from ..options import OptionGroup, enum


class SelectionOptions(OptionGroup):
    """The kind of the selection, and its change."""

    kind: Literal["AUTOMATIC", "OBJECTS", "FACES"] = enum(
        "AUTOMATIC",
        "Select",
        "What is selected",
        {
            "AUTOMATIC": ("By Mode", "Objects in Object Mode, faces in Edit Mode"),
            "OBJECTS": ("Objects", "Whole objects; an instance found selects its instancer"),
            "FACES": ("Faces", "Faces of the meshes in Edit Mode"),
        },
    )
    action: Literal["REPLACE", "EXTEND", "SUBTRACT"] = enum(
        "REPLACE",
        "Selection",
        "How the current selection changes",
        {
            "REPLACE": ("Replace", "Select the answer and nothing else"),
            "EXTEND": ("Extend", "Add to the selection"),
            "SUBTRACT": ("Subtract", "Remove from the selection"),
        },
    )

    def selects_faces(self, context: bpy.types.Context) -> bool:
        """Return whether faces, not objects, are selected."""
        edits = self.kind == "AUTOMATIC" and context.mode == "EDIT_MESH"
        return edits or self.kind == "FACES"
