"""The rows about scenes: what the extension costs while it is idle, follows, looks and hides.

Every function is as those of `rows` are. All but one ask by operator, as a user does.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count as counting
from time import perf_counter

import bpy
import numpy as np
from bpy_extras.object_utils import world_to_camera_view
from mathutils import Vector

import octree_ext
from benchmarks import memory, scenes
from benchmarks.table import Row, fastest
from octree_ext.octree_addon import scene_index
from octree_ext.octree_addon.ui import forget_session

Rows = Iterator[Row]
Ask = Callable[[float, float], Rows]
FRAMES = 24
CORNERS = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
FACES = [(0, 1, 3, 2), (2, 3, 7, 6), (6, 7, 5, 4), (4, 5, 1, 0), (2, 6, 4, 0), (7, 3, 1, 5)]


def idle(seconds: float, scale: float) -> Rows:
    """Evaluate a scene after a tenth has moved, with the extension enabled and disabled."""
    _, layer = _swarm(int(10_000 * scale))
    is_enabled = False

    def prepare(number: int) -> None:
        nonlocal is_enabled
        if is_enabled is not (number == 0):
            (octree_ext.unregister if is_enabled else octree_ext.register)()
            is_enabled = not is_enabled
        _move(layer, 0.1)

    enabled, disabled = fastest(layer.update, layer.update, seconds=seconds, before=prepare)
    if is_enabled:
        octree_ext.unregister()
    what = f"enabled and idle, {len(layer.objects):,} objects"
    yield Row(what, "disabled", enabled, disabled, must=1.05)


def live(seconds: float, scale: float) -> Rows:
    """Evaluate a scene that a live octree follows, and the same scene without one."""
    octree_ext.register()
    for share, pairs in ((0.01, False), (1.0, False), (1.0, True)):
        yield _live(seconds, int(10_000 * scale), share, pairs)
    yield _live_beside_instances(seconds, int(10_000 * scale))
    octree_ext.unregister()


def _live(seconds: float, count: int, share: float, pairs: bool) -> Row:
    _, alone = _swarm(count)
    scene, followed = _swarm(count, keep=True)
    scene.octree.source.scope = "VISIBLE"
    bpy.ops.octree.build(source="OBJECTS")
    scene.octree.live.pairs = pairs
    bpy.ops.octree.live()
    layers = followed, alone
    ours, theirs = fastest(
        *(layer.update for layer in layers),
        seconds=seconds,
        before=lambda number: _move(layers[number], share),
    )
    bpy.ops.octree.clear()
    what = f"live, {share:.0%} of {count:,} moving{', with pairs' if pairs else ''}"
    return Row(what, "evaluation alone", ours, theirs)


def _live_beside_instances(seconds: float, count: int) -> Row:
    """Drag one object beside many instances, and in a scene of nothing else."""
    _, alone = _swarm(1)
    scene, followed = _swarm(1, keep=True)
    mesh = bpy.data.meshes.new("Points")
    mesh.from_pydata(np.random.default_rng(7).uniform(-50, 50, (count, 3)).tolist(), [], [])
    points = bpy.data.objects.new("Points", mesh)
    child = bpy.data.objects.new("Child", bpy.data.meshes["Cube"])
    child.parent, points.instance_type = points, "VERTS"
    for item in (points, child):
        scene.collection.objects.link(item)
    followed.update()
    bpy.ops.octree.live()
    layers = followed, alone
    dragged = [next(item for item in each.objects if item.name[:3] == "Fly") for each in layers]
    ours, theirs = fastest(
        *(layer.update for layer in layers),
        seconds=seconds,
        before=lambda number: _drag(dragged[number]),
    )
    bpy.ops.octree.clear()
    what = f"live, 1 object dragged beside {count:,} instances"
    return Row(what, "evaluation alone", ours, theirs, must=10.0, aim=3.0, absolute=True)


def _drag(item: bpy.types.Object) -> None:
    item.location.x += 0.01


def shots(seconds: float, scale: float) -> Rows:
    """Find the objects in a turning camera's view, against a loop over corners of all boxes."""
    octree_ext.register()
    scene, _ = _swarm(int(1_600 * scale))
    eye = bpy.data.objects.new("Eye", bpy.data.cameras.new("Eye"))
    scene.collection.objects.link(eye)
    scene.camera, scene.frame_end = eye, FRAMES
    for frame, turn in ((1, -0.5), (FRAMES, 0.5)):
        eye.location, eye.rotation_euler = (0, -60, 0), (1.57, 0, turn)
        eye.keyframe_insert("rotation_euler", frame=frame)
    for precision in ("EXACT", "BOX"):
        ask = partial(bpy.ops.octree.find_seen, span="SCENE", precision=precision)
        ours, theirs = fastest(ask, partial(corners_in_view, scene), seconds=seconds)
        what = f"seen ({precision.lower()}), {FRAMES} frames of {len(scene.objects):,} objects"
        yield Row(what, "loop over corners", ours, theirs, must=1 / 3)
    octree_ext.unregister()


