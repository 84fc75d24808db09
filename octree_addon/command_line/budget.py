"""The command `octree budget`: where a file has more triangles than it may, for CI."""

import argparse
import sys
from pathlib import Path
from typing import Any

import bpy

from ...core import run
from ..audit.data.gate import COULD_NOT, FOUND, MOST_SAID, PASSED
from ..density import CountedCells, cells_counted_steps
from ..density.budget import (
    BUDGET_REPORTS,
    CountedPlace,
    OverBudget,
    TriangleBudget,
    over_budget,
    read_budget,
)
from ..ui import length_unit
from ..written_files import require_file, write_file, writer_of
from .command import Command, open_blend
from .interrupt import heed

_DESCRIPTION = """Count triangles, objects and materials of a file, in all and in cells, and
compare them with a budget. Ends with 0 if all is within it, with 1 if something is over, with 2 if
it could not be told, with 130 after Ctrl-C. The blend file is read, never written; its scripts run
only if Blender's own settings allow it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `octree budget` takes."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the .blend file")
    parser.add_argument(
        "--budget", type=Path, required=True, metavar="JSON", help="the limits, a .json file"
    )
    parser.add_argument(
        "--fail-on", choices=("over", "none"), default="over", help="what ends with 1 (over)"
    )
    parser.add_argument(
        "--report", action="append", default=[], metavar="FILE", help=".json .xml (JUnit)"
    )


def run_budget(_: bpy.types.Context, arguments: argparse.Namespace) -> int:
    """Compare a file with a budget, write the reports, and return the exit code."""
    try:
        writers = [writer_of(BUDGET_REPORTS, path) for path in arguments.report]
        for path in arguments.report:
            require_file(path)
        budget = _read(arguments.budget)
        scene, over = _counted(arguments.file, budget)
        for path, writer in zip(arguments.report, writers, strict=True):
            write_file(path, writer.content(arguments.file.name, budget, over, scene))
    except (ValueError, OSError, MemoryError) as error:
        print(f"octree budget: {error}", file=sys.stderr)
        return COULD_NOT
    for each in over[:MOST_SAID]:
        print(each.said)
    if len(over) > MOST_SAID:
        print(f"and {len(over) - MOST_SAID:,} more")
    print(f"{scene.counts['triangles']:,.0f} triangles, {len(over):,} over budget")
    return FOUND if over and arguments.fail_on == "over" else PASSED


def _read(path: Path) -> TriangleBudget:
    try:
        return read_budget(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path} is no budget: {error}") from error


def _counted(path: Path, budget: TriangleBudget) -> tuple[CountedPlace, list[OverBudget]]:
    open_blend(path)
    scene = bpy.context.scene
    cell = budget.cell / length_unit(scene)[1]
    found: CountedCells = run(cells_counted_steps(bpy.context, cell), heed=heed)
    names = {item.session_uid: item.name for item in scene.objects}
    owners = found.world.placements.owners
    table = found.table

    def name(row: int) -> str:
        return names.get(int(owners[row]), "")

    columns: Any = (table.triangles, table.objects, table.materials, found.densities)
    whats = ("triangles", "objects", "materials", "density")
    rows = zip(*(each.tolist() for each in columns), strict=True)
    cells = [
        CountedPlace(where, dict(zip(whats, row, strict=True)), name(culprit))
        for where, row, culprit in zip(found.names, rows, table.culprits.tolist(), strict=True)
    ]
    sizes = (found.world.starts[1:] - found.world.starts[:-1]).tolist()
    total = {"triangles": int(table.triangles.sum()), "objects": len(owners)}
    whole = CountedPlace("scene", dict(total), name(sizes.index(max(sizes))))
    return whole, over_budget(budget, whole, cells)


COMMAND = Command(
    name="budget",
    help="where there are more triangles than there may be",
    description=_DESCRIPTION,
    add_arguments=add_arguments,
    run=run_budget,
)
