"""The interface of what takes questions: items of placements, and how answers number them.

An answer names what it found by numbers: where it stands among all items, placement after
placement, whatever the octree calls it.
"""

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ...core import Boxes
from ..arrays import Flags, Ids

PairSteps = Generator[float, None, Ids]


class Faces(NamedTuple):
    """The faces of one object's own mesh: t triangles.

    Attributes
    ----------
    owner : int
        Session id of the object.
    polygons : ndarray of int, shape (t,)
        The polygon of the original mesh that each triangle is a part of.
    found, possible : ndarray of bool, shape (t,)
        Whether each was found, and whether it could be.
    """

    owner: int
    polygons: Ids
    found: Flags
    possible: Flags


class Target(ABC):
    """Items of placements, as they were at the moment of the question.

    Attributes
    ----------
    octree : Octree or SceneOctree
        Takes the questions of the core.
    """

    octree: Any

    @property
    @abstractmethod
    def noun(self) -> str:
        """What its items are."""

    @property
    @abstractmethod
    def owners(self) -> Ids:
        """Session id of each placement's object, or instancer, (p,)."""

    @property
    @abstractmethod
    def is_instance(self) -> Flags:
        """Which placements are instances, (p,)."""

    @property
    @abstractmethod
    def persistent_ids(self) -> NDArray[np.int32]:
        """What tells the instances of one owner apart, (p, 8); it says nothing of objects."""

    @property
    @abstractmethod
    def starts(self) -> Ids:
        """Where the items of each placement begin, and the number of `items`, (p + 1,)."""

    @abstractmethod
    def __len__(self) -> int:
        """How many items can be found."""

    @property
    @abstractmethod
    def items(self) -> Any:
        """All items as a batch of shapes, found or not."""

    @property
    @abstractmethod
    def possible(self) -> Flags:
        """Which of the items can be found, (n,)."""

    @abstractmethod
    def bounds(self) -> Boxes:
        """Return boxes around all that can be found; there may be none."""

    @property
    def is_current(self) -> bool:
        """Whether the scene has not been read again since."""
        return True

    def near(self, volume: Any) -> Ids:
        """Return the placements whose boxes touch one volume: what is needed to ask it."""
        return np.empty(0, np.intp)

    def meeting(self, owners: Ids, margin: float) -> Ids:
        """Return the placements whose boxes come near those of another owner, (p,)."""
        return np.empty(0, np.intp)

    @abstractmethod
    def prepare_steps(self, placements: Ids) -> Generator[float, None, None]:
        """Make what questions about placements will need; yield the fraction done."""

    @abstractmethod
    def frozen(self) -> Self:
        """Return the same, which stays as it is when the scene changes."""

    @abstractmethod
    def in_volume(self, volume: Any, relation: str) -> Ids:
        """Return the numbers of the items in one volume, sorted."""

    @abstractmethod
    def objects_in_volume(self, volume: Any) -> Ids:
        """Return the number of the first item of each placement that touches one volume."""

    @abstractmethod
    def numbers_found(self, answer: Any, kept: Flags) -> Ids:
        """Return the numbers of what one ray hit or what is nearest, in its order, where kept."""

    @abstractmethod
    def numbers_crossed(self, pairs: Ids) -> Ids:
        """Return the numbers of what one ray has crossed, in the order of the pairs."""

    def numbers_of(self, answer: Any, kept: Flags) -> Ids:
        """Return the same as `numbers_found`, sorted."""
        return np.sort(self.numbers_found(answer, kept))

    @abstractmethod
    def pair_steps(self, owners: Ids, margin: float) -> PairSteps:
        """Find pairs of items of different owners that are no farther apart than the margin.

        `owners`, (p,), are numbers of the placements' owners from 0 on. Yields the fraction done,
        returns numbers, (2, h).
        """

    @abstractmethod
    def placement_pair_steps(self, owners: Ids, margin: float) -> PairSteps:
        """Do the same for placements, (2, h): faster, for one touch of two is enough."""

    @abstractmethod
    def shapes_of(self, items: Ids, most: int) -> Any:
        """Return items as a batch of shapes; of more than `most`, boxes around placements."""

    @abstractmethod
    def faces(self, items: Ids, owners: frozenset[int]) -> Iterator[Faces]:
        """Yield the faces of those of these objects whose polygons are known."""

    @property
    def placement_of_item(self) -> Ids:
        """The placement of each of the `items`, (n,), as a row of `owners`."""
        return np.repeat(np.arange(len(self.owners)), np.diff(self.starts))

    def placements_of(self, items: Ids) -> Ids:
        """Return the placements of items, (h,), as rows of `owners`."""
        return np.searchsorted(self.starts, items, side="right") - 1

    def counts(self, items: Ids) -> tuple[Ids, Ids]:
        """Return how many items, sorted, each placement has, and how many could be, (p,) each."""
        return np.diff(np.searchsorted(items, self.starts)), self.possibles

    @property
    @abstractmethod
    def possibles(self) -> Ids:
        """How many items of each placement can be found, (p,)."""


def flags_of(numbers: Ids, count: int) -> Flags:
    """Return which of `count` items have these numbers, (count,)."""
    flags = np.zeros(count, np.bool_)
    flags[numbers] = True
    return flags
