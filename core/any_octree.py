"""The abstract octree that every query takes: a tree of items, or a scene of two levels."""

from abc import ABC, abstractmethod


class AnyOctree(ABC):
    """An `Octree`, or an index that answers the same queries with octrees of its own.

    Each query module has an abstract class with the methods that such an index implements.
    """

    @abstractmethod
    def __len__(self) -> int:
        """Return how many items there are."""

    @abstractmethod
    def check(self) -> None:
        """Assert every invariant of the structure."""