def corners_in_view(scene: bpy.types.Scene) -> set[tuple[str, int]]:
    """Ask as scripts do: an object counts when a corner of its box is in view."""
    seen = set()
    for frame in range(1, FRAMES + 1):
        scene.frame_set(frame)
        for item in scene.objects:
            if any(_is_in_view(scene, item.matrix_world @ Vector(at)) for at in item.bound_box):
                seen.add((item.name, frame))
    return seen


def _is_in_view(scene: bpy.types.Scene, point: Vector) -> bool:
    x, y, depth = world_to_camera_view(scene, scene.camera, point)
    return 0 <= x <= 1 and 0 <= y <= 1 and depth > 0


def big_meshes(seconds: float, scale: float) -> Rows:
    """Test whether one big mesh is in a camera's view, against a test of its vertices."""
    octree_ext.register()
    many, most = int(1_000_000 * scale), int(4_000_000 * scale)
    for make, triangles, noun, *goals in (
        (scenes.landscape, many, "triangles", 4.0, 2.0),
        (scenes.landscape, most, "triangles", 4.0, 2.0),
        (scenes.shuffled_quads, most, "triangles in shuffled quads", 2.0, 1.0),
    ):
        scene, layer = _swarm(0)
        item = scenes.blender_object(make(triangles))
        count = len(item.data.loops) - 2 * len(item.data.polygons)
        eye = bpy.data.objects.new("Eye", bpy.data.cameras.new("Eye"))
        scene.collection.objects.link(eye)
        scene.camera = eye
        for view, place, turn in (
            ("half of it in view", (-9, -11, 6), (1.18, 0, -0.69)),
            ("all around, none in view", (0, 0, 2), (2.9, 0.3, 0)),
        ):
            eye.location, eye.rotation_euler = place, turn
            layer.update()
            yield from _big_mesh(seconds, item, f"{count:,} {noun}, {view}", *goals)
        bpy.data.meshes.remove(item.data)
    octree_ext.unregister()


def _big_mesh(seconds: float, item: bpy.types.Object, what: str, must: float, aim: float) -> Rows:
    ask, layer = partial(bpy.ops.octree.find_seen, span="CURRENT"), bpy.context.view_layer

    def prepare(number: int) -> None:
        if number == 0:  # the mesh as Blender has just made it, its triangles and ours forgotten
            item.data.vertices[0].co = item.data.vertices[0].co
            item.data.update_tag()
            layer.update()
            forget_session()

    first, again, theirs = fastest(
        ask, ask, partial(vertices_in_view, item), seconds=seconds, before=prepare
    )
    yield Row(f"{what}: first", "any vertex in view", first, theirs, must=must, aim=aim)
    yield Row(f"{what}: again", "any vertex in view", again, theirs, must=2.0, aim=1.2)


def vertices_in_view(item: bpy.types.Object) -> bool:
    """Ask as NumPy does it at once: whether any vertex, as evaluated, is in view of the camera."""
    graph, render = bpy.context.evaluated_depsgraph_get(), bpy.context.scene.render
    eye, shown = (each.evaluated_get(graph) for each in (bpy.context.scene.camera, item))
    lens = eye.calc_matrix_camera(graph, x=render.resolution_x, y=render.resolution_y)
    matrix = np.array(lens @ eye.matrix_world.inverted() @ shown.matrix_world, np.float32)
    places = np.empty(3 * len(shown.data.vertices), np.float32)
    shown.data.attributes["position"].data.foreach_get("vector", places)
    clip = places.reshape(-1, 3) @ matrix[:, :3].T + matrix[:, 3]
    return bool((np.abs(clip[:, :3]) <= clip[:, 3:]).all(axis=1).any())


