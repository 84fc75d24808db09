"""The film of the ships: an animated scene that any Blender plays, and a strip of its frames."""

import tempfile
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

from demo import film, lives, picture, ships, studio
from demo.extension import part

KEY_EVERY = 6  # frames
STRIP = (0, 150, 300)  # frames
PANEL, GAP = (600, 480), 8  # pixels
NEAR, FAR = (0, 150, 460, 600), (240, 370)  # frames in which the eye is near or far
VIEW = Vector((-0.25, -1.0, 0.9)).normalized()  # from the middle towards the eye
ROOT, WIDTH = (0.1, 0.12, 0.17), 0.1  # color of the root; width of all lines
# A dart in a sphere of radius 1: nose, wing tips, keel, fin.
DART = np.array([[0, 1, 0], [-0.75, -0.6, 0], [0.75, -0.6, 0], [0, -0.4, -0.2], [0, -0.6, 0.35]])
SIDES = np.array([[0, 1, 3], [0, 3, 2], [0, 4, 1], [0, 2, 4], [1, 4, 3], [3, 4, 2]])


def run(out: Path, with_picture: bool = True) -> dict:
    """Write `swarm.blend` and `swarm.png`; return the figures of the film."""
    shot = film.shoot(part("core"))
    scene = stage(shot)
    path = out / "swarm.blend"
    path.unlink(missing_ok=True)  # else Blender keeps the old one beside it
    bpy.ops.wm.save_as_mainfile(filepath=str(path.resolve()), copy=True, compress=True)
    if with_picture:
        strip(scene, out / "swarm.png")
    return film.summary(shot)


def stage(shot: film.Film) -> bpy.types.Scene:
    """Fill an empty file with ships, cells, light and an eye."""
    bpy.ops.wm.read_homefile(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 0, ships.FRAMES - 1
    for made in [*fleet(), *cells(shot)]:
        scene.collection.objects.link(made)
    near, far = (shot.roots.at(frames[0]).walls.reshape(-1, 3) for frames in (NEAR, FAR))
    studio.prepare(scene, far, eye(near, far), PANEL)
    for area in bpy.context.screen.areas:
        if area.type == "VIEW_3D":
            area.spaces.active.region_3d.view_perspective = "CAMERA"
    return scene


def fleet() -> list[bpy.types.Object]:
    """Make the ships, each with its keys."""
    mesh = studio.mesh_of("Ship", DART, SIDES)
    mesh.materials.append(studio.clay("Ship", studio.COLORS["Seen"]))
    made = [bpy.data.objects.new(f"Ship {number:03}", mesh) for number in range(ships.COUNT)]
    for ship, radius in zip(made, ships.radii(), strict=True):
        ship.scale, ship.rotation_mode = [radius] * 3, "QUATERNION"
    for frame in range(0, ships.FRAMES + 1, KEY_EVERY):
        courses = ships.places(frame + KEY_EVERY) - ships.places(frame)  # also of those at rest
        for ship, place, course in zip(made, ships.places(frame), courses, strict=True):
            _key(ship, frame, place, course)
    return made


def _key(ship: bpy.types.Object, frame: int, place: np.ndarray, course: np.ndarray) -> None:
    """Let a ship be in a place at a frame, its nose ahead, turned no farther than it must."""
    turn = Vector(course).to_track_quat("Y", "Z")
    turn.make_compatible(ship.rotation_quaternion)
    ship.location, ship.rotation_quaternion = place, turn
    ship.keyframe_insert("location", frame=frame)
    ship.keyframe_insert("rotation_quaternion", frame=frame)


def cells(shot: film.Film) -> list[bpy.types.Object]:
    """Make the root, and the cells in which ships stand, those of a size in its color."""
    made = [lives.boxes("Root", shot.roots, studio.glow("Root", ROOT), WIDTH)]
    widths = (shot.cells.walls[:, 3] - shot.cells.walls[:, 0]).round(3)
    sizes = np.unique(widths)[::-1]
    for size, color in zip(sizes, picture.ramp(len(sizes)), strict=True):
        name = f"Cells {size:g} wide"
        some = shot.cells[widths == size]
        made.append(lives.boxes(name, some, studio.glow(name, color), WIDTH))
    return made


def eye(near: np.ndarray, far: np.ndarray) -> bpy.types.Object:
    """Look at the near vertices (v, 3); draw back until the far ones are seen, and come back."""
    made, distant = (studio.eye(vertices, VIEW, PANEL) for vertices in (near, far))
    made.data.clip_end = distant.data.clip_end
    for frames, place in ((NEAR, made.location.copy()), (FAR, distant.location)):
        made.location = place
        for frame in frames:
            made.keyframe_insert("location", frame=frame)
    bpy.data.cameras.remove(distant.data)
    return made


def strip(scene: bpy.types.Scene, path: Path) -> None:
    """Render some frames and lay them side by side."""
    with tempfile.TemporaryDirectory() as folder:
        panels = [Path(folder) / f"{frame}.png" for frame in STRIP]
        for frame, panel in zip(STRIP, panels, strict=True):
            scene.frame_set(frame)
            studio.render(scene, panel)
        studio.side_by_side(panels, path, GAP)
