"""Picture of an audit: a color for each class, lines where surfaces cross, the rest dimmed."""

import time
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector

from demo import studio, workshop
from demo.extension import part

CLEARANCE = 0.03  # meters
COLORS = {  # of classes, gravest first
    "overlap": (0.85, 0.03, 0.015),
    "contained": (0.5, 0.04, 0.75),
    "duplicate": (0.95, 0.5, 0.01),
    "coplanar same-facing": (0.01, 0.55, 0.5),
    "near": (0.06, 0.2, 0.95),
}
DIM = (0.055, 0.062, 0.07)
FAINT = 0.25  # of its color has the rest of the smaller object
SHADES = {"Dim": DIM, "Glass": DIM}
for _name, _color in COLORS.items():
    _faint = [FAINT * a + (1 - FAINT) * b for a, b in zip(_color, DIM, strict=True)]
    SHADES |= {f"{_name}, faint": tuple(_faint), _name: _color}
PLACES = list(SHADES)
GLASS = 0.08  # opacity of objects that contain others
LINE, LABEL = 0.035, 0.2  # width of lines, height of letters: meters


def run(out: Path, with_picture: bool = True) -> dict:
    """Build and audit the workshop, write `workshop.blend` and `findings.png`; return figures."""
    camera = workshop.built()
    start = time.perf_counter()
    bpy.ops.octree.audit("EXEC_DEFAULT", True, clearance=CLEARANCE)
    spent = 1000 * (time.perf_counter() - start)
    path = out / "workshop.blend"
    path.unlink(missing_ok=True)  # else Blender keeps the old one beside it
    bpy.ops.wm.save_as_mainfile(filepath=str(path.resolve()), copy=True)
    looked = part("octree_addon.audit.auditing").without_rules(bpy.context.scene)
    keeping = part("octree_addon.audit.keeping")
    found = keeping.findings_in(bpy.context.scene, keeping.active_audit(bpy.context.scene))
    shown = found.take(
        np.flatnonzero([found.class_of(row) in COLORS for row in range(len(found))])
    )
    if with_picture:
        draw(out / "findings.png", looked, shown, camera)
    return {
        "objects": len(looked.target.octree),
        "ms": spent,
        "findings": [_told(shown, row) for row in range(len(shown))],
    }


def _told(findings: Any, row: int) -> dict:
    """Describe a finding: its class, its objects and its measure."""
    names = [findings.objects.names[number] for number in findings.audit.pairs[:, row]]
    amount = float(findings.audit.lower[row])
    return {
        "class": findings.class_of(row),
        "objects": names,
        findings.measure_of(row): amount,
    }


def draw(path: Path, looked: Any, shown: Any, camera: bpy.types.Object) -> None:
    """Render the audited triangles in the colors of their findings, with lines and labels."""
    octree = looked.target.octree
    placed = octree.triangles_of(octree.ids)
    vertices = placed.vertices.copy()
    shades = painted(looked.found, octree, vertices, placed.faces)
    scene = bpy.data.scenes.new("Picture")
    made = studio.surface(vertices, placed.faces, shades, SHADES)
    made.data.shade_flat()
    _see_through(made.data.materials["Glass"])
    eye = camera.copy()
    for item in [made, *crossing_lines(looked.found), *labels(shown, eye)]:
        scene.collection.objects.link(item)
    studio.prepare(scene, vertices, eye)
    studio.render(scene, path)


def painted(found: Any, octree: Any, vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return an index into `SHADES` for each triangle, (t,).

    The smaller object of a finding has the color of its class: full on faces in contact, faint on
    others. Contained and duplicate objects are fully colored. Coplanar sheets are drawn apart.
    """
    names = part("core").FINDING_CLASSES
    starts = np.cumsum([0, *(len(octree.triangles_of([one])) for one in octree.ids)])
    shades = np.zeros(starts[-1], int)
    for number in range(len(found))[::-1]:  # the gravest last
        name = names[found.classes[number]]
        if name not in COLORS:
            continue
        rows, small = sides_of(found, octree, number)
        whole = slice(starts[rows[small]], starts[rows[small] + 1])
        is_whole = name in ("contained", "duplicate")
        shades[whole] = PLACES.index(name if is_whole else f"{name}, faint")
        if name == "duplicate":  # either of the two may be visible
            shades[starts[rows[1 - small]] : starts[rows[1 - small] + 1]] = PLACES.index(name)
        contact = starts[rows[small]] + found.faces[small, found.face_findings == number]
        shades[contact] = PLACES.index(name)
        if name == "contained":
            outer = rows[1 - small]
            shades[starts[outer] : starts[outer + 1]] = PLACES.index("Glass")
        if name == "coplanar same-facing":
            a, b, c = vertices[faces[contact[0]]]
            normal = np.cross(b - a, c - a)
            vertices[np.unique(faces[whole])] += 0.004 * normal / np.linalg.norm(normal)
    return shades


def sides_of(found: Any, octree: Any, number: int) -> tuple[np.ndarray, int]:
    """Return the rows of both objects of a finding, and the index of the inner or smaller one."""
    rows = np.searchsorted(octree.ids, found.pairs[:, number])
    boxes = octree.bounds_of(octree.ids[rows])
    sizes = np.linalg.norm(boxes.upper - boxes.lower, axis=1)
    return rows, int(np.argmin(sizes))


def _see_through(material: bpy.types.Material) -> None:
    """Make a material transparent."""
    (mix,) = (node for node in material.node_tree.nodes if node.type == "MIX_SHADER")
    mix.inputs[0].default_value = GLASS


def crossing_lines(found: Any) -> list[bpy.types.Object]:
    """Make glowing lines along the crossings of surfaces."""
    ends = found.segments.reshape(-1, 3)
    edges = bpy.data.meshes.new("Crossing")
    edges.from_pydata(ends.tolist(), np.arange(len(ends)).reshape(-1, 2).tolist(), [])
    return [studio.lines(edges, studio.glow("Crossing", (1.0, 0.85, 0.3)), LINE)]


def labels(shown: Any, eye: bpy.types.Object) -> list[bpy.types.Object]:
    """Add a label above the smaller object of each finding, turned to the camera."""
    made, turn = [], eye.rotation_euler.to_matrix()
    names, items = shown.objects.names, bpy.context.scene.objects
    for row in range(len(shown)):
        told = _told(shown, row)
        pair = shown.audit.pairs[:, row]
        item = items[names[min(pair, key=lambda one: shown.objects.sizes[one])]]
        top = max((item.matrix_world @ Vector(corner)).z for corner in item.bound_box)
        place = Vector((*shown.audit.places[row][:2], top)) + LABEL * turn.col[1]
        place += (eye.location - place).normalized()  # before all that is near
        text = bpy.data.curves.new(f"Label {row}", "FONT")
        text.body, text.size = _words(told), LABEL
        text.align_x, text.align_y = "CENTER", "BOTTOM"
        text.materials.append(studio.glow(text.name, COLORS[told["class"]]))
        item = bpy.data.objects.new(text.name, text)
        item.matrix_world = Matrix.LocRotScale(place, turn, None)
        item.visible_diffuse = item.visible_shadow = False
        made.append(item)
    return made


def _words(told: dict) -> str:
    """Return the label of a finding, at most two lines."""
    name = told["class"]
    if name == "duplicate":
        return name
    if "area" in told:
        return f"{name}\n{told['area'] * 1e4:,.0f} cm²"
    (amount,) = (told[measure] for measure in ("depth", "distance") if measure in told)
    return f"{name}\n{amount * 1e3:,.0f} mm"
