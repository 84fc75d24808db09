"""Questions of rays and segments: a walk front to back, and exact crossings."""

from .answers import RayCrossings, RayHits
from .api import ray_cast, ray_cast_all, ray_test

__all__ = ["RayCrossings", "RayHits", "ray_cast", "ray_cast_all", "ray_test"]
