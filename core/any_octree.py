"""The abstract octree that every query takes: a tree of items, or a scene of two levels."""

from abc import ABC, abstractmethod


class AnyOctree(ABC):
    """An `Octree`, or an index of placements that answers the same queries: see `PlacedIndex`."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of items."""

    @abstractmethod
    def check(self) -> None:
        """Assert every invariant of the structure."""
