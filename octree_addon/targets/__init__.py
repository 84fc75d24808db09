"""Query targets: what questions are asked of, the index of the scene.

Read scene_target, then box_target.
"""

from .box_target import BoxTarget, box_target
from .scene_target import ItemFaces, SceneTarget, TargetSteps, scene_steps

__all__ = ["BoxTarget", "ItemFaces", "SceneTarget", "TargetSteps", "box_target", "scene_steps"]
