"""Written files: writers by format, atomic writing, and checks of paths before long work."""

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ..core import atomic_file

Place = str | os.PathLike[str]
# The content of a file, whole or in pieces.
Content = str | bytes | Iterable[str]


class Writer(NamedTuple):
    """The writer of one file format.

    Attributes
    ----------
    ending : str
        Extension of the file, in lower case.
    content : callable
        Function that returns the content. All writers of a registry take the same arguments.
    is_pictured : bool
        True if the file contains pictures of findings, or is made from the pixels of views.
    """

    ending: str
    content: Callable[..., Content]
    is_pictured: bool = False


# Writers by name of the format. The first writer of an extension is its default.
Writers = Mapping[str, Writer]


def writer_of(writers: Writers, path: Place, form: str = "") -> Writer:
    """Return the writer for a path: of the format `form` or, if empty, of the path's extension.

    Raises
    ------
    ValueError
        If no writer has the extension of the path; the message names the valid ones.
    """
    fitting = [each for name, each in writers.items() if form in ("", name)]
    ending = Path(path).suffix.lower()
    for each in fitting:
        if each.ending == ending:
            return each
    *most, last = dict.fromkeys(each.ending for each in fitting)
    wanted = f"{', '.join(most)} or {last}" if most else last
    raise ValueError(f"The name of the file must end in {wanted}, got {Path(path).name!r}")


def write_file(path: Place, content: Content) -> None:
    """Write a file atomically; text is UTF-8, with backslash escapes for invalid characters."""
    pieces = [content] if isinstance(content, str | bytes) else content
    with atomic_file(path) as file:
        file.writelines(
            piece if isinstance(piece, bytes) else piece.encode("utf-8", "backslashreplace")
            for piece in pieces
        )


class _OnlyTriedError(Exception):
    """Raised to end a trial of writing before anything is written."""


def require_file(path: Place) -> None:
    """Raise the `OSError` that writing a file here would raise, but write nothing."""
    if not Path(path).parent.is_dir():
        raise FileNotFoundError(f"There is no folder {Path(path).parent}")
    with suppress(_OnlyTriedError), atomic_file(path):
        raise _OnlyTriedError


def require_folder(path: Place) -> None:
    """Raise the `OSError` that writing files in a folder would raise, but write nothing.

    The folder need not exist: its first existing parent is tested.
    """
    there = next(each for each in (Path(path), *Path(path).absolute().parents) if each.exists())
    if not there.is_dir():
        raise NotADirectoryError(f"{there} is a file, not a folder")
    try:
        require_file(there / ".octree-trial")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
