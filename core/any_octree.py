"""The abstract octree that every question takes: a tree of items, or a scene of two levels."""

from abc import ABC, abstractmethod


class AnyOctree(ABC):
    """An `Octree`, or an index that answers the same questions with octrees of its own.

    A question's own module says, as an abstract class, what such an index has to answer.
    """

    @abstractmethod
    def __len__(self) -> int:
        """Return how many items there are."""

    @abstractmethod
    def check(self) -> None:
        """Assert every invariant of the structure."""
