"""What cameras saw as a table, CSV or JSON: object, camera, and when it was seen."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from .seen import Seen, intervals

HEADER = ("object", "camera", "first", "last", "frames", "intervals")


def csv_table(seen: Seen) -> str:
    """Return a line for every object and camera.

    Parameters
    ----------
    seen : Seen
        What was seen.

    Returns
    -------
    str
        Lines of `HEADER`; an object that was not seen has empty fields after the camera, but 0
        frames. Intervals read as "1-12 20-48".
    """
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(HEADER)
    for name, camera, count, runs in _rows(seen):
        first, last = (runs[0][0], runs[-1][1]) if runs else ("", "")
        written = " ".join(f"{start}-{end}" for start, end in runs)
        table.writerow((name, camera, first, last, count, written))
    return text.getvalue()


def json_table(seen: Seen) -> str:
    """Return the same as JSON, with what was asked.

    Parameters
    ----------
    seen : Seen
        What was seen.

    Returns
    -------
    str
        An object with `frames`, `cameras`, `exact` and `seen`: a list with `object`, `camera`,
        `first` and `last`, null if it was not seen, `frames` and `intervals`.
    """
    rows: list[dict[str, Any]] = [
        {
            "object": name,
            "camera": camera,
            "first": runs[0][0] if runs else None,
            "last": runs[-1][1] if runs else None,
            "frames": count,
            "intervals": runs,
        }
        for name, camera, count, runs in _rows(seen)
    ]
    asked = {"frames": seen.frames, "cameras": seen.cameras, "exact": seen.is_exact}
    return json.dumps({**asked, "seen": rows}, indent=1, ensure_ascii=False) + "\n"


def _rows(seen: Seen) -> Iterator[tuple[str, str, int, list[tuple[int, int]]]]:
    """Yield object, camera, number of frames, and first and last frame of every interval."""
    for subject, by_camera in zip(seen.objects, seen.flags, strict=True):
        for camera, flags in zip(seen.cameras, by_camera, strict=True):
            runs = [(seen.frames[a], seen.frames[b]) for a, b in intervals(flags)]
            yield subject.name, camera, int(flags.sum()), runs
