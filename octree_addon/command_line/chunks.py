"""The command `octree chunks`: a file cut into chunks, a folder of them, and a manifest."""

import argparse
from pathlib import Path
from typing import Any

import bpy

from ...core import run
from ..chunks import (
    CHUNK,
    MANIFEST,
    CellFiles,
    SceneCut,
    cell_hash,
    cut_steps,
    known_hashes,
    link_made,
    make_steps,
    manifest_of,
    parts_by_cell,
)
from ..ui import plural
from ..written_files import require_folder, write_file
from .command import Command, UsageError, open_blend
from .interrupt import heed

_DESCRIPTION = """Cut what a file shows into chunks: of each cell an .npz file with its triangles,
and a .blend file with its objects; and manifest.json, which a second run takes up: it writes
changed cells only. The blend file is read, never written; its scripts run only if Blender's own
settings allow it."""
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
    "--out": {"type": Path, "required": True, "metavar": "FOLDER", "help": "what to write into"},
}  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `octree chunks` takes."""
    for name, values in _ARGUMENTS.items():
        parser.add_argument(name, **values)


def run_chunks(_: bpy.types.Context, arguments: argparse.Namespace) -> int:
    """Cut a file, write what has changed, and return the exit code."""
    options = _options(arguments)
    folder: Path = arguments.out
    require_folder(folder)
    known = _known(folder)
    open_blend(arguments.file)
    context = bpy.context
    cut = run(cut_steps(context, options), heed=heed)
    parts = parts_by_cell(cut)
    hashes = [cell_hash(each) for each in parts]
    changed = [
        cell for cell, name in enumerate(cut.names)
        if known.get(name) != hashes[cell] or not _is_written(folder, name)
    ]  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    _write_cells(context, cut, changed, folder)
    content = manifest_of(cut, options, arguments.file.name, hashes)
    write_file(folder / MANIFEST, content)
    over = int(cut.found.is_over.sum())
    print(
        f"{plural(len(cut.names), 'cell')}, {int(cut.found.counts.sum()):,} triangles,"
        f" {len(changed):,} written, {over:,} over {options['triangles']:,}"
    )
    return 0


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


def _known(folder: Path) -> dict[str, str]:
    """Return the hashes of an earlier run; none without one, or if its manifest is damaged."""
    try:
        return known_hashes((folder / MANIFEST).read_bytes())
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _is_written(folder: Path, name: str) -> bool:
    return all((folder / f"{name}.{ending}").is_file() for ending in ("npz", "blend"))


def _write_cells(
    context: bpy.types.Context, cut: SceneCut, changed: list[int], folder: Path
) -> None:
    """Write cells; the file that is open has their objects from then on, and is not saved."""
    files = CellFiles(cut)
    names = {each.session_uid: each.name for each in bpy.data.materials}
    root = link_made(context, cut, run(make_steps(context.scene, cut), heed=heed))
    collections = {each[CHUNK]: each for each in root.children}
    passing = Path(bpy.app.tempdir or ".") / "octree_chunk.blend"
    for cell in changed:
        name = cut.names[cell]
        write_file(folder / f"{name}.npz", files.content(cell, names))
        bpy.data.libraries.write(str(passing), {collections[name]}, fake_user=True)
        write_file(folder / f"{name}.blend", passing.read_bytes())
        heed()
    passing.unlink(missing_ok=True)


COMMAND = Command(
    name="chunks",
    help="cut a file into chunks",
    description=_DESCRIPTION,
    add_arguments=add_arguments,
    run=run_chunks,
)
