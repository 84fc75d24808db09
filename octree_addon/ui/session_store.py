"""Session stores: data about scenes that lives in memory, until the scene or the file is closed.

All such data is cleared in one place, `forget_session`. Code that adds or removes displayed data
calls `notify`.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import bpy

Value = TypeVar("Value")
Key = tuple[int, ...]
_stores: list["SessionStore[Any]"] = []
_listeners: list[Callable[[], None]] = []
_ends: list[Callable[[], None]] = []


class SessionStore(dict[Key, Value]):
    """Values in memory by a key that begins with the session id of a scene.

    Parameters
    ----------
    most : int, optional
        Number of values that `put` keeps; beyond it, the oldest are dropped.
    """

    def __init__(self, most: int | None = None) -> None:
        super().__init__()
        self._most = most
        _stores.append(self)

    def put(self, key: Key, value: Value) -> None:
        """Store a value as the newest one."""
        self.pop(key, None)
        self[key] = value
        while self._most is not None and len(self) > self._most:
            del self[next(iter(self))]

    def of(self, scene: bpy.types.Scene) -> list[Value]:
        """Return the values of a scene, the newest last."""
        return [value for key, value in self.items() if key[0] == scene.session_uid]


def keep_scenes(scenes: Iterable[bpy.types.Scene]) -> bool:
    """Drop the values of all other scenes from all stores; return whether there were any."""
    uids = {scene.session_uid for scene in scenes}
    gone = [(store, key) for store in _stores for key in store if key[0] not in uids]
    for store, key in gone:
        del store[key]
    return bool(gone)


def at_forgetting(end: Callable[..., None]) -> Callable[..., None]:
    """Register a function to be called by `forget_session`; a decorator."""
    _ends.append(end)
    return end


def forget_session() -> None:
    """Clear all stores: before another file is opened, and when the add-on is disabled."""
    for store in _stores:
        store.clear()
    for end in _ends:
        end()


def listen_to_stores(listener: Callable[[], None], wanted: bool) -> None:
    """Add or remove a function that each `notify` calls."""
    if wanted:
        _listeners.append(listener)
    else:
        _listeners.remove(listener)


def notify() -> None:
    """Call the listeners after displayed data was added or removed."""
    for listener in _listeners:
        listener()
