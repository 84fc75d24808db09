"""The operators, panels of the tab, menus and groups of settings that the extension registers."""

import bpy

from octree_ext.octree_addon import CLASSES, GROUPS, OctreeSettings
from octree_ext.octree_addon.ui import SidebarPanel

# All that a user or a script calls: not what only the redo panel and a progress bar do.
OPERATORS = [
    each
    for each in CLASSES
    if issubclass(each, bpy.types.Operator)
    and each.__name__ not in ("OCTREE_OT_work_ahead", "OCTREE_OT_cancel_work")
]
PANELS = [each for each in CLASSES if issubclass(each, SidebarPanel)]
MENUS = [each for each in CLASSES if issubclass(each, bpy.types.Menu)]
SETTINGS = [*GROUPS, OctreeSettings]
# Groups that no panel shows.
MEMORY = {
    "OctreeAnswerNumbers",
    "OctreeListSettings",
    "OctreeHiddenObject",
    "OctreeResult",
    "OctreeResultRow",
    "OctreeSceneMemory",
    "OctreeLayerMemory",
    "OctreeSettings",
}
SHOWN = [group for group in SETTINGS if group.__name__ not in MEMORY]
