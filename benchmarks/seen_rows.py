"""The rows about pictures: visible objects by the graphics card, in NumPy, and by other libraries.

Functions have the interface of those in `rows`. A missing library is named and has no row:
`make bench-pictures` installs them.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import bpy
import numpy as np

from benchmarks import scenes
from benchmarks.peers import Peer, measure
from benchmarks.peers.client import Client
from benchmarks.table import Row, fastest
from octree_ext.core import (
    ItemRenderer,
    PixelRays,
    SceneOctree,
    Triangles,
    ZBuffer,
    face_samples,
    item_buffers,
    run,
    use_kernel,
    views_around,
    visibility,
)
from octree_ext.octree_addon import cameras, item_buffer
from octree_ext.octree_addon.cameras import shown_scene
from octree_ext.octree_addon.cameras.table import coco_texts, merged

Rows = Iterator[Row]
Ask = Callable[[float, float], Rows]
EMBREE = Peer("embreex", "embreex_scene", ("embreex",), "peers-pictures")
PYRENDER = Peer("pyrender", "pyrender_depths", ("pyrender",), "peers-pictures")
FULL, SMALL, SQUARE = (1920, 1080), (640, 480), (1024, 1024)
NEAR, FAR = 0.1, 100.0
# Vertical angle of a view.
ANGLE = 0.7
FRAMES, VIEWS = 10, 64


def picture(seconds: float, scale: float) -> Rows:
    """Draw one view of a landscape, all that it takes included, against rays by Embree."""
    mesh, size = scenes.landscape(int(1_300_000 * scale)), FULL if scale == 1 else SMALL
    scene = SceneOctree()
    scene.place([scene.add_mesh(Triangles(mesh.vertices, mesh.faces))], [np.eye(4)])
    view, pose = _looking((0.0, -19.0, 13.0), (0.0, 0.0, 0.0), size)
    what = f"one view, {size[0]} x {size[1]}, {len(mesh):,} triangles"
    made = (_best(scene), ZBuffer, item_buffer.GpuBuffer)
    best, without, card = (_drawing(each, scene, view, size) for each in made)
    if _card():
        times = fastest(without, card, seconds=seconds)
        yield Row(f"{what}, no card", "ours by card", *times, must=8.0, aim=4.0)
    with TemporaryDirectory() as folder:
        for _ in measure.present([EMBREE]):
            theirs, hits = _embree(Path(folder), mesh, view, pose, size, seconds)
            (ours,) = fastest(best, seconds=seconds)
            shown = best().triangles.ravel()
            yield Row(what, "embreex", ours, theirs, must=0.5, aim=0.2, answers=_same(shown, hits))


def _embree(
    folder: Path,
    mesh: scenes.Mesh,
    view: np.ndarray,
    pose: np.ndarray,
    size: tuple[int, int],
    seconds: float,
) -> tuple[float, np.ndarray]:
    """Return the time that a build and a ray for each pixel take, and the triangles they hit."""
    x, y = (2 * np.arange(count) + 1.0 for count in size)
    grid = np.meshgrid(x / size[0] - 1, y / size[1] - 1)
    ends = np.stack((*(row.ravel() for row in grid), np.ones(grid[0].size), np.ones(grid[0].size)))
    far = np.linalg.inv(view) @ ends
    ways = (far[:3] / far[3]).T - pose[:3, 3]
    origins = np.broadcast_to(pose[:3, 3], ways.shape)
    np.savez(folder / "built.npz", vertices=mesh.vertices, faces=mesh.faces)
    np.savez(folder / "asked.npz", origins=origins, directions=ways)
    best, end = float("inf"), perf_counter() + seconds
    with Client(EMBREE) as client:
        while best == float("inf") or perf_counter() < end:
            build = client.tell("build", "build_triangles", folder / "built.npz")["ms"]
            best = min(best, build + client.tell("ask", "rays", folder / "asked.npz")["ms"])
        client.tell("answer", "rays", folder / "asked.npz", folder / "answer.npz")
    with np.load(folder / "answer.npz") as arrays:
        return best, arrays["arr_0"]


def objects(seconds: float, scale: float) -> Rows:
    """Count visible and amodal pixels of 300 objects, a time for each, against pyrender."""
    mesh, rng = _shape("monkey"), np.random.default_rng(3)
    count = max(2, int(300 * scale))
    matrices = np.tile(np.eye(4), (count, 1, 1))
    matrices[:, :3, 3] = rng.uniform((-7, -4, -5), (7, 12, 5), (count, 3))
    matrices[:, :3, :3] = np.linalg.qr(rng.normal(size=(count, 3, 3)))[0]
    scene = SceneOctree()
    scene.place([scene.add_mesh(mesh)] * count, matrices)
    view, pose = _looking((0.0, -19.0, 0.0), (0.0, 0.0, 0.0), SMALL)
    built = {
        "vertices": mesh.vertices,
        "faces": mesh.faces,
        "matrices": matrices,
        "pose": pose,
        "lens": np.array([ANGLE, NEAR, FAR]),
        "size": np.array(SMALL),
    }
    what = f"visible and amodal, of {count} at {SMALL[0]} x {SMALL[1]}, each"
    renderer = item_buffer.renderer_of(scene)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "built.npz"
        np.savez(file, **built)
        np.savez(file.with_name("asked.npz"))
        for _ in measure.present([PYRENDER]):
            with Client(PYRENDER) as client:
                client.tell("build", "build_objects", file)
                ours, theirs = fastest(
                    lambda: visibility(renderer, [view], size=SMALL, beyond=0),
                    lambda: client.tell("ask", "objects", file.with_name("asked.npz")),
                    seconds=seconds,
                )
                target = file.with_name("answer.npz")
                client.tell("answer", "objects", file.with_name("asked.npz"), target)
            found = visibility(renderer, [view], size=SMALL, beyond=0)
            with np.load(target) as arrays:
                answers = _near(arrays["arr_1"], found.amodal[0])
            each = (ours / count, theirs / count)
            yield Row(what, "pyrender", *each, must=1 / 20, aim=1 / 50, answers=answers)


def film(seconds: float, scale: float) -> Rows:
    """Make the table and COCO of a shot of 1,000 objects with the best renderer and in NumPy."""
    count, size = int(1_000 * scale), FULL if scale == 1 else SMALL
    _town(count, size)
    what = f"table and COCO, {FRAMES} frames of {count:,} objects, {size[0]} x {size[1]}"
    best = item_buffer.renderer_of
    (ours,) = fastest(_table_and_coco, seconds=0, turns=1)
    shown_scene.renderer_of = ZBuffer
    with _numpy_alone():
        (numpy,) = fastest(_table_and_coco, seconds=0, turns=1)
    shown_scene.renderer_of = best
    times = ours / 1000, numpy / 1000
    yield Row(what, "NumPy alone", *times, must=60, aim=30, absolute=True, unit="s")


def _table_and_coco() -> int:
    asked = cameras.Shot(frames=tuple(range(1, FRAMES + 1)))
    found = run(cameras.pixel_steps(bpy.context, asked, cameras.PixelOptions()))
    return sum(map(len, coco_texts(merged([found.table]))))


def _town(count: int, size: tuple[int, int]) -> None:
    """Add objects in rows, 1.8 million triangles, and a camera that passes over them."""
    bpy.ops.wm.read_homefile(use_empty=True)
    meshes, rng = [], np.random.default_rng(4)
    spheres = {"subdivisions": 5}
    for name, options in (("monkey", {}), ("ico_sphere", spheres), ("cube", {}), ("torus", {})):
        getattr(bpy.ops.mesh, f"primitive_{name}_add")(**options)
        meshes.append(bpy.context.object.data)
        bpy.data.objects.remove(bpy.context.object)
    scene, side = bpy.context.scene, int(np.ceil(np.sqrt(count)))
    for number in range(count):
        item = bpy.data.objects.new("Item", meshes[number % len(meshes)])
        item.location = 3 * (number % side - side / 2), 3 * (number // side), rng.uniform(0, 1.5)
        item.rotation_euler = rng.uniform(-2, 2, 3)
        scene.collection.objects.link(item)
    ground = bpy.data.meshes.new("Ground")
    corners = [(x, y, -1.5) for x, y in ((-200, -200), (200, -200), (200, 200), (-200, 200))]
    ground.from_pydata(corners, [], [(0, 1, 2, 3)])
    scene.collection.objects.link(bpy.data.objects.new("Ground", ground))
    eye = scene.camera = bpy.data.objects.new("Eye", bpy.data.cameras.new("Eye"))
    scene.collection.objects.link(eye)
    eye.data.clip_end = 300
    for frame, place, turn in ((1, -25, 0.05), (FRAMES, -12, -0.1)):
        eye.location, eye.rotation_euler = (0, place, 14), (1.25, 0, turn)
        for path in ("location", "rotation_euler"):
            eye.keyframe_insert(path, frame=frame)
    scene.render.resolution_x, scene.render.resolution_y = size
    scene.render.resolution_percentage = 100


def faces(seconds: float, scale: float) -> Rows:
    """Count the samples of a building's faces in 64 views, against one ray for each pixel."""
    scene, size = _building(max(1, round(10 * scale))), SQUARE if scale == 1 else (64, 64)
    views = views_around(scene.bounds_of(scene.ids), count=VIEWS)
    triangles = sum(len(scene.triangles_of([placed])) for placed in scene.ids)
    what = f"faces in {VIEWS} views of {size[0]} x {size[1]}, {triangles:,} triangles"
    best = _best(scene)
    rays = PixelRays(scene)
    ours, ray_cast = fastest(
        lambda: face_samples(best(scene), views, size=size),
        lambda: face_samples(rays, views[:1], size=size),  # 64 of them would take minutes
        seconds=0,
        turns=2,
    )
    yield Row(what, "a ray a pixel", ours, VIEWS * ray_cast, must=1 / 20, aim=1 / 100)


