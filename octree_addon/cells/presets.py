"""Presets of build settings: Fine, Coarse, Game, CAD and Clip of the extension, and the user's."""

from pathlib import Path

import bpy
from bl_operators.presets import AddPresetBase
from bl_ui.utils import PresetPanel

from ..options import OptionGroup
from .settings import BoundsOptions, BuildOptions, ObjectOptions, UpkeepOptions

# Folder in which Blender looks for "presets".
_FOLDER = str(Path(__file__).resolve().parent.parent)
_SUBFOLDER = "octree/build"
# Settings stored in presets, by group: their class, and the names of options to leave out.
_OPTIONS: dict[str, tuple[type[OptionGroup], set[str]]] = {
    "build": (BuildOptions, set(BoundsOptions.flat)),
    "objects": (
        ObjectOptions,
        {*BoundsOptions.flat, *UpkeepOptions.flat} - {"merge_below"},
    ),
}


class OCTREE_PT_build_presets(PresetPanel, bpy.types.Panel):
    """List of presets in the header of the Octree panel."""

    bl_label = "Octree Presets"
    preset_subdir = _SUBFOLDER
    preset_operator = "script.execute_preset"
    preset_add_operator = "octree.add_build_preset"


class OCTREE_OT_add_build_preset(AddPresetBase, bpy.types.Operator):
    """Operator that stores the build settings as a preset, or removes one."""

    bl_idname = "octree.add_build_preset"
    bl_label = "Add Octree Preset"
    bl_description = "Add or remove a preset of build settings"
    preset_menu = "OCTREE_PT_build_presets"
    preset_subdir = _SUBFOLDER
    preset_defines = ("octree = bpy.context.scene.octree",)
    preset_values = tuple(
        f"octree.{group}.{name}"
        for group, (options, left_out) in _OPTIONS.items()
        for name in options.flat
        if name not in left_out
    )

    def remove(self, context: bpy.types.Context, filepath: str) -> None:
        """Remove a user's preset; refuse to remove one of the extension."""
        if Path(filepath).resolve().is_relative_to(_FOLDER):
            self.report({"WARNING"}, "This preset comes with Octree and stays")
        else:
            Path(filepath).unlink()


def register_presets() -> None:
    """Register the folder of the presets that come with the extension."""
    bpy.utils.register_preset_path(_FOLDER)  # type: ignore[attr-defined]


def unregister_presets() -> None:
    """Unregister the folder of the presets."""
    bpy.utils.unregister_preset_path(_FOLDER)  # type: ignore[attr-defined]
