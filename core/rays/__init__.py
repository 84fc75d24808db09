"""Ray queries: a walk front to back, then exact crossings."""

from .api import RayCrossings, RayHits, ray_cast, ray_cast_all, ray_test

__all__ = ["RayCrossings", "RayHits", "ray_cast", "ray_cast_all", "ray_test"]
