"""Atomic files: written beside the target under a unique name, then renamed to the target.

A reader finds the older file or the new one, whole: during the write, and also after a full disk,
a lost connection or Ctrl-C.
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
    """Open a file that replaces its target when it is completely written: a context manager.

    Parameters
    ----------
    path : str or PathLike
        The target, used as given, in an existing folder. A symbolic link remains a link.

    Yields
    ------
    file : binary file
        Open for writing; the caller does not close it. At the end of the block the file has been
        flushed to the disk and is at `path`. After an exception in the block, KeyboardInterrupt
        included, an older file at `path` is unchanged and no other file is left. Any number of
        writers may write to `path` at once: the last one to finish wins.

    Raises
    ------
    ValueError
        If `path` is no path.
    OSError
        If the file cannot be written, or `path` is a folder or device; the message names `path`.
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
        with suppress(OSError):  # no older file, or a file system without permissions
            shutil.copymode(target, unfinished)
        os.replace(unfinished, target)
    except OSError as error:
        if error.errno is None or error.filename not in (None, unfinished):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with suppress(OSError):
            os.unlink(unfinished)
