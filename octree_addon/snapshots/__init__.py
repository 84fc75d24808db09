"""Query targets: what questions are asked of, the index of the scene.

Read rooms, then scene_target.
"""

from .rooms import nested_pairs
from .scene_target import ItemFaces, SceneTarget, TargetSteps, refuse_empty, scene_steps

__all__ = [
    "ItemFaces",
    "SceneTarget",
    "TargetSteps",
    "nested_pairs",
    "refuse_empty",
    "scene_steps",
]
