"""Frame ranges in the notation of render farms, "1-240" or "1,5,10-20x2", and their chunks."""

import argparse
import re

_RANGE = re.compile(r"(-?\d+)(?:(?:-|\.\.)(-?\d+)(?:x(\d+))?)?")
# Blender's last frame; a later one would be set to this.
_LAST = 1_048_574


def frames_of(text: str) -> tuple[int, ...]:
    """Return the frames of a range in text, sorted, without duplicates; for argparse."""
    frames: set[int] = set()
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise argparse.ArgumentTypeError(f"{text!r} is no range such as 1-240 or 1,5,10-20x2")
        first, last, step = int(match[1]), int(match[2] or match[1]), int(match[3] or 1)
        if step == 0 or last < first:
            raise argparse.ArgumentTypeError(f"{part.strip()!r} goes nowhere")
        if max(-first, last) > _LAST:
            raise argparse.ArgumentTypeError(f"{part.strip()!r} is beyond Blender's last, {_LAST}")
        frames.update(range(first, last + 1, step))
    return tuple(sorted(frames))


def frames_in_chunk(frames: tuple[int, ...], chunk: tuple[int, int]) -> tuple[int, ...]:
    """Return the frames of a chunk: consecutive, as many as in others up to one; maybe none."""
    number, count = chunk
    start, end = (len(frames) * at // count for at in (number - 1, number))
    return frames[start:end]
