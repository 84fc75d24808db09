"""The command `octree chunks`: a file cut into chunks, a folder of them, and a manifest."""

import argparse
from pathlib import Path
from typing import Any

import bpy

from ...core import run
from ..chunks import SceneCut, cut_steps, make_steps
from ..shipping import (
    FORMS,
    Georeference,
    Shipment,
    ShipmentWish,
    read_georeference,
    ship_steps,
    shipped_text,
)
from ..written_files import require_folder
from .command import Command, UsageError, open_blend
from .interrupt import heed

_DESCRIPTION = """Cut what a file shows into chunks, and write a folder of them: a file or two for
each cell, and manifest.json, which a second run takes up: it writes changed cells only, and
deletes only what an earlier one wrote. The blend file is read, never written; its scripts run only
if Blender's own settings allow it."""
_ARGUMENTS: dict[str, dict[str, Any]] = {
    "file": {"type": Path, "metavar": "FILE", "help": "the .blend file"},
    "--triangles": {
        "type": int, "default": 50_000, "help": "divide a cell that has more; 50000",
    },
    "--least-triangles": {
        "type": int, "default": 1_000, "help": "never divide one that has fewer; 1000",
    },
    "--least-size": {
        "type": float, "default": 0.25, "metavar": "LENGTH",
        "help": "never divide into shorter edges, in Blender units; 0.25",
    },
    "--cell": {
        "type": float, "default": 1.0, "metavar": "LENGTH",
        "help": "edges are this, doubled or halved; in Blender units, 1",
    },
    "--quadtree": {"action": "store_true", "help": "divide in four, seen from above"},
    "--assign": {"action": "store_true", "help": "keep triangles whole, by their centers"},
    "--real": {"action": "store_true", "help": "make instances real where walls cross them"},
    "--out": {
        "type": Path, "metavar": "FOLDER", "help": "write triangles (.npz) and objects (.blend)",
    },
    "--gltf": {
        "type": Path, "metavar": "FOLDER", "help": "write .gltf, .bin and a folder of textures",
    },
    "--glb": {"type": Path, "metavar": "FOLDER", "help": "write .glb, textures inside"},
    "--tiles": {
        "type": Path, "metavar": "FOLDER", "help": "write 3D Tiles 1.1: .glb and tileset.json",
    },
    "--georeference": {
        "default": "", "metavar": "LON,LAT,HEIGHT",
        "help": "where tiles are on Earth: degrees and meters of the origin of the world",
    },
    "--blend": {"type": Path, "metavar": "FOLDER", "help": "write .blend, each with a collection"},
}  # fmt: skip

# Where the option is not called as what is written.
_OPTION_OF = {"arrays": "out"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `octree chunks` takes."""
    for name, values in _ARGUMENTS.items():
        parser.add_argument(name, **values)


def run_chunks(_: bpy.types.Context, arguments: argparse.Namespace) -> int:
    """Cut a file, write what has changed, and return the exit code."""
    options, folders, place = _options(arguments), _folders(arguments), _place(arguments)
    for folder in folders.values():
        require_folder(folder)
    open_blend(arguments.file)
    context = bpy.context
    cut = run(cut_steps(context, options), heed=heed)
    made = run(make_steps(context.scene, cut), heed=heed)
    try:
        # All that may be refused comes before the first file is written.
        shipments = [
            run(
                ship_steps(context.scene, cut, made, options, ShipmentWish(form, folder, place)),
                heed=heed,
            )
            for form, folder in folders.items()
        ]
    finally:
        made.draft.drop()
    for shipment in shipments:
        _put(shipment, cut)
    return 0


def _put(shipment: Shipment, cut: SceneCut) -> None:
    said = shipped_text(shipment.put())
    heed()
    triangles, over = int(cut.found.counts.sum()), int(cut.found.is_over.sum())
    budget = shipment.head["options"]["triangles"]
    print(f"{shipment.folder}: {said}; {triangles:,} triangles, {over:,} over {budget:,}")


def _place(arguments: argparse.Namespace) -> Georeference | None:
    try:
        return read_georeference(arguments.georeference)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _folders(arguments: argparse.Namespace) -> dict[str, Path]:
    """Return where each form is written."""
    given = {form: getattr(arguments, _OPTION_OF.get(form, form)) for form in FORMS}
    folders = {form: folder for form, folder in given.items() if folder is not None}
    if not folders:
        raise UsageError("Name a folder to write into: --out, --gltf, --glb, --tiles or --blend")
    if len({folder.resolve() for folder in folders.values()}) < len(folders):
        raise UsageError("Each format wants a folder of its own")
    return folders


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    if arguments.triangles < 1 or arguments.least_triangles < 0:
        raise UsageError("--triangles must be 1 or more, --least-triangles 0 or more")
    if not 0 < arguments.cell < float("inf") or not 0 <= arguments.least_size < float("inf"):
        raise UsageError("--cell must be more than 0, --least-size 0 or more")
    return {
        "scope": "VISIBLE",
        "triangles": arguments.triangles,
        "least_triangles": arguments.least_triangles,
        "least_size": arguments.least_size,
        "cell": arguments.cell,
        "tree": "QUADTREE" if arguments.quadtree else "OCTREE",
        "method": "ASSIGN" if arguments.assign else "CUT",
        "instances": "REAL" if arguments.real else "WHOLE",
    }


COMMAND = Command(
    name="chunks",
    help="cut a file into chunks",
    description=_DESCRIPTION,
    add_arguments=add_arguments,
    run=run_chunks,
)
