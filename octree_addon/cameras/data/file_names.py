"""File names of the pictures of views."""

import re
from collections.abc import Iterable, Iterator

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
