"""Trees in files: `.npz` without pickled objects, written whole or not at all."""

import os
import uuid
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np

from .. import checks
from ..octree import Octree
from .records import from_arrays, to_arrays


def save(tree: Octree, path: str | os.PathLike[str], /) -> None:
    """Write a tree and its items to a file, in place of what is there.

    Parameters
    ----------
    tree : Octree
        Any octree.
    path : str or PathLike
        The file, used as given: no suffix is added.

    Raises
    ------
    ValueError
        If `tree` is not an Octree or `path` is no path.
    OSError
        If the file cannot be written. What was there before stays as it was.

    Notes
    -----
    The file is a zip archive of arrays, some 40 bytes for a triangle, and not compressed: packing
    a million triangles takes several times as long as to build their tree.
    """
    checks.kind("tree", tree, (Octree,))
    checks.kind("path", path, (str, os.PathLike))
    arrays = to_arrays(tree)
    with _replacing(Path(path)) as file:
        np.savez(file, **arrays)


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file beside the one at `path`, that takes its place once it is complete."""
    target = path.resolve()
    unfinished = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        with unfinished.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def load(path: str | os.PathLike[str], /) -> Octree:
    """Read a tree that `save` wrote.

    Parameters
    ----------
    path : str or PathLike
        The file, used as given.

    Returns
    -------
    Octree
        It answers every question as the saved one did, bit by bit.

    Raises
    ------
    FileNotFoundError
        If there is no file.
    ValueError
        If the file is anything but a saved octree; the message says what is wrong.
    """
    checks.kind("path", path, (str, os.PathLike))
    if Path(path).is_dir():
        raise ValueError(f"{path} must be a saved octree, got a folder")
    with Path(path).open("rb") as file:
        # A file of unknown origin can make its readers stumble in any way.
        try:
            return _read(file)
        except Exception as error:
            raise ValueError(f"{path} must be a saved octree: {error}") from error


def _read(file: BinaryIO) -> Octree:
    if not zipfile.is_zipfile(file):
        raise ValueError("it is no .npz archive, or only the beginning of one")
    file.seek(0)
    with np.load(file, allow_pickle=False) as arrays:
        return from_arrays(arrays)