def hiding(seconds: float, scale: float) -> Rows:
    """Hide what a camera does not see, and show it again, against one by one."""
    octree_ext.register()
    scene, layer = _swarm(int(4_000 * scale))
    eye = bpy.data.objects.new("Eye", bpy.data.cameras.new("Eye"))
    scene.collection.objects.link(eye)
    scene.camera, eye.location.z = eye, 1e4
    layer.update()
    bpy.ops.octree.find_seen(span="CURRENT")
    items = [item for item in scene.objects if item != eye]
    ours, theirs = fastest(
        lambda: (
            bpy.ops.octree.hide_unseen(icon="EYE", everything=True),
            bpy.ops.octree.restore_hidden(),
        ),
        lambda: [item.hide_set(flag) for flag in (True, False) for item in items],
        seconds=seconds,
    )
    yield Row(f"hide and show {len(items):,}", "hide_set", ours, theirs, must=1 / 3)
    octree_ext.unregister()


def cells(seconds: float, scale: float) -> Rows:
    """Make many cells ready to be drawn, once for all views, against copying their corners."""
    from octree_ext.core import Boxes, build_octree
    from octree_ext.octree_addon.display.boxes import packed
    from octree_ext.octree_addon.display.cells import Look, cell_colors, wanted_cells
    from octree_ext.octree_addon.display.detail import family_of

    count = int(100_000 * scale)
    lower = np.random.default_rng(1).uniform(size=(int(1.2 * count), 3))
    octree = build_octree(Boxes(lower, lower), capacity=4, max_depth=20)
    look = Look("ALL", 2, "TIGHT", "DEPTH")
    rows = np.ones((8, 3, count), np.float32)

    def make_ready() -> np.ndarray:
        family = family_of(octree, wanted_cells(octree, look), "TIGHT")
        colors = cell_colors(octree, family.cells, look)
        return packed(family.rows, colors, family.parents, family.wanted, family.has_finer)

    ours, theirs = fastest(
        make_ready, lambda: np.ascontiguousarray(rows.transpose(2, 0, 1)), seconds=seconds
    )
    what = f"{count:,} cells ready to be drawn"
    yield Row(what, "a copy of the corners", ours, theirs, must=20.0, absolute=True)


def index_rays(seconds: float, scale: float) -> Rows:
    """Cast rays to objects, faces and distances, against `scene.ray_cast` in a loop."""
    from octree_ext.core import ray_cast

    scene = _placed(int(10_000 * scale))
    starts, steps = scenes.segments_through(scene, int(20_000 * scale))
    few = [(start.tolist(), step.tolist()) for start, step in zip(starts, steps, strict=True)]
    few = few[: max(10, int(500 * scale))]

    def cast() -> tuple[object, ...]:
        index = octree_ext.scene_index()
        hits = ray_cast(index.octree, starts, steps)
        met = hits.placements[hits.items >= 0], hits.items[hits.items >= 0]
        return index.objects_of(met[0]), index.polygons_of(*met), hits.distances

    def cast_by_blender() -> list[tuple]:
        depsgraph = bpy.context.evaluated_depsgraph_get()
        return [scene.ray_cast(depsgraph, *ray) for ray in few]

    ours, theirs = fastest(cast, cast_by_blender, seconds=seconds)
    answers = _compared(starts, cast()[2], cast_by_blender())
    what = f"{len(starts):,} rays to object, face and distance, {len(scene.objects):,} objects"
    theirs *= len(starts) / len(few)
    yield Row(what, "scene.ray_cast", ours, theirs, must=1 / 200, aim=1 / 500, answers=answers)
    octree_ext.unregister()


def _compared(starts: np.ndarray, ours: np.ndarray, theirs: list[tuple]) -> str:
    """Say how many of Blender's rays end as far away as ours, in single precision."""
    is_hit, places = (np.array([found[part] for found in theirs]) for part in (0, 1))
    lengths = np.linalg.norm(places - starts[: len(theirs)], axis=1)
    alike = np.isclose(np.where(is_hit, lengths, np.inf), ours[: len(theirs)], rtol=1e-5)
    return f"{np.count_nonzero(alike)} of {len(alike)} alike, {np.count_nonzero(is_hit)} hits"


