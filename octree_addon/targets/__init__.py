"""Query targets: what questions are asked of, the index of the scene.

Read rooms, scene_target, then box_target.
"""

from .box_target import BoxTarget, box_target
from .rooms import nested_pairs
from .scene_target import ItemFaces, SceneTarget, TargetSteps, scene_steps

__all__ = [
    "BoxTarget",
    "ItemFaces",
    "SceneTarget",
    "TargetSteps",
    "box_target",
    "nested_pairs",
    "scene_steps",
]
