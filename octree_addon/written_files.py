"""Written files: text as UTF-8, and places that are tried before hours of work, not after."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ..core import atomic_file


def write_texts(path: str | os.PathLike[str], texts: Iterable[str]) -> None:
    """Write texts into one file. Names that are no Unicode stay readable."""
    with atomic_file(path) as file:
        file.writelines(text.encode("utf-8", "backslashreplace") for text in texts)


class _OnlyTriedError(Exception):
    """The end of a trial: nothing is to be written."""


def require_file(path: str | os.PathLike[str]) -> None:
    """Write nothing, but raise the OSError that a file written there would end in."""
    if not Path(path).parent.is_dir():
        raise FileNotFoundError(f"There is no folder {Path(path).parent}")
    with suppress(_OnlyTriedError), atomic_file(path):
        raise _OnlyTriedError


def require_folder(path: str | os.PathLike[str]) -> None:
    """Make nothing, but raise the OSError that files in a folder, made if need be, end in."""
    there = next(each for each in (Path(path), *Path(path).absolute().parents) if each.exists())
    if not there.is_dir():
        raise NotADirectoryError(f"{there} is a file, not a folder")
    try:
        require_file(there / ".octree-trial")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
