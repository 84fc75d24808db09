"""The command `octree budget`: parts of a file with more triangles than allowed, for CI."""

import argparse
from pathlib import Path
from typing import Any

import bpy

from ...core import run
from ..audit.model.gate import MOST_SAID
from ..density import CountedCells, cells_counted_steps
from ..density.budget import (
    BUDGET_REPORTS,
    TriangleBudget,
    budget_of,
    over_budget,
    read_budget,
)
from ..density.shares import BudgetShare, budget_share, merged_counts, read_share, share_text
from ..shares import Chunk
from ..ui import length_unit, plural
from ..written_files import require_file, write_file, writer_of
from .command import Command, open_blend
from .farm import add_farm_options, check_out, check_source, file_sum, parts_to_merge
from .interrupt import heed

_DESCRIPTION = """Count triangles, objects and materials of a file, in all and in cells, and
compare them with a budget. The blend file is read, never written; its scripts run only if
Blender's own settings allow it. On a farm each machine counts a --chunk, and one merges them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `octree budget`."""
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="the .blend file")
    parser.add_argument("--budget", type=Path, metavar="JSON", help="the limits, a .json file")
    parser.add_argument(
        "--fail-on", choices=("over", "none"), default="over", help="what counts as found (over)"
    )
    parser.add_argument(
        "--report", action="append", default=[], metavar="FILE", help=".json .xml (JUnit)"
    )
    add_farm_options(parser, "all objects", merged="one count")


def run_budget(_: bpy.types.Context, arguments: argparse.Namespace) -> bool:
    """Compare a file or merged chunks with a budget; return whether anything is over."""
    _check(arguments)
    writers = [writer_of(BUDGET_REPORTS, path) for path in arguments.report]
    for path in (*arguments.report, *([arguments.out] if arguments.chunk else [])):
        require_file(path)
    if arguments.chunk:
        return _run_chunk(arguments)
    shares = _shares(arguments)
    scene, cells = merged_counts(shares)
    asked = shares[0].asked
    budget = budget_of(asked["budget"])
    over = over_budget(budget, scene, cells)
    for path, writer in zip(arguments.report, writers, strict=True):
        write_file(path, writer.content(asked["file"], budget, over, scene))
    for each in over[:MOST_SAID]:
        print(each.said)
    if len(over) > MOST_SAID:
        print(f"and {len(over) - MOST_SAID:,} more")
    print(f"{scene.counts['triangles']:,.0f} triangles, {len(over):,} over budget")
    return bool(over) and arguments.fail_on == "over"


def _read(path: Path) -> TriangleBudget:
    try:
        return read_budget(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path} is no budget: {error}") from error


def _check(arguments: argparse.Namespace) -> None:
    """Refuse contradictory arguments."""
    check_source(arguments)
    check_out(arguments)
    if (arguments.budget is None) == (arguments.merge is None):
        raise ValueError("A FILE is held against a --budget; chunks to --merge know theirs")
    if arguments.chunk and (arguments.merge or arguments.report):
        raise ValueError("--report belongs to the --merge of chunks of a FILE")


def _run_chunk(arguments: argparse.Namespace) -> bool:
    """Count one share of the objects and write it; always return False, as only merges fail."""
    share = _counted(arguments.file, _read(arguments.budget), arguments.chunk)
    write_file(arguments.out, share_text(share))
    number, count = arguments.chunk
    said = f"{plural(share.objects, 'object')} in chunk {number} of {count}"
    print(f"{said}; written to {arguments.out}")
    return False


def _shares(arguments: argparse.Namespace) -> list[BudgetShare]:
    """Return the counts to merge, or the counts of the whole file."""
    if arguments.merge:
        return parts_to_merge(arguments, lambda path: read_share(path.read_bytes()))
    return [_counted(arguments.file, _read(arguments.budget), None)]


def _counted(path: Path, budget: TriangleBudget, chunk: Chunk | None) -> BudgetShare:
    open_blend(path)
    scene = bpy.context.scene
    cell = budget.cell / length_unit(scene)[1]
    found: CountedCells = run(cells_counted_steps(bpy.context, cell, chunk=chunk), heed=heed)
    limits = {"cell": budget.cell, **budget.limits}
    asked: dict[str, Any] = {"file": path.name, "budget": limits}
    if chunk is not None:
        asked["sha1"] = file_sum(path)
    return budget_share(found, scene, asked, chunk or (1, 1))


COMMAND = Command(
    name="budget",
    help="where there are more triangles than there may be",
    description=_DESCRIPTION,
    add_arguments=add_arguments,
    run=run_budget,
)
