"""Gate for CI: an audit on the command line that fails on some classes of findings.

    blender --command octree audit house.blend --fail-on overlap,duplicate --report audit.json

Each report is written completely or not at all.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ....core import FINDING_CLASSES
from ...arrays import Flags
from ...written_files import require_file, write_file, writer_of
from ..report_formats import REPORTS, About, fails, read_json, title
from .comparison import compare
from .findings import NEAR, Findings
from .identity import match_objects

FAIL_ON = ("overlap", "contained", "duplicate")
MOST_SAID = 20
# Largest clearance in meters: its square is finite in any unit of length.
MOST_CLEARANCE = 1e100


@dataclass(frozen=True)
class Gate:
    """Options of the command line.

    Attributes
    ----------
    fail_on : tuple of str
        The classes whose findings fail.
    clearance : float
        Smallest allowed distance of objects in meters; `near` has no findings beyond it.
    reports : tuple of str
        Paths of the reports to write.
    baseline : str
        Path of an earlier JSON report, whose findings do not fail again; empty for none.
    """

    fail_on: tuple[str, ...] = FAIL_ON
    clearance: float = 0.0
    reports: tuple[str, ...] = ()
    baseline: str = ""


Audit = Callable[[Gate], tuple[Findings, About]]


def add_options(parser: ArgumentParser) -> None:
    """Add the options of an audit to a parser; `gate_of` reads them."""
    usual = ",".join(FAIL_ON)
    among = ", ".join(name.replace(" ", "-") for name in FINDING_CLASSES)
    parser.add_argument(
        "--fail-on",
        default=usual,
        metavar="CLASS,...",
        help=f"{among}; or none ({usual})",
    )
    parser.add_argument(
        "--clearance", default=0.0, type=float, metavar="METERS", help="how near is too near"
    )
    parser.add_argument(
        "--report", action="append", default=[], metavar="FILE", help=".csv .json .bcf .html .xml"
    )
    parser.add_argument(
        "--baseline", default="", metavar="FILE", help="a .json report: what it has does not fail"
    )


def gate_of(options: Namespace) -> Gate:
    """Return the validated options of a parser.

    Raises
    ------
    ValueError
        If a class or a kind of report is unknown, or the clearance is out of range.
    """
    fail_on = _classes(options.fail_on)
    if not 0 <= options.clearance <= MOST_CLEARANCE:
        wanted = f"--clearance must be 0 or more meters, {MOST_CLEARANCE:g} at most"
        raise ValueError(f"{wanted}, got {options.clearance}")
    if "near" in fail_on and options.clearance == 0:
        raise ValueError("--fail-on near needs a --clearance above 0")
    for path in options.report:
        writer_of(REPORTS, path)
    return Gate(fail_on, options.clearance, tuple(options.report), options.baseline)


def _classes(text: str) -> tuple[str, ...]:
    """Return the classes in a list, with - for a space; "coplanar" means both coplanar classes."""
    if text.strip() == "none":
        return ()
    wanted = [name.strip().replace(" ", "-") for name in text.split(",")]
    named = {name: name.replace(" ", "-") for name in FINDING_CLASSES}
    for word in wanted:
        if not any(word == name or name.startswith(f"{word}-") for name in named.values()):
            known = ", ".join(named.values())
            raise ValueError(f"--fail-on takes {known}, or none; got {word!r}")
    return tuple(
        name
        for name, dashed in named.items()
        if any(dashed == word or dashed.startswith(f"{word}-") for word in wanted)
    )


def failing(findings: Findings, gate: Gate, known: Findings | None = None) -> Flags:
    """Flag failing findings, (n,): not ignored, not resolved, and not among the `known`.

    A finding of class "near" fails if the lower bound of its distance is within the clearance.
    """
    flags = fails(findings, gate.fail_on)
    is_near = findings.audit.classes == NEAR
    flags &= ~is_near | (findings.audit.lower <= gate.clearance)
    if known is not None:
        flags &= compare(known, findings, match_objects(known.objects, findings.objects)).is_new
    return flags


def run_audit(options: Namespace, audit: Audit, say: Callable[[str], Any] = print) -> bool:
    """Audit, write the reports, print failing findings, and return whether there are any.

    An invalid baseline and a report that cannot be written raise errors before the audit.

    Parameters
    ----------
    options : Namespace
        Values of a parser with `add_options`.
    audit : callable
        Takes the gate; returns the findings, and their description for reports.
    say : callable, optional
        Takes each line of output.

    Raises
    ------
    ValueError, OSError
        If options or files are invalid.
    """
    gate = gate_of(options)
    known = _baseline(gate)
    for path in gate.reports:
        require_file(path)
    findings, about = audit(gate)
    flags = failing(findings, gate, known)
    about = replace(about, fail_on=gate.fail_on)
    writers = [writer_of(REPORTS, path) for path in gate.reports]
    reports = [writer.content(findings, about, {}) for writer in writers]
    for path, report in zip(gate.reports, reports, strict=True):
        write_file(path, report)
    _say_failing(findings, flags, say)
    return bool(flags.any())


def _baseline(gate: Gate) -> Findings | None:
    if not gate.baseline:
        return None
    try:
        return read_json(Path(gate.baseline).read_bytes())[0]
    except ValueError as error:
        raise ValueError(f"{gate.baseline} is no baseline: {error}") from error


def _say_failing(findings: Findings, flags: Flags, say: Callable[[str], Any]) -> None:
    rows = np.flatnonzero(flags)
    for row in rows[:MOST_SAID].tolist():
        say(title(findings, row))
    if len(rows) > MOST_SAID:
        say(f"and {len(rows) - MOST_SAID:,} more")
    say(f"{len(findings):,} found, {len(rows):,} of them fail")
