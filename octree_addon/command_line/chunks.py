"""The command `octree chunks`: a file cut into chunks, as a folder of files with a manifest."""

import argparse
from collections.abc import Mapping
from pathlib import Path

import bpy

from ...core import run
from ..chunks import (
    ChunkOptions,
    budget_text,
    cut_steps,
    make_steps,
)
from ..options import add_arguments, from_values, given
from ..shipping import (
    FORMS,
    FolderShare,
    Georeference,
    Shipment,
    ShipmentOptions,
    ShipmentWish,
    merged_shipment,
    read_georeference,
    read_share_folder,
    ship_steps,
    shipped_text,
)
from ..written_files import require_folder
from .command import Command, open_blend
from .farm import add_farm_options, check_source, file_sum, parts_to_merge
from .interrupt import heed

_DESCRIPTION = """Cut what a file shows into chunks, and write a folder of them: a file or two for
each cell, and manifest.json, which a second run takes up: it writes changed cells only, and
deletes only what an earlier one wrote. On a farm each machine writes a --chunk of the cells into a
folder of its own, and one merges them. The blend file is read, never written; its scripts run only
if Blender's own settings allow it."""
# Arguments that select an item of an option: the option, the item, and the help.
_CHOICES = {
    "--quadtree": ("tree", "QUADTREE", "divide in four, seen from above"),
    "--assign": ("method", "ASSIGN", "keep triangles whole, by their centers"),
    "--real": ("instances", "REAL", "make instances real where walls cross them"),
}
# Arguments for the folder of each format, and their help.
_FOLDERS = {
    "--out": "write triangles (.npz) and objects (.blend)",
    "--gltf": "write .gltf, .bin and a folder of textures",
    "--glb": "write .glb, textures inside",
    "--tiles": "write 3D Tiles 1.1: .glb and tileset.json",
    "--blend": "write .blend, each with a collection",
}

# Options that are budgets of a cell, of which one can be given.
_BUDGETS = {"triangles", "objects", "texels"}
# Arguments with another name than their format.
_OPTION_OF = {"arrays": "out"}


def add_chunk_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `octree chunks`: the options of the tab, with one of the budgets."""
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="the .blend file")
    add_arguments(parser, ChunkOptions, exclusive=_BUDGETS)
    for word, (_, _, said) in _CHOICES.items():
        parser.add_argument(word, action="store_true", help=said)
    for word, said in _FOLDERS.items():
        parser.add_argument(word, type=Path, metavar="FOLDER", help=said)
    add_arguments(parser, ShipmentOptions)
    parser.add_argument(
        "--georeference",
        default="",
        metavar="LON,LAT,HEIGHT",
        help="where tiles are on Earth: degrees and meters of the origin of the world",
    )
    add_farm_options(parser, "all cells, a folder each", merged="one folder", out=False)


def run_chunks(_: bpy.types.Context, arguments: argparse.Namespace) -> bool:
    """Cut or merge, and write changed files; return False: nothing counts as found."""
    options, folders, place = _options(arguments), _folders(arguments), _place(arguments)
    levels = ShipmentOptions.of(given(arguments, ShipmentOptions)).levels
    _check(arguments, folders, levels)
    for folder in folders.values():
        require_folder(folder)
    if arguments.merge:
        ((form, folder),) = folders.items()
        shares = parts_to_merge(arguments, read_share_folder, folder)
        _put(merged_shipment(shares, ShipmentWish(form, folder, place)))
        return False
    open_blend(arguments.file)
    share = None
    if arguments.chunk:
        share = FolderShare(arguments.chunk, file_sum(arguments.file))
    context = bpy.context
    cut = run(cut_steps(context, options, chunk=arguments.chunk), heed=heed)
    made = run(make_steps(context.scene, cut), heed=heed)
    try:
        # Stage everything that can fail before the first file is written.
        wishes = [
            ShipmentWish(form, folder, place, levels, share) for form, folder in folders.items()
        ]
        shipments = [
            run(ship_steps(context.scene, cut, made, options, wish), heed=heed) for wish in wishes
        ]
    finally:
        made.draft.drop()
    for shipment in shipments:
        _put(shipment)
    return False


def _check(arguments: argparse.Namespace, folders: Mapping[str, Path], levels: int) -> None:
    """Refuse contradictory arguments."""
    check_source(arguments)
    if arguments.chunk and (arguments.merge or arguments.georeference):
        raise ValueError("--georeference belongs to the --merge of chunks of a FILE")
    if levels > 1 and (arguments.chunk or arguments.merge):
        raise ValueError("--levels want all cells at once, not a --chunk or --merge")
    if not arguments.merge:
        return
    if len(folders) > 1:
        raise ValueError("--merge into one folder: the chunks have one format")
    asked = [ChunkOptions.flat[name].argument for name in given(arguments, ChunkOptions)]
    asked += [word for word in _CHOICES if getattr(arguments, word.removeprefix("--"))]
    if asked:
        raise ValueError(f"{', '.join(asked)}: the chunks of a FILE are cut already")


def _put(shipment: Shipment) -> None:
    said = shipped_text(shipment.put())
    heed()
    told = [each.members for each in shipment.chunks if not each.members["height"]]
    triangles, over = (sum(each[name] for each in told) for name in ("triangles", "over"))
    budget = budget_text(from_values(ChunkOptions, shipment.head["options"]))
    print(f"{shipment.folder}: {said}; {triangles:,} triangles, {over:,} over {budget}")


def _place(arguments: argparse.Namespace) -> Georeference | None:
    return read_georeference(arguments.georeference)


def _folders(arguments: argparse.Namespace) -> dict[str, Path]:
    """Return the folder of each wanted format."""
    given = {form: getattr(arguments, _OPTION_OF.get(form, form)) for form in FORMS}
    folders = {form: folder for form, folder in given.items() if folder is not None}
    if not folders:
        *most, last = _FOLDERS
        raise ValueError(f"Name a folder to write into: {', '.join(most)} or {last}")
    if len({folder.resolve() for folder in folders.values()}) < len(folders):
        raise ValueError("Each format wants a folder of its own")
    return folders


def _options(arguments: argparse.Namespace) -> ChunkOptions:
    """Return the options of the arguments, with defaults for the others."""
    values = given(arguments, ChunkOptions)
    for each in values.keys() & _BUDGETS:
        values["counted"] = each.upper()
    for word, (name, item, _) in _CHOICES.items():
        if getattr(arguments, word.removeprefix("--")):
            values[name] = item
    return ChunkOptions.of(values)


COMMAND = Command(
    name="chunks",
    help="cut a file into chunks",
    description=_DESCRIPTION,
    add_arguments=add_chunk_arguments,
    run=run_chunks,
)
