"""Commands of the command line: name, help, arguments and what runs; blend files to read from."""

import argparse
import glob
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import bpy

Run = Callable[[bpy.types.Context, argparse.Namespace], bool]


@dataclass(frozen=True)
class Command:
    """A word after `octree`.

    Attributes
    ----------
    name, help, description : str
        The word; what it does in a line; and for its own `--help`.
    add_arguments : callable
        Adds what it takes to a parser.
    run : callable
        Does it, prints what came of it, and returns whether something was found that
        `--fail-on` names. A `ValueError` or `OSError` is an error of the user's.
    """

    name: str
    help: str
    description: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Run


def named_files(names: Iterable[str]) -> list[Path]:
    """Return the files that names mean, each once; Windows leaves `*` to us."""
    found = [
        path
        for name in names
        for path in ([name] if Path(name).exists() else sorted(glob.glob(name)) or [name])
    ]
    return [Path(path) for path in dict.fromkeys(found)]


def open_blend(path: Path) -> None:
    """Open a blend file to be read. Its scripts run only if Blender's own settings let them."""
    if not path.is_file():
        raise ValueError(f"There is no file {path}")
    try:
        bpy.ops.wm.open_mainfile(filepath=str(path.resolve()), load_ui=False)
    except RuntimeError as error:
        reason = str(error).partition("\n")[0].removeprefix("Error: ")
        raise ValueError(f"{path} cannot be opened: {reason}") from error
