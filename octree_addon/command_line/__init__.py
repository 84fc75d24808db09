"""Command line (CLI): `blender --command octree NAME ...`, a file for each name."""

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import bpy

from . import audit, budget, chunks, distances, place, seen
from .command import Command, UsageError
from .interrupt import INTERRUPTED, interruptible

# A new command is one line here.
COMMANDS: tuple[Command, ...] = (
    seen.COMMAND,
    audit.COMMAND,
    distances.COMMAND,
    place.COMMAND,
    chunks.COMMAND,
    budget.COMMAND,
)
NAME = "octree"
# What Blender needs to forget the command.
_handles: list[Any] = []


def main(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code.

    0 is success. 1 says that it could not be done, 2 that it was not understood; the reason is
    written to the standard error. 130 is Ctrl-C; then no file is half written. Any other exception
    stays a traceback, and Blender's code 1.
    """
    try:
        parsed = _parser().parse_args(arguments)
    except SystemExit as end:  # Blender itself goes on
        return int(end.code or 0)
    try:
        with interruptible():
            code: int = parsed.run(bpy.context, parsed)
    except KeyboardInterrupt:
        return _fail("interrupted", INTERRUPTED)
    except UsageError as error:
        return _fail(error, 2)
    except (ValueError, OSError) as error:
        return _fail(error, 1)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"blender --command {NAME}", description="Ask octrees without a window."
    )
    names = parser.add_subparsers(required=True, metavar="NAME")
    for each in COMMANDS:
        sub = names.add_parser(each.name, help=each.help, description=each.description)
        each.add_arguments(sub)
        sub.set_defaults(run=each.run)
    return parser


def _fail(error: Exception | str, code: int) -> int:
    print(f"octree: error: {error}", file=sys.stderr)
    return code


def register() -> None:
    """Tell Blender the command."""
    handle: Any = bpy.utils.register_cli_command(NAME, main)  # type: ignore[func-returns-value]
    _handles.append(handle)


def unregister() -> None:
    """Take it back."""
    while _handles:
        bpy.utils.unregister_cli_command(_handles.pop())
