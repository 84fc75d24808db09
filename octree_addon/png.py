"""PNG files: pictures of 16-bit gray, written and read again.

"Portable Network Graphics (PNG) Specification", W3C, 2003: signature, chunks with their CRC, rows
that begin with the number of their filter.
"""

import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER = ">IIBBBBB"
# Bit depth and color type, then the only kinds of compression, filters and interlacing.
_GRAY = (16, 0, 0, 0, 0)


def gray_png(gray: NDArray[Any]) -> bytes:
    """Return a picture of 0 to 65,535, (height, width), the top row first, as a PNG file."""
    return _png(np.ascontiguousarray(gray, ">u2").view(np.uint8), gray.shape[1], _GRAY)


def _png(
    rows: NDArray[np.uint8], width: int, kind: tuple[int, ...], *chunks: tuple[bytes, bytes]
) -> bytes:
    """Return a file of rows of bytes, with other chunks before them."""
    unfiltered = np.pad(rows, ((0, 0), (1, 0)))
    header = struct.pack(_HEADER, width, len(rows), *kind)
    data = zlib.compress(unfiltered.tobytes(), 6)
    parts = ((b"IHDR", header), *chunks, (b"IDAT", data), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def gray_of(png: bytes) -> NDArray[np.int32]:
    """Return what `gray_png` was given; a `ValueError` says that it did not write this."""
    found = dict(_chunks(png))
    width, height, *kind = struct.unpack(_HEADER, found.get(b"IHDR", bytes(13)))
    try:
        rows = np.frombuffer(zlib.decompress(found.get(b"IDAT", b"")), np.uint8)
    except zlib.error as error:
        raise ValueError("it is damaged") from error
    if (*kind,) != _GRAY or len(rows) != height * (1 + 2 * width):
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
