"""PNG files of 16-bit grayscale: label pictures, 0 for nothing, else the item's number plus one.

"Portable Network Graphics (PNG) Specification", W3C, 2003: signature, chunks with their CRC, rows
that begin with the number of their filter.
"""

import struct
import zlib
from pathlib import Path

import numpy as np

from .file_names import picture_names
from .table import Numbers, SeenTable

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
        (folder / name).write_bytes(png)
    return len(table.which)
