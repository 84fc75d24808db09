"""Command line (CLI): `blender --command octree NAME ...`, with a module for each NAME."""

import argparse
import sys
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn

import bpy

from . import audit, budget, chunks, distances, exit_codes, place, seen
from .command import Command
from .exit_codes import ExitCode, fail
from .interrupt import interruptible

# All commands; a new one is added here.
COMMANDS: tuple[Command, ...] = (
    seen.COMMAND,
    audit.COMMAND,
    distances.COMMAND,
    place.COMMAND,
    chunks.COMMAND,
    budget.COMMAND,
)
NAME = "octree"
# Handles for unregistering the command.
_handles: list[Any] = []


def main(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code, see `exit_codes`; errors are printed.

    After Ctrl-C no file is half written. Unexpected errors are printed with a traceback.
    """
    try:
        parsed = _parser().parse_args(arguments)
        with interruptible():
            found: bool = parsed.run(bpy.context, parsed)
    except SystemExit as end:  # of --help; Blender itself must not exit here
        return int(end.code or 0)
    except KeyboardInterrupt:
        return fail("interrupted", ExitCode.INTERRUPTED)
    except (ValueError, OSError, MemoryError) as error:
        return fail(error)
    except Exception as error:
        traceback.print_exc()
        return fail(f"{type(error).__name__}: {error}")
    return ExitCode.FOUND if found else ExitCode.DONE


class _Parser(argparse.ArgumentParser):
    """A parser that prints its usage and raises `ValueError` for arguments it cannot parse."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        raise ValueError(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=f"blender --command {NAME}",
        description="Ask octrees without a window.",
        epilog=exit_codes.HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = parser.add_subparsers(required=True, metavar="NAME")
    for each in COMMANDS:
        sub = names.add_parser(
            each.name,
            help=each.help,
            description=each.description,
            epilog=exit_codes.HELP,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        each.add_arguments(sub)
        sub.set_defaults(run=each.run)
    return parser


def register() -> None:
    """Register the command in Blender."""
    handle: Any = bpy.utils.register_cli_command(NAME, main)  # type: ignore[func-returns-value]
    _handles.append(handle)


def unregister() -> None:
    """Unregister the command."""
    while _handles:
        bpy.utils.unregister_cli_command(_handles.pop())
