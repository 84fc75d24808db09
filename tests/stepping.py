"""Work in steps, taken one by one: the fractions that it yields, and what it makes."""

from collections.abc import Generator
from typing import TypeVar

from core import Running

Yielded = TypeVar("Yielded")
Made = TypeVar("Made")


def finished(steps: Generator[Yielded, None, Made]) -> tuple[list[Yielded], Made]:
    """Return all that steps yield, and what they make."""
    running, fractions = Running(steps), []
    while running.step():
        fractions.append(running.value)
    assert running.is_done
    return fractions, running.result
