"""Pictures by Cycles: surfaces, glowing lines, materials, lamp, camera. Arrays in, PNGs out."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

WIDTH, HEIGHT = 1280, 720
CYCLES = {  # half a minute on two cores
    "device": "CPU",
    "samples": 12,
    "max_bounces": 1,
    "use_denoising": True,
    "denoising_prefilter": "FAST",
}
VIEW = Vector((-0.18, -1.0, 0.66)).normalized()  # from the middle towards the eye
LIGHT = 24.0  # watts per square unit of the lamp
BACKGROUND = (0.012, 0.016, 0.024)
COLORS = {  # of triangles, by their shade
    "Clay": (0.16, 0.18, 0.21),
    "Seen": (0.9, 0.15, 0.03),
    "Backdrop": (0.035, 0.04, 0.05),
    "Backdrop Seen": (0.17, 0.045, 0.018),
}
FRUSTUM = (1.0, 0.6, 0.2)
QUADS = [[0, 3, 7, 4], [1, 2, 6, 5], [0, 1, 5, 4], [3, 2, 6, 7], [0, 1, 2, 3], [4, 5, 6, 7]]


def surface(
    vertices: np.ndarray, faces: np.ndarray, shades: np.ndarray, colors: dict = COLORS
) -> bpy.types.Object:
    """Make an object of all triangles; shades (t,) are indices into the colors."""
    mesh = mesh_of("Triangles", vertices, faces)
    for name, color in colors.items():
        mesh.materials.append(clay(name, color, backdrop="Backdrop" in name))
    mesh.polygons.foreach_set("material_index", shades.astype(np.int32))
    return bpy.data.objects.new(mesh.name, mesh)


def frustum(corners: np.ndarray, width: float) -> list[bpy.types.Object]:
    """Make a frustum (8, 3) of colored air and of lines."""
    glass, edges = (
        mesh_of("Frustum", corners, np.array(QUADS)),
        mesh_of("Edges", corners, np.array(QUADS)),
    )
    glass.materials.append(glow("Air", FRUSTUM, opacity=0.04))
    return [bpy.data.objects.new("Frustum", glass), lines(edges, glow("Edges", FRUSTUM), width)]


def lines(edges: bpy.types.Mesh, material: bpy.types.Material, width: float) -> bpy.types.Object:
    """Give the edges of a mesh a thickness: Mesh to Curve, Curve to Mesh, Set Material."""
    group = bpy.data.node_groups.new("Lines", "GeometryNodeTree")
    for in_out in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=in_out, socket_type="NodeSocketGeometry")
    kinds = ("MeshToCurve", "CurveToMesh", "SetMaterial")
    names = ("NodeGroupInput", *(f"GeometryNode{kind}" for kind in kinds), "NodeGroupOutput")
    _, _, tube, paint, _ = chain = [group.nodes.new(name) for name in names]
    for before, after in pairwise(chain):
        group.links.new(before.outputs[0], after.inputs[0])
    profile = group.nodes.new("GeometryNodeCurvePrimitiveCircle")
    profile.inputs["Resolution"].default_value = 4
    profile.inputs["Radius"].default_value = width / 2
    group.links.new(profile.outputs[0], tube.inputs[1])
    paint.inputs["Material"].default_value = material
    made = bpy.data.objects.new(edges.name, edges)
    made.visible_diffuse = made.visible_shadow = False  # drawn on the scene, no part of it
    made.modifiers.new("Lines", "NODES").node_group = group
    return made


def glow(name: str, color: tuple, opacity: float = 1.0) -> bpy.types.Material:
    """Make an emissive material."""
    material, shader = _material(name, color)
    light = shader("ShaderNodeEmission")
    light.inputs["Color"].default_value = (*color, 1)
    _mixed(material, light, opacity)
    return material


def clay(name: str, color: tuple, backdrop: bool = False) -> bpy.types.Material:
    """Make a diffuse material; a backdrop is transparent from behind and to the lamp."""
    material, shader = _material(name, color)
    dull = shader("ShaderNodeBsdfDiffuse")
    dull.inputs["Color"].default_value = (*color, 1)
    opacity = _mixed(material, dull, 1.0)
    if backdrop:
        link, solid = material.node_tree.links.new, shader("ShaderNodeMath")
        solid.operation = "LESS_THAN"
        passes = shader("ShaderNodeMath")
        link(shader("ShaderNodeNewGeometry").outputs["Backfacing"], passes.inputs[0])
        link(shader("ShaderNodeLightPath").outputs["Is Shadow Ray"], passes.inputs[1])
        link(passes.outputs[0], solid.inputs[0])
        link(solid.outputs[0], opacity)
    return material


def paint(name: str, color: tuple) -> bpy.types.Material:
    """Make a dull surface that other programs know, too: glTF has nothing but this shader."""
    material, shader = _material(name, color)
    dull = shader("ShaderNodeBsdfPrincipled")
    dull.inputs["Base Color"].default_value = (*color, 1)
    dull.inputs["Roughness"].default_value = 1.0
    output = shader("ShaderNodeOutputMaterial")
    material.node_tree.links.new(dull.outputs[0], output.inputs[0])
    return material


def _material(name: str, color: tuple) -> tuple[bpy.types.Material, Any]:
    """Make an empty material, so colored in a view, and return it with the way to add nodes."""
    material = bpy.data.materials.new(name)
    material.diffuse_color = (*color, 1)
    nodes = _nodes_of(material)
    nodes.clear()
    return material, nodes.new


def _nodes_of(owner: bpy.types.Material | bpy.types.World) -> Any:
    """Return the nodes of a new material or world; before Blender 5.0 it starts without any."""
    if not owner.node_tree:
        owner.use_nodes = True
    return owner.node_tree.nodes


def _mixed(material: bpy.types.Material, shader: bpy.types.Node, opacity: float) -> Any:
    """Mix a shader with transparency; return the socket of the opacity."""
    nodes, links = material.node_tree.nodes, material.node_tree.links
    mix = nodes.new("ShaderNodeMixShader")
    mix.inputs[0].default_value = opacity
    links.new(nodes.new("ShaderNodeBsdfTransparent").outputs[0], mix.inputs[1])
    links.new(shader.outputs[0], mix.inputs[2])
    links.new(mix.outputs[0], nodes.new("ShaderNodeOutputMaterial").inputs[0])
    return mix.inputs[0]


def mesh_of(name: str, vertices: np.ndarray, faces: np.ndarray) -> bpy.types.Mesh:
    """Make a mesh of vertices (v, 3) and of faces with equally many corners."""
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(vertices))
    mesh.vertices.foreach_set("co", vertices.astype(np.float32).ravel())
    mesh.loops.add(faces.size)
    mesh.loops.foreach_set("vertex_index", faces.astype(np.int32).ravel())
    mesh.polygons.add(len(faces))
    starts = np.arange(0, faces.size, faces.shape[1], dtype=np.int32)
    mesh.polygons.foreach_set("loop_start", starts)
    mesh.update(calc_edges=True)
    return mesh


def prepare(
    scene: bpy.types.Scene,
    vertices: np.ndarray,
    eye: bpy.types.Object,
    size: tuple[int, int] = (WIDTH, HEIGHT),
) -> None:
    """Add light and camera, and set up Cycles for pictures of `size` pixels."""
    for made in (_lamp(vertices), eye):
        scene.collection.objects.link(made)
    scene.camera = eye
    scene.world = bpy.data.worlds.new("Calm")
    background = _nodes_of(scene.world)["Background"]
    background.inputs["Color"].default_value = (*BACKGROUND, 1)
    scene.render.resolution_x, scene.render.resolution_y = size
    scene.render.engine = "CYCLES"
    for name, value in CYCLES.items():
        setattr(scene.cycles, name, value)
    scene.view_settings.view_transform = "Standard"
    image = scene.render.image_settings
    image.file_format, image.color_mode, image.compression = "PNG", "RGB", 100


def render(scene: bpy.types.Scene, path: Path) -> None:
    """Write the picture that the scene's camera sees."""
    scene.render.filepath = str(path)
    bpy.ops.render.render(scene=scene.name, write_still=True)