def _building(floors: int) -> SceneOctree:
    """Place slabs, columns, and furniture on `floors` floors."""
    scene = SceneOctree()
    shapes = (
        _shape("cube"),
        _shape("cylinder", vertices=32),
        _shape("uv_sphere", segments=20, ring_count=8),
    )
    meshes = [scene.add_mesh(shape) for shape in shapes]
    rng = np.random.default_rng(6)
    for floor in range(floors):
        places = [_placed((10, 8, 0.1), (0, 0, 3 * floor))]
        grid = [(x, y) for x in (-9, -3, 3, 9) for y in (-7, 0, 7)]
        places += [_placed((0.3, 0.3, 1.4), (x, y, 3 * floor + 1.5)) for x, y in grid]
        spots = rng.uniform((-9, -7), (9, 7), (18, 2)).tolist()
        places += [_placed((0.6, 0.6, 0.6), (x, y, 3 * floor + 0.7)) for x, y in spots]
        scene.place([meshes[0]] + [meshes[1]] * len(grid) + [meshes[2]] * len(spots), places)
    return scene


def _shape(name: str, **options: int) -> Triangles:
    """Make one of Blender's meshes."""
    getattr(bpy.ops.mesh, f"primitive_{name}_add")(**options)
    made = bpy.context.object
    triangles = Triangles(*scenes.textbook_arrays(made.data))
    bpy.data.objects.remove(made)
    return triangles


