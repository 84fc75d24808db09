"""A scene of the user's own: opened without running its scripts, never written to."""

from pathlib import Path

import bpy

from demo.scene import Subject

HAVE_FACES = {"MESH", "CURVE", "SURFACE", "FONT", "META"}


def opened(path: Path) -> Subject:
    """Open the file and return its scene with all visible objects."""
    if not path.is_file():
        raise SystemExit(f"There is no file {path}")
    try:
        bpy.ops.wm.open_mainfile(filepath=str(path.resolve()), load_ui=False, use_scripts=False)
    except RuntimeError as error:
        raise SystemExit(f"{path} cannot be opened: {error}") from None
    print(newer(path.name, bpy.data.version, bpy.app.version), end="")
    if bpy.context.object and bpy.context.object.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    objects = [item for item in bpy.context.visible_objects if item.type in HAVE_FACES]
    if not objects:
        raise SystemExit(f"{path} shows no object with faces")
    return Subject(path.name, objects, _frustum_camera())


def newer(name: str, saved: tuple[int, ...], running: tuple[int, ...]) -> str:
    """Return a warning if a file was saved by a newer Blender than this one, else no text."""
    if saved[:2] <= running[:2]:
        return ""
    by, here = ("{}.{}".format(*version) for version in (saved, running))
    return f"{name} was saved by Blender {by}, and this is {here}: what is new may be missing.\n\n"


def _frustum_camera() -> bpy.types.Object | None:
    """Return the scene's camera, if it is one that has a frustum."""
    camera = bpy.context.scene.camera
    if camera and camera.type == "CAMERA" and camera.data.type in {"PERSP", "ORTHO"}:
        return camera
    print("The scene has no perspective or orthographic camera: nobody asks what one sees.\n")
    return None
