"""Broad phase in C: two hierarchies of quantized boxes, or one and itself, walked together."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from .. import tuning
from ..arrays import Ids, address
from ..grid import Words
from .door import Caller, found

# Boxes of a level: first and last grid cells, (n,) each, and owners, (2, n) or (0, n).
Boxes: TypeAlias = tuple[Words, Words, Ids]
# The numbers of the bounds in a hierarchy, and its levels, the lowest first.
Hierarchy: TypeAlias = tuple[Ids, Sequence[Boxes]]


def pairs_below(one: Hierarchy, other: Hierarchy) -> Iterator[tuple[float, Ids, Ids]] | None:
    """Return batches of the pairs of bounds that may overlap, and the fraction done after each.

    See `core/pairs/broad_phase.py`. One hierarchy twice makes each pair once. Returns None without
    the compiled kernel.
    """
    return None if found()[0] is None else _Walk(one, other).batches()


class _Walk(Caller):
    def __init__(self, one: Hierarchy, other: Hierarchy) -> None:
        super().__init__()
        self._orders, self._layers = (one[0], other[0]), [self._layers_of(one[1])]
        self._layers.append(self._layers[0] if one is other else self._layers_of(other[1]))
        self._kept = one, other
        self._waiting = self._package.BoxPairs(height=1)
        self._waiting.level[0], self._waiting.share[0] = len(one[1]) - 1, 1.0

    def _layers_of(self, levels: Sequence[Boxes]) -> Any:
        layer = self._package.Layer
        return (layer * len(levels))(
            *(
                layer(address(first), address(last), *map(address, owners), count=len(first))
                for first, last, owners in levels
            )
        )

    def batches(self) -> Iterator[tuple[float, Ids, Ids]]:
        waiting, most = self._waiting, tuning.current.boxes_paired
        room = most + self._package.GROUP_PAIRS
        given = *self._layers, *self._orders, self._package.byref(waiting), most
        while waiting.height:
            pairs = np.empty((2, room), np.intp)
            count = self.call("pair_boxes", *given, pairs, room)
            yield min(waiting.done, 1.0), *pairs[:, :count]
