"""Exit codes of all commands, and their meanings in `--help`."""

import signal
import sys
from enum import IntEnum


class ExitCode(IntEnum):
    """Exit code of a command."""

    DONE = 0
    FOUND = 1
    FAILED = 2
    # By the convention of shells: 128 and the number of the signal.
    INTERRUPTED = 128 + signal.SIGINT


MEANINGS = {
    ExitCode.DONE: "done, and nothing that --fail-on names was found",
    ExitCode.FOUND: "done, and something that --fail-on names was found",
    ExitCode.FAILED: "could not be done: options, files, damage",
    ExitCode.INTERRUPTED: "ended by Ctrl-C",
}
HELP = "\n".join(
    ("exit codes:", *(f"  {code.value:3}  {meaning}" for code, meaning in MEANINGS.items()))
)


def fail(error: Exception | str, code: ExitCode = ExitCode.FAILED) -> ExitCode:
    """Print an error, and return the exit code."""
    print(f"octree: error: {error}", file=sys.stderr)
    return code
