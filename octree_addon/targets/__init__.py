"""Query targets: the index of the scene, or an octree that was built, behind one interface.

Read target, then tree_target and scene_target.
"""

from .scene_target import SceneTarget, TargetSteps, scene_steps
from .target import Faces, Target
from .tree_target import TreeTarget

__all__ = ["Faces", "SceneTarget", "Target", "TargetSteps", "TreeTarget", "scene_steps"]
