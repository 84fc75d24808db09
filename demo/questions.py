"""The main job through the operators: build, triangles in view, contacts of the entity."""

import time
from collections.abc import Callable
from typing import Any

import bpy
import numpy as np

from demo import checks
from demo.extension import part
from demo.report import spread

CAPACITY = 30  # as in Kurt Miller's engine
EFFORT = 5_000_000  # triangles that brute force may ask on the walk


def build(objects: list[bpy.types.Object]) -> Any:
    """Select the objects, run Build Octree and return the scene's octree."""
    bpy.ops.object.select_all(action="DESELECT")
    for item in objects:
        item.select_set(True)
    try:
        bpy.ops.octree.build(capacity=CAPACITY)
    except RuntimeError as refusal:
        raise SystemExit(f"No octree was built: {refusal}") from None
    return part("octree_addon.trees").get(bpy.context.scene)


def of_tree(built: Any) -> dict:
    """Describe the tree that was built."""
    found = part("core").statistics(built.octree)
    return {
        "cells": found.cells,
        "leaves": found.leaves,
        "occupied": found.occupied,
        "depth": found.depth,
        "capacity": built.octree.capacity,
        "fullest_leaf": found.fullest_leaf,
        "references_per_item": found.references_per_item,
        "bytes": found.bytes,
        "build_ms": 1000 * built.build_seconds,
    }


def frustum_of(camera: bpy.types.Object) -> Any:
    """Return the camera's frustum as the extension computes it."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    evaluated = camera.evaluated_get(depsgraph)
    return part("octree_addon.camera").camera_frusta(evaluated, bpy.context.scene, depsgraph)


def of_camera(built: Any, camera: bpy.types.Object) -> dict:
    """Select the objects in view by the operator, and count and check the triangles."""
    bpy.ops.octree.select_in_frustum()
    selected = {item.name for item in bpy.context.selected_objects}  # the entity may be one
    frustum = frustum_of(camera)
    candidates, touching, ours = _asked(built.octree, frustum)
    _, theirs = _timed(lambda: checks.frustum(built.octree.items, frustum.corners[0], touching[1]))
    return {
        "name": camera.name,
        "places": 1,
        "candidates": spread(np.array([candidates.shape[1]])),
        "true_hits": spread(np.array([touching.shape[1]])),
        "ms": ours,
        "brute_force_ms": theirs,
        "selected_objects": sorted(selected & {item.name for item in built.source.objects}),
    }


def of_entity(built: Any, places: np.ndarray, radius: float) -> dict:
    """Find the potential colliders and the true hits of a sphere at each place, and check them."""
    candidates, touching, ours = _asked(built.octree, _spheres(places, radius))
    count = max(5, EFFORT // built.source.item_count)
    checked = np.unique(np.linspace(0, len(places) - 1, count).astype(int))
    checks.each_once(candidates, touching)
    _, theirs = _timed(
        lambda: checks.spheres(built.octree.items, places, radius, touching, checked)
    )
    return {
        "radius": radius,
        "places": len(places),
        "places_checked": len(checked),
        "candidates": spread(_counts(candidates, len(places))),
        "true_hits": spread(_counts(touching, len(places))),
        "ms": ours,
        "brute_force_ms": theirs * len(places) / len(checked),
    }


def touched_objects(built: Any, places: np.ndarray, radius: float) -> set[str]:
    """Name the objects that the walk passes within one radius."""
    hits = part("core").query(built.octree, _spheres(places, radius))[1]
    return {built.source.objects[one].name for one in built.source.object_of_item[hits]}


def _spheres(places: np.ndarray, radius: float) -> Any:
    return part("core").Spheres(places, np.full(len(places), radius))


def _asked(octree: Any, volumes: Any) -> tuple[np.ndarray, np.ndarray, float]:
    """Return candidates and exact hits of all volumes, and the time for the latter in ms."""
    query = part("core").query
    candidates = query(octree, volumes, relation="candidates")
    touching, spent = _timed(lambda: query(octree, volumes))
    return candidates, touching, spent


def _counts(pairs: np.ndarray, volumes: int) -> np.ndarray:
    return np.bincount(pairs[0], minlength=volumes)


def _timed(asked: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    answer = asked()
    return answer, 1000 * (time.perf_counter() - start)
