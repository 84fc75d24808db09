"""Uploads: what is kept on the graphics card, and dropped together once nothing is drawn."""

from typing import Protocol, TypeVar


class Emptied(Protocol):
    """A container."""

    def clear(self) -> None:
        """Empty it."""


Container = TypeVar("Container", bound=Emptied)
_uploads: list[Emptied] = []


def uploads(container: Container) -> Container:
    """Return a container, whose contents go with all other uploads."""
    _uploads.append(container)
    return container


def drop_uploads() -> None:
    """Leave nothing on the graphics card."""
    for container in _uploads:
        container.clear()
