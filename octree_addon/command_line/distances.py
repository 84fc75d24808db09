"""The command `octree distances`: distances between objects of a file, as lines or as JSON."""

import argparse
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...core import run
from ..distances import Dimensions, Pairing, measure_steps
from ..result_list import numbered
from ..text_formats import json_file
from ..ui import length_unit
from ..written_files import require_file, write_file
from .command import Command, open_blend
from .interrupt import heed

VERSION = 1
_DESCRIPTION = """Measure the shortest distances between the surfaces of visible objects, exactly,
the shortest first. The blend file is read, never written; its scripts run only if Blender's own
settings allow it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `octree distances`."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the .blend file")
    parser.add_argument(
        "--pairs",
        choices=("nearest", "all", "selected", "active"),
        default="nearest",
        help="which are measured: each object and those nearest to it, all pairs, those among the"
        " objects that the file has selected, or its active one and all others",
    )
    parser.add_argument(
        "--nearest", type=int, metavar="K", help="how many are the nearest to each; 1 if not given"
    )
    parser.add_argument(
        "--json",
        nargs="?",
        const="-",
        metavar="OUT",
        help="write JSON, to a file or between Blender's own lines, instead of lines",
    )


def run_file(context: bpy.types.Context, arguments: argparse.Namespace) -> bool:
    """Measure distances, and print or write them; return False: nothing counts as found."""
    if arguments.nearest is not None and (arguments.pairs != "nearest" or arguments.nearest < 1):
        raise ValueError("--nearest takes a number from 1 on, and goes with --pairs nearest only")
    if arguments.json not in (None, "-"):
        require_file(arguments.json)
    open_blend(arguments.file)
    wish = Pairing(arguments.pairs.upper(), arguments.nearest or 1, _ones(arguments.pairs))
    found = run(measure_steps(bpy.context, wish), heed=heed)
    entries = entries_of(bpy.context.scene, found)
    unit = length_unit(bpy.context.scene)[0]
    if arguments.json:
        text = json_file({"version": VERSION, "unit": unit, "pairs": entries})
        if arguments.json == "-":
            print(text, end="")
        else:
            write_file(arguments.json, text)
        return False
    for entry in entries:
        one, other = entry["names"]
        print(f"{entry['distance']:.6g} {unit}\t{one}\t{other}")
    return False


def _ones(pairs: str) -> frozenset[int]:
    """Return the session ids of the selected objects or the active one, as `pairs` demands."""
    layer = bpy.context.view_layer
    if pairs == "active":
        if layer.objects.active is None:
            raise ValueError("The file has no active object")
        return frozenset((layer.objects.active.session_uid,))
    return frozenset(item.session_uid for item in layer.objects.selected if pairs == "selected")


def entries_of(scene: bpy.types.Scene, found: Dimensions) -> list[dict[str, Any]]:
    """Return a JSON object for each pair, in the unit of the scene."""
    known = {item.session_uid: item.name for item in scene.objects}
    scale, distances = length_unit(scene)[1], found.found
    owners, instances = found.owners.T.tolist(), found.instances.swapaxes(0, 1).tolist()
    points, inside = distances.points.swapaxes(0, 1) * scale, distances.inside.tolist()
    return [
        {
            "names": [numbered(known.get(*each), ids) for each, ids in _sides(both, numbers)],
            "distance": length * scale,
            "points": ends,
            "triangles": items,
            "inside": lies if lies >= 0 else None,
            "depth": [depth * scale for depth in deep],
        }
        for both, numbers, length, ends, items, lies, deep in zip(
            owners, instances, distances.distances.tolist(), np.asarray(points).tolist(),
            distances.items.T.tolist(), inside, distances.depths.T.tolist(), strict=True,
        )
    ]  # fmt: skip


def _sides(both: list[int], numbers: list[list[int]]) -> list[tuple[tuple[int, str], list[int]]]:
    return [((uid, ""), ids) for uid, ids in zip(both, numbers, strict=True)]


COMMAND = Command(
    name="distances",
    help="how far objects are apart",
    description=_DESCRIPTION,
    add_arguments=add_arguments,
    run=run_file,
)
