"""A closed box with parts inside, and what is asked of it."""

import bpy
import numpy as np
from blender_scenes import camera, cube, mesh_object

from octree_ext.core import PixelRays, ZBuffer, run
from octree_ext.octree_addon.cameras import never_seen

__all__ = ["PixelRays", "ZBuffer"]
PARTS = 40


def box_of_parts(count: int = PARTS) -> tuple[bpy.types.Object, list[bpy.types.Object]]:
    """Add a closed box, and parts inside that share two meshes."""
    box = cube("Box", size=10)
    parts = [cube("Part 0", size=0.8), cube("Part 1", size=0.5)]
    rng = np.random.default_rng(5)
    for number in range(count):
        if number > 1:
            part = bpy.data.objects.new(f"Part {number}", parts[number % 2].data)
            bpy.context.scene.collection.objects.link(part)
            parts.append(part)
        parts[number].location = rng.uniform(-4, 4, 3)
        parts[number].rotation_euler = rng.uniform(-2, 2, 3)
    bpy.context.view_layer.update()
    return box, parts


def glass(name: str = "Glass", **values: float) -> bpy.types.Material:
    """Return a material that lets light through."""
    material = bpy.data.materials.new(name)
    if bpy.app.version < (5, 0):
        material.use_nodes = True
    shader = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    for socket, value in (values or {"Transmission Weight": 1.0}).items():
        shader.inputs[socket.replace("_", " ")].default_value = value
    return material


def views(kind: str = "OUTSIDE", **values) -> never_seen.SampledViews:
    """Return a few small views."""
    given = {"resolution": 48, "count": 8, "frames": (bpy.context.scene.frame_current,)}
    return never_seen.SampledViews(kind, **{**given, **values})


def samples(asked: never_seen.SampledViews | None = None, **values) -> never_seen.Samples:
    """Count the samples of some views."""
    return run(never_seen.samples_steps(bpy.context, asked or views(), **values))


def kept(found: never_seen.Samples, **values) -> never_seen.safety.Kept:
    """Decide what is kept, all at once."""
    return run(never_seen.kept_steps(bpy.context, found, never_seen.Safety(**values)))


def ask(**values) -> set[str]:
    """Call the operator with few small views; return the names of the objects never seen."""
    given = {"views": "OUTSIDE", "directions": 12, "resolution": 256}
    assert bpy.ops.octree.find_never_seen(**{**given, **values}) == {"FINISHED"}
    return never_names()


def never_names() -> set[str]:
    """Return the names of the objects that no sample saw."""
    found = never_seen.get(bpy.context.scene)
    return {item.name for item in bpy.data.objects if item.session_uid in found.never}


def slab(cells: int = 6, **values) -> bpy.types.Object:
    """Add a grid of quads one unit wide each."""
    x, y = np.meshgrid(np.arange(cells + 1), np.arange(cells + 1))
    vertices = np.stack((x, y, 0 * x), axis=-1).reshape(-1, 3).astype(float)
    corner = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    faces = np.stack((corner, corner + 1, corner + cells + 2, corner + cells + 1), axis=1)
    return mesh_object("Slab", vertices, faces.tolist(), **values)


def overhead(size: float = 2.0, **values) -> bpy.types.Object:
    """Add an orthographic camera that looks down on a square."""
    view = camera("ORTHO", **{"location": (1, 1, 5), **values})
    view.data.ortho_scale = size
    scene = bpy.context.scene
    scene.render.resolution_x = scene.render.resolution_y = 64
    return view