def _placed(scale: tuple[float, ...], place: tuple[float, ...]) -> np.ndarray:
    matrix = np.diag([*scale, 1.0])
    matrix[:3, 3] = place
    return matrix


@cache
def _card() -> bool:
    return item_buffer.can_draw() and item_buffer.draws_right()


def _best(scene: SceneOctree) -> type[ItemRenderer]:
    """Return the renderer that the extension uses on this machine."""
    return type(item_buffer.renderer_of(scene))


@contextmanager
def _numpy_alone() -> Iterator[None]:
    """Let nothing be answered by the kernel."""
    use_kernel(False)
    try:
        yield
    finally:
        use_kernel(True)


def _drawing(
    made: type[ItemRenderer], scene: SceneOctree, view: np.ndarray, size: tuple[int, int]
) -> Callable[[], object]:
    """Return a function that draws a view with a new renderer."""
    return lambda: item_buffers(made(scene), [view], size=size)


def _looking(
    eye: tuple[float, ...], target: tuple[float, ...], size: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Return projection @ view of a camera that looks at a point, and its pose, (4, 4) each."""
    back = np.subtract(eye, target) / np.linalg.norm(np.subtract(eye, target))
    right = np.cross((0.0, 0.0, 1.0), back)
    right /= np.linalg.norm(right)
    pose = np.eye(4)
    pose[:3] = np.column_stack((right, np.cross(back, right), back, eye))
    scale, depth = 1 / np.tan(ANGLE / 2), FAR - NEAR
    projection = np.diag([scale * size[1] / size[0], scale, -(FAR + NEAR) / depth, 0.0])
    projection[2, 3], projection[3, 2] = -2 * FAR * NEAR / depth, -1.0
    return projection @ np.linalg.inv(pose), pose


def _same(shown: np.ndarray, hits: np.ndarray) -> str:
    """Compare the triangles of pixels."""
    differ = np.count_nonzero(shown != hits)
    return f"equal: {np.count_nonzero(shown >= 0):,} pixels, {differ:,} otherwise"


def _near(theirs: np.ndarray, ours: np.ndarray) -> str:
    """Compare the pixels of objects."""
    differ = float(np.abs(theirs - ours).sum() / ours.sum())
    return f"{int(ours.sum()):,} amodal pixels, {differ:.2%} otherwise"


EVERY: tuple[Ask, ...] = (picture, objects, film, faces)
