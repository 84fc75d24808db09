"""A shelf before and after: things hang over its boards, some in each other; then placed."""

import time
from pathlib import Path

import bpy
import numpy as np

from demo import studio
from demo.extension import part

BOARDS, WIDTH, DEPTH, HIGH = 3, 4.0, 0.9, 1.1  # meters
THINGS = 8  # over each board
SHADES = {"Board": (0.3, 0.2, 0.1), "Thing": (0.1, 0.35, 0.6)}
# Between the two pictures, in pixels.
GAP = 12


def run(out: Path, with_picture: bool = True) -> dict:
    """Fill the shelf, write `shelf.blend` and `shelf.png` (before, after); return figures."""
    things, boards = built()
    select(*things)
    before = overlaps()
    if with_picture:
        draw(out / "shelf_before.png", boards)
    start = time.perf_counter()
    bpy.ops.octree.push_apart("EXEC_DEFAULT", True, axes=(True, True, False))
    bpy.ops.octree.drop("EXEC_DEFAULT", True)
    spent = 1000 * (time.perf_counter() - start)
    count = len(bpy.data.objects)
    select(boards[-1], things[0])  # the first is the active one
    bpy.ops.octree.fill("EXEC_DEFAULT", True, count=12, tries=200, seed=2)
    copies = len(bpy.data.objects) - count
    path = out / "shelf.blend"
    path.unlink(missing_ok=True)  # else Blender keeps the old one beside it
    bpy.ops.wm.save_as_mainfile(filepath=str(path.resolve()), copy=True)
    if with_picture:
        draw(out / "shelf_after.png", boards)
        parts = [out / "shelf_before.png", out / "shelf_after.png"]
        studio.side_by_side(parts, out / "shelf.png", GAP)
        for each in parts:
            each.unlink()
    return {
        "objects": len(things),
        "ms": spent,
        "copies": copies,
        "overlaps": {"before": before, "after": overlaps()},
    }


def built() -> tuple[list[bpy.types.Object], list[bpy.types.Object]]:
    """Return the things and the boards of a shelf, in an empty file."""
    bpy.ops.wm.read_homefile(use_empty=True)
    rng = np.random.default_rng(4)
    boards, things = [], []
    for board in range(BOARDS):
        bpy.ops.mesh.primitive_cube_add(
            size=1, location=(0, 0, HIGH * board), scale=(WIDTH, DEPTH, 0.05)
        )
        boards.append(bpy.context.object)
        for number in range(THINGS if board < BOARDS - 1 else 1):
            x = (number - (THINGS - 1) / 2) * WIDTH / (THINGS + 1) + rng.uniform(-0.1, 0.1)
            place = (x, rng.uniform(-0.1, 0.1), HIGH * board + rng.uniform(0.5, 0.65))
            things.append(thing(number, place, rng.uniform(0, 6, 3)))
    bpy.context.view_layer.update()
    return things, boards


def thing(number: int, place: tuple, turn: np.ndarray) -> bpy.types.Object:
    """Add one of four kinds of things."""
    where = {"location": place, "rotation": turn}
    if number % 4 == 0:
        bpy.ops.mesh.primitive_monkey_add(size=0.45, **where)
    elif number % 4 == 1:
        bpy.ops.mesh.primitive_torus_add(major_radius=0.2, minor_radius=0.07, **where)
    elif number % 4 == 2:
        bpy.ops.mesh.primitive_cylinder_add(vertices=32, radius=0.13, depth=0.45, **where)
    else:
        bpy.ops.mesh.primitive_cube_add(size=0.32, **where)
    made: bpy.types.Object = bpy.context.object
    return made


def select(*items: bpy.types.Object) -> None:
    """Select only these objects; the first becomes the active one."""
    for item in bpy.context.view_layer.objects:
        item.select_set(item in items)
    bpy.context.view_layer.objects.active = items[0]


def overlaps() -> int:
    """Return the number of overlapping pairs in an audit."""
    bpy.ops.octree.audit("EXEC_DEFAULT", True, band=0.0)
    scene = bpy.context.scene
    looked = part("octree_addon.audit.auditing").without_rules(scene)
    return int((looked.found.classes == part("core").FINDING_CLASSES.index("overlap")).sum())


def draw(path: Path, boards: list[bpy.types.Object]) -> None:
    """Render all that is visible, boards and things in two colors."""
    target = part("octree_addon.place").read_again(bpy.context)
    octree, uids = target.octree, [board.session_uid for board in boards]
    placed = octree.triangles_of(octree.ids)
    shades = np.repeat(~np.isin(target.owners, uids), np.diff(target.starts)).astype(int)
    scene = bpy.data.scenes.new("Picture")
    made = studio.surface(placed.vertices, placed.faces, shades, SHADES)
    made.data.shade_flat()
    scene.collection.objects.link(made)
    marks = np.array([(-WIDTH, -DEPTH, 0), (WIDTH, DEPTH, HIGH * BOARDS)])
    eye = studio.eye(marks / (1.7, 1, 1))
    studio.prepare(scene, placed.vertices, eye, size=(900, 700))
    studio.render(scene, path)
