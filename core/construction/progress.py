"""Work in steps: generators that yield the fraction done and return what they made."""

from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")


def between(
    start: float, stop: float, steps: Generator[float, None, T]
) -> Generator[float, None, T]:
    """Repeat the steps, their fractions scaled to lie between `start` and `stop`."""
    while True:
        try:
            yield start + (stop - start) * next(steps)
        except StopIteration as finished:
            return finished.value
