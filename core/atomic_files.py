"""Atomic files: written beside their place under a name of their own, then put there by a rename.

Whoever reads meanwhile finds the older file or the new one, whole; so does whoever comes after a
full disk, a lost connection or Ctrl-C.
"""

import errno
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from . import checks


@contextmanager
def atomic_file(path: str | os.PathLike[str], /) -> Iterator[BinaryIO]:
    """Open a file that takes its place, over an older one, when it is whole: a context manager.

    Parameters
    ----------
    path : str or PathLike
        The file, used as given, in a folder that is there. A link stays one.

    Yields
    ------
    file : binary file
        To be written and not to be closed. At the end of the block it has reached the disk and
        stands at `path`. An exception within, KeyboardInterrupt too, leaves what was there before,
        and nothing else. Any number of writers may do so at once: the last one stays.

    Raises
    ------
    ValueError
        If `path` is no path.
    OSError
        If the file cannot be written, or what is there is none; the message names `path`.
    """
    checks.kind("path", path, (str, os.PathLike))
    target = Path(path).resolve()
    unfinished = str(target.with_name(f".octree-{uuid.uuid4().hex}.part"))
    try:
        if target.exists() and not target.is_file():
            raise FileExistsError(errno.EEXIST, "A folder or device stands there")
        with open(unfinished, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with suppress(OSError):  # there is none, or the disk knows no permissions
            shutil.copymode(target, unfinished)
        os.replace(unfinished, target)
    except OSError as error:
        if error.errno is None or error.filename not in (None, unfinished):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with suppress(OSError):
            os.unlink(unfinished)
