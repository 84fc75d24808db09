"""Written files: a writer for each format, whole files, places tried before hours of work."""

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ..core import atomic_file

Place = str | os.PathLike[str]
# All of a file, or its pieces in order.
Content = str | bytes | Iterable[str]


class Writer(NamedTuple):
    """What makes a file of one format.

    Attributes
    ----------
    ending : str
        How the name of the file ends, in lower case.
    content : callable
        Returns what stands in it, of data as the registry of the format has them.
    is_pictured : bool
        Whether it is about pictures: it shows those of findings, or is made of views' pixels.
    """

    ending: str
    content: Callable[..., Content]
    is_pictured: bool = False


# By the name of the format. The first of an ending is what a file of that name is written as.
Writers = Mapping[str, Writer]


def writer_of(writers: Writers, path: Place, form: str = "") -> Writer:
    """Return the writer of a format or, without one, of a path's ending.

    Raises
    ------
    ValueError
        If the path ends otherwise; the message says how it must end.
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
    """Write a file, whole or not at all: text as UTF-8, names that are no Unicode readable."""
    pieces = [content] if isinstance(content, str | bytes) else content
    with atomic_file(path) as file:
        file.writelines(
            piece if isinstance(piece, bytes) else piece.encode("utf-8", "backslashreplace")
            for piece in pieces
        )


class _OnlyTriedError(Exception):
    """The end of a trial: nothing is to be written."""


def require_file(path: Place) -> None:
    """Write nothing, but raise the OSError that a file written there would end in."""
    if not Path(path).parent.is_dir():
        raise FileNotFoundError(f"There is no folder {Path(path).parent}")
    with suppress(_OnlyTriedError), atomic_file(path):
        raise _OnlyTriedError


def require_folder(path: Place) -> None:
    """Make nothing, but raise the OSError that files in a folder, made if need be, end in."""
    there = next(each for each in (Path(path), *Path(path).absolute().parents) if each.exists())
    if not there.is_dir():
        raise NotADirectoryError(f"{there} is a file, not a folder")
    try:
        require_file(there / ".octree-trial")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
