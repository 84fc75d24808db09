"""Counting lines run and bytes allocated, where a clock would tell what else the machine does."""

import linecache
import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

CHECKOUT = Path(__file__).resolve().parent.parent


def lines_run(work: Callable[[], object]) -> Counter[str]:
    """Count the lines of the project's Python that some work runs, by what stands in them.

    A loop over n things in Python runs n lines and more, one inside NumPy or Blender none. What
    Blender calls back, a handler or a property's update, is counted too.
    """
    runs: Counter[tuple[str, int]] = Counter()

    def count(frame: FrameType, event: str, _: Any) -> None:
        if event == "line":
            runs[frame.f_code.co_filename, frame.f_lineno] += 1

    _traced(work, count)
    texts: Counter[str] = Counter()
    for (path, number), times in runs.items():
        texts[linecache.getline(path, number).strip()] += times
    return texts


def times_run(lines: Counter[str], part: str) -> int:
    """Add up how often the lines ran that hold some text."""
    return sum(times for line, times in lines.items() if part in line)


def bytes_made(work: Callable[[], object]) -> int:
    """Count the bytes that some work allocates: the arrays that it makes, freed again or not."""
    made = last = 0

    def count(*_: object) -> None:
        nonlocal made, last
        now, peak = tracemalloc.get_traced_memory()
        made += max(peak - last, 0)
        tracemalloc.reset_peak()
        last = now

    tracemalloc.start()
    try:
        _traced(work, count)
        count()
    finally:
        tracemalloc.stop()
    return made


def most_held(work: Callable[[], object]) -> int:
    """Return the most bytes that some work holds at a time, beyond what was there before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def bytes_of_steps(steps: Iterator[float]) -> list[int]:
    """Count the bytes that are allocated before each fraction, and after the last."""
    made, goes_on = [], True

    def take_step() -> None:
        nonlocal goes_on
        goes_on = next(steps, None) is not None

    while goes_on:
        made.append(bytes_made(take_step))
    return made


def _traced(work: Callable[[], object], count: Callable[..., None]) -> None:
    """Call `count` at each line of the project that is run."""
    ours: dict[str, bool] = {}

    def trace_line(frame: FrameType, event: str, argument: Any) -> Any:
        count(frame, event, argument)
        return trace_line

    def trace_call(frame: FrameType, event: str, argument: Any) -> Any:
        path = frame.f_code.co_filename
        if path not in ours:
            ours[path] = _is_ours(Path(path))
        return trace_line if ours[path] else None

    before = sys.gettrace()
    sys.settrace(trace_call)
    try:
        work()
    finally:
        sys.settrace(before)


def _is_ours(path: Path) -> bool:
    """Tell whether a file is the project's: environments live in dot folders of the checkout."""
    return path.is_relative_to(CHECKOUT) and path.relative_to(CHECKOUT).parts[0][0] != "."
