"""Fingerprints of data-blocks: hashes of all properties (RNA), down to the files of images.

Some properties without an effect on exports are included: a chunk may be exported again without
need, but never too rarely.
"""

from collections.abc import Iterator
from hashlib import sha1
from pathlib import Path
from typing import Any

import bpy
import numpy as np

# Properties that are not content, that differ between sessions, or that lead to other data.
_PASSED_OVER = {
    "rna_type", "id_data", "session_uid", "users", "tag", "preview", "original", "asset_data",
    "library_weak_reference", "animation_data", "is_evaluated", "is_runtime_data", "select",
    "pixels", "bindcode", "packed_file", "packed_files", "has_data", "is_dirty", "links",
}  # fmt: skip
if bpy.app.version >= (5, 0):  # materials always use nodes
    _PASSED_OVER.add("use_nodes")
# Place and look of a node in the editor.
_OF_EDITORS = {
    "location", "location_absolute", "width", "height", "dimensions", "parent", "color",
    "use_custom_color", "show_options", "show_preview", "show_texture", "hide",
}  # fmt: skip


def material_fingerprint(material: bpy.types.Material | None) -> bytes:
    """Return a hash of a material that is equal in any session while nothing has changed."""
    sums = sha1(usedforsecurity=False)
    if material is not None:
        for line in _lines(material, set()):
            sums.update(line.encode("utf-8", "backslashreplace"))
            sums.update(b"\n")
    return sums.digest()


def _lines(data: Any, known: set[int]) -> Iterator[str]:
    """Yield a line for each property of a structure and of nested structures, each once."""
    address = data.as_pointer()
    if address in known:
        return
    known.add(address)
    yield f"{data.bl_rna.identifier} {getattr(data, 'name', '')}"
    if isinstance(data, bpy.types.Image):
        yield _image_content(data)
    if isinstance(data, bpy.types.NodeTree):
        yield from _links(data)
    passed = _PASSED_OVER | (_OF_EDITORS if isinstance(data, bpy.types.Node) else set())
    for each in data.bl_rna.properties:
        if each.identifier not in passed:
            yield from _of_property(data, each, known)


def _of_property(data: Any, each: Any, known: set[int]) -> Iterator[str]:
    value = getattr(data, each.identifier, None)
    if value is None:
        return
    if each.type == "POINTER":
        yield each.identifier
        if isinstance(value, bpy.types.ID) and not _is_of_materials(value):
            yield value.name
        else:
            yield from _lines(value, known)
    elif each.type == "COLLECTION":
        yield f"{each.identifier} {len(value)}"
        for item in value:
            if hasattr(item, "as_pointer"):
                yield from _lines(item, known)
    else:
        simple = list(value) if getattr(each, "is_array", False) else value
        yield f"{each.identifier} {simple!r}"


def _is_of_materials(data: bpy.types.ID) -> bool:
    return isinstance(data, bpy.types.NodeTree | bpy.types.Image)


def _links(tree: bpy.types.NodeTree) -> Iterator[str]:
    for link in tree.links:
        ends = (link.from_node, link.from_socket), (link.to_node, link.to_socket)
        yield " ".join(f"{node.name}.{socket.identifier}" for node, socket in ends if node)


def _image_content(image: bpy.types.Image) -> str:
    """Return a hash of the file of an image, packed or on disk; without a file, of its pixels."""
    sums = sha1(usedforsecurity=False)
    if image.packed_file and not image.is_dirty:
        packed: Any = image.packed_file.data
        sums.update(packed)
        return sums.hexdigest()
    path = Path(bpy.path.abspath(image.filepath, library=image.library))
    if image.source == "FILE" and not image.is_dirty and path.is_file():
        sums.update(path.read_bytes())
        return sums.hexdigest()
    if image.has_data:
        values: Any = image.pixels
        pixels = np.empty(len(values), np.float32)
        values.foreach_get(pixels)
        sums.update(pixels.tobytes())
    return sums.hexdigest()
