"""The demo from the first object to the last file: scenes, pictures, `report.json`."""

import json
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from demo import (
    cutting,
    findings,
    picture,
    questions,
    report,
    scene,
    shelf,
    swarm,
    tiles,
    user_file,
    walk,
    woods,
)
from demo.extension import part


def run(out: Path, blend: Path | None = None, with_picture: bool = True) -> dict:
    """Do the main job on the room, or on the scene of `blend`, and write the results.

    With the room come a forest of instances, its 3D Tiles, an audit, a shelf, and the film of the
    ships.
    """
    out.mkdir(parents=True, exist_ok=True)
    subject = user_file.opened(blend) if blend else scene.room()
    built = questions.build(subject.objects)
    found = answers(built, subject)
    keep(out / (f"{blend.stem}_octree.blend" if blend else "room.blend"))  # never `blend` itself
    if with_picture:
        frustum = questions.frustum_of(subject.camera) if subject.camera else None
        picture.draw(out / "octree.png", built, frustum)
    if not blend:
        found["chunks"] = [cutting.run("room", 1_000)]
        found["forest"] = woods.run(out, with_picture)
        found["chunks"].append(woods.cut(out, with_picture))
        found["tiles"] = tiles.run("forest", out / "tiles", 50_000)
        found["audit"] = findings.run(out, with_picture)
        found["shelf"] = shelf.run(out, with_picture)
        found["swarm"] = swarm.run(out, with_picture)
    print(report.page(found))
    (out / "report.json").write_text(json.dumps(found, indent=2) + "\n")
    print(f"\nWritten to {out}: {', '.join(sorted(path.name for path in out.iterdir()))}")
    return found


def answers(built: Any, subject: scene.Subject) -> dict:
    """Run all queries of the report."""
    items = built.octree.items
    radius = float(np.ptp(items.vertices, axis=0).max()) / 100
    stops = walk.stops_of(built) if subject.stops is None else subject.stops
    places = walk.places(stops, items, radius)
    if subject.entity:
        subject.entity.location = places[-1]
    found = {
        "scene": subject.name,
        "blender": bpy.app.version_string,
        "triangles": len(items),
        "objects": len(built.source.objects),
        "octree": questions.of_tree(built),
        "entity": questions.of_entity(built, places, radius),
    }
    if subject.camera:
        found["camera"] = questions.of_camera(built, subject.camera)
    return found


def keep(path: Path) -> None:
    """Save a copy of the scene that opens with the cells on."""
    part("octree_addon.ui").settings_of(bpy.context.scene).display.show = True
    path.unlink(missing_ok=True)  # else Blender keeps the old one beside it
    bpy.ops.wm.save_as_mainfile(filepath=str(path.resolve()), copy=True, check_existing=False)
