"""Query targets: snapshots of the scene index that queries run on.

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