def index_updates(seconds: float, scale: float) -> Rows:
    """Make the index of a scene and bring it up to date, against one octree over all triangles."""
    from octree_ext.core import build_octree

    scene = _placed(int(10_000 * scale))
    layer, moved = scene.view_layers[0], list(scene.objects)[:50]
    octree = octree_ext.scene_index().octree
    baked = octree.triangles_of(octree.ids)
    theirs = _once(lambda: build_octree(baked))

    def move(_: int) -> None:
        for item in moved:
            item.location.x += 0.5
        layer.update()

    (made,) = fastest(octree_ext.scene_index, seconds=seconds, before=lambda _: forget_session())
    (updated,) = fastest(octree_ext.scene_index, seconds=seconds, before=move)
    what, against = f"{len(scene.objects):,} objects", f"octree of {len(baked):,} triangles"
    targets = {"absolute": True, "must": 500.0, "aim": 200.0}
    yield Row(f"index of {what} made", against, made, theirs, **targets)
    targets = {"absolute": True, "must": 15.0, "aim": 5.0}
    yield Row(f"the same, {len(moved)} of them moved", against, updated, theirs, **targets)
    octree_ext.unregister()


def index_listening(seconds: float, scale: float) -> Rows:
    """Evaluate a scene after a tenth has moved, with an idle index and without an index."""
    layer = _placed(int(10_000 * scale)).view_layers[0]

    def prepare(number: int) -> None:
        (octree_ext.scene_index, forget_session)[number]()
        scene_index.listen_if_needed()
        _move(layer, 0.1)

    ours, alone = fastest(layer.update, layer.update, seconds=seconds, before=prepare)
    what = f"an index not asked, {len(layer.objects):,} objects, a tenth moving"
    yield Row(what, "no index", ours, alone)
    octree_ext.unregister()


def index_memory(seconds: float, scale: float) -> Rows:
    """Weigh the index of many linked objects above what Blender itself has taken for them."""
    count = int(30_000 * scale)
    ours, theirs = memory.of_index(count)
    what = f"peak memory, index of {count:,} linked objects"
    yield Row(what, "Blender alone", ours, theirs, must=300.0, aim=150.0, absolute=True, unit="MB")


def collisions(seconds: float, scale: float) -> Rows:
    """Select what collides by operator, against one octree over all triangles."""
    from octree_ext.core import build_octree, overlapping_pairs

    scene = _placed(int(10_000 * scale))
    octree = octree_ext.scene_index().octree
    sizes = [len(octree.triangles_of([placement])) for placement in octree.ids]
    owners, baked = np.repeat(octree.ids, sizes), octree.triangles_of(octree.ids)
    theirs = _once(lambda: overlapping_pairs(build_octree(baked), owners=owners))
    scene.octree.source.scope = "VISIBLE"
    (ours,) = fastest(bpy.ops.octree.select_collisions, seconds=seconds)
    what = f"what collides of {len(scene.objects):,} objects"
    selected = sum(item.select_get() for item in scene.objects)
    yield Row(
        what,
        "one octree",
        ours,
        theirs,
        must=2_000.0,
        aim=1_000.0,
        absolute=True,
        answers=f"{selected:,} objects collide",
    )
    octree_ext.unregister()


def _placed(count: int) -> bpy.types.Scene:
    """Enable the extension in an empty file, and fill a scene with placed objects."""
    bpy.ops.wm.read_homefile(use_empty=True)
    octree_ext.register()
    return scenes.placed_objects(count)


def _once(contestant: Callable[[], object]) -> float:
    """Time what takes seconds a single time, in ms."""
    start = perf_counter()
    contestant()
    return 1000 * (perf_counter() - start)


_numbers = counting()


def _swarm(count: int, *, keep: bool = False) -> tuple[bpy.types.Scene, bpy.types.ViewLayer]:
    """Fill a scene of its own with cubes of one mesh, and show it; other scenes go unless kept."""
    scene = bpy.data.scenes.new(f"Swarm {next(_numbers)}")
    bpy.context.window.scene = scene
    if not keep:
        for other in [each for each in bpy.data.scenes if each != scene]:
            bpy.data.batch_remove([*other.objects, other])
    mesh = bpy.data.meshes.new("Cube")
    mesh.from_pydata(CORNERS, [], FACES)
    for place in np.random.default_rng(7).uniform(-50, 50, (count, 3)):
        item = bpy.data.objects.new("Fly", mesh)
        item.location = place
        scene.collection.objects.link(item)
    scene.view_layers[0].update()
    return scene, scene.view_layers[0]


def _move(layer: bpy.types.ViewLayer, share: float) -> None:
    """Move a share of the objects by a little."""
    items = list(layer.objects)
    for item in items[: round(share * len(items))]:
        item.location.x += 0.5


EVERY: tuple[Ask, ...] = (
    idle,
    live,
    shots,
    big_meshes,
    hiding,
    cells,
    index_rays,
    index_updates,
    index_listening,
    index_memory,
    collisions,
)
