"""Random scenes, drawn with the kernel and without: the pictures are equal, to the last bit.

python tests/kernel_pictures.py SEED WORLDS looks at many.
"""

import sys
from pathlib import Path

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import kernel_worlds as worlds

from core import ZBuffer, compiled, item_buffers, use_kernel, visibility

SIZES = (1, 1), (7, 5), (64, 48), (300, 2)


def view_of(random, scene):
    """Return a view of a scene from anywhere, also from within, wide or narrow or parallel."""
    corners = scene.triangles_of(scene.ids).vertices
    corners = corners[np.isfinite(corners).all(axis=1)]
    low, high = (corners.min(axis=0), corners.max(axis=0)) if len(corners) else np.eye(2, 3)
    middle, size = (low + high) / 2, max(float(np.linalg.norm(high - low)), 1e-200)
    turned, _ = np.linalg.qr(random.normal(size=(3, 3)))
    if random.random() < 0.3:
        turned = np.eye(3)
    view, far = np.eye(4), size * 10.0 ** random.uniform(0, 2)
    eye = middle + turned[2] * size * random.choice([0.0, 0.1, 1.0, 3.0])
    view[:3, :3], view[:3, 3] = turned, -turned @ eye
    near, wide = far * 10.0 ** random.uniform(-6, -1), 10.0 ** random.uniform(-2, 0.5)
    projection = np.diag([1 / wide, 1 / wide, -(far + near) / (far - near), 0.0])
    projection[2, 3], projection[3, 2] = -2 * far * near / (far - near), -1.0
    if random.random() < 0.3:
        projection = np.diag([1 / size, 1 / size, -2 / (far - near), 1.0])
        projection[2, 3] = -(far + near) / (far - near)
    return projection @ view


def assert_pictures_equal(seed):
    """Draw what a seed tells, with the kernel and without; return how many pixels it has."""
    random = np.random.default_rng(seed)
    scene, _ = worlds.scene(seed)
    views = np.stack([view_of(random, scene) for _ in range(2)])
    size, found = SIZES[random.integers(len(SIZES))], []
    for is_wanted in (False, True):
        use_kernel(is_wanted)
        try:
            found.append(asked(ZBuffer(scene), views, size))
        finally:
            use_kernel(True)
    assert found[0] == found[1], seed
    return 2 * size[0] * size[1]


def asked(renderer, views, size):
    """Return the bytes of what three questions find, or what is said of the views."""
    try:
        found = [item_buffers(renderer, views, size=size)]
        found += [visibility(renderer, views, size=size, beyond=beyond) for beyond in (1.0, 0.0)]
    except ValueError as error:
        return str(error)
    arrays = [each for answer in found for each in vars(answer).values()]
    return [each.tobytes() for each in arrays if isinstance(each, np.ndarray)]


if __name__ == "__main__":
    first, count, *_ = map(int, sys.argv[1:])
    assert not compiled.why_not(), compiled.why_not()
    drawn = sum(assert_pictures_equal(seed) for seed in range(first, first + count))
    print(f"{count} worlds of {drawn} pixels: no difference")