def side_by_side(paths: list[Path], path: Path, gap: int) -> None:
    """Join pictures of one height side by side, with `gap` black pixels between them."""
    panels: list[np.ndarray] = []
    for image in [bpy.data.images.load(str(each)) for each in paths]:
        width, height = image.size
        pixels = np.empty((height, width, 4), np.float32)
        image.pixels.foreach_get(pixels.ravel())
        panels += [pixels, np.tile(np.float32([0, 0, 0, 1]), (height, gap, 1))]
        bpy.data.images.remove(image)
    joined = np.concatenate(panels[:-1], axis=1)
    image = bpy.data.images.new(path.stem, joined.shape[1], joined.shape[0])
    image.pixels.foreach_set(joined.ravel())
    image.filepath_raw, image.file_format = str(path), "PNG"
    image.save()
    bpy.data.images.remove(image)


def _lamp(vertices: np.ndarray) -> bpy.types.Object:
    """Hang a lamp as wide as the scene above it."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    light = bpy.data.lights.new("Lamp", "AREA")
    light.shape = "RECTANGLE"
    light.size, light.size_y = width, length = (high - low)[:2]
    light.energy = LIGHT * width * length
    lamp = bpy.data.objects.new("Lamp", light)
    lamp.location = [*(0.5 * (low + high))[:2], high[2] + 0.3 * max(width, length)]
    lamp.visible_camera = False
    return lamp


def eye(
    vertices: np.ndarray, view: Vector = VIEW, size: tuple[int, int] = (WIDTH, HEIGHT)
) -> bpy.types.Object:
    """Return a camera in the direction of the view, close enough to just show all vertices."""
    lens = bpy.data.cameras.new("Eye")
    lens.lens = 60
    made = bpy.data.objects.new("Eye", lens)
    made.rotation_euler = view.to_track_quat("Z", "Y").to_euler()
    right, up, back = np.array(made.rotation_euler.to_matrix()).T
    middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    offset = vertices - middle
    half = np.array([1.0, size[1] / size[0]]) * lens.sensor_width / 2 / lens.lens
    reach = np.abs(offset @ np.stack([right, up], axis=1)) / half + (offset @ back)[:, None]
    made.location = middle + 1.02 * reach.max() * back
    lens.clip_end = 4 * reach.max()
    return made
