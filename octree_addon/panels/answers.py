"""The last question: what was found, how it is shown, and whether it is right."""

import bpy

from .. import answers, trees
from ..ui import SubPanel, column_of, settings_of


class OCTREE_PT_answer(SubPanel):
    """The last question and its answer."""

    bl_label = "Last Question"
    bl_order = 90

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return answers.get(context.scene) is not None

    def draw(self, context: bpy.types.Context) -> None:
        asked, settings = answers.get(context.scene), settings_of(context.scene)
        noun = trees.get(context.scene).source.noun
        column = column_of(self)
        column.label(text=asked.title)
        column.label(text=f"{len(asked.items):,} of {len(asked.octree):,} {noun}s")
        for note in asked.notes[:1]:
            column.label(text=note)
        column.prop(settings.answer, "found")
        if asked.shape:
            column.prop(settings.answer, "outline")
            row = column.row()
            row.use_property_split = False
            row.prop_enum(settings.display, "cells", "QUESTION", text="Show Its Cells")
        column.operator("octree.prove_it")
        for note in asked.notes[1:]:
            column.label(text=note)
