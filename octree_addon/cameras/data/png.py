"""PNG files of 16-bit grayscale: label pictures, 0 for nothing, else the item's number plus one.

"Portable Network Graphics (PNG) Specification", W3C, 2003: signature, chunks with their CRC, rows
that begin with the number of their filter.
"""

import errno
import struct
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from ....core import atomic_file
from .file_names import picture_names
from .table import LabelPicture, Numbers, SeenTable

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
MOST_ITEMS = (1 << 16) - 1


def png_bytes(gray: Numbers) -> bytes:
    """Return a picture of 0 to 65,535, (height, width), the top row first, as a PNG file."""
    height, width = gray.shape
    rows = np.zeros((height, 1 + 2 * width), np.uint8)  # no filter
    rows[:, 1:] = np.ascontiguousarray(gray, ">u2").view(np.uint8)
    header = struct.pack(">IIBBBBB", width, height, 16, 0, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(kind, data) for kind, data in parts)


def gray_of(png: bytes) -> LabelPicture:
    """Return what `png_bytes` was given; a `ValueError` says that it did not write this."""
    found = dict(_chunks(png))
    width, height, *kind = struct.unpack(">IIBBBBB", found.get(b"IHDR", bytes(13)))
    try:
        rows = np.frombuffer(zlib.decompress(found.get(b"IDAT", b"")), np.uint8)
    except zlib.error as error:
        raise ValueError("it is damaged") from error
    if kind != [16, 0, 0, 0, 0] or len(rows) != height * (1 + 2 * width):
        raise ValueError("it is no label picture")
    rows = rows.reshape(height, 1 + 2 * width)
    if rows[:, 0].any():
        raise ValueError("it was written by something else")
    return np.ascontiguousarray(rows[:, 1:]).view(">u2").astype(np.int32)


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    place = len(_SIGNATURE)
    while place + 8 <= len(png):
        length, kind = struct.unpack(">I4s", png[place : place + 8])
        yield kind, png[place + 8 : place + 8 + length]
        place += 12 + length


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write_label_pictures(table: SeenTable, folder: Path) -> int:
    """Write the label picture of each view into a folder, made if need be; return how many.

    Their names are those that `coco` gives the pictures. A `ValueError` says that there are no
    label pictures, or more items than 16 bits can tell apart; then nothing is written.
    """
    if len(table.items) > MOST_ITEMS:
        raise ValueError(
            f"A 16-bit PNG can tell {MOST_ITEMS:,} items apart, not {len(table.items):,}:"
            " ask about fewer objects"
        )
    for view, name in enumerate(picture_names(table.which)):
        png = png_bytes(table.label_picture(view) + 1)
        folder.mkdir(parents=True, exist_ok=True)
        with atomic_file(folder / name) as file:
            file.write(png)
    return len(table.which)


def with_label_pictures(table: SeenTable, folder: Path) -> SeenTable:
    """Return a table with the label pictures of a folder, each read when it is asked for.

    A `FileNotFoundError` names the first that is not there.
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
    """Return where the label pictures of a chunk lie: its numbers are not those of the whole."""
    return folder if chunk is None else folder / f"chunk-{chunk[0]}-of-{chunk[1]}"
