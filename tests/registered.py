"""The operators and panels that the extension registers, and the groups of settings."""

import bpy

from octree_ext.octree_addon import CLASSES, GROUPS, OctreeSettings

OPERATORS = [each for each in CLASSES if issubclass(each, bpy.types.Operator)]
PANELS = [each for each in CLASSES if issubclass(each, bpy.types.Panel)]
SETTINGS = [*GROUPS, OctreeSettings]
