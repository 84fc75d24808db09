"""Label pictures: 16-bit PNG files of views; 0 is background, n + 1 is item n."""

import errno
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from ...png import gray_of, gray_png
from ...written_files import write_file
from .table import LabelPicture, SeenTable, Views

MOST_ITEMS = (1 << 16) - 1


def picture_names(which: Views) -> list[str]:
    """Return a file name for each view: the sanitized, unique camera name and the frame."""
    cameras = list(_unique(re.sub(r"[^\w-]+", "_", name) for name in which.names))
    views = zip(which.cameras.tolist(), which.frames.tolist(), strict=True)
    return [f"{cameras[camera]}_{frame:04}.png" for camera, frame in views]


def _unique(names: Iterable[str]) -> Iterator[str]:
    """Yield names made unique, ignoring case, by appending numbers to repeated names."""
    taken: set[str] = set()
    for name in names:
        number, free = 1, name
        while free.lower() in taken:
            number += 1
            free = f"{name}_{number}"
        taken.add(free.lower())
        yield free


def write_label_pictures(table: SeenTable, folder: Path) -> int:
    """Write the label picture of each view into a folder; return the number of pictures.

    The folder is created if necessary. File names are those in COCO files. Raises a `ValueError`,
    before anything is written, if there are no label pictures, or more items than 16-bit numbers.
    """
    if len(table.items) > MOST_ITEMS:
        raise ValueError(
            f"A 16-bit PNG can tell {MOST_ITEMS:,} items apart, not {len(table.items):,}:"
            " ask about fewer objects"
        )
    for view, name in enumerate(picture_names(table.which)):
        png = gray_png(table.label_picture(view) + 1)
        folder.mkdir(parents=True, exist_ok=True)
        write_file(folder / name, png)
    return len(table.which)


def with_label_pictures(table: SeenTable, folder: Path) -> SeenTable:
    """Return a table with the label pictures of a folder, each read on demand.

    Raises a `FileNotFoundError` that names the first missing file.
    """
    names = picture_names(table.which)
    for path in (folder / name for name in names):
        if not path.is_file():
            raise FileNotFoundError(errno.ENOENT, "There is no label picture", str(path))

    def labels(view: int) -> LabelPicture:
        path = folder / names[view]
        try:
            return gray_of(path.read_bytes()) - 1
        except ValueError as error:
            raise ValueError(f"{path} cannot be read: {error}") from error

    return replace(table, labels=labels)


def label_folder(folder: Path, chunk: tuple[int, int] | None) -> Path:
    """Return the folder of a chunk's label pictures.

    Each chunk has a folder of its own, since its item numbers differ from those of other chunks.
    """
    return folder if chunk is None else folder / f"chunk-{chunk[0]}-of-{chunk[1]}"
