"""The command `octree chunks`: a file cut into chunks, a folder of them, and a manifest."""

import argparse
from pathlib import Path
from typing import Any

import bpy

from ...core import run
from ..chunks import (
    CHUNK,
    CHUNK_OPTIONS,
    LIMITS,
    MANIFEST,
    CellFiles,
    OctreeChunkSettings,
    SceneCut,
    budget_text,
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
# Words that choose one item of an option.
_CHOICES = {
    "--quadtree": ("tree", "QUADTREE", "divide in four, seen from above"),
    "--assign": ("method", "ASSIGN", "keep triangles whole, by their centers"),
    "--real": ("instances", "REAL", "make instances real where walls cross them"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `octree chunks` takes: the options of the tab, one of the budgets."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the .blend file")
    budgets = parser.add_mutually_exclusive_group()
    for name, row in _numbers().items():
        is_length = row.type == "FLOAT"
        unit = ", in Blender units" if is_length else ""
        (budgets if name in LIMITS.values() else parser).add_argument(
            _word(name),
            type=float if is_length else int,
            metavar="LENGTH" if is_length else "COUNT",
            help=f"{row.description[0].lower()}{row.description[1:]}{unit}; {row.default:g}",
        )
    for word, (_, _, said) in _CHOICES.items():
        parser.add_argument(word, action="store_true", help=said)
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FOLDER", help="what to write into"
    )


def _numbers() -> dict[str, Any]:
    """Return the options of chunks that are numbers."""
    rows: Any = OctreeChunkSettings.bl_rna.properties
    return {name: rows[name] for name in CHUNK_OPTIONS if rows[name].type in ("INT", "FLOAT")}


def _word(name: str) -> str:
    return f"--{name.replace('_', '-')}"


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
        f" {len(changed):,} written, {over:,} over {budget_text(options)}"
    )
    return 0


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what is asked for; what is not given is as in a new scene."""
    rows: Any = OctreeChunkSettings.bl_rna.properties
    options = {name: rows[name].default for name in CHUNK_OPTIONS}
    for name, row in _numbers().items():
        value = getattr(arguments, name)
        if value is None:
            continue
        if not row.hard_min <= value <= row.hard_max:
            raise UsageError(f"{_word(name)} must be {row.hard_min:g} to {row.hard_max:g}")
        options[name] = value
    given = [kind for kind, name in LIMITS.items() if getattr(arguments, name) is not None]
    chosen = {
        name: item
        for word, (name, item, _) in _CHOICES.items()
        if getattr(arguments, word.removeprefix("--"))
    }
    return {**options, "counted": [*given, "TRIANGLES"][0], **chosen}


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
