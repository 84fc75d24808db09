"""Pictures by item buffer: names, attributes and shading of each pixel, by barycentric weights.

What a pixel shows is told by our z-buffer; attributes are interpolated in double precision, with
perspective (J. Blinn, "Hyperbolic Interpolation", 1992).
"""

from dataclasses import dataclass, field

import bpy
import numpy as np

from octree_ext.core import ZBuffer, run
from octree_ext.octree_addon.camera import camera_picture
from octree_ext.octree_addon.reader import MeshLayers, layer_steps, matrices_of
from octree_ext.octree_addon.scene_index import index_steps

LIGHT = np.array([0.36, -0.48, 0.8])


@dataclass
class ScenePicture:
    """What p pixels show, row after row from below: names are "" where there is nothing.

    `values` are (p, k) by attribute: floats, colors as they are displayed. `shades` (p,) are those
    of a surface without gloss, and `bends` (p,) the largest angle between normals at two corners
    of the triangle, in degrees.
    """

    size: tuple[int, int]
    names: np.ndarray
    shades: np.ndarray
    bends: np.ndarray
    values: dict[str, np.ndarray] = field(default_factory=dict)


def picture(size: tuple[int, int], names: tuple[str, ...] = ()) -> ScenePicture:
    """Draw what the scene's camera sees, with these attributes.

    A chunk, and a decimated copy, has the name of what it is of.
    """
    context = bpy.context
    depsgraph = context.evaluated_depsgraph_get()
    matrix = camera_picture(
        context.scene.camera.evaluated_get(depsgraph), context.scene, depsgraph
    )
    index = run(index_steps(context))
    image = ZBuffer(index.octree).image(matrix.matrix, size)
    placements, count = index.placements, size[0] * size[1]
    entries = placements.entries.tolist()
    layers = run(layer_steps(context.evaluated_depsgraph_get, dict.fromkeys(entries, False)))
    of = {item.session_uid: _source(item) for item in context.scene.objects}
    owners = np.array([*(of[uid] for uid in placements.owners.tolist()), ""])
    made = ScenePicture(size, owners[image.rows], np.zeros(count), np.zeros(count))
    places = matrices_of(placements.matrices)
    order = np.argsort(image.rows, kind="stable")
    starts = np.searchsorted(image.rows[order], np.arange(len(placements) + 1))
    for row in np.unique(image.rows[image.rows >= 0]).tolist():
        here = order[starts[row] : starts[row + 1]]
        place = matrix.matrix @ places[row]
        _draw(made, here, image.triangles[here], layers[entries[row]], place, places[row], names)
    return made


def _source(item: bpy.types.Object) -> str:
    return str(item.get("octree_source", item.get("octree_decimated_of", item.name)))


def _draw(
    made: ScenePicture,
    pixels: np.ndarray,
    triangles: np.ndarray,
    layers: MeshLayers,
    view: np.ndarray,
    place: np.ndarray,
    names: tuple[str, ...],
) -> None:
    """Draw what some pixels show of one mesh."""
    corners = layers.triangle_corners[triangles]
    vertices = layers.corner_vertices[corners]
    points = np.concatenate((layers.positions, np.ones((len(layers.positions), 1))), axis=1)
    clip = (points @ view.T)[vertices][..., [0, 1, 3]]
    width = made.size[0]
    centers = np.stack((2 * (pixels % width) + 1, 2 * (pixels // width) + 1), axis=1)
    screen = np.column_stack((centers / made.size - 1.0, np.ones(len(pixels))))
    weights = np.linalg.solve(clip.transpose(0, 2, 1), screen[..., None])[..., 0]
    weights = np.clip(weights / weights.sum(axis=1, keepdims=True), 0.0, 1.0)
    weights /= weights.sum(axis=1, keepdims=True)
    turn = np.linalg.inv(place[:3, :3]).T
    normals = _unit((layers.normals.astype(float) @ turn.T)[corners])
    cosines = np.einsum("pij,pkj->pik", normals, normals).min(axis=(1, 2))
    made.bends[pixels] = np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0)))
    shaded = _unit(np.einsum("pi,pij->pj", weights, normals))
    made.shades[pixels] = np.clip(shaded @ LIGHT, 0.0, 1.0)
    columns = {column.name: column for column in layers.columns}
    for name in names:
        if name in columns:
            column = columns[name]
            rows = {"POINT": vertices, "CORNER": corners}[column.domain]
            values = np.einsum("pi,pij->pj", weights, column.values[rows].astype(float))
            shown = displayed(values) if "COLOR" in column.kind else values
            if name not in made.values:
                made.values[name] = np.zeros((len(made.names), shown.shape[1]))
            made.values[name][pixels] = shown


def _unit(vectors: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1.0)


def displayed(colors: np.ndarray) -> np.ndarray:
    """Return linear colors as a display has them (sRGB, IEC 61966-2-1), alpha as it is."""
    light = np.clip(colors[:, :3], 0.0, 1.0)
    curved = 1.055 * light ** (1 / 2.4) - 0.055
    rgb = np.where(light <= 0.0031308, 12.92 * light, curved)
    return np.column_stack((rgb, colors[:, 3:]))
