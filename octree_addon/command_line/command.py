"""Base of commands: name, help, arguments and function; opening of blend files."""

import argparse
import glob
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import bpy

Run = Callable[[bpy.types.Context, argparse.Namespace], bool]


@dataclass(frozen=True)
class Command:
    """A command, named by the word after `octree`.

    Attributes
    ----------
    name, help, description : str
        The word, a summary in one line, and the text of its own `--help`.
    add_arguments : callable
        Adds the command's arguments to a parser.
    run : callable
        Runs the command, prints the result, and returns whether anything was found that
        `--fail-on` names. `ValueError` and `OSError` stand for errors of the user.
    """

    name: str
    help: str
    description: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Run


def named_files(names: Iterable[str]) -> list[Path]:
    """Return the files of names and patterns, without duplicates; Windows expands no patterns."""
    found = [
        path
        for name in names
        for path in ([name] if Path(name).exists() else sorted(glob.glob(name)) or [name])
    ]
    return [Path(path) for path in dict.fromkeys(found)]


def open_blend(path: Path) -> None:
    """Open a blend file. Its scripts run only if Blender's own settings allow it."""
    if not path.is_file():
        raise ValueError(f"There is no file {path}")
    try:
        bpy.ops.wm.open_mainfile(filepath=str(path.resolve()), load_ui=False)
    except RuntimeError as error:
        reason = str(error).partition("\n")[0].removeprefix("Error: ")
        raise ValueError(f"{path} cannot be opened: {reason}") from error
