"""glTF files of chunks by Blender's exporter: Y up, in meters; textures named by content."""

import io
import json
import re
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

import bpy

from ..text_formats import json_file, json_text
from .folder import content_hash
from .manifest import TEXTURES
from .twins import Twin

# Headers of a binary glTF file and of its chunks.
_HEADER, _CHUNK = struct.Struct("<4sII"), struct.Struct("<I4s")
# Largest number of letters that a texture keeps of its name.
_MOST = 40
# Explicit values for all options, since the exporter remembers those of its last call.
_OPTIONS: dict[str, Any] = {
    "check_existing": False,
    "use_selection": False,
    "use_visible": False,
    "use_renderable": False,
    "use_active_collection": False,
    "use_active_scene": True,
    "use_mesh_edges": True,
    "use_mesh_vertices": True,
    "export_yup": True,
    "export_apply": False,
    "export_animations": False,
    "export_skins": False,
    "export_morph": True,
    "export_cameras": False,
    "export_lights": False,
    "export_extras": False,
    "export_attributes": True,
    "export_materials": "EXPORT",
    "export_image_format": "AUTO",
    "export_draco_mesh_compression_enable": False,
    "export_current_frame": True,
    "will_save_settings": False,
}


def gltf_maker() -> str:
    """Return the name and version of the glTF exporter; raise `ValueError` without one."""
    if not hasattr(bpy.types, "EXPORT_SCENE_OT_gltf"):
        raise ValueError("Enable the add-on glTF 2.0 in the preferences")
    return f"Blender {bpy.app.version_string}"


def gltf_files(
    scene: bpy.types.Scene, twins: Sequence[Twin], name: str, folder: Path
) -> dict[str, bytes]:
    """Return the .gltf file, the .bin file and the textures of the objects in a scene.

    `folder` is an empty folder for the files of the exporter.
    """
    path = folder / f"{name}.gltf"
    _export(scene, path, "GLTF_SEPARATE", export_texture_dir=TEXTURES, export_keep_originals=False)
    model, found = json.loads(path.read_bytes()), {}
    for each in model.get("buffers", ()):
        found[unquote(each["uri"])] = (folder / unquote(each["uri"])).read_bytes()
    for image in model.get("images", ()):
        content = (folder / unquote(image["uri"])).read_bytes()
        image["uri"] = _texture_name(unquote(image["uri"]), content)
        found[image["uri"]] = content
    _rename(model, twins, name)
    return {path.name: json_file(model, strict=True).encode(), **found}


def glb_files(
    scene: bpy.types.Scene, twins: Sequence[Twin], name: str, folder: Path
) -> dict[str, bytes]:
    """Return the .glb file of the objects in a scene, textures included."""
    path = folder / f"{name}.glb"
    _export(scene, path, "GLB")
    content = path.read_bytes()
    size, _ = _CHUNK.unpack_from(content, _HEADER.size)
    start = _HEADER.size + _CHUNK.size
    model = json.loads(content[start : start + size])
    _rename(model, twins, name)
    return {path.name: glb(model, content[start + size :])}


def glb(model: dict[str, Any], rest: bytes) -> bytes:
    """Return a binary glTF file of a JSON model and its other chunks, headers included."""
    text = json_text(model, strict=True).encode()
    text += b" " * (-len(text) % 4)
    head = _HEADER.pack(b"glTF", 2, _HEADER.size + _CHUNK.size + len(text) + len(rest))
    return head + _CHUNK.pack(len(text), b"JSON") + text + rest


def _export(scene: bpy.types.Scene, path: Path, form: str, **options: Any) -> None:
    """Export a scene by Blender's operator; its printed output is used for errors only."""
    said = io.StringIO()
    try:
        with _shown(scene), redirect_stdout(said):
            bpy.ops.export_scene.gltf(
                filepath=str(path), export_format=form, **_OPTIONS, **options
            )
    except RuntimeError as error:
        reason = str(error).strip().rpartition("\n")[2].removeprefix("Error: ")
        raise ValueError(f"{path.name} cannot be exported: {reason}") from error
    if not path.is_file():
        reason = said.getvalue().strip().rpartition("\n")[2]
        raise ValueError(f"{path.name} was not exported: {reason}")


@contextmanager
def _shown(scene: bpy.types.Scene) -> Iterator[None]:
    """Show a scene in the first window, as the exporter requires; restore the former one."""
    context = bpy.context
    windows = context.window_manager.windows
    window = context.window or (windows[0] if windows else None)
    if window is None:
        raise ValueError("Blender has no window, not even in the background, to export glTF in")
    before, layer = window.scene, window.view_layer
    try:
        window.scene = scene
        with context.temp_override(window=window):
            yield
    finally:
        window.scene = before
        window.view_layer = layer


def _texture_name(uri: str, content: bytes) -> str:
    """Return a texture name with a hash, equal in all chunks for equal contents."""
    path = PurePosixPath(uri)
    stem = re.sub(r"[^A-Za-z0-9_-]", "_", path.stem)[:_MOST]
    return f"{TEXTURES}/{stem}_{content_hash(content)[:12]}{path.suffix.lower()}"


def _rename(model: dict[str, Any], twins: Sequence[Twin], name: str) -> None:
    """Give nodes and meshes the names of their sources, which need not be unique."""
    labels = {twin.item.name: twin.label for twin in twins}
    named: set[int] = set()
    for node in model.get("nodes", ()):
        node["name"] = labels.get(node["name"], node["name"])
        mesh = node.get("mesh", -1)
        if mesh >= 0 and mesh not in named:
            named.add(mesh)
            model["meshes"][mesh]["name"] = node["name"]
    for each in model.get("scenes", ()):
        each["name"] = name
