"""Timed queries of the forest's scene index: a camera, a box, rays, pairs, and a change."""

import importlib
import time
from collections.abc import Callable
from typing import Any

import bpy
import numpy as np

from demo import checks, extension, planting, questions
from demo.extension import part

RAYS = (200, 100)  # across and up, through the pixels of a small picture
BLENDERS = 100  # of these rays are cast by Blender, too
BOX = ((-20.0, -50.0, -10.0), (20.0, -10.0, 30.0))  # meters
MOVED = 50  # trees


def index_of_scene() -> tuple[Any, dict]:
    """Return the scene's index, as another add-on gets it, and figures about its content."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    front_door = importlib.import_module(extension.MODULE)
    index, spent = _timed(lambda: front_door.scene_index(depsgraph))
    octree = index.octree
    _, firsts = np.unique(octree.meshes_of(octree.ids), return_index=True)
    figures = {
        "placements": len(octree),
        "meshes": len(firsts),
        "triangles": len(octree.triangles_of(octree.ids)),
        "stored_triangles": len(octree.triangles_of(octree.ids[firsts])),
        "made_ms": spent,
    }
    return index, figures


def answers(index: Any, camera: bpy.types.Object) -> tuple[dict, np.ndarray]:
    """Run all queries of the report; return their figures and the visible placements."""
    frustum = questions.frustum_of(camera)
    of_camera, seen = _of_volume(index, frustum, frustum.corners[0])
    of_box, _ = _of_volume(index, part("core").Boxes(*([each] for each in BOX)), _box_corners())
    found = {
        "camera": of_camera,
        "box": of_box,
        "rays": _of_segments(index, *_segments_in(frustum.corners[0])),
        "pairs": _of_pairs(index),
        "update": _of_update(index),
    }
    return found, seen


def _of_volume(index: Any, volume: Any, corners: np.ndarray) -> tuple[dict, np.ndarray]:
    """Find the items that touch a volume with eight corners (8, 3), and check them."""
    core, octree = part("core"), index.octree
    (_, found), spent = _timed(lambda: core.objects_touching(octree, volume))
    touching = core.query(octree, volume)[1:]
    assert np.array_equal(np.unique(touching[0]), found), "not the objects of the triangles"
    checks.placed_in_hexahedron(octree, corners, touching)
    return {"objects": len(found), "triangles": touching.shape[1], "ms": spent}, found


def _of_segments(index: Any, starts: np.ndarray, steps: np.ndarray) -> dict:
    """Cast rays, check some hits, and time Blender's ray cast for comparison."""
    lengths = np.linalg.norm(steps, axis=1)

    def cast() -> Any:
        hits = part("core").ray_cast(index.octree, starts, steps, max_distance=lengths)
        is_hit = hits.items >= 0
        met = hits.placements[is_hit], hits.items[is_hit]
        return hits, index.objects_of(met[0]), index.polygons_of(*met)

    (hits, objects, faces), spent = _timed(cast)
    checks.placed_on_segments(index.octree, starts, steps, hits)
    chosen = np.linspace(0, len(starts) - 1, BLENDERS).astype(int)
    _, theirs = _timed(lambda: _by_blender(starts[chosen], steps[chosen]))
    return {
        "rays": len(starts),
        "hits": len(objects),
        "objects": len(np.unique(hits.placements[hits.items >= 0])),
        "faces": len(np.unique(np.stack([hits.placements[hits.items >= 0], faces]), axis=1).T),
        "ms": spent,
        "blender_ms": theirs * len(starts) / len(chosen),
    }


def _by_blender(starts: np.ndarray, steps: np.ndarray) -> list:
    """Cast rays one by one, as scripts do."""
    scene, depsgraph = bpy.context.scene, bpy.context.evaluated_depsgraph_get()
    rays = [(*ray, np.linalg.norm(ray[1])) for ray in zip(starts, steps, strict=True)]
    return [scene.ray_cast(depsgraph, at, step, distance=far) for at, step, far in rays]


def _of_pairs(index: Any) -> dict:
    """Find all triangles of different trees that touch, and check those of some trees."""
    pairs, spent = _timed(lambda: part("core").overlapping_pairs(index.octree))
    checks.placed_pairs(index.octree, pairs)
    return {
        "objects": len(np.unique(pairs[[0, 2]], axis=1).T),
        "triangles": pairs.shape[1],
        "ms": spent,
    }


def _of_update(index: Any) -> dict:
    """Lift some trees, bring the index up to date, and put them back."""
    octree, items = index.octree, bpy.data.collections[planting.LINKED].objects[:MOVED]
    before, heights = octree.matrices_of(octree.ids), [item.location.z for item in items]
    for lift in (1.0, 0.0):
        for item, height in zip(items, heights, strict=True):
            item.location.z = height + lift
        bpy.context.view_layer.update()
        _, spent = _timed(index.update)
        moved = (octree.matrices_of(octree.ids) != before).any(axis=(1, 2))
        assert np.count_nonzero(moved) == (MOVED if lift else 0), "not what was moved"
    return {"moved": MOVED, "ms": spent}


def _segments_in(frustum: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return segments from the near to the far plane of a frustum: starts and steps, (r, 3)."""
    near, far = (_grid(*frustum[corners]) for corners in (slice(0, 4), slice(4, 8)))
    return near, far - near


def _grid(left: np.ndarray, right: np.ndarray, above: np.ndarray, _: np.ndarray) -> np.ndarray:
    """Return the centers of the pixels of a rectangle, given by three corners."""
    across, up = ((np.arange(count) + 0.5) / count for count in RAYS)
    across, up = (axis.reshape(-1, 1) for axis in np.meshgrid(across, up))
    return left + across * (right - left) + up * (above - right)


def _box_corners() -> np.ndarray:
    """Return the corners (8, 3) of the box in the order of a frustum's."""
    (x, y, z), (u, v, w) = BOX
    low, high = (np.array([[x, y, at], [u, y, at], [u, v, at], [x, v, at]]) for at in (z, w))
    return np.concatenate([low, high])


def _timed(asked: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    answer = asked()
    return answer, 1000 * (time.perf_counter() - start)
