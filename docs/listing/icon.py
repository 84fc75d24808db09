"""Draw the icon of the extension: icon.py [FILE [SIZE]], by default icon.png with 256 pixels.

A cube in cells, of which one corner is divided again, and one is found. Flat colors and wide gaps,
so that it can be told at 32 pixels.
"""

import struct
import sys
import zlib
from pathlib import Path

import numpy as np

SIZE, SAMPLES = 256, 4
GROUND, EDGE = (0x1B, 0x24, 0x3A), 0.2  # of the sheet: its color, the radius of its corners
# The faces that one sees: top, left, right.
BLUE = ((0x8F, 0xB8, 0xF2), (0x4F, 0x83, 0xD1), (0x2F, 0x5C, 0xA8))
FOUND = ((0xFF, 0xC2, 0x66), (0xF5, 0x8A, 0x1F), (0xC9, 0x5F, 0x0A))
GAP = 0.035  # between cells, in edges of the cube
# Where an axis of the cube leads on the sheet; the nearest corner is (1, 1, 1).
AXES = np.array([[0.36, 0.19], [-0.36, 0.19], [0.0, -0.40]])
MIDDLE = (0.5, 0.51)


def cells() -> list[tuple[np.ndarray, float, bool]]:
    """Return the lower corners of cells, their edges, and whether they are found."""
    found = []
    for corner in np.ndindex(2, 2, 2):
        lower = np.array(corner) / 2
        if corner == (0, 1, 1):
            found += [(lower + np.array(part) / 4, 0.25, False) for part in np.ndindex(2, 2, 2)]
        else:
            found.append((lower, 0.5, corner == (1, 1, 1)))
    return found


def faces() -> list[tuple[np.ndarray, tuple[int, int, int]]]:
    """Return the faces on the sides that one sees, four corners (4, 2) each, with their colors."""
    shown = []
    for lower, edge, is_found in cells():
        upper = lower + edge
        for side, axis in enumerate((2, 1, 0)):
            if upper[axis] < 1:
                continue
            first, second = (each for each in range(3) if each != axis)
            low, high = lower + GAP * (lower > 0) / 2, upper - GAP * (upper < 1) / 2
            corners = np.tile(upper, (4, 1))
            corners[:, first] = [low[first], high[first], high[first], low[first]]
            corners[:, second] = [low[second], low[second], high[second], high[second]]
            shown.append(((corners - 0.5) @ AXES + MIDDLE, (FOUND if is_found else BLUE)[side]))
    return shown


def drawn(size: int = SIZE) -> np.ndarray:
    """Return the picture, (size, size, 4) of bytes."""
    steps = (np.arange(size * SAMPLES) + 0.5) / (size * SAMPLES)
    points = np.stack(np.meshgrid(steps, steps), axis=-1)
    picture = np.zeros((*points.shape[:2], 4))
    away = np.maximum(np.abs(points - 0.5) - (0.5 - EDGE), 0)
    picture[np.hypot(*np.moveaxis(away, -1, 0)) <= EDGE] = (*GROUND, 255)
    for corners, color in faces():
        low, high = (np.searchsorted(steps, end(axis=0)) for end in (corners.min, corners.max))
        box = (slice(low[1], high[1]), slice(low[0], high[0]))
        picture[box][is_in(points[box], corners)] = (*color, 255)
    cover = picture.reshape(size, SAMPLES, size, SAMPLES, 4)
    cover[..., :3] *= cover[..., 3:] / 255
    mean = cover.mean(axis=(1, 3))
    mean[..., :3] /= np.maximum(mean[..., 3:], 1) / 255
    return np.rint(mean).astype(np.uint8)


def is_in(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Tell which points (h, w, 2) a convex polygon holds."""
    along = np.roll(corners, -1, axis=0) - corners
    sides = [
        edge[0] * (points[..., 1] - start[1]) - edge[1] * (points[..., 0] - start[0])
        for start, edge in zip(corners, along, strict=True)
    ]
    return np.all(np.array(sides) >= 0, axis=0) | np.all(np.array(sides) <= 0, axis=0)


def png(picture: np.ndarray) -> bytes:
    """Return a picture (h, w, 4) of bytes as a file."""
    height, width = picture.shape[:2]

    def chunk(kind: bytes, content: bytes) -> bytes:
        checked = kind + content
        return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))

    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    rows = b"".join(b"\0" + row.tobytes() for row in picture)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows, 9))
        + chunk(b"IEND", b"")
    )


if __name__ == "__main__":
    path = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).with_name("icon.png")
    path.write_bytes(png(drawn(int(sys.argv[2]) if sys.argv[2:] else SIZE)))
