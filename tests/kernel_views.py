"""Random views of meshes without octrees, with the kernel and without: the same is found.

python tests/kernel_views.py SEED WORLDS looks at many.
"""

import sys
from pathlib import Path

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import kernel_pictures
import kernel_worlds as worlds

from core import (
    Boxes,
    Frusta,
    HalfSpaces,
    SceneOctree,
    Triangles,
    compiled,
    objects_touching,
    query,
    query_any,
    query_count,
    use_kernel,
)


def volumes_of(random, scene):
    """Return views, boxes and half-spaces, near the scene and away from it."""
    matrices = [kernel_pictures.view_of(random, scene) for _ in range(3)]
    try:
        yield Frusta.from_matrices(np.stack(matrices))
    except ValueError:  # so wide or far that it is no view
        pass
    bounds = scene.bounds_of(scene.ids)
    known = np.isfinite(bounds.lower).all(axis=1)
    low, high = (side[known] for side in (bounds.lower, bounds.upper))
    middle = low.mean(axis=0) if len(low) else np.zeros(3)
    size = np.ptp(np.concatenate((low, high)), axis=0).max() if len(low) else 1.0
    points = middle + size * random.normal(size=(4, 3)) * random.choice([0.1, 1.0])
    yield Boxes(points, points + size * random.uniform(0, 1, (4, 3)))
    normals = random.normal(size=(4, 3))
    yield HalfSpaces(np.column_stack((normals, -(normals * points).sum(axis=1))))


def crowd(random):
    """Return a mesh whose triangles are everywhere, so that few nodes decide anything."""
    scene = SceneOctree()
    faces = random.integers(0, 60, (random.integers(5, 90), 3))
    mesh = scene.add_mesh(Triangles(random.normal(size=(60, 3)), faces))
    scene.place([mesh, mesh], np.stack((np.eye(4), np.diag([1.0, -2.0, 0.5, 1.0]))))
    return scene


def assert_views_equal(seed):
    """Ask what a seed tells, with the kernel and without; return how much was asked."""
    random, found, asked = np.random.default_rng(seed), [], 0
    for is_wanted in (False, True):
        random = np.random.default_rng(seed + 1)
        use_kernel(is_wanted)
        try:
            with np.errstate(all="ignore"):
                scenes = worlds.scene(seed)[0], crowd(random)
                found.append([
                    answers for scene in scenes for each in volumes_of(random, scene)
                    for answers in asked_of(scene, each)
                ])  # fmt: skip
        finally:
            use_kernel(True)
        asked = len(found[-1])
    assert found[0] == found[1], seed
    return asked


def asked_of(scene, volumes):
    """Yield the bytes of what is found."""
    for ask in (query, objects_touching, query_any, query_count):
        answer = ask(scene, volumes)
        order = np.lexsort(answer[::-1]) if answer.ndim > 1 else slice(None)
        yield answer[..., order].tobytes()


if __name__ == "__main__":
    first, count, *_ = map(int, sys.argv[1:])
    assert not compiled.why_not(), compiled.why_not()
    asked = sum(assert_views_equal(seed) for seed in range(first, first + count))
    print(f"{count} worlds of {asked} questions: no difference")
