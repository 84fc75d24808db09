"""The forest from the first tree to the last file: queries of its scene index, and a picture."""

from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from demo import cutting, forest_questions, planting, questions, studio, trees
from demo.extension import part

COLORS = {  # outside and inside the view
    "Ground": ((0.03, 0.036, 0.044), (0.1, 0.045, 0.025)),
    "Wood": ((0.04, 0.044, 0.05), (0.3, 0.08, 0.02)),
    "Spruce": ((0.05, 0.068, 0.072), (0.62, 0.065, 0.013)),
    "Oak": ((0.075, 0.092, 0.095), (0.9, 0.17, 0.02)),
    "Birch": ((0.12, 0.135, 0.13), (1.0, 0.36, 0.03)),
}
VIEW = Vector((-0.2, -1.0, 0.85)).normalized()  # from the middle towards the eye
SAMPLES = 6  # of a pixel: there are no fine lines of cells
NAMES = list(COLORS)


def run(out: Path, with_picture: bool = True) -> dict:
    """Plant the forest, ask, and write `forest.blend` and `forest.png`; return the figures."""
    camera = planting.planted()
    index, figures = forest_questions.index_of_scene()
    found, seen = forest_questions.answers(index, camera)
    for item in set(index.objects_of(seen)):
        item.select_set(True)
    path = out / "forest.blend"
    path.unlink(missing_ok=True)  # else Blender keeps the old one beside it
    bpy.ops.wm.save_as_mainfile(filepath=str(path.resolve()), copy=True, compress=True)
    if with_picture:
        draw(out / "forest.png", index, seen, questions.frustum_of(camera))
    return {**figures, **found}


def cut(out: Path, with_picture: bool = True) -> dict:
    """Cut the ground of the forest that was planted, and write `chunks.png`; return figures."""
    for item in bpy.context.view_layer.objects:
        item.select_set(item.name == "Ground")
    picture = out / "chunks.png" if with_picture else None
    return cutting.run("ground of the forest", 1_000, picture, scope="SELECTED")


def draw(path: Path, index: Any, seen: np.ndarray, frustum: Any) -> None:
    """Render the placed meshes of the index, visible ones in color, and the frustum."""
    placed = index.octree.triangles_of(index.octree.ids)
    colors = {
        f"{name}{what}": COLORS[name][number]
        for name in NAMES
        for number, what in enumerate(("", " Seen"))
    }
    shades = shades_of(index, seen, frustum)
    scene = bpy.data.scenes.new("Picture")
    made = studio.surface(placed.vertices, placed.faces, shades, colors)
    made.data.shade_flat()
    for item in [made, *studio.frustum(frustum.corners[0], width=0.5)]:
        scene.collection.objects.link(item)
    studio.prepare(scene, placed.vertices, studio.eye(placed.vertices, VIEW))
    scene.cycles.samples = SAMPLES
    studio.render(scene, path)


def shades_of(index: Any, seen: np.ndarray, frustum: Any) -> np.ndarray:
    """Return the color of each placed triangle, (t,): trees are seen as a whole, ground is not."""
    octree, names, shades = index.octree, _mesh_names(index), []
    woods = {name: trees.tree(name).is_wood for name in trees.NAMES}
    for placement, mesh in zip(octree.ids, octree.meshes_of(octree.ids).tolist(), strict=True):
        if names[mesh] in woods:
            is_seen = np.isin(placement, seen)
            kinds = np.where(woods[names[mesh]], NAMES.index("Wood"), NAMES.index(names[mesh]))
        else:
            _, triangles = part("core").query(octree.only([placement]), frustum)[1:]
            kinds = np.zeros(len(octree.triangles_of([placement])), int)
            is_seen = np.isin(np.arange(len(kinds)), triangles)
        shades.append(2 * kinds + is_seen)
    return np.concatenate(shades)


def _mesh_names(index: Any) -> dict[int, str]:
    """Return the name of each mesh by its number; an object shows it, not only instances."""
    objects = {each.mesh: each.name for each in index.table() if not each.persistent_id}
    return {mesh: bpy.data.objects[name].data.name for mesh, name in objects.items()}
