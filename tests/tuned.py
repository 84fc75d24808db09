"""Other tunables for a test, or for a part of it, so that little takes the way of much."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import ModuleType


@contextmanager
def tuned(package: ModuleType, **values: float) -> Iterator[None]:
    """Replace tunables of a package, `core` or the add-on, while this context or function runs."""
    before = package.tuning.current
    package.tuning.current = replace(before, **values)
    try:
        yield
    finally:
        package.tuning.current = before
