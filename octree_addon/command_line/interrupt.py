"""Ctrl-C (SIGINT) taken by a command itself: Blender would take note of it, and go on."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# Signals that have come.
_come: list[int] = []


@contextmanager
def interruptible() -> Iterator[None]:
    """Have Ctrl-C raise a KeyboardInterrupt; what then took its turn before is back afterwards."""
    _come.clear()
    if threading.current_thread() is not threading.main_thread():  # which alone gets signals
        yield
        return
    before = signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
        heed()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)


def heed() -> None:
    """Raise a KeyboardInterrupt if Ctrl-C was pressed.

    It was raised then; but what a handler of Blender's raises is printed, and forgotten.
    """
    if _come:
        raise KeyboardInterrupt


def _interrupt(number: int, _: Any) -> None:
    _come.append(number)
    raise KeyboardInterrupt
