"""Items of a shot: objects and their instances, numbered in the order of first appearance."""

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..arrays import Ids
from ..reader import UNUSED, row_bytes
from .table import Items

# The columns of keys that identify items: object, instance flag, persistent id.
_KEY = slice(0, 10)


class ItemNumbers:
    """Consecutive numbers of items from 0, the same in every frame.

    Attributes
    ----------
    uids : list of int
        Session id of each item's object, or of its instancer.
    instances : list of tuple of int
        The used part of the persistent id of each item; empty for an object itself.
    """

    def __init__(self) -> None:
        self.uids: list[int] = []
        self.instances: list[tuple[int, ...]] = []
        self._numbers: dict[bytes, int] = {}

    def of(self, keys: NDArray[np.int32]) -> Ids:
        """Return the item number of each of n keys of placements, (n,); number new items."""
        keys = np.ascontiguousarray(keys[:, _KEY])
        _, first, which = np.unique(row_bytes(keys), return_index=True, return_inverse=True)
        numbers = np.array([self._number_of(key) for key in keys[first]], np.intp)
        return numbers[which.ravel()]

    def _number_of(self, key: NDArray[np.int32]) -> int:
        name = key.tobytes()
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self.uids)
            uid, is_instance, *persistent = key.tolist()
            used = tuple(each for each in persistent if each != UNUSED)
            self.uids.append(uid)
            self.instances.append(used if is_instance else ())
        return number


def items_of(uids: list[int], instances: list[tuple[int, ...]] | None = None) -> Items:
    """Return objects or instances as items.

    Names are full names, which include the library and so are unique. The category is the custom
    property "category", else the name of the object's first collection.
    """
    found = {item.session_uid: item for item in bpy.data.objects}
    known = {uid: (found[uid].name_full, _category(found[uid])) for uid in set(uids)}
    return Items(
        tuple(known[uid][0] for uid in uids),
        ((),) * len(uids) if instances is None else tuple(instances),
        tuple(known[uid][1] for uid in uids),
    )


def _category(item: bpy.types.Object) -> str:
    given: Any = item.get("category")  # type: ignore[func-returns-value]
    if given is not None:
        return str(given)
    return next((each.name for each in item.users_collection), "")
