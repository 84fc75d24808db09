"""PNG files: 16-bit gray pictures, written and read; small palette pictures, written.

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
# Bit depth and color type; then compression, filter method and interlacing, always 0.
_GRAY = (16, 0, 0, 0, 0)
_INDEXED = (8, 3, 0, 0, 0)
# Bits per color channel and step between pixels, from fine to coarse.
_COARSER = ((5, 1), (4, 1), (3, 1), (2, 1), (3, 2), (2, 2), (2, 4))
_MOST_COLORS = 256


def gray_png(gray: NDArray[Any]) -> bytes:
    """Return a gray picture, (height, width), 0 to 65,535, top row first, as a PNG file."""
    return _png(np.ascontiguousarray(gray, ">u2").view(np.uint8), gray.shape[1], _GRAY)


def small_png(pixels: NDArray[np.uint8], most: int) -> bytes:
    """Return a picture, (height, width, 3), as a small PNG file with a palette; top row first.

    The numbers of colors and then of pixels are reduced until the file has at most `most` bytes.
    If it is still larger with the coarsest settings, the larger file is returned.
    """
    png = b""
    for bits, step in _COARSER:
        some = pixels[::step, ::step]
        palette, numbers = _few_colors(some.reshape(-1, 3), bits)
        if len(palette) <= _MOST_COLORS:
            colors = (b"PLTE", palette.tobytes())
            png = _png(numbers.reshape(some.shape[:2]), some.shape[1], _INDEXED, colors)
            if len(png) <= most:
                break
    return png


def _few_colors(pixels: NDArray[np.uint8], bits: int) -> tuple[NDArray[np.uint8], NDArray[Any]]:
    """Return a palette and the palette index of each pixel.

    Each entry is the mean of the colors that agree in their first `bits` bits per channel.
    Popularity algorithm over a uniform grid: Heckbert, "Color Image Quantization for Frame Buffer
    Display", 1982, section 4.1.
    """
    high = (pixels >> (8 - bits)).astype(np.intp)
    codes = (high[:, 0] << 2 * bits) | (high[:, 1] << bits) | high[:, 2]
    _, numbers = np.unique(codes, return_inverse=True)
    numbers = numbers.reshape(-1)
    counts = np.bincount(numbers)
    sums = [np.bincount(numbers, pixels[:, channel]) for channel in range(3)]
    means = np.rint(np.stack(sums, axis=1) / counts[:, None])
    return means.astype(np.uint8), numbers.astype(np.uint8)


def _png(
    rows: NDArray[np.uint8], width: int, kind: tuple[int, ...], *chunks: tuple[bytes, bytes]
) -> bytes:
    """Return a PNG file from rows of bytes, with other chunks before the pixels."""
    unfiltered = np.pad(rows, ((0, 0), (1, 0)))
    header = struct.pack(_HEADER, width, len(rows), *kind)
    data = zlib.compress(unfiltered.tobytes(), 6)
    parts = ((b"IHDR", header), *chunks, (b"IDAT", data), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def gray_of(png: bytes) -> NDArray[np.int32]:
    """Return the picture in a file from `gray_png`; raise a `ValueError` for other files."""
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
