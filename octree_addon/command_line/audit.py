"""The command `octree audit`: findings of a file as reports, and an exit code for CI."""

import argparse
from pathlib import Path
from typing import Any

import bpy

from ...core import FINDING_CLASSES, run
from ..audit import Wish, about_of, audited_steps, grouped_by_hand, usual_band
from ..audit.model import (
    About,
    AuditShare,
    Findings,
    add_options,
    canonical,
    gate_of,
    merged_shares,
    read_share,
    run_audit,
    share_content,
)
from ..audit.model.gate import Gate
from ..ui import length_unit, plural
from ..written_files import require_file, write_file
from .command import Command, open_blend
from .farm import add_farm_options, check_out, check_source, file_sum, parts_to_merge
from .interrupt import heed

_DESCRIPTION = """Find what overlaps, is doubled or comes too near. The blend file is read, never
written; its scripts run only if Blender's own settings allow it. On a farm each machine looks at a
--chunk of the pairs, and one merges them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `octree audit`."""
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="the .blend file")
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
    add_farm_options(parser, "all pairs", merged="one audit")


def run_file(context: bpy.types.Context, arguments: argparse.Namespace) -> bool:
    """Audit a file or merge chunks, and write the reports; return whether the gate fails."""
    _check(arguments)
    if arguments.merge:
        return _run_merge(arguments)
    if arguments.chunk:
        return _run_chunk(arguments)

    def audit(gate: Gate) -> tuple[Findings, About]:
        return _audit(arguments.file, gate, contacts=arguments.contacts)

    return run_audit(arguments, audit)


def _check(arguments: argparse.Namespace) -> None:
    """Refuse contradictory arguments."""
    check_source(arguments)
    check_out(arguments)
    if arguments.chunk and (arguments.merge or arguments.report or arguments.baseline):
        raise ValueError("--report and --baseline belong to the --merge of chunks of a FILE")


def _run_chunk(arguments: argparse.Namespace) -> bool:
    """Audit one share of the pairs and write it; always return False, as only merges fail."""
    gate = gate_of(arguments)
    require_file(arguments.out)
    number, count = arguments.chunk
    findings, about = _audit(
        arguments.file, gate, contacts=arguments.contacts, chunk=(number, count)
    )
    asked = {
        "file": arguments.file.name,
        "sha1": file_sum(arguments.file),
        "fail_on": list(gate.fail_on),
        "clearance": gate.clearance,
        "contacts": arguments.contacts,
    }
    share = AuditShare((number, count), asked, findings, about)
    write_file(arguments.out, share_content(share))
    said = plural(len(findings), "finding")
    print(f"{said} in chunk {number} of {count}; written to {arguments.out}")
    return False


def _run_merge(arguments: argparse.Namespace) -> bool:
    """Merge chunks and report them as a whole, by the options that the chunks were made with."""
    shares = parts_to_merge(arguments, lambda path: read_share(path.read_bytes()))
    findings, about = merged_shares(shares)
    asked = shares[0].asked
    classes = [name.replace(" ", "-") for name in asked["fail_on"]]
    arguments.fail_on = ",".join(classes) or "none"
    arguments.clearance = asked["clearance"]
    return run_audit(arguments, lambda _: (findings, about))


def _audit(
    path: Path, gate: Gate, *, contacts: bool, chunk: tuple[int, int] | None = None
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
    _, findings = run(audited_steps(bpy.context, wish, chunk=chunk), heed=heed)
    found = grouped_by_hand(scene, findings)
    options: dict[str, Any] = {
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
