"""The command `octree audit`: findings of a file as reports, and an exit code for CI."""

import argparse
from pathlib import Path

import bpy

from ...core import FINDING_CLASSES, run
from ..audit import Wish, about_of, grouped_by_hand, look_steps, usual_band, wanted
from ..audit.data import About, Findings, add_options, canonical, run_audit
from ..audit.data.gate import Gate
from ..ui import length_unit
from .command import Command, open_blend
from .interrupt import heed

_DESCRIPTION = """Find what overlaps, is doubled or comes too near. Ends with 0 if nothing that
fails was found, with 1 if something was, with 2 if it could not be told, with 130 after Ctrl-C.
The blend file is read, never written; its scripts run only if Blender's own settings allow it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `octree audit` takes."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the .blend file")
    add_options(parser)
    parser.add_argument(
        "--json",
        action="append",
        dest="report",
        metavar="FILE",
        help="the same as --report, for a .json file",
    )
    parser.add_argument(
        "--contacts", action="store_true", help="also report what only touches, which is normal"
    )


def run_file(context: bpy.types.Context, arguments: argparse.Namespace) -> int:
    """Audit a file, write the reports, and return the exit code."""

    def audit(gate: Gate) -> tuple[Findings, About]:
        return _audit(context, arguments.file, gate, contacts=arguments.contacts)

    return run_audit(arguments, audit)


def _audit(
    context: bpy.types.Context, path: Path, gate: Gate, *, contacts: bool
) -> tuple[Findings, About]:
    open_blend(path)
    scene = bpy.context.scene
    classes = {*FINDING_CLASSES[:4], *gate.fail_on, *(FINDING_CLASSES[4:6] if contacts else ())}
    if gate.clearance:
        classes.add("near")
    wish = Wish(
        clearance=gate.clearance / length_unit(scene)[1],
        band=usual_band(scene),
        itself="self-intersection" in gate.fail_on,
        classes=frozenset(classes),
    )
    looked = run(look_steps(bpy.context, wish), heed=heed)
    found = grouped_by_hand(scene, wanted(looked.findings, wish.classes))
    options = {
        "clearance": gate.clearance,
        "contacts": contacts,
        "fail on": ",".join(gate.fail_on),
    }
    return canonical(found), about_of(scene, options)


COMMAND = Command(
    name="audit",
    help="what overlaps, is doubled or comes too near",
    description=_DESCRIPTION,
    add_arguments=add_arguments,
    run=run_file,
)
