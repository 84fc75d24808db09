"""Session stores: what is known of scenes until they, the file or the add-on go.

All that is kept beside the file hangs on them, and hears of its end in one place:
`forget_session`. Whoever puts something there that is shown, or takes it away, has the listeners
told.
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
    """Values by the session id of a scene, the number of an answer and more, in no file.

    Parameters
    ----------
    most : int, optional
        As many as `put` keeps: the ones that were put first go.
    """

    def __init__(self, most: int | None = None) -> None:
        super().__init__()
        self._most = most
        _stores.append(self)

    def put(self, key: Key, value: Value) -> None:
        """Keep a value as the last one."""
        self.pop(key, None)
        self[key] = value
        while self._most is not None and len(self) > self._most:
            del self[next(iter(self))]

    def of(self, scene: bpy.types.Scene) -> list[Value]:
        """Return the values of a scene, the last one last."""
        return [value for key, value in self.items() if key[0] == scene.session_uid]


def keep_scenes(scenes: Iterable[bpy.types.Scene]) -> bool:
    """Drop what is known of all other scenes; tell whether there was anything."""
    uids = {scene.session_uid for scene in scenes}
    gone = [(store, key) for store in _stores for key in store if key[0] not in uids]
    for store, key in gone:
        del store[key]
    return bool(gone)


def at_forgetting(end: Callable[..., None]) -> Callable[..., None]:
    """Call this whenever all is forgotten, for what is no store; a decorator."""
    _ends.append(end)
    return end


def forget_session() -> None:
    """Drop all that is known of scenes: before another file is opened, or without the add-on."""
    for store in _stores:
        store.clear()
    for end in _ends:
        end()


def listen_to_stores(listener: Callable[[], None], wanted: bool) -> None:
    """Call `listener` after each `notify`, or no more."""
    if wanted:
        _listeners.append(listener)
    else:
        _listeners.remove(listener)


def notify() -> None:
    """Tell the listeners that what is shown came or went."""
    for listener in _listeners:
        listener()
