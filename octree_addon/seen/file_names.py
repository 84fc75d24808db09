"""File names of the pictures of views, and files that are written whole or not at all."""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from .table import Views


def picture_names(which: Views) -> list[str]:
    """Return a file name for each view: the camera's, made harmless and unique, and the frame."""
    cameras = list(_unique(re.sub(r"[^\w-]+", "_", name) for name in which.names))
    views = zip(which.cameras.tolist(), which.frames.tolist(), strict=True)
    return [f"{cameras[camera]}_{frame:04}.png" for camera, frame in views]


def _unique(names: Iterable[str]) -> Iterator[str]:
    """Yield names, with a number after those that are there already, whatever their case."""
    taken: set[str] = set()
    for name in names:
        number, free = 1, name
        while free.lower() in taken:
            number += 1
            free = f"{name}_{number}"
        taken.add(free.lower())
        yield free


def write_whole(path: Path, texts: Iterable[str]) -> None:
    """Write texts into one file that appears under its name when it is whole.

    Other machines of a farm look at it meanwhile. Names that are no Unicode stay readable.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            file.writelines(texts)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
