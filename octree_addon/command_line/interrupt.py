"""Ctrl-C (SIGINT) handled by commands, since Blender itself would record it and continue."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# Numbers of the received signals.
_come: list[int] = []


@contextmanager
def interruptible() -> Iterator[None]:
    """Make Ctrl-C raise a KeyboardInterrupt; restore the former handler afterwards."""
    _come.clear()
    if threading.current_thread() is not threading.main_thread():  # gets no signals
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

    The signal handler raised it already, but Blender prints and discards exceptions in its own
    handlers.
    """
    if _come:
        raise KeyboardInterrupt


def _interrupt(number: int, _: Any) -> None:
    _come.append(number)
    raise KeyboardInterrupt
