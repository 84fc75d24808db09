"""Open3D's `RaycastingScene`: Embree behind whole arrays, in single precision."""

import numpy as np
import open3d
from open3d.core import Tensor
from open3d.t.geometry import RaycastingScene

MISS = RaycastingScene.INVALID_ID


def build_triangles(vertices: np.ndarray, faces: np.ndarray) -> RaycastingScene:
    """Hand over the mesh, and ask once: the scene is committed on the first question."""
    scene = RaycastingScene(nthreads=1)
    scene.add_triangles(Tensor(vertices.astype(np.float32)), Tensor(faces.astype(np.uint32)))
    scene.cast_rays(open3d.core.Tensor(np.ones((1, 6), np.float32)), nthreads=1)
    return scene


def rays(
    tree: RaycastingScene, origins: np.ndarray, directions: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Cast all rays at once."""
    asked = np.concatenate([origins, directions], axis=1, dtype=np.float32)
    hits = tree.cast_rays(Tensor(asked), nthreads=1)
    items = _items(hits["primitive_ids"])
    normals, weights = (hits[name].numpy() for name in ("primitive_normals", "primitive_uvs"))
    return items, hits["t_hit"].numpy(), normals, weights


def nearest(tree: RaycastingScene, points: np.ndarray) -> tuple[np.ndarray, ...]:
    """Ask all points at once."""
    found = tree.compute_closest_points(Tensor(points.astype(np.float32)), nthreads=1)
    places = found["points"].numpy()
    distances = np.linalg.norm(places - points, axis=1)
    return _items(found["primitive_ids"]), distances, places


def _items(numbers: Tensor) -> np.ndarray:
    items = numbers.numpy().astype(np.intp)
    items[items == MISS] = -1
    return items
